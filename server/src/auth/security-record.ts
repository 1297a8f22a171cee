import { Counter } from 'prom-client'
import type { Sql } from '../database/database.ts'
import { Failure } from '../errors/failure.ts'
import type { Context } from '../http/context.ts'
import { middleware } from '../http/endpoint.ts'
import { networkOf } from '../limits/network.ts'

/** What the security record tells of. An action that was refused is written as `<action>_refused` with the reason. */
export type Action =
  | 'code_send'
  | 'code_verify'
  | 'sign_up'
  | 'sign_in'
  | 'social_sign_up'
  | 'social_sign_in'
  | 'refresh'
  | 'sign_out'
  | 'account_find'
  | 'password_reset_request'
  | 'password_reset'
  | 'password_change'
  | 'phone_change'
  | 'consent_change'
  | 'profile_change'
  | 'account_delete'
  | 'account_block'
  | 'account_unblock'
  | 'account_import'
  | 'account_export'
  | 'child_transfer'
  | 'device_disconnect'

interface Happening {
  action: Action | `${Action}_refused`
  rootUserId?: number | undefined
  /** Why, or which, in words of this program: never a secret, nothing that a caller wrote. */
  reason?: string
}

const happenings = new Counter({
  name: 'companion_account_events_total',
  help: 'What the security record tells of; the reason is that of a refusal.',
  labelNames: ['action', 'reason'],
})

/** Where it came from: a request, or nowhere for an operator's command. */
type Origin = Pick<Context, 'request'> | 'operator'

/** Appends to the security record, in the transaction of what it tells of. */
export async function record(sql: Sql, origin: Origin, happening: Happening): Promise<void> {
  count(happening)
  const { action, rootUserId, reason } = happening
  const from = origin === 'operator' ? undefined : origin.request
  await sql
    .insertInto('security_record')
    .values({
      recorded_at: new Date(),
      root_user_id: rootUserId ?? null,
      action,
      reason: reason ?? (origin === 'operator' ? 'by an operator' : null),
      address: from?.address ?? null,
      request_id: from?.id ?? null,
    })
    .execute()
}

// What is said of a refusal is a declared error; other reasons may name anything.
const count = ({ action, reason }: Happening) =>
  happenings.inc({ action, reason: (action.endsWith('_refused') && reason) || '' })

const MINUTE_MS = 60_000
/** In a minute, by one process. */
const MOST_TOO_MANY = 10_000

/** Whether it is the first time within the minute: who goes on after a 429 must not fill the table. */
function oncePerMinute(): (who: string) => boolean {
  const known = new Set<string>()
  let minute = 0
  return (who) => {
    const now = Math.floor(Date.now() / MINUTE_MS)
    if (now !== minute) known.clear()
    minute = now
    if (known.has(who) || known.size >= MOST_TOO_MANY) return false
    known.add(who)
    return true
  }
}

const isFirstTooMany = oncePerMinute()

/**
 * Records each refusal of an operation; of 429s that follow each other, one a minute. It stands outside the operation's
 * transaction, which a refusal rolls back; the handler says whom it concerns, as soon as it knows, by `ctx.concerns`.
 */
export const recordRefusals = (action: Action) =>
  middleware(async ({ ctx, next }) => {
    const concerned: { rootUserId?: number } = {}
    const concerns = (rootUserId: number) => {
      concerned.rootUserId = rootUserId
    }
    const result = await next({ ctx: { concerns } })
    if (result.ok || !(result.error instanceof Failure)) return result
    const { status, detail } = result.error
    const refusal = { action: `${action}_refused`, ...concerned, reason: `${status} ${detail}` } as const
    const who = `${action} ${concerned.rootUserId} ${networkOf(ctx.request.address)}`
    if (status !== 429 || isFirstTooMany(who)) await record(ctx.database.sql, ctx, refusal)
    else count(refusal)
    return result
  })
