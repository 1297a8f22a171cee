import { isDevlogItem } from './item.ts'
import type { DevlogItem } from './item.ts'

/** The service refuses earlier dates. */
const FIRST_DATE = Date.parse('2015-01-01T00:00:00Z')
/** It refuses dates that are further ahead of its own clock. */
const TOLERANCE_MS = 48 * 3_600_000

/** What a clock shows after its battery went flat, and after it jumped ahead: the end of the first era of NTP. */
export const CLOCK_STARTS = { flat: 0, jumped: Date.parse('2036-02-07T06:28:16Z') }

/** The records of a device whose clock is wrong. */
export interface WrongClock {
  records: unknown[]
  /** By how much the clock is ahead of the true wall clock, in ms. */
  ahead: number
}

/**
 * Returns the records as a device has them whose clock broke an hour before the last `share` of them, the first in time:
 * from then on it ran on from `start`, in ms as if UTC. Null if none is left to be wrong.
 */
export function loseClock(records: readonly unknown[], share: number, start: number): WrongClock | null {
  const starts = records
    .filter(isDevlogItem)
    .map(startOf)
    .toSorted((one, other) => one - other)
  const first = starts[starts.length - Math.round(starts.length * share)]
  if (first === undefined) return null
  const ahead = start - (first - 3_600_000)
  return {
    ahead,
    records: records.map((record) =>
      isDevlogItem(record) && startOf(record) >= first ? movedBy(record, ahead) : record,
    ),
  }
}

/**
 * Returns the records with their impossible dates moved by `milliseconds`, where that makes them possible. `now` is the
 * true wall clock, in ms as if UTC.
 */
export const correctDates = (records: readonly unknown[], milliseconds: number, now: number): unknown[] =>
  records.map((record) =>
    isImpossible(record, now) && !isImpossible(movedBy(record, milliseconds), now)
      ? movedBy(record, milliseconds)
      : record,
  )

/** Whether a record has a date from before any device, or from the future, so that its clock must have been wrong. */
export const isImpossible = (record: unknown, now: number): record is DevlogItem =>
  isDevlogItem(record) && (startOf(record) < FIRST_DATE || startOf(record) > now + TOLERANCE_MS)

const startOf = ({ detail_data }: DevlogItem) => Date.parse(`${detail_data.treatment_date}Z`)

function movedBy(record: DevlogItem, milliseconds: number): DevlogItem {
  const treatment_date = new Date(startOf(record) + milliseconds).toISOString().slice(0, 19)
  return { ...record, detail_data: { ...record.detail_data, treatment_date } }
}

/** The time as the service tells it, in ms; `offset` is how far its local time is ahead of UTC. */
export interface ServiceTime {
  utc: number
  offset: number
}

/** Asks the service for the time, once. Never throws: null if it does not say. */
export async function fetchServiceTime(
  serviceUrl: string,
  timeout: number,
  fetch: typeof globalThis.fetch,
): Promise<ServiceTime | null> {
  try {
    const url = `${serviceUrl.replace(/\/+$/, '')}/api/v1/gamma/device/time`
    const response = await fetch(url, { redirect: 'manual', signal: AbortSignal.timeout(timeout) })
    const body: unknown = await response.json()
    if (response.status !== 200 || !isTime(body)) return null
    return { utc: Date.parse(body.utc), offset: body.utc_offset_minutes * 60_000 }
  } catch {
    return null
  }
}

const isTime = (response: unknown): response is { utc: string; utc_offset_minutes: number } =>
  typeof response === 'object' &&
  response !== null &&
  'utc' in response &&
  typeof response.utc === 'string' &&
  !Number.isNaN(Date.parse(response.utc)) &&
  'utc_offset_minutes' in response &&
  Number.isInteger(response.utc_offset_minutes)
