import { randomInt, timingSafeEqual } from 'node:crypto'
import type { Sql } from '../../database/database.ts'
import type { ErrorDeclaration } from '../../errors/failure.ts'
import type { Context } from '../../http/context.ts'

/** How long a code may be used. */
const LIFE_SECONDS = 180
/** How often a code may be tried. */
const MOST_ATTEMPTS = 5

/** How every operation that takes a code may refuse it. */
export const codeErrors = [
  [400, 'Validation code is expired', 'the code is older than 180 seconds'],
  [
    400,
    'Validation code is invalid',
    'the code is wrong, used, replaced by a newer one, or was tried too often',
  ],
  [429, 'Too many requests', '10 wrong codes for this number within an hour'],
] as const satisfies readonly ErrorDeclaration[]

const phoneHash = ({ keys }: Pick<Context, 'keys'>, phone: string) => keys.hash('phone', phone)
const codeHash = ({ keys }: Pick<Context, 'keys'>, phone: string, code: string) =>
  keys.hash('code', `${phone} ${code}`)

/** Makes a code for `phone`, which replaces any other. `sentCodeId`: under which its country counts it. */
export async function issueSmsCode(
  ctx: Context,
  phone: string,
  sentCodeId: bigint | undefined,
): Promise<string> {
  const code = String(randomInt(1_000_000)).padStart(6, '0')
  const fresh = {
    code_hash: codeHash(ctx, phone, code),
    attempts: 0,
    expires_at: new Date(Date.now() + LIFE_SECONDS * 1000),
    sent_code_id: sentCodeId ?? null,
  }
  await ctx.database.sql
    .insertInto('sms_code')
    .values({ phone_hash: phoneHash(ctx, phone), ...fresh })
    .onConflict((conflict) => conflict.column('phone_hash').doUpdateSet(fresh))
    .execute()
  return code
}

/** Removes a code that never reached its phone; its country does not count it. */
export async function discardSmsCode(ctx: Context, phone: string, code: string): Promise<void> {
  await ctx.database.sql
    .with('discarded', (sql) =>
      sql
        .deleteFrom('sms_code')
        .where('phone_hash', '=', phoneHash(ctx, phone))
        .where('code_hash', '=', codeHash(ctx, phone, code))
        .returning('sent_code_id'),
    )
    .deleteFrom('sent_code')
    .where('id', 'in', (sql) => sql.selectFrom('discarded').select('sent_code_id'))
    .execute()
}

/**
 * Judges a code. The try is counted, and committed, before the comparison, so that guesses sent at once cannot exceed
 * what is allowed; throws 429 after 10 wrong codes for one phone within an hour.
 */
export async function verifySmsCode(
  ctx: Context & { concernsPhone: (phone: string) => void },
  phone: string,
  code: string,
): Promise<'right' | 'invalid' | 'expired'> {
  const counted = await ctx.database.sql
    .updateTable('sms_code')
    .set((column) => ({ attempts: column('attempts', '+', 1) }))
    .where('phone_hash', '=', phoneHash(ctx, phone))
    .where('attempts', '<', MOST_ATTEMPTS)
    .returning(['code_hash', 'expires_at', 'sent_code_id'])
    .executeTakeFirst()
  if (!counted) return 'invalid'
  ctx.concernsPhone(phone)
  if (counted.expires_at.getTime() <= Date.now()) return 'expired'
  await ctx.limits.consume('wrongCodesPerPhone', phone)
  if (!timingSafeEqual(counted.code_hash, codeHash(ctx, phone, code))) return 'invalid'
  await ctx.limits.giveBack('wrongCodesPerPhone', phone)
  if (counted.sent_code_id !== null) {
    await ctx.database.sql
      .updateTable('sent_code')
      .set({ is_entered: true })
      .where('id', '=', counted.sent_code_id)
      .execute()
  }
  return 'right'
}

/** Uses the right code up, within the transaction of what it allows; false when another call was faster. */
export async function consumeSmsCode(sql: Sql, ctx: Context, phone: string, code: string): Promise<boolean> {
  const used = await sql
    .deleteFrom('sms_code')
    .where('phone_hash', '=', phoneHash(ctx, phone))
    .where('code_hash', '=', codeHash(ctx, phone, code))
    .executeTakeFirst()
  return used.numDeletedRows > 0n
}
