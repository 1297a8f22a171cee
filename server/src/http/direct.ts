import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { parse } from 'node:querystring'
import type { ErrorRequestHandler, Express, Request, Response } from 'express'
import type { AnyRouter } from '@trpc/server'
import type { Logger } from 'pino'
import type { Context } from './context.ts'
import { operations } from './operations.ts'
import { noteRequest } from '../telemetry/request-log.ts'
import type { Noted } from '../telemetry/request-log.ts'
import { answerer, bodyParser } from './rest.ts'

interface Surroundings {
  router: AnyRouter
  log: Logger
  createContext: (request: IncomingMessage, response: ServerResponse, dressed: () => Request) => Context
  onError: ErrorRequestHandler
}

type Route = (request: IncomingMessage, response: Noted) => Promise<void>

/**
 * Answers operations with a fixed path and a JSON body, or none, before Express looks for a route: its way there costs
 * as much as a small operation itself. Everything else, and every refusal, goes through `app` and its error handler.
 */
export function directly(
  app: Express,
  { router, log, createContext, onError }: Surroundings,
): RequestListener {
  const routes = new Map<string, Map<string, Route>>()
  for (const served of operations(router)) {
    const { method, path, body, file } = served.operation
    if (path.includes('{') || body === 'form' || file || method === 'DELETE') continue
    const answer = answerer(served)
    const [parseBody] = bodyParser(served.operation)
    const ofMethod = routes.get(method) ?? new Map<string, Route>()
    routes.set(method, ofMethod)
    ofMethod.set(path, async (request, response) => {
      const url = request.url ?? ''
      const asked = { params: {}, query: parse(url.slice(path.length + 1)), body: undefined }
      if (parseBody) {
        await new Promise<void>((resolve, reject) => {
          parseBody(request, response, (error?: unknown) => (error ? reject(error) : resolve()))
        })
        asked.body = Reflect.get(request, 'body')
      }
      await answer(asked, response, () => createContext(request, response, () => dress(request, response)))
    })
  }

  /** What Express does to every request: makes it one of its own. */
  function dress(request: IncomingMessage, response: Noted): Request {
    const own: Request = Object.setPrototypeOf(request, app.request)
    own.res = Object.setPrototypeOf(response, app.response)
    Object.assign(response, { req: own })
    return own
  }

  return (request, response) => {
    const url = request.url ?? ''
    const end = url.indexOf('?')
    const route = routes.get(request.method ?? '')?.get(end < 0 ? url : url.slice(0, end))
    if (!route) {
      app(request, response)
      return
    }
    const noted = noteRequest(log, request, response)
    route(request, noted).catch((error: unknown) => {
      const own = dress(request, noted)
      const answered: Response | undefined = own.res
      if (answered) onError(error, own, answered, () => request.destroy())
    })
  }
}
