import { beforeAll, expect } from 'vitest'
import type { Database } from '@companion/server/database/database.ts'
import { useServer } from './server.ts'
import type { TestServer } from './server.ts'

/** Whether a plan is made for given values or for any. A prepared statement may get either. */
export const PLANNINGS = ['force_custom_plan', 'force_generic_plan'] as const
type Planning = (typeof PLANNINGS)[number]

/** Most callers that a batched read answers at once; see `batchedRead()`. */
const CALLERS = 8

export const forms = PLANNINGS.flatMap((planning) => [
  { planning, form: 'alone' as const },
  { planning, form: 'together' as const },
])

/** A server with one connection, so that the plans of the statements prepared on it can be looked at. */
export function useOneConnection(): TestServer {
  // Fixtures insert many rows in one statement, which takes long on a busy machine.
  const server = useServer({ DATABASE_POOL: '1', DATABASE_STATEMENT_TIMEOUT: '3600' })
  // It stays open while a report is drawn, which takes long on a busy machine.
  beforeAll(() => void (server.database.pool.options.idleTimeoutMillis = 0))
  return server
}

interface Execution {
  statement: string
  values: readonly (string | number | null)[]
  planning: Planning
  form: 'alone' | 'together'
}

/**
 * Expects that a statement, prepared on the pool's only connection, reads at most `buffers` pages for each caller and
 * scans none of `tables` completely. Returns the plan.
 */
export async function expectFrugal(
  { pool }: Database,
  { statement, values, planning, form }: Execution,
  { buffers, tables }: { buffers: number; tables: readonly string[] },
): Promise<string> {
  const literals = values.map((value) => (value === null ? 'NULL' : `'${value}'`))
  const [name, all, callers] =
    form === 'alone'
      ? [statement, literals, 1]
      : [`${statement}-together`, values.map((value) => `'{${Array(CALLERS).fill(value).join()}}'`), CALLERS]
  await pool.query(`SET plan_cache_mode = ${planning}`)
  const { rows } = await pool.query(`EXPLAIN (ANALYZE, BUFFERS) EXECUTE "${name}" (${all.join()})`)
  await pool.query('RESET plan_cache_mode')
  const plan = rows.map((row) => row['QUERY PLAN']).join('\n')
  if (process.env['PLAN_FACTOR']) console.log(`${name}, ${planning}\n${plan}`)
  expect(plan).not.toMatch(new RegExp(`Seq Scan on (${tables.join('|')})`))
  // A function stands for its table only as long as PostgreSQL puts its text in place of the call.
  expect(plan).not.toMatch(/Function Scan on \w+_(of|by)\b/)
  const [hit = 0, read = 0] = [/shared hit=(\d+)/, /shared.* read=(\d+)/].map((pattern) =>
    Number(pattern.exec(plan)?.[1] ?? 0),
  )
  expect(hit + read).toBeLessThanOrEqual(buffers * callers)
  return plan
}

/** Calls until a batched read has also been prepared for several callers. */
export async function prepareBothForms({ pool }: Database, statement: string, call: () => Promise<unknown>) {
  await call()
  for (;;) {
    await Promise.all(Array.from({ length: CALLERS }, call))
    const { rowCount } = await pool.query('SELECT FROM pg_prepared_statements WHERE name = $1', [
      `${statement}-together`,
    ])
    if (rowCount === 1) return
  }
}
