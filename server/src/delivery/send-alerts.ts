import type { Logger } from 'pino'
import { statement } from '../database/statement.ts'
import type { Database } from '../database/database.ts'
import { today } from '../time/wall-clock.ts'
import type { Alert, AlertSender, AlertOutcome, Recipient } from './alert.ts'
import { startDelivering } from './deliver.ts'
import type { DeliveryTiming } from './deliver.ts'
import { DELIVERY_TIMEOUT_MS } from './timeout.ts'

export interface AlertSenders {
  push: AlertSender
  alim_talk: AlertSender
  mail: AlertSender
}

// An alert is given up after two and a half hours, when it is no longer useful.
const pace: DeliveryTiming = { pollMs: 2000, tryMs: DELIVERY_TIMEOUT_MS, retryMs: 5000, mostAttempts: 12 }

interface Claimed extends Omit<Alert, 'evening'> {
  evening: string | null
  id: string
  channel: keyof AlertSenders
  attempts: number
  /** Where it goes, as it is stored. */
  stored: string | null
  language: Recipient['language']
  /** The first name as it is stored, or null if the parent does not want it named. */
  child_name: string | null
}

// A claim expires, so that the alert is due again if this process dies; but one of a night is tried once, as a reminder that comes
// twice is worse than none. The parent's settings are read only now, just before sending; `stored` is null if they want no such
// alert, or are neither owner nor guardian any more, or if the night has begun or arrived. An alert of a missing night waits for
// the end of quiet hours.
const claim = statement<Claimed>(
  'claim-alerts',
  `WITH due AS MATERIALIZED (
     SELECT a.id, CASE WHEN a.kind = 'missing_night' THEN (
       SELECT quiet_until(now(), known_zone_or_default(u.time_zone, $5), u.quiet_from, u.quiet_to) FROM root_user u WHERE u.id = a.root_user_id
     ) END AS waits_until
     FROM alert a WHERE due_at <= now() AND channel = $2
     ORDER BY due_at LIMIT $4 FOR UPDATE SKIP LOCKED
   ), claimed AS (
     UPDATE alert a SET attempts = attempts + (waits_until IS NULL)::int,
       due_at = coalesce(waits_until, CASE WHEN evening IS NULL THEN now() + $1::float8 * interval '1 millisecond' END),
       outcome = CASE WHEN evening IS NOT NULL AND waits_until IS NULL THEN 'claimed' END
     FROM due WHERE a.id = due.id
     RETURNING a.*, waits_until
   )
   SELECT a.id, a.uuid AS alert_id, a.channel, a.kind, a.attempts, a.root_user_id, a.real_user_id, a.device_id,
     a.basestation_id, to_char(a.evening, 'YYYY-MM-DD') AS evening,
     CASE WHEN coalesce(u.language, u.national_code) = 'KR' THEN 'ko' ELSE 'en' END AS language,
     CASE WHEN u.is_child_named_in_alerts THEN (SELECT first_name FROM real_user WHERE id = a.real_user_id) END AS child_name,
     CASE a.channel
       WHEN 'push' THEN CASE WHEN p.is_push_agree THEN t.token END
       WHEN 'alim_talk' THEN CASE WHEN u.is_device_alim_talk_enabled THEN u.phone END
       WHEN 'mail' THEN u.email
     END AS stored
   FROM claimed a
   LEFT JOIN root_user u ON u.id = a.root_user_id AND is_active_account(u)
     AND (a.expires_at IS NULL OR a.expires_at > now())
     AND (a.real_user_id IS NULL OR a.kind = 'access_ended' OR EXISTS (
       SELECT FROM real_user r WHERE r.id = a.real_user_id AND r.deleted_at IS NULL
         AND child_role(r, u.id, $3) IN ('owner', 'guardian')))
     AND CASE a.kind
       WHEN 'device_contact' THEN NOT u.is_device_muted
       WHEN 'basestation_environment' THEN u.is_basestation_alert_enabled AND EXISTS (
         SELECT FROM basestation b WHERE b.id = a.basestation_id AND (b.root_user_id = u.id OR EXISTS (
           SELECT FROM live_child_memberships($3) m JOIN real_user r ON r.id = m.real_user_id
           WHERE m.root_user_id = u.id AND m.role = 'guardian' AND r.root_user_id = b.root_user_id AND r.deleted_at IS NULL)))
       WHEN 'account_inactive' THEN EXISTS (
         SELECT FROM account_activity y WHERE y.root_user_id = u.id AND y.told_at = a.created_at)
       WHEN 'bedtime' THEN u.is_bedtime_reminded AND is_bedtime_reminder_due(a.real_user_id, a.evening)
         AND quiet_until(now(), known_zone_or_default(u.time_zone, $5), u.quiet_from, u.quiet_to) IS NULL
       WHEN 'missing_night' THEN u.is_missing_night_told
         AND should_tell_missing_night(a.real_user_id, a.evening, known_zone_or_default(u.time_zone, $5))
       WHEN 'access_ended' THEN true
     END
   LEFT JOIN policy p ON p.root_user_id = u.id
   LEFT JOIN push_token t ON t.root_user_id = u.id
   WHERE a.waits_until IS NULL`,
)

/** What `stored` is. */
const PLACES = { push: 'push_token.token', alim_talk: 'root_user.phone', mail: 'root_user.email' } as const

const finish = statement<never>('finish-alert', 'UPDATE alert SET due_at = NULL, outcome = $2 WHERE id = $1')

const postpone = statement<never>(
  'postpone-alert',
  `UPDATE alert SET due_at = now() + $2::float8 * interval '1 millisecond' WHERE id = $1`,
)

const forgetToken = statement<never>(
  'forget-push-token',
  'DELETE FROM push_token WHERE root_user_id = $1 AND token = $2',
)

interface Sending {
  database: Database
  senders: AlertSenders
  log: Logger
  /** Of the service, in which memberships have their last day. */
  timeZone: string
}

/**
 * Sends the alerts in the outbox table `alert` until stopped, those of each channel by themselves: a provider that does
 * not answer holds up no other. An alert is sent at least once, or given up after a bounded number of attempts; if the process
 * dies before it records that a provider accepted an alert, the alert is sent again with the same `alert_id`. An alert of a night
 * is sent at most once.
 */
export function startSendingAlerts(
  { database, senders, log, timeZone }: Sending,
  alertPace: DeliveryTiming = pace,
): { stop: () => Promise<void> } {
  const done = ({ id }: Claimed, outcome: AlertOutcome | 'unwanted' | 'given up') =>
    database.query(finish, [id, outcome])

  async function send(claimed: Claimed, signal: AbortSignal): Promise<() => Promise<unknown>> {
    const { id: _id, channel, attempts: _attempts, stored, language, child_name, evening, ...sent } = claimed
    if (stored === null) return () => done(claimed, 'unwanted')
    const alert: Alert = evening === null ? sent : { ...sent, evening }
    const { keyRing } = database
    const to = keyRing.decrypt(PLACES[channel], stored)
    const named =
      child_name === null ? {} : { childName: keyRing.decrypt('real_user.first_name', child_name) }
    const outcome = await senders[channel](alert, { to, language, ...named }, signal)
    if (outcome === 'refused') log.error({ alert_id: alert.alert_id, channel }, 'alert refused')
    return async () => {
      if (outcome === 'unreachable') await database.query(forgetToken, [alert.root_user_id, stored])
      await done(claimed, outcome)
    }
  }

  const channels = (['push', 'alim_talk', 'mail'] as const).map((channel) =>
    startDelivering<Claimed>(
      {
        name: 'alert',
        claim: (ms, most) => database.query(claim, [ms, channel, today(timeZone), most, timeZone]),
        send,
        postpone: ({ id }, ms) => database.query(postpone, [id, ms]),
        giveUp: (claimed) => done(claimed, 'given up'),
        isFinal: (_, { evening }) => evening !== null,
        describe: ({ alert_id, attempts }) => ({ alert_id, channel, attempts }),
      },
      { log, pace: alertPace },
    ),
  )
  return { stop: async () => void (await Promise.all(channels.map((each) => each.stop()))) }
}
