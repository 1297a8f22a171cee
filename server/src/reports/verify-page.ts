import express from 'express'
import type { Response, Router } from 'express'
import { Failure } from '../errors/failure.ts'
import { generic, httpErrors } from '../errors/generic.ts'
import { methodNotAllowed } from '../errors/method-not-allowed.ts'
import type { Forwarded } from '../http/forwarded.ts'
import { pageHeaders } from '../http/html-page.ts'
import { preferredLanguage } from '../http/language.ts'
import { contentCoding, receiveBody } from '../http/body/receive-body.ts'
import { networkOf } from '../limits/network.ts'
import { extractFormFile } from './form-file.ts'
import { verifySeal } from './seal.ts'
import type { Verdict } from './seal.ts'
import { renderVerifyPage, VERIFY_PAGE_PATH } from './verify-page-html.ts'
import type { VerifyState } from './verify-page-html.ts'

const MOST_BYTES = 10_000_000
/** Bodies that are under way are held in memory: at most these bytes of all of them, and of those of one network. */
const MOST_HELD = 100_000_000
const MOST_HELD_OF_NETWORK = 20_000_000
/** A slow sender holds little, and that not for long. */
const MOST_MS = 30_000

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
export function verifyPage(sealKey: Uint8Array, { addressOf }: Pick<Forwarded, 'addressOf'>): Router {
  const page = express.Router()
  const held = heldBytes()
  page.get(VERIFY_PAGE_PATH, (_request, response) => show(response, { state: 'ask' }))
  page.post(VERIFY_PAGE_PATH, async (request, response) => {
    if (contentCoding(request) !== 'none') throw new Failure(...generic.mediaType)
    const room = held.of(networkOf(addressOf(request)))
    try {
      const body = await within(
        MOST_MS,
        receiveBody(request, MOST_BYTES, (bytes) => room.take(bytes)),
      )
      if (!body) return show(response, { state: room.isFull() ? 'busy' : 'large' })
      const file = extractFormFile(body, request.headers['content-type'] ?? '', 'report')
      if (!file || file.length === 0) return show(response, { state: 'absent' })
      return show(response, verifySeal(sealKey, file))
    } finally {
      room.leave()
    }
  })
  page.all(VERIFY_PAGE_PATH, methodNotAllowed('GET, HEAD, POST'))
  return page
}

/** Counts the bytes that are held, of all networks and of each. */
function heldBytes() {
  const byNetwork = new Map<string, number>()
  let all = 0
  const change = (network: string, bytes: number) => {
    const now = (byNetwork.get(network) ?? 0) + bytes
    all += bytes
    if (now === 0) byNetwork.delete(network)
    else byNetwork.set(network, now)
  }
  return {
    of(network: string) {
      let mine = 0
      let isFull = false
      return {
        take(bytes: number): boolean {
          isFull ||= all + bytes > MOST_HELD || (byNetwork.get(network) ?? 0) + bytes > MOST_HELD_OF_NETWORK
          if (isFull) return false
          mine += bytes
          change(network, bytes)
          return true
        },
        isFull: () => isFull,
        leave: () => change(network, -mine),
      }
    },
  }
}

/** Rejects with 408 when `ms` are over; the connection ends with the response. */
async function within<Value>(ms: number, work: Promise<Value>): Promise<Value> {
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(
    () => late.reject(new Failure(...httpErrors.late, { headers: { connection: 'close' } })),
    ms,
  )
  try {
    return await Promise.race([work, late.promise])
  } finally {
    clearTimeout(timer)
  }
}

function show(response: Response, said: Verdict | { state: VerifyState }): void {
  if (response.req.facts) response.req.facts.operation = 'reports.verifyPage'
  const html = renderVerifyPage(preferredLanguage(response.req.headers), said)
  response.status(statuses[said.state]).set(pageHeaders).send(html)
}
