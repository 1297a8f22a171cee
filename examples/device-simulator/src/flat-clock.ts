import { isDevlogItem } from './item.ts'
import type { DevlogItem } from './item.ts'

/** The service refuses earlier dates. */
const FIRST_DATE = '2015-01-01'

/** The records of a device whose clock started again from 1970, and when that was: its true wall clock, in ms as if UTC. */
export interface FlatClock {
  records: unknown[]
  lostAt: number
}

/**
 * Returns the records as a device has them whose clock battery went flat an hour before the last `share` of them, the
 * first in time: from then on its clock ran on from 1970-01-01T00:00:00. Null if none is left to be wrong.
 */
export function loseClock(records: readonly unknown[], share: number): FlatClock | null {
  const starts = records
    .filter(isDevlogItem)
    .map(startOf)
    .toSorted((one, other) => one - other)
  const first = starts[starts.length - Math.round(starts.length * share)]
  if (first === undefined) return null
  const lostAt = first - 3_600_000
  return {
    lostAt,
    records: records.map((record) =>
      isDevlogItem(record) && startOf(record) >= first ? movedBy(record, -lostAt) : record,
    ),
  }
}

/** Returns the records with the dates that no clock can have shown moved by `milliseconds`. */
export const correctDates = (records: readonly unknown[], milliseconds: number): unknown[] =>
  records.map((record) => (isBeforeDevices(record) ? movedBy(record, milliseconds) : record))

/** Whether a record has a date from before any device, so that its clock must have been lost. */
export const isBeforeDevices = (record: unknown): record is DevlogItem =>
  isDevlogItem(record) && record.detail_data.treatment_date < FIRST_DATE

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
export async function takeTime(
  serviceUrl: string,
  timeout: number,
  fetch: typeof globalThis.fetch,
): Promise<ServiceTime | null> {
  try {
    const url = `${serviceUrl.replace(/\/+$/, '')}/api/v1/gamma/device/time`
    const response = await fetch(url, { redirect: 'manual', signal: AbortSignal.timeout(timeout) })
    const answer: unknown = await response.json()
    if (response.status !== 200 || !isTime(answer)) return null
    return { utc: Date.parse(answer.utc), offset: answer.utc_offset_minutes * 60_000 }
  } catch {
    return null
  }
}

const isTime = (answer: unknown): answer is { utc: string; utc_offset_minutes: number } =>
  typeof answer === 'object' &&
  answer !== null &&
  'utc' in answer &&
  typeof answer.utc === 'string' &&
  !Number.isNaN(Date.parse(answer.utc)) &&
  'utc_offset_minutes' in answer &&
  Number.isInteger(answer.utc_offset_minutes)
