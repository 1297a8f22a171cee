import { setTimeout as pause } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { Database } from '../database/database.ts'
import { statement } from '../database/statement.ts'
import { today } from '../time/wall-clock.ts'

const POLL_MS = 5000
/** Judged in one transaction. A literal in the statement, so that PostgreSQL plans for so many rows. */
const MOST_AT_ONCE = 1000

// One statement: an evening is judged, told of and left behind, or not at all. The cause of an alert is the child and its evening,
// so that it is told once for each kind and recipient, whatever the clock or another process does. Only rows that nobody else
// wants are locked.
const judge = statement<{ judged: number }>(
  'judge-nights',
  `WITH due AS MATERIALIZED (
     SELECT * FROM night_watch WHERE due_at <= $1 ORDER BY due_at LIMIT ${MOST_AT_ONCE} FOR UPDATE SKIP LOCKED
   ), asked AS MATERIALIZED (
     SELECT d.*, u.id IS NOT NULL AS is_wanted, known_zone(u.time_zone, $2) AS zone, u.missing_night_at, u.quiet_from, u.quiet_to,
       CASE d.kind WHEN 'bedtime' THEN interval '30 minutes' ELSE interval '12 hours' END AS grace
     FROM due d
     LEFT JOIN root_user u ON u.id = d.root_user_id AND is_active_account(u)
       AND CASE d.kind WHEN 'bedtime' THEN u.is_bedtime_reminded ELSE u.is_missing_night_told END
       AND EXISTS (SELECT FROM real_user r WHERE r.id = d.real_user_id AND r.deleted_at IS NULL
         AND child_role(r, u.id, $3) IN ('owner', 'guardian'))
   ), timed AS MATERIALIZED (
     SELECT a.*, quiet_end, evening IS NOT NULL AND due_at + grace > $1 AS is_timely
     FROM asked a CROSS JOIN LATERAL quiet_until($1, zone, quiet_from, quiet_to) quiet_end WHERE is_wanted
   ), told AS (
     INSERT INTO alert (channel, kind, cause, root_user_id, real_user_id, evening, due_at, expires_at)
     SELECT 'push', t.kind, md5(t.kind || ' ' || t.real_user_id || to_char(t.evening, ' YYYYMMDD'))::uuid, t.root_user_id,
       t.real_user_id, t.evening, $1, t.due_at + t.grace
     FROM timed t
     WHERE t.is_timely AND t.quiet_end IS NULL
       AND EXISTS (SELECT FROM push_token p WHERE p.root_user_id = t.root_user_id)
       AND CASE t.kind WHEN 'bedtime' THEN has_bedtime(t.real_user_id, t.evening)
         ELSE missing_night_to_tell(t.real_user_id, t.evening, t.zone) END
     ON CONFLICT DO NOTHING
   ), forgotten AS (
     DELETE FROM night_watch w USING asked a WHERE NOT a.is_wanted
       AND (w.real_user_id, w.root_user_id, w.kind) = (a.real_user_id, a.root_user_id, a.kind)
   ), postponed AS (
     UPDATE night_watch w SET evening = next.evening, due_at = next.moment
     FROM timed t
     -- From the moment that was judged, or of the change; but no older than can be told.
     CROSS JOIN LATERAL (SELECT greatest(t.due_at, $1 - t.grace) AS after,
       t.kind = 'missing_night' AND t.is_timely AND t.quiet_end IS NOT NULL AS waits) how
     CROSS JOIN LATERAL next_night(t.kind, t.real_user_id, t.zone, t.missing_night_at, t.quiet_from, t.quiet_to, how.after) found
     CROSS JOIN LATERAL (SELECT
       CASE WHEN how.waits THEN t.evening ELSE found.evening END AS evening,
       CASE WHEN how.waits THEN t.quiet_end ELSE found.moment END AS moment) next
     WHERE (w.real_user_id, w.root_user_id, w.kind) = (t.real_user_id, t.root_user_id, t.kind)
   )
   SELECT count(*)::int AS judged FROM due`,
)

/**
 * Judges the evenings that are due at `now`, a thousand at a time, and writes the alerts of bedtimes and of missing nights to the
 * outbox. Any number of processes may do so together. Resolves to how many evenings it judged.
 */
export async function judgeNights(
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
export function startWatchingNights(
  database: Database,
  { timeZone, log }: { timeZone: string; log: Logger },
): { stop: () => Promise<void> } {
  const stopping = new AbortController()
  const { signal } = stopping
  const run = async () => {
    while (!signal.aborted) {
      await judgeNights(database, { now: () => new Date(), timeZone, signal }).catch((error: unknown) =>
        log.warn({ err: error }, 'nights not judged, will retry'),
      )
      await pause(POLL_MS, undefined, { signal }).catch(() => undefined)
    }
  }
  const running = run()
  return {
    async stop() {
      stopping.abort()
      await running
    },
  }
}
