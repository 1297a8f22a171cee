import { sql } from 'kysely'
import type { Database } from '../database/database.ts'
import { monthsBefore } from './aged-records.ts'
import type { Retention } from './kinds.ts'
import { dropPartitions, makePartitions, partitionsBefore } from './partitions.ts'
import type { PartitionedTable } from './partitions.ts'

const DAY = 86_400_000

const SLEEP_READINGS: PartitionedTable = {
  table: 'sleep_reading',
  column: 'measured_at',
  unit: 'week',
  ahead: 2,
}

/** Makes the weeks of readings from the first that is kept to the coming ones. Resolves to when the first begins. */
export async function createReadingWeekPartitions(
  database: Database,
  { readingsRawDays, retention: { readings } }: Retention,
): Promise<Date> {
  const now = new Date()
  const raw = new Date(now.getTime() - readingsRawDays * DAY)
  // Single readings go no later than the sums of their dates.
  const since = readings === 'none' ? raw : later(raw, await dateBefore(database, now, readings))
  await makePartitions(database, SLEEP_READINGS, { since, now })
  return since
}

/** Makes the coming weeks of readings, and drops those that have served their time. Resolves to how many it dropped. */
export async function maintainReadingPartitions(database: Database, retention: Retention): Promise<number> {
  const since = await createReadingWeekPartitions(database, retention)
  const { names, end } = await partitionsBefore(database, SLEEP_READINGS, since)
  if (end === undefined) return 0
  // Committed before they go: an upload that finds no partition of its date then counts as late.
  await sql`UPDATE reading_horizon SET raw_from = greatest(raw_from, ${end}::timestamp)`.execute(database.sql)
  return dropPartitions(database, names)
}

async function dateBefore(database: Database, now: Date, months: number): Promise<Date> {
  const { rows } = await sql<{ ms: number }>`
    SELECT (extract(epoch FROM ${monthsBefore(now.getTime(), months)}) * 1000)::float8 AS ms`.execute(
    database.sql,
  )
  return new Date(rows[0]?.ms ?? 0)
}

const later = (one: Date, other: Date) => (one > other ? one : other)
