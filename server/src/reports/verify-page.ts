import express from 'express'
import type { ErrorRequestHandler, RequestHandler, Response, Router } from 'express'
import { methodNotAllowed } from '../errors/method-not-allowed.ts'
import { pageHeaders } from '../http/html-page.ts'
import { preferredLanguage } from '../http/language.ts'
import { verifySeal } from './seal.ts'
import { renderVerifyPage, VERIFY_PAGE } from './verify-page-html.ts'
import type { VerifyState } from './verify-page-html.ts'

const MOST_BYTES = 10_000_000
/** Each holds a file in memory. */
const MOST_AT_ONCE = 4

const statuses: Record<VerifyState, number> = {
  ask: 200,
  made: 200,
  changed: 200,
  unknown: 200,
  absent: 422,
  large: 413,
  busy: 503,
}

/** The page that says whether this service made a report and that it is unchanged. It works without JavaScript and keeps nothing. */
export function verifyPage(sealKey: Uint8Array): Router {
  const page = express.Router()
  let present = 0
  const admit: RequestHandler = (_request, response, next) => {
    if (present >= MOST_AT_ONCE) return show(response, 'busy')
    present += 1
    response.once('close', () => (present -= 1))
    return next()
  }
  page.get(VERIFY_PAGE, (_request, response) => show(response, 'ask'))
  page.post(
    VERIFY_PAGE,
    admit,
    express.raw({ type: 'multipart/form-data', limit: MOST_BYTES }),
    async ({ body, headers }, response) => {
      const file = await fileIn(body, headers['content-type'] ?? '')
      if (!file || file.length === 0) return show(response, 'absent')
      const verdict = verifySeal(sealKey, file)
      return show(response, verdict.state, verdict.state === 'made' ? verdict.code : undefined)
    },
  )
  page.use(VERIFY_PAGE, tooLarge)
  page.all(VERIFY_PAGE, methodNotAllowed('GET, HEAD, POST'))
  return page
}

const tooLarge: ErrorRequestHandler = (error: unknown, _request, response, next) => {
  if (Reflect.get(Object(error), 'status') === 413) show(response, 'large')
  else next(error)
}

function show(response: Response, state: VerifyState, code?: string): void {
  if (response.req.facts) response.req.facts.operation = 'reports.verifyPage'
  const html = renderVerifyPage(preferredLanguage(response.req.headers), state, code)
  response.status(statuses[state]).set(pageHeaders).send(html)
}

/** The file of a form, read by Node's own parser (RFC 7578). */
async function fileIn(body: unknown, type: string): Promise<Uint8Array | undefined> {
  if (!Buffer.isBuffer(body)) return undefined
  const form = await new globalThis.Response(new Uint8Array(body), { headers: { 'content-type': type } })
    .formData()
    .catch(() => undefined)
  const report = form?.get('report')
  return report instanceof File ? new Uint8Array(await report.arrayBuffer()) : undefined
}
