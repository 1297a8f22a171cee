import { randomUUID } from 'node:crypto'
import type { Request, Response } from 'express'
import { pinoHttp } from 'pino-http'
import type { Logger } from 'pino'
import type { RestLocals } from './rest.ts'

const REQUEST_ID = /^[\w.-]{8,128}$/

/**
 * One log line a request, with the request id that the answer carries as `X-Request-Id`; a caller's own id is kept.
 * Neither URL nor headers are logged: they hold tokens and ids. The operation says which path it was.
 */
export const requestLog = (logger: Logger) =>
  pinoHttp<Request, Response>({
    logger,
    genReqId(request, response) {
      const given = request.headers['x-request-id']
      const id = typeof given === 'string' && REQUEST_ID.test(given) ? given : randomUUID()
      response.setHeader('x-request-id', id)
      return id
    },
    quietReqLogger: true,
    customAttributeKeys: { reqId: 'request_id', responseTime: 'ms' },
    serializers: { req: () => undefined, res: () => undefined, err: (error: unknown) => error },
    customLogLevel: (_request, response, error) => (error || response.statusCode >= 500 ? 'error' : 'info'),
    customSuccessMessage: () => 'answered',
    customErrorMessage: () => 'failed',
    customSuccessObject: (request, response, value) => ({ ...value, ...facts(request, response) }),
    customErrorObject: (request, response, _error, value) => ({ ...value, ...facts(request, response) }),
    autoLogging: { ignore: ({ path }) => path === '/healthz' || path === '/readyz' },
  })

const facts = ({ method }: Request, { locals, statusCode }: Response) => {
  const { operation }: RestLocals = locals
  return { method, operation, status: statusCode }
}
