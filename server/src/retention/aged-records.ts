import { sql } from 'kysely'
import type { RawBuilder } from 'kysely'
import type { Sql } from '../database/database.ts'

/** Records that are kept for a number of months. They are found by their owners, whose indexes lead by date. */
export interface AgedRecord {
  /** The kind by which `remove_old` knows them. */
  removing: string
  /** The table of the owners. */
  owners: string
  table: string
  /** The column of the record's own date. */
  date: string
  /** A further condition, such as that of the index. */
  only?: (before: RawBuilder<unknown>) => RawBuilder<unknown>
}

/** The date `months` before `now`, in UTC. */
export const monthsBefore = (now: number, months: number) =>
  sql<Date>`(${new Date(now).toISOString().slice(0, 10)}::date - make_interval(months => ${months}))`

const OWNERS_AT_ONCE = 1000

/** Whether a record was made before `before`. */
export const agedConditionSql = (
  { date, only = () => sql`true` }: AgedRecord,
  before: RawBuilder<unknown>,
): RawBuilder<unknown> => sql`${sql.ref(date)} < ${before} AND ${only(before)}`

/**
 * Returns a function that removes at most `most` records which are older than `before`, and resolves to how many. It goes on
 * behind the owners that it has seen.
 */
export function createAgedRecordRemover(
  aged: AgedRecord,
  before: RawBuilder<unknown>,
  most: number,
): (tx: Sql) => Promise<number> {
  const { removing, owners } = aged
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
      const gone = await sql<{ count: number }>`
        SELECT remove_old(${removing}, ${behind}, ${last}, ${before}, ${most - taken}) AS count`.execute(tx)
      taken += gone.rows[0]?.count ?? 0
      if (taken >= most) return taken
      behind = last
    }
  }
}
