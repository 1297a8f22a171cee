import { sql } from 'kysely'
import type { RawBuilder } from 'kysely'
import type { Sql } from './database.ts'

/** Records that are kept for a number of months. They are found by their owners, whose indexes lead by date. */
export interface Aged {
  table: string
  /** The table of the owners, and the column that names the owner. */
  owners: string
  owner: string
  /** The column of the record's own date. */
  date: string
  /** A further condition, that of the index. */
  only?: RawBuilder<unknown>
  /** How those who watch the child are told, and of which day. */
  told?: { kind: string; day: RawBuilder<unknown> }
}

const OWNERS_AT_ONCE = 1000

/** Whether a record was made before `before`. */
export const isAged = ({ date, only = sql`true` }: Aged, before: RawBuilder<unknown>): RawBuilder<unknown> =>
  sql`${sql.ref(date)} < ${before} AND ${only}`

/**
 * Returns a function that removes at most `most` records which are older than `before`, and resolves to how many. It goes on
 * behind the owners that it has seen. A record that somebody else holds is left for the next time.
 */
export function removeAged(
  aged: Aged,
  before: RawBuilder<unknown>,
  most: number,
): (tx: Sql) => Promise<number> {
  const { table, owners, owner, told } = aged
  let behind = 0
  return async (tx) => {
    let taken = 0
    for (;;) {
      const { rows } = await sql<{ last: number | null }>`
        SELECT max(id) AS last FROM (
          SELECT id FROM ${sql.table(owners)} WHERE id > ${behind} ORDER BY id LIMIT ${OWNERS_AT_ONCE}) o`.execute(
        tx,
      )
      const last = rows[0]?.last
      if (typeof last !== 'number') return taken
      const room = most - taken
      const gone = await sql<{ count: number }>`
        WITH gone AS (
          DELETE FROM ${sql.table(table)} WHERE ctid = ANY (ARRAY(
            SELECT old.ctid FROM ${sql.table(owners)} o CROSS JOIN LATERAL (
              SELECT ctid FROM ${sql.table(table)}
              WHERE ${sql.ref(owner)} = o.id AND ${isAged(aged, before)} LIMIT ${room} FOR UPDATE SKIP LOCKED
            ) old
            WHERE o.id > ${behind} AND o.id <= ${last} LIMIT ${room}))
          RETURNING *
        )${told ? sql`, told AS (${tell(told)})` : sql``}
        SELECT count(*)::int AS count FROM gone`.execute(tx)
      taken += gone.rows[0]?.count ?? 0
      if (taken >= most) return taken
      behind = last
    }
  }
}

const tell = ({ kind, day }: NonNullable<Aged['told']>) => sql`
  INSERT INTO change (kind, real_user_id, subject_id, date)
  SELECT ${kind}, real_user_id, id, ${day} FROM gone
  WHERE EXISTS (SELECT FROM watched_child() w WHERE w.id = gone.real_user_id)`
