import { readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { extname } from 'node:path'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import express from 'express'
import type { RequestHandler, Router } from 'express'
import {
  errorsPage,
  errorsStyle,
  referencePage,
  referenceScript,
  referenceStyle,
} from './documentation-pages.ts'
import { methodNotAllowed } from '../errors/method-not-allowed.ts'
import type { Forwarded } from '../http/forwarded.ts'

/**
 * Serves `/openapi.json`, the interactive reference at `/docs` (Scalar, without files from other servers) and
 * `/docs/errors`, to which the `url` of every validation issue points.
 */
export function documentation({ originOf }: Pick<Forwarded, 'originOf'>): Router {
  // Serve the committed document, so that clients see the one that was reviewed.
  const document: object = JSON.parse(readFileSync(new URL('../../openapi.json', import.meta.url), 'utf8'))
  const router = express.Router({ caseSensitive: true, strict: true })
  const get = (path: string, handler: RequestHandler) =>
    router.route(path).get(handler).all(methodNotAllowed('GET, HEAD'))
  const page =
    (html: string, styles = "'self'"): RequestHandler =>
    (_request, response) =>
      void response
        .set({ 'content-security-policy': policyWith(styles), 'cache-control': 'no-cache' })
        .type('html')
        .send(html)
  get('/', (_request, response) => response.redirect('/docs'))
  get('/openapi.json', (request, response) => {
    response.set('cache-control', 'no-cache').json({ ...document, servers: [{ url: originOf(request) }] })
  })
  // Scalar writes its styles into the page.
  get('/docs', page(referencePage, "'self' 'unsafe-inline'"))
  get('/docs/errors', page(errorsPage))
  for (const [name, load] of Object.entries(assets)) get(`/docs/assets/${name}`, asset(name, load))
  return router
}

/** A page runs and asks only what this server serves. */
const policyWith = (styles: string) =>
  [
    `default-src 'none'`,
    `script-src 'self'`,
    `style-src ${styles}`,
    `img-src 'self' data:`,
    `connect-src 'self'`,
    `base-uri 'none'`,
    `form-action 'none'`,
    `frame-ancestors 'none'`,
  ].join('; ')

const scalar = () =>
  readFile(createRequire(import.meta.url).resolve('@scalar/api-reference/browser/standalone.js'))
const own = (text: string) => async () => Buffer.from(text)

const assets = {
  'scalar.js': scalar,
  'reference.js': own(referenceScript),
  'reference.css': own(referenceStyle),
  'errors.css': own(errorsStyle),
}

/**
 * Serves a file that is loaded and compressed on its first request and then kept: Scalar is 3.6 MB, compressed 1.0.
 */
function asset(name: string, load: () => Promise<Buffer>): RequestHandler {
  let content: { plain: Buffer; packed: Buffer } | undefined
  const read = async () => {
    const plain = await load()
    return { plain, packed: await promisify(gzip)(plain) }
  }
  return async (request, response) => {
    content ??= await read()
    response.set({ 'cache-control': 'public, max-age=3600', vary: 'accept-encoding' })
    response.type(extname(name))
    if (request.acceptsEncodings('gzip')) response.set('content-encoding', 'gzip').send(content.packed)
    else response.send(content.plain)
  }
}
