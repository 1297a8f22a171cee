import { findFeedHorizon } from '@companion/server/database/feed-horizon.ts'
import type { TestResponse } from './client.ts'
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
): Promise<TestResponse> => get('/api/v1/beta/changes', { token, query })

/** Waits until the feed shows what was committed, and all transactions have ended that had written changes. */
export async function settled({ database }: Pick<Service, 'database'>): Promise<void> {
  const { rows } = await database.pool.query<{ xact: string }>('SELECT pg_current_xact_id()::text AS xact')
  const xact = BigInt(rows[0]?.xact ?? 0)
  await until(async () => BigInt(await findFeedHorizon(database.query)) > xact)
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
