import { beforeAll, describe, expect, test } from 'vitest'
import { addChild, signUp } from './support/family.ts'
import { useServer } from './support/server.ts'

/*
 * The statements of devices on 100,000 treatments of 200 of them: each reads from the index of its device alone.
 * `PLAN_FACTOR=10` makes it a million, `PLAN_FACTOR` alone prints the plans.
 */

// One connection, so that the plans of the statements prepared on it can be looked at.
const server = useServer({ DATABASE_POOL: '1' })
const FACTOR = Number(process.env['PLAN_FACTOR'] ?? 1)
const DEVICES = 200 * FACTOR
let device: Awaited<ReturnType<typeof addChild>>

beforeAll(async () => {
  device = await addChild(server, (await signUp(server)).token)
  const { pool } = server.database
  // VACUUM leaves alone what is not flushed yet.
  await pool.query('SET synchronous_commit = on')
  await pool.query(
    `INSERT INTO device (id, unique_id, serial_code, mac_id, device_alias)
     SELECT $1 + n, gen_random_uuid(), 'PLAN-' || n, '0000', '' FROM generate_series(1, $2 - 1) n`,
    [device.device_id, DEVICES],
  )
  await pool.query(
    `INSERT INTO treatment (device_id, real_user_id, treatment_date, treatment_time, log_file_id, last_intensity,
       finish_flag, intensity_record)
     SELECT $1 + n, $2, timestamp '2026-03-01' - night * interval '1 day', 3600, night, 20, 1, '{1,2,3}'
     FROM generate_series(1, 500) night, generate_series(0, $3 - 1) n`,
    [device.device_id, device.real_user_id, DEVICES],
  )
  await pool.query('VACUUM (ANALYZE, INDEX_CLEANUP on) treatment, device')
}, 600_000)

const unique_id = () => device.unique_id
const cases: [name: string, path: string, query: () => Record<string, string | number>, buffers: number][] = [
  ['device-history', 'history', () => ({ unique_id: unique_id(), select_mode: 3, year: 2025 }), 60],
  ['device-day', 'detail', () => ({ unique_id: unique_id(), event_date: '2026-02-03' }), 20],
  [
    'export-any',
    'export',
    () => ({ unique_id: unique_id(), start_date: '2025-01-01', end_date: '2026-12-31' }),
    20,
  ],
]

describe.each(cases)('%s', (name, path, query, buffers) => {
  test.each(['force_custom_plan', 'force_generic_plan'])(
    'reads only what is of the device (%s)',
    async (mode) => {
      const { pool } = server.database
      await server.get(`/api/v1/gamma/device/${path}`, { query: query() })
      await pool.query(`SET plan_cache_mode = ${mode}`)
      const values = { 'device-history': `'2025-01-01', '2025-12-31'`, 'device-day': `'2026-02-03'` }[name]
      const { rows } = await pool.query(
        `EXPLAIN (ANALYZE, BUFFERS) EXECUTE "${name}" ('${unique_id()}', ${values ?? `'2025-01-01', '2026-12-31'`})`,
      )
      await pool.query('RESET plan_cache_mode')
      const plan = rows.map((row) => row['QUERY PLAN']).join('\n')
      if (process.env['PLAN_FACTOR']) console.log(`${name}, ${mode}\n${plan}`)
      expect(plan).toContain('Scan using treatment_record on treatment')
      expect(plan).not.toContain('Seq Scan on treatment')
      const [hit = 0, read = 0] = [/shared hit=(\d+)/, /shared.* read=(\d+)/].map((pattern) =>
        Number(pattern.exec(plan)?.[1] ?? 0),
      )
      expect(hit + read).toBeLessThanOrEqual(buffers)
    },
  )
})
