import { join } from 'node:path'
import express from 'express'
import type { RequestHandler, Response, Router } from 'express'
import { methodNotAllowed } from '../errors/method-not-allowed.ts'

/** Everything that a page of such an application loads, runs or asks comes from this service, and from files of their own. */
const POLICY = "default-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

/**
 * Serves the build of a web application under `path`. `folder` has an `index.html`, which answers every address of the
 * application, and `assets`, whose names change with their content. Names of files that are not there are passed on, and every address until
 * there is an `index.html`.
 */
export function webApp(path: string, folder: string): Router {
  const filesOf = (part: string, cacheControl: string) =>
    express.static(join(folder, part), {
      index: false,
      redirect: false,
      setHeaders: (response: Response) =>
        void response.set({ 'content-security-policy': POLICY, 'cache-control': cacheControl }),
    })
  const files = filesOf('.', 'no-cache')
  const page: RequestHandler = (request, response, next) => {
    if (!/\.[^/]*$/.test(request.path)) request.url = '/index.html'
    files(request, response, next)
  }
  const app = express.Router({ caseSensitive: true, strict: true })
  app.use(path, (request, _response, next) => {
    if (request.method === 'GET' || request.method === 'HEAD') next()
    else methodNotAllowed('GET, HEAD')()
  })
  app.use(
    `${path}/assets`,
    filesOf('assets', 'public, max-age=31536000, immutable'),
    (_request, _response, next) => next('router'),
  )
  app.use(path, page)
  return app
}
