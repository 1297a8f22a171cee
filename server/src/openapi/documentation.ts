import { hash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { extname } from 'node:path'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import express from 'express'
import type { RequestHandler, Response, Router } from 'express'
import {
  errorsPage,
  errorsStyle,
  referencePage,
  referenceScript,
  referenceStyle,
} from './documentation-pages.ts'
import { referenceNames } from './reference-names.ts'
import { methodNotAllowed } from '../errors/method-not-allowed.ts'
import type { Forwarded } from '../http/forwarded.ts'
import { acceptsGzip } from '../http/json-response.ts'

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
  // One version is kept: the origin is what a caller writes, and there is no end to what they may write.
  let latest: { origin: string; tag: string; content: Promise<Packed> } | undefined
  const documentAt = (origin: string) => {
    if (latest?.origin === origin) return latest
    const plain = Buffer.from(JSON.stringify({ ...document, servers: [{ url: origin }] }))
    // Weak, because the packed bytes have the same tag.
    const tag = `W/"${hash('sha256', plain, 'base64url')}"`
    latest = { origin, tag, content: pack(plain) }
    return latest
  }
  get('/', (_request, response) => response.redirect('/docs'))
  get('/openapi.json', async (request, response) => {
    const { tag, content } = documentAt(originOf(request))
    response.set({ 'cache-control': 'no-cache', etag: tag }).type('json')
    sendPacked(response, await content)
  })
  // Scalar writes its styles into the page.
  get('/docs', page(referencePage, "'self' 'unsafe-inline'"))
  get('/docs/errors', page(errorsPage))
  for (const [name, load] of Object.entries(assets)) get(`/docs/assets/${name}`, asset(name, load))
  return router
}

/** Serves a page, compressed where the client takes it; `styles` are those that its policy admits. */
const page = (html: string, styles = "'self'"): RequestHandler => {
  const policy = policyWith(styles)
  const content = pack(Buffer.from(html))
  return async (_request, response) => {
    response.set({ 'content-security-policy': policy, 'cache-control': 'no-cache' }).type('html')
    sendPacked(response, await content)
  }
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
  'reference.js': own(referenceNames + referenceScript),
  'reference.css': own(referenceStyle),
  'errors.css': own(errorsStyle),
}

/**
 * Serves a file that is loaded and compressed on its first request and then kept: Scalar is 3.6 MB, compressed 1.0.
 */
function asset(name: string, load: () => Promise<Buffer>): RequestHandler {
  let content: Packed | undefined
  return async (_request, response) => {
    content ??= await pack(await load())
    response.set('cache-control', 'public, max-age=3600').type(extname(name))
    sendPacked(response, content)
  }
}

interface Packed {
  plain: Buffer
  packed: Buffer
}

const pack = async (plain: Buffer): Promise<Packed> => ({ plain, packed: await promisify(gzip)(plain) })

/** Sends the bytes that the client accepts, or 304 if it has those with the `ETag` that the response carries. */
function sendPacked(response: Response, { plain, packed }: Packed): void {
  response.vary('Accept-Encoding')
  if (acceptsGzip(response)) response.set('content-encoding', 'gzip').send(packed)
  else response.send(plain)
}
