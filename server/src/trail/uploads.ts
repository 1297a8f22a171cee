import { statement } from '../database/statement.ts'
import { COLUMNS, COUNTING } from './add-rows.ts'
import type { Source } from './add-rows.ts'

/*
 * Uploads, which are most of the trail: each device comes once in a while, and each time has a row. They wait in lists for the
 * end of their minute, and then are written to the trail with their place in the chain. A row that is written open and closed
 * later has four index entries more, and a version that goes.
 */

/** An upload of a device on its way to the trail. */
export interface DeviceRow {
  /** Milliseconds since 1970. */
  at: number
  account: number | null
  unique_id: string
  operation: string
  outcome: string
  date: string
  log_file_id: number
  /** Whether the record is new, not one that was there before. */
  is_new: boolean
  times: number
}

/**
 * The child is the one whose record it was, or else who wears the device now. A new record is of the wearer; who has worn it for
 * an hour, by whichever clock, did so when it came. Each is looked up by its index, however many come.
 */
export const addUploads = statement<never>(
  'add-trail-uploads',
  `INSERT INTO trail_upload (at, operation, accounts, devices, children, outcomes, times, address_hashes, request_ids)
   SELECT to_timestamp(u.at / 1000::float8), u.operation, array_agg(u.account),
     array_agg(CASE WHEN u.account IS NULL THEN d.id END), array_agg(coalesce(t.real_user_id, d.real_user_id)),
     array_agg(u.outcome), array_agg(u.times), array_agg(u.address_hash), array_agg(u.request_id)
   FROM unnest($1::bigint[], $2::int[], $3::uuid[], $4::text[], $5::text[], $6::timestamp[], $7::int[], $8::boolean[],
     $9::int[], $10::bytea[], $11::text[]) AS u (at, account, unique_id, operation, outcome, date, log_file_id, is_new, times,
     address_hash, request_id)
   CROSS JOIN LATERAL (SELECT id, real_user_id, connected_at FROM device WHERE unique_id = u.unique_id LIMIT 1) d
   LEFT JOIN LATERAL (
     SELECT real_user_id FROM record_by(d.id, u.date, u.log_file_id)
     WHERE NOT coalesce(u.is_new AND d.real_user_id IS NOT NULL
       AND d.connected_at < to_timestamp(u.at / 1000::float8) - interval '1 hour', false)
     LIMIT 1
   ) t ON true
   WHERE u.outcome = 'ok' OR d.real_user_id IS NOT NULL
   GROUP BY u.at, u.operation`,
)

export const uploadColumnsOf = (rows: readonly (DeviceRow & Source)[]) => [
  rows.map(({ at }) => at),
  rows.map(({ account }) => account),
  rows.map(({ unique_id }) => unique_id),
  rows.map(({ operation }) => operation),
  rows.map(({ outcome }) => outcome),
  rows.map(({ date }) => date),
  rows.map(({ log_file_id }) => log_file_id),
  rows.map(({ is_new }) => is_new),
  rows.map(({ times }) => times),
  rows.map(({ address_hash }) => address_hash),
  rows.map(({ request_id }) => request_id),
]

/** SQL of the rows of the trail that the lists of `taken` make, without an order. */
const ROWS_OF_TAKEN = `SELECT at, CASE WHEN account IS NULL THEN 'device' ELSE 'account' END AS actor_kind,
     coalesce(account, device)::text AS actor, operation, child AS real_user_id, outcome, sum(often)::int AS times,
     true AS is_counted, (array_agg(address_hash))[1] AS address_hash, min(request_id) AS request_id
   FROM taken, unnest(accounts, devices, children, outcomes, times, address_hashes, request_ids)
     AS u (account, device, child, outcome, often, address_hash, request_id)
   GROUP BY at, account, device, operation, child, outcome`

/** Counts all that waits in open rows, for those who want to read it. */
export const countUploads = statement<never>(
  'count-trail-uploads',
  `WITH taken AS (
     DELETE FROM trail_upload RETURNING *
   )
   INSERT INTO trail (${COLUMNS}) ${ROWS_OF_TAKEN}
   ${COUNTING}`,
)

/** SQL of the lists up to `$1`, or of all of them. Who has them holds off who would count them. */
export const DUE_LISTS = `SELECT id::text, to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-01') AS month, cardinality(times) AS uploads
   FROM trail_upload WHERE $1::timestamptz IS NULL OR at <= $1 ORDER BY at, id FOR UPDATE`

/** Those of a child together, so that they are on one page of its index; in an order that is the same each time. */
const PLACED = `ORDER BY real_user_id, at, actor_kind, actor, operation, outcome`

/** SQL of the rows that the lists `$1` make, with their ids; `content` is that of a row `r` of the chain. */
export const newRowsOf = (content: string) =>
  `WITH taken AS MATERIALIZED (
     SELECT * FROM trail_upload WHERE id = ANY ($1::bigint[])
   )
   SELECT r.id::text, ${content} AS content
   FROM (
     SELECT nextval('trail_id_seq') AS id, placed.*
     FROM (${ROWS_OF_TAKEN} ${PLACED}) placed
   ) r`

/** SQL that writes them with ids `$2` and hashes `$3`, in blocks of `$5` of which the first is `$4`. */
export const PLACE_ROWS = `WITH taken AS (
     DELETE FROM trail_upload WHERE id = ANY ($1::bigint[]) RETURNING *
   )
   INSERT INTO trail (id, ${COLUMNS}, block, place, row_hash) OVERRIDING SYSTEM VALUE
   SELECT c.id, ${COLUMNS}, $4::bigint + (n - 1) / $5::int, (n - 1) % $5::int + 1, c.hash
   FROM (SELECT *, row_number() OVER (${PLACED}) AS n FROM (${ROWS_OF_TAKEN}) made) placed
   JOIN unnest($2::bigint[], $3::bytea[]) WITH ORDINALITY AS c (id, hash, n) USING (n)
   ORDER BY n`
