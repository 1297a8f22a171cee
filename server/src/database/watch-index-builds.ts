import { setTimeout as pause } from 'node:timers/promises'
import type { MikroORM } from '@mikro-orm/postgresql'
import { sql } from 'kysely'

/** Takes what is being done, how much of it is done, and which share of the whole, from 0 to 1. */
export type ReportIndexBuild = (unit: string, done: number, share: number) => void

interface Build {
  table: string
  blocks_done: number
  blocks_total: number
  tuples_done: number
  tuples_total: number
}

const POLL_MS = 200

/**
 * Tells `report` how far the indexes are that the session with the process id `pid` builds, until stopped: first how
 * much of the table it has read, then how many entries it has written. Asks by another connection of `orm`.
 */
export function watchIndexBuilds(
  orm: MikroORM,
  pid: number,
  report: ReportIndexBuild,
  pollMs = POLL_MS,
): { stop: () => Promise<void> } {
  const stopping = new AbortController()
  const connection = orm.em.getConnection()
  const look = async () => {
    const { rows } = await connection.transactional((own) =>
      sql<Build>`
        SELECT relid::regclass::text AS table, blocks_done::float8, blocks_total::float8,
          tuples_done::float8, tuples_total::float8
        FROM pg_stat_progress_create_index WHERE pid = ${pid}`.execute(own),
    )
    for (const { table, blocks_done, blocks_total, tuples_done, tuples_total } of rows) {
      if (tuples_total > 0)
        report(`index entries of ${table} written`, tuples_done, tuples_done / tuples_total)
      else if (blocks_total > 0)
        report(`blocks of ${table} read for an index`, blocks_done, blocks_done / blocks_total)
    }
  }
  const watching = (async () => {
    while (!stopping.signal.aborted) {
      await look()
      await pause(pollMs, undefined, { signal: stopping.signal }).catch(() => undefined)
    }
  })()
  // The work that is watched tells of a lost connection.
  const ended = watching.catch(() => undefined)
  return {
    async stop() {
      stopping.abort()
      await ended
    },
  }
}
