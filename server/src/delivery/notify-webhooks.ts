import type { Logger } from 'pino'
import { findFeedHorizon } from '../database/feed-horizon.ts'
import { statement } from '../database/statement.ts'
import type { Database } from '../database/database.ts'
import { TryLater } from './alert.ts'
import { startDelivering } from './deliver.ts'
import type { DeliveryTiming } from './deliver.ts'
import type { MailSender } from './mail.ts'
import { webhookDisabledMail } from './messages.ts'
import { DELIVERY_TIMEOUT_MS } from './timeout.ts'
import { connectionFailureText, isSuccess, postWebhook, statusFailureText } from './post-webhook.ts'
import type { WebhookResponse } from './post-webhook.ts'

// The attempts of 24 hours.
const pace: DeliveryTiming = { pollMs: 1000, tryMs: DELIVERY_TIMEOUT_MS, retryMs: 5000, mostAttempts: 34 }

/** Before a webhook rings again. */
const REST_MS = 1000

// What ends by itself is told like any other end.
const endGrants = statement<never>(
  'end-expired-grants',
  'UPDATE access_grant SET ended_at = expires_at WHERE ended_at IS NULL AND expires_at <= now()',
)

// Looks at each change once, before the horizon `$2`, and lets the webhooks of those ring who may see it. The process that holds
// the row of the feed does so for all. A change can lie at the horizon although its transaction has ended: where nobody else
// writes, the transaction of this statement lets the next one pass it.
const ring = statement<never>(
  'notify-webhooks',
  `WITH feed AS MATERIALIZED (
     SELECT notified_xact_id AS since, $2::xid8 AS horizon FROM feed FOR UPDATE SKIP LOCKED
   ), news AS MATERIALIZED (
     SELECT DISTINCT kind, real_user_id, account_id, client_id FROM change, feed
     WHERE xact_id >= feed.since AND xact_id < feed.horizon
   ), moved AS (
     UPDATE feed f SET notified_xact_id = greatest(feed.since, feed.horizon) FROM feed
     WHERE EXISTS (SELECT FROM news) OR EXISTS (SELECT FROM change WHERE xact_id >= feed.horizon)
   )
   UPDATE webhook w SET
     due_at = coalesce(w.due_at, greatest(now(), w.delivered_at + $1::float8 * interval '1 millisecond')),
     message_id = CASE WHEN w.due_at IS NULL THEN gen_random_uuid() ELSE w.message_id END,
     since_xact_id = CASE WHEN w.due_at IS NULL THEN feed.since ELSE w.since_xact_id END,
     next_xact_id = CASE WHEN w.due_at IS NOT NULL THEN coalesce(w.next_xact_id, feed.since) END
   FROM feed
   WHERE w.disabled_at IS NULL AND w.client_id IN (
     SELECT client_id FROM news
     UNION ALL
     SELECT g.client_id FROM news n
     JOIN access_grant_child c ON c.real_user_id = n.real_user_id
     JOIN live_grants() g ON g.id = c.grant_id AND change_scope(n.kind) = ANY (g.scopes)
     JOIN root_user u ON u.id = g.root_user_id AND is_active_account(u)
     WHERE n.account_id IS NULL
   )`,
)

interface Claimed {
  id: number
  url: string
  message_id: string
  since: string
  attempts: number
  salts: Buffer[]
  name: string
  contact: string
}

// A try tells of all that has happened until then.
const claim = statement<Claimed>(
  'claim-webhooks',
  `UPDATE webhook w SET attempts = attempts + 1, due_at = now() + $1::float8 * interval '1 millisecond', next_xact_id = NULL
   FROM client c
   WHERE c.id = w.client_id AND w.id = ANY (ARRAY(
     SELECT d.id FROM webhook d JOIN client b ON b.id = d.client_id AND b.blocked_at IS NULL
     WHERE d.due_at <= now() AND d.disabled_at IS NULL
     ORDER BY d.due_at LIMIT $2 FOR UPDATE OF d SKIP LOCKED))
   RETURNING w.id, w.url, w.message_id, w.since_xact_id::text AS since, w.attempts, c.name, c.contact,
     CASE WHEN w.previous_until > now() THEN ARRAY[w.salt, w.previous_salt] ELSE ARRAY[w.salt] END AS salts`,
)

const succeed = statement<never>(
  'webhook-delivered',
  `UPDATE webhook SET attempts = 0, delivered_at = now(), failing_since = NULL, last_fault = NULL,
     since_xact_id = next_xact_id, next_xact_id = NULL,
     message_id = CASE WHEN next_xact_id IS NOT NULL THEN gen_random_uuid() END,
     due_at = CASE WHEN next_xact_id IS NOT NULL THEN now() + $3::float8 * interval '1 millisecond' END
   WHERE id = $1 AND message_id = $2`,
)

const postpone = statement<never>(
  'postpone-webhook',
  `UPDATE webhook SET due_at = now() + $3::float8 * interval '1 millisecond',
     failing_since = coalesce(failing_since, now()), last_fault = $4
   WHERE id = $1 AND message_id = $2`,
)

const disable = statement<never>(
  'disable-webhook',
  `UPDATE webhook SET disabled_at = now(), due_at = NULL, attempts = 0,
     failing_since = coalesce(failing_since, now()), last_fault = coalesce($3, last_fault)
   WHERE id = $1 AND message_id = $2`,
)

/** Thrown for a response that accepts nothing. */
class NotAccepted extends TryLater {
  override name = 'NotAccepted'
  readonly response: WebhookResponse

  constructor(response: WebhookResponse) {
    super(`The webhook answered ${response.status}`, response.retryAfter)
    this.response = response
  }
}

const reasonOf = (error: unknown) =>
  error instanceof NotAccepted ? statusFailureText(error.response) : connectionFailureText(error)

/** By 410 a receiver says that it wants nothing any more (Standard Webhooks). */
const isGone = (error: unknown) => error instanceof NotAccepted && error.response.status === 410

interface Ringing {
  database: Database
  mail: MailSender
  log: Logger
  production: boolean
  secretOf: (salt: Buffer) => string
  /** The text for `after` that shows the changes of a transaction and of all later ones. */
  cursorOf: (xactId: string) => string
}

/**
 * Tells the webhooks of clients that there are changes, until stopped: at most once a second each, and of each change at
 * least once. A webhook that fails for 24 hours, or answers 410, is disabled, and the client's contact gets a mail.
 */
export function startNotifyingWebhooks(
  { database, mail, log, production, secretOf, cursorOf }: Ringing,
  { restMs = REST_MS, ...webhookPace }: DeliveryTiming & { restMs?: number } = pace,
): { stop: () => Promise<void> } {
  return startDelivering<Claimed>(
    {
      name: 'webhook',
      async claim(ms, most) {
        await database.query(endGrants, [])
        const horizon = await findFeedHorizon(database.query)
        await database.query(ring, [restMs, horizon])
        return database.query(claim, [ms, most])
      },
      async send({ id, url, message_id, since, salts }, signal) {
        const content = {
          type: 'changes.available' as const,
          timestamp: new Date().toISOString(),
          data: { cursor: cursorOf(since) },
        }
        const response = await postWebhook(
          { url, id: message_id, secrets: salts.map(secretOf), content },
          { production, signal },
        )
        if (!isSuccess(response)) throw new NotAccepted(response)
        return () => database.query(succeed, [id, message_id, restMs])
      },
      postpone: ({ id, message_id }, ms, error) =>
        database.query(postpone, [id, message_id, ms, reasonOf(error)]),
      isFinal: isGone,
      async giveUp({ id, url, message_id, name, contact }, error) {
        const told = mail.sendMail({
          to: contact,
          ...webhookDisabledMail({ name, url, isGone: isGone(error) }),
        })
        await told.catch((error: unknown) =>
          log.error({ err: error, webhook_id: id }, 'client contact not notified'),
        )
        await database.query(disable, [id, message_id, error === undefined ? null : reasonOf(error)])
      },
      describe: ({ id, attempts }) => ({ webhook_id: id, attempts }),
    },
    { log, pace: webhookPace },
  )
}
