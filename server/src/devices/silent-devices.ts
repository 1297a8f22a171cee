import { Gauge } from 'prom-client'
import type { Registry } from 'prom-client'
import type { Database } from '../database/database.ts'

const SILENT_DAYS = 3
const REFRESH_MS = 300_000
/** The number of devices that are counted; if there are more, the result is an estimate from a sample. */
const SAMPLE = 20_000

const sampledPercent = `SELECT least(100, 100 * ${SAMPLE}::float8 / greatest(reltuples, 1)) AS percent
  FROM pg_class WHERE oid = 'device'::regclass`

const countSilent = `WITH sampled AS MATERIALIZED (
    SELECT id, now_firmware_id FROM device TABLESAMPLE SYSTEM ($1::float4)
    WHERE real_user_id IS NOT NULL AND connected_at < now() - interval '${SILENT_DAYS} days'
  )
  SELECT now_firmware_id AS firmware, count(*)::float8 * 100 / $1::float4 AS silent
  FROM sampled
  JOIN silent_devices_among(ARRAY(SELECT id FROM sampled), now()::timestamp - interval '${SILENT_DAYS} days') AS silent (id)
    USING (id)
  GROUP BY 1 ORDER BY 2 DESC`

/** A device names its own firmware: more series than these would be somebody's mistake, and are one. */
const MOST_FIRMWARES = 20

/** Counts the connected devices that have sent no treatment of the last `SILENT_DAYS` days. */
export async function countSilentDevices(database: Pick<Database, 'pool'>): Promise<number> {
  return sum([...(await silentByFirmware(database)).values()])
}

/** The same by the firmware that the devices run; firmwares beyond the most frequent ones count as `other`. */
async function silentByFirmware({ pool }: Pick<Database, 'pool'>): Promise<Map<string, number>> {
  const sampled = await pool.query<{ percent: number }>(sampledPercent)
  const { rows } = await pool.query<{ firmware: number; silent: number }>(countSilent, [
    sampled.rows[0]?.percent ?? 100,
  ])
  const counts = rows.map(({ firmware, silent }): [string, number] => [String(firmware), Math.round(silent)])
  const others = counts.slice(MOST_FIRMWARES).map(([, silent]) => silent)
  return new Map([
    ...counts.slice(0, MOST_FIRMWARES),
    ...(others.length > 0 ? [['other', sum(others)] as const] : []),
  ])
}

const sum = (counts: readonly number[]) => counts.reduce((total, count) => total + count, 0)

/**
 * Adds the gauges of silent devices, counted at most every five minutes in the background, without delaying the scrape.
 */
export function measureSilentDevices(database: Pick<Database, 'pool'>, registry: Registry): void {
  let silent: Map<string, number> | undefined
  let countedAt = -Infinity
  registry.registerMetric(
    new Gauge({
      name: 'companion_silent_devices',
      help: `Connected devices without a treatment in the last ${SILENT_DAYS} days.`,
      // Every process of a cluster measures the same values.
      aggregator: 'max',
      registers: [],
      collect() {
        this.set(silent ? sum([...silent.values()]) : Number.NaN)
        if (performance.now() - countedAt < REFRESH_MS) return
        countedAt = performance.now()
        silentByFirmware(database).then(
          (counts) => (silent = counts),
          () => (silent = undefined),
        )
      },
    }),
  )
  registry.registerMetric(
    new Gauge({
      name: 'companion_silent_devices_by_firmware',
      help: 'The same, by the firmware that the devices run.',
      labelNames: ['firmware'],
      aggregator: 'max',
      registers: [],
      collect() {
        this.reset()
        for (const [firmware, count] of silent ?? []) this.set({ firmware }, count)
      },
    }),
  )
}
