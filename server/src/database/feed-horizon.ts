import { statement } from './statement.ts'
import type { RunNamedStatement } from './statement.ts'

// A lock of the function `feed_place` names the last 32 bits of a bound, which lies within 2^31 of the present transactions. The
// snapshot is taken before the locks are looked at: whose lock is not there yet gets a place behind the snapshot.
const select = statement<{ horizon: string }>(
  'feed-horizon',
  `SELECT least(now.bound, now.bound
     + min(((l.objid::bigint - now.bound + 2147483648) & 4294967295) - 2147483648))::text AS horizon
   FROM (SELECT pg_snapshot_xmax(pg_current_snapshot())::text::bigint AS bound) now
   LEFT JOIN pg_locks l ON l.locktype = 'advisory' AND l.classid = 7305 AND l.objsubid = 2
     AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())
   GROUP BY now.bound`,
)

const running = new WeakMap<RunNamedStatement, Promise<unknown>>()
const next = new WeakMap<RunNamedStatement, Promise<string>>()

/**
 * The place before which the feed of changes is complete: a statement that begins when this has been answered sees all changes
 * there, and none comes to them any more. PostgreSQL holds all its locks for a look at them, so those who ask while somebody
 * looks share the next look.
 */
export function findFeedHorizon(query: RunNamedStatement): Promise<string> {
  const waiting = next.get(query)
  if (waiting) return waiting
  const look = async () => {
    await running.get(query)
    next.delete(query)
    const response = query(select, [])
    running.set(
      query,
      response.catch(() => undefined),
    )
    const [found] = await response
    if (!found) throw new Error('The database does not tell the horizon of the feed')
    return found.horizon
  }
  const begun = look()
  next.set(query, begun)
  return begun
}
