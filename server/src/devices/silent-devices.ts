import { Gauge } from 'prom-client'
import type { Registry } from 'prom-client'
import type { Database } from '../database/database.ts'

const SILENT_DAYS = 3
const REFRESH_MS = 300_000
/** The number of devices that are counted; if there are more, the result is an estimate from a sample. */
const SAMPLE = 20_000

const sampledPercent = `SELECT least(100, 100 * ${SAMPLE}::float8 / greatest(reltuples, 1)) AS percent
  FROM pg_class WHERE oid = 'device'::regclass`

const countSilent = `SELECT count(*)::float8 * 100 / $1::float4 AS silent
  FROM device d TABLESAMPLE SYSTEM ($1::float4)
  WHERE real_user_id IS NOT NULL AND connected_at < now() - interval '${SILENT_DAYS} days' AND NOT EXISTS (
    SELECT FROM treatment t WHERE t.device_id = d.id AND t.deleted_at IS NULL
      AND t.treatment_date > now()::timestamp - interval '${SILENT_DAYS} days')`

/** Counts the connected devices that have sent no treatment of the last `SILENT_DAYS` days. */
export async function countSilentDevices({ pool }: Pick<Database, 'pool'>): Promise<number> {
  const sampled = await pool.query<{ percent: number }>(sampledPercent)
  const { rows } = await pool.query<{ silent: number }>(countSilent, [sampled.rows[0]?.percent ?? 100])
  return Math.round(rows[0]?.silent ?? 0)
}

/**
 * Adds the gauge of silent devices, counted at most every five minutes in the background, without delaying the scrape.
 */
export function measureSilentDevices(database: Pick<Database, 'pool'>, registry: Registry): void {
  let silent = Number.NaN
  let countedAt = -Infinity
  registry.registerMetric(
    new Gauge({
      name: 'companion_silent_devices',
      help: `Connected devices without a treatment in the last ${SILENT_DAYS} days.`,
      // Every process of a cluster measures the same value.
      aggregator: 'max',
      registers: [],
      collect() {
        this.set(silent)
        if (performance.now() - countedAt < REFRESH_MS) return
        countedAt = performance.now()
        countSilentDevices(database).then(
          (count) => (silent = count),
          () => (silent = Number.NaN),
        )
      },
    }),
  )
}
