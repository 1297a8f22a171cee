import { setTimeout as sleep } from 'node:timers/promises'

import { formatErrorDetail } from './response.ts'
import type { DeviceResponse } from './response.ts'
import { cutConnection, partialLength } from './cut-connection.ts'
import { CLOCK_STARTS, correctDates, isImpossible, loseClock, fetchServiceTime } from './flat-clock.ts'
import type { WrongClock } from './flat-clock.ts'
import type { Misbehaviour } from './misbehaviour.ts'
import { planUploads, validRate } from './plan.ts'
import { createRandom } from './random.ts'
import type { RejectedItems, UploadReport } from './report.ts'
import { backoff, DEFAULT_RETRY_POLICY, pauseAfter } from './retry.ts'
import type { RetryPolicy } from './retry.ts'
import { makeRequest, send } from './send.ts'
import type { WireRequest } from './send.ts'
import { truthOf } from './truth.ts'

/** Input of {@link upload}. Only `url` and `items` have no default. */
export interface UploadOptions {
  /** Address of the service, e.g. `http://127.0.0.1:3000`. */
  url: string
  /** Items of the contract. They are sent unchanged, valid or not: the server judges them. */
  items: readonly unknown[]
  misbehaviour?: Misbehaviour
  /** Decides which items and uploads misbehaviour affects. Default 1. */
  seed?: number
  /** Items per upload. Default 10; the service accepts at most 1,000. */
  batch?: number
  policy?: Partial<RetryPolicy>
  /** Called for each step, with one line for a person. */
  progress?: (line: string) => void
  /** Replaces the global `fetch`. Connections that are cut on purpose use a socket instead. */
  fetch?: typeof globalThis.fetch
  /** Replaces the pause between attempts, in milliseconds. */
  wait?: (milliseconds: number) => Promise<unknown>
}

/**
 * Uploads items as a device does, one request after the other, and reports the result.
 *
 * After a refused upload, the next one is sent. An upload that is still unanswered after all attempts ends the run: the
 * server cannot be reached or asks for a longer pause, and a device would come back later.
 */
export async function upload(options: UploadOptions): Promise<UploadReport> {
  const { misbehaviour = {}, seed = 1, progress = () => {}, wait = sleep } = options
  const policy: RetryPolicy = { ...DEFAULT_RETRY_POLICY, ...options.policy }
  const fetch = options.fetch ?? globalThis.fetch
  const planned = planUploads({ items: options.items, misbehaviour, seed, batch: options.batch ?? 10 })
  const { uploads } = planned
  const wrong =
    loseClock(planned.records, validRate(misbehaviour.flatClock), CLOCK_STARTS.flat) ??
    loseClock(planned.records, validRate(misbehaviour.jumpedClock), CLOCK_STARTS.jumped)
  let records = wrong?.records ?? planned.records
  const random = createRandom(seed, 'pauses')
  const acknowledged = new Set<number>()
  const rejected = new Set<number>()
  const rejections: RejectedItems[] = []
  const results: UploadReport['results'] = { stored: 0, duplicate: 0, completed: 0, rejected: 0 }
  const counts = {
    sent: 0,
    acknowledged: 0,
    retried: 0,
    repeated: 0,
    cut: 0,
    lost: 0,
    torn: 0,
    corrected: 0,
    rejected: 0,
    failed: 0,
    unsent: 0,
  }

  async function sendUntilAnswered(request: WireRequest, name: string): Promise<DeviceResponse> {
    for (let attempt = 1; ; attempt += 1) {
      const response = await send(request, policy.timeout, fetch)
      counts.sent += 1
      if (response.kind === 'acknowledged') counts.acknowledged += 1
      if (response.kind === 'refused') counts.rejected += 1
      if (response.kind !== 'failed') return response

      counts.failed += 1
      const words = `${name}: ${response.status ?? 'no answer'} ${formatErrorDetail(response.detail)}`
      const pause = pauseAfter(attempt, response.retryAfter, policy, random)
      if (pause === null) {
        progress(`${words}, given up after ${attempt} ${attempt === 1 ? 'attempt' : 'attempts'}`)
        return response
      }
      progress(`${words}, again in ${(pause / 1000).toFixed(1)} s`)
      await wait(pause)
      counts.retried += 1
    }
  }

  function note(response: DeviceResponse, number: number, name: string, positions: number[]): void {
    if (response.kind !== 'acknowledged') {
      rejections.push({ upload: number, status: response.status, detail: response.detail, items: positions })
      if (response.kind === 'failed') return
      for (const position of positions) rejected.add(position)
      progress(`${name}: refused, ${response.status} ${formatErrorDetail(response.detail)}`)
      return
    }
    const putAside = new Set<number>()
    for (const { index, status, detail } of response.results) {
      results[status] += 1
      const position = positions[index]
      if (status !== 'rejected' || position === undefined) continue
      putAside.add(position)
      rejected.add(position)
      rejections.push({ upload: number, status: 200, detail, items: [position] })
      progress(`${name}: item ${index} rejected, ${formatErrorDetail(detail)}`)
    }
    for (const position of positions) if (!putAside.has(position)) acknowledged.add(position)
    progress(`${name}: ${positions.length - putAside.size} of ${positions.length} items acknowledged`)
  }

  async function hangUp(request: WireRequest, share: number, name: string): Promise<void> {
    const bytes = await cutConnection(request, share, policy.timeout)
    progress(`${name}: connection cut after ${bytes} of ${request.body.length} bytes`)
    await wait(backoff(1, policy, random))
    counts.sent += 1
    counts.failed += 1
    counts.retried += 1
  }

  /** Sends the beginning of the body as if it were the whole. The server must not acknowledge it. */
  async function sendTorn(request: WireRequest, share: number, name: string): Promise<DeviceResponse> {
    const body = request.body.slice(0, partialLength(request.body, share))
    const response = await sendUntilAnswered({ ...request, body }, `${name} torn`)
    counts.torn += 1
    counts.retried += 1
    return response
  }

  /** Whether an upload was refused, or a part of it, for dates that this device can correct. */
  const showsWrongClock = (response: DeviceResponse, positions: readonly number[]): boolean => {
    if (!wrong || !positions.some((position) => isImpossible(records[position], Date.now()))) return false
    if (response.kind === 'refused') return response.error === 'clock'
    return response.kind === 'acknowledged' && response.results.some(({ status }) => status === 'rejected')
  }

  /** Takes the time from the service and corrects all records by what the device's own clock shows then. */
  async function correctClock({ ahead }: WrongClock, name: string): Promise<boolean> {
    for (let attempt = 1; ; attempt += 1) {
      const time = await fetchServiceTime(options.url, policy.timeout, fetch)
      if (time) {
        const now = time.utc + time.offset
        const ownClock = Date.now() + time.offset + ahead
        const error = Math.round((now - ownClock) / 1000) * 1000
        records = correctDates(records, error, now)
        counts.corrected += 1
        progress(`${name}: the clock was wrong by ${error / 1000} s, all records corrected`)
        return true
      }
      const pause = pauseAfter(attempt, null, policy, random)
      if (pause === null) return false
      await wait(pause)
    }
  }

  for (const [index, { positions, cutAt, isLost, tornAt, repeated }] of uploads.entries()) {
    const number = index + 1
    const name = `upload ${number}/${uploads.length}`
    const requestNow = () =>
      makeRequest(
        options.url,
        positions.map((position) => records[position]),
        misbehaviour,
      )
    let request = requestNow()

    if (cutAt !== null) {
      await hangUp(request, cutAt, name)
      counts.cut += 1
    }
    if (isLost) {
      await hangUp(request, 1, name)
      counts.lost += 1
    }
    if (tornAt !== null) {
      const torn = await sendTorn(request, tornAt, name)
      if (torn.kind === 'acknowledged') {
        const detail = 'Half a body was acknowledged'
        rejections.push({ upload: number, status: 200, detail, items: positions })
      }
    }

    let response = await sendUntilAnswered(request, name)
    if (wrong && showsWrongClock(response, positions) && (await correctClock(wrong, name))) {
      request = requestNow()
      response = await sendUntilAnswered(request, name)
    }
    note(response, number, name, positions)
    if (response.kind === 'acknowledged' && repeated) {
      counts.repeated += 1
      const again = `${name} repeated`
      response = await sendUntilAnswered(request, again)
      note(response, number, again, positions)
    }
    if (response.kind === 'failed') {
      counts.unsent = uploads.length - number
      break
    }
  }

  return {
    ok: rejections.length === 0 && acknowledged.size === records.length,
    ...counts,
    items: records.length,
    items_acknowledged: acknowledged.size,
    items_rejected: rejected.size,
    results,
    rejections,
    truth: truthOf(planned.records),
  }
}
