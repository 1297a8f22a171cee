import { randomUUID } from 'node:crypto'
import { pinoHttp } from 'pino-http'
import type { Logger } from 'pino'

const REQUEST_ID = /^[\w.-]{8,128}$/

/**
 * One log line a request, with the request id that the answer carries as `X-Request-Id`; a caller's own id is kept.
 * Neither URL nor headers are logged: they hold tokens and ids. The operation says which path it was.
 */
export const requestLog = (logger: Logger) =>
  pinoHttp<import('express').Request, import('express').Response>({
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
    customProps: (request, response) => ({
      method: request.method,
      operation: response.locals['operation'] ?? null,
      status: response.statusCode,
    }),
    customLogLevel: (_request, response, error) => (error || response.statusCode >= 500 ? 'error' : 'info'),
    customSuccessMessage: () => 'answered',
    customErrorMessage: () => 'failed',
    autoLogging: { ignore: ({ path }) => path === '/healthz' || path === '/readyz' },
  })
