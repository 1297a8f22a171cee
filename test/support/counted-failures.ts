import type { TestServer } from './server.ts'

/** How many failures are counted now, of all addresses. */
export async function countedFailures({ database }: Pick<TestServer, 'database'>): Promise<number> {
  const { rows } = await database.pool.query(
    `SELECT coalesce(sum(points), 0)::int AS points FROM rate_limit WHERE key LIKE 'failuresPerAddress:%'`,
  )
  return Number(rows[0]?.points)
}
