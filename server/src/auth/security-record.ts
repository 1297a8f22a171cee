import { Counter } from 'prom-client'
import type { Sql } from '../database/database.ts'
import { Failure } from '../errors/failure.ts'
import type { Context } from '../http/context.ts'
import { middleware } from '../http/endpoint.ts'

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
export async function record(
  sql: Sql,
  origin: Origin,
  { action, rootUserId, reason }: Happening,
): Promise<void> {
  // What is said of a refusal is a declared error; other reasons may name anything.
  happenings.inc({ action, reason: (action.endsWith('_refused') && reason) || '' })
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

/**
 * Records each refusal of an operation. It stands outside the operation's transaction, which a refusal rolls back; the
 * handler says whom it concerns, as soon as it knows, by `ctx.concerns`.
 */
export const recordRefusals = (action: Action) =>
  middleware(async ({ ctx, next }) => {
    const concerned: { rootUserId?: number } = {}
    const concerns = (rootUserId: number) => {
      concerned.rootUserId = rootUserId
    }
    const result = await next({ ctx: { concerns } })
    if (!result.ok && result.error instanceof Failure) {
      const reason = `${result.error.status} ${result.error.detail}`
      await record(ctx.database.sql, ctx, { action: `${action}_refused`, ...concerned, reason })
    }
    return result
  })
