import { sql } from 'kysely'
import type { RawBuilder } from 'kysely'
import { Counter } from 'prom-client'
import type { Sql } from '../database/database.ts'
import { RECORDED_ADDRESS_COLUMN } from '../database/encryption.ts'
import { keyIdOf } from '../encryption/key-ring.ts'
import { Failure } from '../errors/failure.ts'
import type { Context } from '../http/context.ts'
import { middleware } from '../http/endpoint.ts'
import type { Operator } from '../trail/operator.ts'

/** The actions in the security record. An action that was refused is written as `<action>_refused` with the reason. */
export type SecurityAction =
  | 'code_send'
  | 'code_verify'
  | 'sign_up'
  | 'sign_in'
  | 'social_sign_up'
  | 'social_sign_in'
  | 'connect_sign_in'
  | 'grant_start'
  | 'grant_end'
  | 'refresh'
  | 'sign_out'
  | 'account_find'
  | 'password_reset_request'
  | 'password_reset'
  | 'password_change'
  | 'phone_change'
  | 'email_confirm'
  | 'email_reject'
  | 'email_change_request'
  | 'email_change'
  | 'consent_change'
  | 'profile_change'
  | 'account_delete'
  | 'account_block'
  | 'account_unblock'
  | 'account_import'
  | 'account_export'
  | 'child_transfer'
  | 'transfer_offer'
  | 'transfer_withdraw'
  | 'share_invite'
  | 'share_accept'
  | 'share_withdraw'
  | 'share_end'
  | 'passkey_sign_in'
  | 'passkey_add'
  | 'passkey_remove'
  | 'clinician_sign_up'
  | 'clinic_invite'
  | 'clinic_leave'
  | 'clinic_withdraw'
  | 'clinic_add'
  | 'clinic_rename'
  | 'clinic_new_code'
  | 'clinic_remove'
  | 'clinic_connect'
  | 'clinic_disconnect'
  | 'device_disconnect'
  | 'devlog_shift'
  | 'devlog_unshift'
  | 'operator_read'
  | 'firmware_add'
  | 'firmware_withdraw'
  | 'release_begin'
  | 'release_pause'
  | 'release_resume'
  | 'release_next'
  | 'release_cancel'
  | 'release_stop'

export interface SecurityEvent {
  action: SecurityAction | `${SecurityAction}_refused`
  rootUserId?: number | undefined
  /** The phone number that it is about. A keyed hash of it is kept, by which the address goes with the number's account. */
  phone?: string | undefined
  /** Why, or which, in words of this program: never a secret, nothing that a caller wrote. */
  reason?: string
}

const happenings = new Counter({
  name: 'companion_security_events_total',
  help: 'What the security record tells of; the reason is that of an error.',
  labelNames: ['action', 'reason'],
})

/** Where it came from: a request, or an operator's command. */
type Origin = Pick<Context, 'request' | 'keys' | 'database'> | Operator

/** Appends to the security record, in the transaction of what it tells of. */
export async function recordSecurityEvent(tx: Sql, origin: Origin, happening: SecurityEvent): Promise<void> {
  countSecurityEvent(happening)
  await tx.insertInto('security_record').values(toSecurityRecordRow(origin, happening)).execute()
}

// The reason of an error is a declared error; other reasons may name anything.
export const countSecurityEvent = ({ action, reason }: SecurityEvent) =>
  happenings.inc({ action, reason: (action.endsWith('_refused') && reason) || '' })

/**
 * The row that tells of a happening. It holds no address of a deleted account: the account is locked while it is asked,
 * so that a deletion in this moment waits for the row and then finds it. One that counts is found again by the hash of its
 * address, if that is encrypted.
 */
export function toSecurityRecordRow(
  origin: Origin,
  { action, rootUserId, phone, reason }: SecurityEvent,
  { counts = false } = {},
) {
  const row = { recorded_at: new Date(), root_user_id: rootUserId ?? null, action }
  if ('operator' in origin) {
    const { operator, approvedBy = null } = origin
    return { ...row, reason: reason ?? 'by an operator', operator, approved_by: approvedBy }
  }
  const { keys, request, database } = origin
  const address = database.keyRing.encrypt(RECORDED_ADDRESS_COLUMN, request.address)
  const hash = phone === undefined ? null : keys.hash('phone', phone)
  return {
    ...row,
    reason: reason ?? null,
    address: unlessDeleted(rootUserId, sql<string>`${address}::text`),
    address_hash:
      counts && keyIdOf(address) !== undefined
        ? unlessDeleted(rootUserId, sql<Buffer>`${keys.hash('refusal', request.address)}::bytea`)
        : null,
    request_id: request.id,
    phone_hash:
      hash &&
      sql<Buffer | null>`(SELECT ${hash}::bytea WHERE NOT EXISTS (SELECT FROM root_user
         WHERE deleted_phone_hash = ${hash} AND deleted_at IS NOT NULL))`,
  }
}

/** SQL of a value that is about an account, if there is one: null if it is deleted. */
const unlessDeleted = <Value>(rootUserId: number | undefined, value: RawBuilder<Value>) =>
  rootUserId === undefined
    ? value
    : sql<Value | null>`(SELECT ${value} FROM root_user WHERE id = ${rootUserId} AND deleted_at IS NULL FOR KEY SHARE)`

/**
 * Records each error of an operation. It stands outside the operation's transaction, which an error rolls back; the
 * handler says whom it concerns, as soon as it knows, by `ctx.concerns` or, while no account is known, by
 * `ctx.concernsPhone`. Errors that name no account, and those of limits, are counted by the minute.
 */
export const recordErrorsOfOperation = (action: SecurityAction) =>
  middleware(async ({ ctx, next }) => {
    const concerned: { rootUserId?: number; phone?: string } = {}
    const concerns = (rootUserId: number) => {
      concerned.rootUserId = rootUserId
    }
    const concernsPhone = (phone: string) => {
      concerned.phone = phone
    }
    const result = await next({ ctx: { concerns, concernsPhone } })
    if (!result.ok && result.error instanceof Failure)
      await recordSecurityError(ctx, action, result.error, concerned)
    return result
  })

/** Records one error, and whom it concerns. */
export async function recordSecurityError(
  ctx: Context,
  action: SecurityAction,
  { status, detail }: Failure,
  { rootUserId, phone }: Pick<SecurityEvent, 'rootUserId' | 'phone'>,
): Promise<void> {
  const error = { action: `${action}_refused`, reason: `${status} ${detail}` } as const
  if (rootUserId === undefined) await ctx.errorCounts.count(ctx, { ...error, phone })
  else if (status === 429) await ctx.errorCounts.count(ctx, { ...error, rootUserId })
  else await recordSecurityEvent(ctx.database.sql, ctx, { ...error, rootUserId })
}
