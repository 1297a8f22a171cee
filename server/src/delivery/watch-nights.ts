import type { Logger } from 'pino'
import type { Database } from '../database/database.ts'
import { statement } from '../database/statement.ts'
import { today } from '../time/wall-clock.ts'
import { repeatUntilStopped } from '../time/repeat.ts'

const POLL_MS = 5000
/** Judged in one transaction. A literal in the statement, so that PostgreSQL plans for so many rows. */
const MOST_AT_ONCE = 1000

// One statement: an evening is judged, told of and left behind, or not at all. The cause of an alert is the child and its evening,
// so that it is told once for each kind and recipient, whatever the clock or another process does. Only rows that nobody else
// wants are locked.
const judge = statement<{ judged: number }>(
  'judge-nights',
  `WITH due AS MATERIALIZED (
     SELECT ctid AS place, * FROM night_watch WHERE due_at <= $1 ORDER BY due_at LIMIT ${MOST_AT_ONCE} FOR UPDATE SKIP LOCKED
   ), asked AS MATERIALIZED (
     SELECT d.*, u.id IS NOT NULL AS is_wanted, u.time_zone, u.missing_night_at, u.quiet_from, u.quiet_to
     FROM due d
     LEFT JOIN LATERAL (
       SELECT * FROM root_user a
       WHERE a.id = d.root_user_id AND is_active_account(a)
         AND CASE d.kind WHEN 'bedtime' THEN a.is_bedtime_reminded ELSE a.is_missing_night_told END
         AND EXISTS (SELECT FROM real_user r WHERE r.id = d.real_user_id AND r.deleted_at IS NULL
           AND child_role(r, a.id, $3) IN ('owner', 'guardian'))
       -- A look at the index for each, however the planner guesses the sizes.
       OFFSET 0
     ) u ON true
   ), clocked AS MATERIALIZED (
     -- Once for all of one moment and the same settings, who are most of a thousand.
     SELECT c.kind, c.due_at, c.time_zone, c.missing_night_at, c.quiet_from, c.quiet_to, how.*, zone, quiet_end,
       morning.evening AS next_evening, morning.moment AS next_moment
     FROM (
       SELECT DISTINCT kind, due_at, time_zone, missing_night_at, quiet_from, quiet_to FROM asked WHERE is_wanted
     ) c
     CROSS JOIN LATERAL known_zone_or_default(c.time_zone, $2) zone
     CROSS JOIN LATERAL quiet_until($1, zone, c.quiet_from, c.quiet_to) quiet_end
     CROSS JOIN LATERAL (SELECT CASE c.kind WHEN 'bedtime' THEN interval '30 minutes' ELSE interval '12 hours' END AS grace) g
     -- From the moment that was judged, or of the change; but no older than can be told.
     CROSS JOIN LATERAL (SELECT c.due_at + g.grace AS expires_at, c.due_at + g.grace > $1 AS is_timely,
       greatest(c.due_at, $1 - g.grace) AS after) how
     LEFT JOIN LATERAL (
       SELECT * FROM next_night(c.kind, NULL, zone, c.missing_night_at, c.quiet_from, c.quiet_to, how.after)
       -- OFFSET 0: it is not called for the others.
       WHERE c.kind = 'missing_night' OFFSET 0
     ) morning ON true
   ), timed AS MATERIALIZED (
     SELECT a.place, a.real_user_id, a.root_user_id, a.evening, c.*
     FROM asked a
     JOIN clocked c ON (c.kind, c.due_at) = (a.kind, a.due_at)
       AND (c.time_zone, c.missing_night_at, c.quiet_from, c.quiet_to)
         IS NOT DISTINCT FROM (a.time_zone, a.missing_night_at, a.quiet_from, a.quiet_to)
     WHERE a.is_wanted
   ), told AS (
     INSERT INTO alert (channel, kind, cause, root_user_id, real_user_id, evening, due_at, expires_at)
     SELECT 'push', t.kind, md5(t.kind || ' ' || t.real_user_id || to_char(t.evening, ' YYYYMMDD'))::uuid, t.root_user_id,
       t.real_user_id, t.evening, $1, t.expires_at
     FROM timed t
     WHERE t.evening IS NOT NULL AND t.is_timely AND t.quiet_end IS NULL
       -- In the order in which most are done with soonest: of a million children nearly all have used their night.
       AND CASE
         WHEN t.kind = 'missing_night' AND EXISTS (
           SELECT FROM child_usage_records(t.real_user_id, t.evening + interval '12 hours', t.evening + interval '36 hours') n
           WHERE n.is_temp OR n.treatment_time >= 120
         ) THEN false
         WHEN NOT EXISTS (SELECT FROM push_token p WHERE p.root_user_id = t.root_user_id OFFSET 0) THEN false
         WHEN t.kind = 'bedtime' THEN is_bedtime_reminder_due(t.real_user_id, t.evening)
         ELSE should_tell_missing_night(t.real_user_id, t.evening, t.zone)
       END
     ON CONFLICT DO NOTHING
   ), forgotten AS (
     DELETE FROM night_watch w USING asked a WHERE NOT a.is_wanted AND w.ctid = a.place
   ), postponed AS (
     UPDATE night_watch w SET evening = next.evening, due_at = next.moment
     FROM timed t
     LEFT JOIN LATERAL (
       SELECT * FROM next_night(t.kind, t.real_user_id, t.zone, NULL, NULL, NULL, t.after) WHERE t.kind = 'bedtime' OFFSET 0
     ) bedtime ON true
     CROSS JOIN LATERAL (SELECT t.kind = 'missing_night' AND t.evening IS NOT NULL AND t.is_timely AND t.quiet_end IS NOT NULL AS waits) how
     CROSS JOIN LATERAL (SELECT
       CASE WHEN how.waits THEN t.evening WHEN t.kind = 'bedtime' THEN bedtime.evening ELSE t.next_evening END AS evening,
       CASE WHEN how.waits THEN t.quiet_end WHEN t.kind = 'bedtime' THEN bedtime.moment ELSE t.next_moment END AS moment) next
     WHERE w.ctid = t.place
   )
   SELECT count(*)::int AS judged FROM due`,
)

/**
 * Judges the evenings that are due at `now`, a thousand at a time, and writes the alerts of bedtimes and of missing nights to the
 * outbox. Any number of processes may do so together. Resolves to how many evenings it judged.
 */
export async function checkDueNights(
  database: Database,
  { now, timeZone, signal }: { now: () => Date; timeZone: string; signal?: AbortSignal },
): Promise<number> {
  let all = 0
  for (;;) {
    const at = now()
    const [{ judged } = { judged: 0 }] = await database.query(judge, [at, timeZone, today(timeZone, at)])
    all += judged
    if (judged === 0 || signal?.aborted) return all
  }
}

/** Judges nights every five seconds until stopped; `stop` waits for the step that is under way. */
export function startNightAlerts(
  database: Database,
  { timeZone, log }: { timeZone: string; log: Logger },
): { stop: () => Promise<void> } {
  return repeatUntilStopped(
    async (signal) => {
      await checkDueNights(database, { now: () => new Date(), timeZone, signal })
      return false
    },
    { pauseMs: POLL_MS, onError: (error) => log.warn({ err: error }, 'nights not judged, will retry') },
  )
}
