import type { Registry } from 'prom-client'
import type { Database } from '../database/database.ts'
import { polledGauges } from '../database/polled-gauges.ts'

const selectLongest = `SELECT coalesce(extract(epoch FROM now() - min(due_at)), 0)::float8 AS seconds
  FROM night_watch WHERE due_at <= now()`

/** Adds the gauge of how far the worker that judges evenings is behind. */
export function measureNights({ pool }: Pick<Database, 'pool'>, registry: Registry): void {
  polledGauges(registry, async () => (await pool.query<{ seconds: number }>(selectLongest)).rows, [
    [
      'companion_nights_late_seconds',
      'How long the evening that is judged next has been due; 0 when none is.',
      ([longest]) => longest?.seconds ?? 0,
    ],
  ])
}
