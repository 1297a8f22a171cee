import { statement } from '../database/statement.ts'
import { COUNTED_ROW_KEY_COLUMNS, ADD_TO_COUNT_SQL } from './add-rows.ts'
import type { TrailRow } from './add-rows.ts'

/* A read that comes again within its minute. To write it in a list takes a tenth of the time of counting it in its row,
 * which is done for many at once. */

/** U+001F, UNIT SEPARATOR. */
const SEPARATOR = '\u001F'

/** The text that says which row of the trail counts a read. */
export const encodeReadKey = (
  row: Pick<TrailRow, 'at' | 'actor_kind' | 'actor' | 'operation' | 'real_user_id' | 'outcome'>,
) => [row.at, row.actor_kind, row.actor, row.operation, row.real_user_id, row.outcome].join(SEPARATOR)

/** Takes keys of reads, and how often each came. */
export const insertTrailRepeats = statement<never>(
  'add-trail-repeats',
  'INSERT INTO trail_repeat (reads, times) VALUES ($1, $2)',
)

/** Counts what came again in the rows that are open; one that is closed by now gets another row beside it. */
export const countRepeatsInTrail = statement<never>(
  'count-trail-repeats',
  `WITH taken AS (
     DELETE FROM trail_repeat RETURNING reads, times
   ), again AS MATERIALIZED (
     SELECT string_to_array(read, '${SEPARATOR}') AS part, sum(often) AS times
     FROM taken, unnest(reads, taken.times) AS r (read, often)
     GROUP BY read
   )
   INSERT INTO trail (${COUNTED_ROW_KEY_COLUMNS}, times, is_counted)
   SELECT to_timestamp(part[1]::bigint / 1000::float8), part[2], part[3], part[4], part[5]::int, part[6], times, true
   FROM again
   WHERE part[6] = 'ok' OR EXISTS (SELECT FROM real_user WHERE id = part[5]::int)
   ${ADD_TO_COUNT_SQL}`,
)
