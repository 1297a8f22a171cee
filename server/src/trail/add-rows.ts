import { statement } from '../database/statement.ts'

/** A row of the trail that is to be written. */
export interface TrailRow {
  /** Milliseconds since 1970. */
  at: number
  actor_kind: string
  actor: string
  operation: string
  real_user_id: number | null
  outcome: string
  times: number
  is_counted: boolean
  /** As it is stored. */
  old_value: string | null
}

/** Where it came from. */
export interface TrailSource {
  address_hash: Buffer | null
  request_id: string | null
}

/** By which a row that counts is found. */
export const COUNTED_ROW_KEY_COLUMNS = `at, actor_kind, actor, operation, real_user_id, outcome`
export const TRAIL_COLUMNS = `${COUNTED_ROW_KEY_COLUMNS}, times, is_counted, address_hash, request_id`

/** In one order, so that two processes never wait for each other in a circle. */
export const ADD_TO_COUNT_SQL = `ORDER BY 1, 2, 3, 4, 5, 6
   ON CONFLICT (${COUNTED_ROW_KEY_COLUMNS}) WHERE is_counted AND block IS NULL
     DO UPDATE SET times = trail.times + excluded.times`

/**
 * A refused call that names no child there is concerns nobody. The lock holds off the deletion of a child until an old value
 * of it is there to be erased; of a child that is deleted none is kept.
 */
export const addRows = statement<never>(
  'add-trail',
  `WITH new AS MATERIALIZED (
     SELECT * FROM unnest($1::timestamptz[], $2::text[], $3::text[], $4::text[], $5::int[], $6::text[], $7::int[],
       $8::boolean[], $9::bytea[], $10::text[], $11::text[]) AS new (${TRAIL_COLUMNS}, old_value)
   ), child AS MATERIALIZED (
     SELECT id FROM real_user
     WHERE id IN (SELECT real_user_id FROM new WHERE old_value IS NOT NULL) AND deleted_at IS NULL
     ORDER BY id FOR SHARE
   )
   INSERT INTO trail (${TRAIL_COLUMNS}, old_value)
   SELECT ${TRAIL_COLUMNS}, CASE WHEN real_user_id IN (SELECT id FROM child) THEN old_value END FROM new
   WHERE outcome IN ('ok', 'lost') OR EXISTS (SELECT FROM real_user WHERE id = new.real_user_id)
   ${ADD_TO_COUNT_SQL}`,
)

export const columnsOf = (rows: readonly (TrailRow & TrailSource)[]) => [
  rows.map(({ at }) => new Date(at)),
  rows.map(({ actor_kind }) => actor_kind),
  rows.map(({ actor }) => actor),
  rows.map(({ operation }) => operation),
  rows.map(({ real_user_id }) => real_user_id),
  rows.map(({ outcome }) => outcome),
  rows.map(({ times }) => times),
  rows.map(({ is_counted }) => is_counted),
  rows.map(({ address_hash }) => address_hash),
  rows.map(({ request_id }) => request_id),
  rows.map(({ old_value }) => old_value),
]
