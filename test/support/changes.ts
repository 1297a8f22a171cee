import type { Answer } from './client.ts'
import type { TestServer } from './server.ts'
import { until } from './until.ts'

export interface Change {
  kind: string
  real_user_id: number
  id: number
  date: string | null
  at: string
}

type Service = Pick<TestServer, 'get' | 'database'>

/** One call of the feed. */
export const changes = (
  { get }: Pick<Service, 'get'>,
  token: string,
  query: Record<string, string | number> = {},
): Promise<Answer> => get('/api/v1/beta/changes', { token, query })

/**
 * Waits until all transactions of now have ended, so that the feed shows what they have done. Other databases of the same
 * server count as well.
 */
export async function settled({ database: { pool } }: Pick<Service, 'database'>): Promise<void> {
  const { rows } = await pool.query<{ xact: string }>(
    'SELECT pg_snapshot_xmax(pg_current_snapshot())::text AS xact',
  )
  await until(async () => {
    const { rows: now } = await pool.query<{ is_over: boolean }>(
      'SELECT pg_snapshot_xmin(pg_current_snapshot()) >= $1::xid8 AS is_over',
      [rows[0]?.xact],
    )
    return now[0]?.is_over
  })
}

/** Follows the feed from `after` until there is no more now. */
export async function follow(
  server: Service,
  token: string,
  after?: string,
  limit?: number,
): Promise<{ items: Change[]; next: string; pages: number }> {
  await settled(server)
  const items: Change[] = []
  let at = after
  for (let pages = 1; ; pages += 1) {
    const { status, body } = await changes(server, token, {
      ...(at === undefined ? {} : { after: at }),
      ...(limit === undefined ? {} : { limit }),
    })
    if (status !== 200) throw new Error(`${status} ${JSON.stringify(body)}`)
    items.push(...body.items)
    at = body.next
    if (!body.has_more) return { items, next: body.next, pages }
  }
}
