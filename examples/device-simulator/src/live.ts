import { setTimeout as sleep } from 'node:timers/promises'

import { fetchServiceTime } from './flat-clock.ts'
import type { DevlogItem } from './item.ts'
import { makeIntensities, MAX_SESSIONS_PER_NIGHT } from './night.ts'
import { FIRST_DATE } from './nights.ts'
import { createRandom } from './random.ts'
import { DEFAULT_RETRY_POLICY } from './retry.ts'
import type { RetryPolicy } from './retry.ts'
import { upload } from './upload.ts'
import { dayNumber } from './wall-clock.ts'

/** The device stores an intensity, and sends a temporary record, every six minutes. */
const SAMPLE_SECONDS = 360

/** Why a use ends: normally, by its button, or because the electrodes lost contact. */
export type Ending = 'normal' | 'button' | 'contact loss'
const finishFlags = { normal: '1', button: '2', 'contact loss': '4' } as const

/** Input of {@link live}. */
export interface LiveOptions {
  /** Address of the service. */
  url: string
  /** The uuid of the device. */
  uniqueId: string
  /** Length of the use, if nothing ends it before. */
  minutes: number
  /** The minute in which the electrodes lose contact. */
  lossAfter?: number | undefined
  /** How many times faster than real time the use passes. The use begins so much earlier that it still ends now. */
  speed?: number
  /** Decides the intensities. Default 1. */
  seed?: number
  policy?: Partial<RetryPolicy>
  /** Resolves when somebody ends the use. */
  ended?: Promise<Ending>
  /** Called for each step, with one line for a person. */
  progress?: (line: string) => void
}

/** Result of a use. */
export interface LiveUseResult {
  /** Whether the service has acknowledged the whole record. */
  ok: boolean
  /** Temporary records that were due, and those of them that the service acknowledged. */
  temporary: number
  temporary_acknowledged: number
  ending: Ending
  /** The whole record. */
  item: DevlogItem
}

/**
 * Wears the device now: sends a temporary record every six minutes and the whole one at the end, all with the same
 * `treatment_date` and `log_file_id`. A temporary record that cannot be sent is left out, the next one holds more. Throws
 * if the service does not tell the time.
 */
export async function live(options: LiveOptions): Promise<LiveUseResult> {
  const { url, uniqueId, minutes, lossAfter, speed = 1, seed = 1, progress = () => {} } = options
  const policy: RetryPolicy = { ...DEFAULT_RETRY_POLICY, ...options.policy }
  const time = await fetchServiceTime(url, policy.timeout, fetch)
  if (!time) throw new Error(`No service tells the time at ${url}: is it running, and is --url right?`)

  const isIssue = lossAfter !== undefined && lossAfter <= minutes
  const planned: Ending = isIssue ? 'contact loss' : 'normal'
  const length = 60 * (isIssue ? lossAfter : minutes)
  const begun = performance.now()
  const startsAt = time.utc + time.offset - 1000 * (length - length / speed)
  const treatment_date = new Date(startsAt).toISOString().slice(0, 19)
  const random = createRandom(seed, 'live', treatment_date)
  const intensities = makeIntensities(Math.ceil(length / SAMPLE_SECONDS), random.integer(18, 40), random)

  const record = (seconds: number, ending: Ending | undefined): DevlogItem => {
    const sofar = intensities.slice(0, Math.ceil(seconds / SAMPLE_SECONDS))
    return {
      unique_id: uniqueId,
      log_file_id:
        (dayNumber(treatment_date.slice(0, 10)) - dayNumber(FIRST_DATE)) * MAX_SESSIONS_PER_NIGHT + 1,
      is_temp: ending === undefined,
      detail_data: {
        treatment_date,
        treatment_time: seconds,
        last_intensity: sofar.at(-1) ?? 0,
        finish_flag: finishFlags[ending ?? 'normal'],
      },
      intensity_record: sofar.map((intensity) => ({ intensity })),
    }
  }
  const send = async (item: DevlogItem, attempts: number) => {
    const { ok } = await upload({ url, items: [item], policy: { ...policy, attempts }, progress: say(item) })
    return ok
  }
  const say = (item: DevlogItem) => (line: string) => {
    const minute = Math.floor(item.detail_data.treatment_time / 60)
    progress(
      `minute ${minute}: ${line.replace('upload 1/1', item.is_temp ? 'temporary record' : 'whole record')}`,
    )
  }

  progress(`The use starts at ${treatment_date}`)
  const over = new AbortController()
  const demanded = options.ended?.then((ending) => {
    over.abort()
    return ending
  })
  /** Waits until the use has lasted `seconds`; false if somebody has ended it before. */
  const lasts = (seconds: number) =>
    sleep(Math.max(0, begun + (1000 * seconds) / speed - performance.now()), undefined, {
      signal: over.signal,
    }).then(
      () => true,
      () => false,
    )

  let temporary = 0
  let acknowledged = 0
  for (let seconds = SAMPLE_SECONDS; seconds < length && (await lasts(seconds)); seconds += SAMPLE_SECONDS) {
    temporary += 1
    if (await send(record(seconds, undefined), 1)) acknowledged += 1
  }
  const isWhole = await lasts(length)
  const ending = isWhole ? planned : ((await demanded) ?? planned)
  const lasted = Math.floor(((performance.now() - begun) * speed) / 1000)
  const item = record(isWhole ? length : Math.min(lasted, length), ending)
  progress(`The use ends after ${Math.floor(item.detail_data.treatment_time / 60)} minutes: ${ending}`)
  const ok = await send(item, policy.attempts)
  return { ok, temporary, temporary_acknowledged: acknowledged, ending, item }
}
