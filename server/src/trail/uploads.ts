import { statement } from '../database/statement.ts'
import type { TrailSource } from './add-rows.ts'

/*
 * Uploads, which are most of what reaches the trail: a device comes as often as every few minutes. They are counted by the day
 * (UTC) in a table of its own, one row for each device, child and outcome. When the day is over, they are written to the trail
 * once, with their place in the chain.
 */

/** An upload of a device on its way to the trail. */
export interface DeviceUploadRow {
  /** Milliseconds since 1970. */
  at: number
  account: number | null
  unique_id: string
  operation: string
  outcome: string
  date: string
  log_file_id: number
  /** Of the record, as `real_user_id`; null where the database is to find both. */
  device: number | null
  real_user_id: number | null
  times: number
}

/** By which a row is found, in the order in which all lock them and the trail gets them: those of a child together. */
const ORDER = 'at, real_user_id, actor_kind, actor, operation, outcome'
const COLUMNS = `${ORDER}, times, address_hash, request_id`

const DAY = `date_bin('1 day', to_timestamp(u.ms / 1000::float8), to_timestamp(0))`

/**
 * Where the upload has not said device and child, the child is the one whose record it was, or else who wears the device now.
 * Each is looked up by its index, however many come.
 */
export const insertTrailUploads = statement<never>(
  'add-trail-uploads',
  `INSERT INTO trail_upload (${COLUMNS})
   SELECT ${DAY}, coalesce(u.real_user_id, d.child), CASE WHEN u.account IS NULL THEN 'device' ELSE 'account' END,
     coalesce(u.account, u.device, d.id)::text, u.operation, u.outcome, sum(u.times)::int, (array_agg(u.address_hash))[1], min(u.request_id)
   FROM unnest($1::bigint[], $2::int[], $3::uuid[], $4::text[], $5::text[], $6::timestamp[], $7::int[], $8::int[], $9::int[],
     $10::int[], $11::bytea[], $12::text[]) AS u (ms, account, unique_id, operation, outcome, date, log_file_id, device,
     real_user_id, times, address_hash, request_id)
   LEFT JOIN LATERAL (
     SELECT id, real_user_id,
       coalesce((SELECT t.real_user_id FROM treatment_by_key(device.id, u.date, u.log_file_id) t), real_user_id) AS child
     FROM device WHERE u.device IS NULL AND unique_id = u.unique_id LIMIT 1
   ) d ON true
   WHERE u.device IS NOT NULL OR (d.id IS NOT NULL AND (u.outcome = 'ok' OR d.real_user_id IS NOT NULL))
   GROUP BY 1, 2, 3, 4, 5, 6
   ORDER BY 1, 2, 3, 4, 5, 6
   ON CONFLICT (${ORDER}) DO UPDATE SET times = trail_upload.times + excluded.times`,
)

export const uploadColumnsOf = (rows: readonly (DeviceUploadRow & TrailSource)[]) => [
  rows.map(({ at }) => at),
  rows.map(({ account }) => account),
  rows.map(({ unique_id }) => unique_id),
  rows.map(({ operation }) => operation),
  rows.map(({ outcome }) => outcome),
  rows.map(({ date }) => date),
  rows.map(({ log_file_id }) => log_file_id),
  rows.map(({ device }) => device),
  rows.map(({ real_user_id }) => real_user_id),
  rows.map(({ times }) => times),
  rows.map(({ address_hash }) => address_hash),
  rows.map(({ request_id }) => request_id),
]

/**
 * SQL of at most `most` rows of days that were over at `$1`, with the `content` that the chain takes of a row `r`. The
 * transaction that has them keeps others from counting them further.
 */
export const dueUploadsSql = (content: string, most: number) =>
  `SELECT r.tid::text, r.id::text, to_char(r.at AT TIME ZONE 'UTC', 'YYYY-MM-01') AS month, ${content} AS content
   FROM (
     SELECT ctid AS tid, true AS is_counted, id, ${COLUMNS} FROM trail_upload
     WHERE at <= $1::timestamptz - interval '1 day' ORDER BY ${ORDER} LIMIT ${most} FOR UPDATE
   ) r`

/** SQL that puts them from the places `$1` into the trail, with ids `$2` and hashes `$3`, in blocks of `$5` of which the first is `$4`. */
export const INSERT_UPLOADS_SQL = `WITH taken AS (
     DELETE FROM trail_upload WHERE ctid = ANY ($1::tid[]) RETURNING *
   )
   INSERT INTO trail (id, ${COLUMNS}, is_counted, block, place, row_hash) OVERRIDING SYSTEM VALUE
   SELECT id, ${COLUMNS}, true, $4::bigint + (n - 1) / $5::int, (n - 1) % $5::int + 1, hash
   FROM taken JOIN unnest($2::bigint[], $3::bytea[]) WITH ORDINALITY AS c (id, hash, n) USING (id)
   ORDER BY n`
