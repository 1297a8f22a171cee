import type { Database } from '../database/database.ts'
import { statement } from '../database/statement.ts'
import type { KeyRing } from '../encryption/key-ring.ts'
import { decryptOldValue } from './old-value.ts'
import { countRepeatsInTrail } from './repeats.ts'

interface Row {
  at: string
  actor_kind: string
  actor: string
  operation: string
  real_user_id: number
  outcome: string
  times: number
  address_hash: string | null
  request_id: string | null
  old_value: string | null
  /** The place in the order. */
  moment: string
  id: string
}

const ROWS_AT_ONCE = 1000

const page = (source: string) =>
  `(SELECT id, at, actor_kind, actor, operation, real_user_id, outcome, times, address_hash, request_id, ${source}
      AND real_user_id = $1 AND (at, id) > ($2::timestamptz, $3::bigint)
    ORDER BY at, id LIMIT ${ROWS_AT_ONCE})`

/** Closed rows have an index by child; of open ones there are a few minutes. */
const PAGES = [
  'old_value FROM trail WHERE block IS NOT NULL',
  'old_value FROM trail WHERE block IS NULL',
  'NULL FROM trail_upload WHERE at IN (SELECT day FROM uploaded)',
].map(page)

const selectPage = statement<Row>(
  'trail-page',
  `WITH RECURSIVE uploaded (day) AS (
     SELECT min(at) FROM trail_upload
     UNION ALL
     SELECT (SELECT min(at) FROM trail_upload WHERE at > day) FROM uploaded WHERE day IS NOT NULL
   )
   SELECT to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS at, actor_kind, actor, operation, real_user_id,
     outcome, times, encode(address_hash, 'hex') AS address_hash, request_id, old_value, at::text AS moment, id::text AS id
   FROM (${PAGES.join(' UNION ALL ')}) r
   ORDER BY r.at, r.id LIMIT ${ROWS_AT_ONCE}`,
)

/** The header of the file, and the first line of `companion trail export`. */
const COLUMNS = 'at,actor_kind,actor,operation,child,outcome,times,address_hash,request_id,old_value'

/** A field of CSV (RFC 4180). */
const field = (value: string | number | null) => {
  const text = String(value ?? '')
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** The trail of a child as lines of CSV, the oldest row first, each with its end. */
export async function* exportTrail(
  { query, keyRing }: Pick<Database, 'query' | 'keyRing'>,
  realUserId: number,
): AsyncGenerator<string> {
  await query(countRepeatsInTrail, [])
  yield `${COLUMNS}\n`
  let last: Pick<Row, 'moment' | 'id'> = { moment: '-infinity', id: '0' }
  for (;;) {
    const rows = await query(selectPage, [realUserId, last.moment, last.id])
    if (rows.length === 0) return
    yield rows.map((row) => lineOf(row, keyRing)).join('')
    last = rows.at(-1) ?? last
  }
}

function lineOf(row: Row, keyRing: KeyRing): string {
  const old = row.old_value === null ? null : decryptOldValue(keyRing, row.old_value)
  const { at, actor_kind, actor, operation, real_user_id, outcome, times, address_hash, request_id } = row
  const fields = [
    at,
    actor_kind,
    actor,
    operation,
    real_user_id,
    outcome,
    times,
    address_hash,
    request_id,
    old,
  ]
  return `${fields.map(field).join()}\n`
}
