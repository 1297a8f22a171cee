import { randomBytes } from 'node:crypto'
import type { Sql } from '../../database/database.ts'
import { emailColumns, emailConditionSql } from '../../encrypted-columns/lookup.ts'
import { isUniqueViolation } from '../../database/sql-errors.ts'
import type { KeyRing } from '../../encryption/key-ring.ts'
import { confirmationMail } from '../../delivery/messages.ts'
import type { ConfirmationPurpose } from '../../delivery/messages.ts'
import { Failure } from '../../errors/failure.ts'
import type { ErrorDeclaration } from '../../errors/failure.ts'
import type { Context } from '../../http/context.ts'
import { chooseAccountLanguage } from '../../http/language.ts'
import type { HolderLanguage } from '../../http/language.ts'
import { invalidateResetTokens } from '../password/reset-token.ts'
import { recordSecurityEvent } from '../security-record.ts'
import { wasDeleted } from '../tombstone.ts'
import { tokenHash } from '../tokens/tokens.ts'

/* An address is proven by its mailbox; see docs/decisions/proven-addresses.md. */

/** How long a link works. */
const LIFE_MS: Record<ConfirmationPurpose, number> = { current: 7 * 86_400_000, change: 86_400_000 }

/** How long a second answer is taken for a second click. */
const REPEAT_MS = 60_000

/** The path of the page that the link opens; the token is its query parameter `token`. */
export const CONFIRMATION_PAGE = '/confirm-email'

/** What may become of a link. */
export const confirmationErrors = [
  [400, 'Confirmation token is invalid', 'it is unknown, used, replaced or too old'],
  [409, 'Same email is already registered', 'another account took the address after the mail was sent'],
] as const satisfies readonly ErrorDeclaration[]

const [tokenInvalid, emailTaken] = confirmationErrors

/** An account and the address to be proven. */
interface Addressee extends HolderLanguage {
  id: number
  email: string
}

/** Sends a link to an address, which replaces the one before. Calls `failed`, and no link is left, when the mail cannot be sent. */
export async function mailConfirmation(
  ctx: Context,
  { id, email, ...holder }: Addressee,
  purpose: ConfirmationPurpose,
  failed: () => Promise<void>,
): Promise<void> {
  const token = randomBytes(32).toString('base64url')
  const { sql, keyRing } = ctx.database
  const fresh = {
    token_hash: tokenHash(token),
    email: keyRing.encrypt('email_confirmation.email', email),
    expires_at: new Date(Date.now() + LIFE_MS[purpose]),
    answered_at: null,
    is_mine: null,
  }
  await sql
    .insertInto('email_confirmation')
    .values({ root_user_id: id, purpose, ...fresh })
    .onConflict((conflict) => conflict.columns(['root_user_id', 'purpose']).doUpdateSet(fresh))
    .execute()
  const link = `${ctx.request.origin()}${CONFIRMATION_PAGE}?token=${token}`
  const mail = confirmationMail(chooseAccountLanguage(holder, ctx.request.headers), purpose, link)
  await ctx.database.onceCommitted(
    (database) =>
      ctx.mail.sendMail({ to: email, link, ...mail }).catch(async (error: unknown) => {
        ctx.log.error({ err: error, request_id: ctx.request.id }, 'confirmation mail not sent')
        await database.sql
          .deleteFrom('email_confirmation')
          .where('token_hash', '=', fresh.token_hash)
          .execute()
        await failed()
      }),
    { isNeeded: true },
  )
}

/**
 * Sends the first mail to the address of an account that has had none, once. What called it does not fail with it: the holder
 * can ask for the mail again.
 */
export async function mailFirstConfirmation(ctx: Context, rootUserId: number): Promise<void> {
  const { sql, keyRing } = ctx.database
  const account = await sql
    .updateTable('root_user')
    .set({ confirmation_mailed_at: new Date() })
    .where('id', '=', rootUserId)
    .where('email', 'is not', null)
    .where('email_confirmed_at', 'is', null)
    .where('confirmation_mailed_at', 'is', null)
    .returning(['id', 'email', 'language', 'national_code'])
    .executeTakeFirst()
  if (!account?.email) return
  await mailConfirmation(
    ctx,
    { ...account, email: keyRing.decrypt('root_user.email', account.email) },
    'current',
    async () => undefined,
  )
}

/** What the page of a link asks; undefined when the link is good for nothing. Reading it uses nothing up. */
export async function confirmationPurpose(
  { database }: Context,
  token: string,
): Promise<ConfirmationPurpose | undefined> {
  const found = await database.sql
    .selectFrom('email_confirmation')
    .select(['purpose'])
    .where('token_hash', '=', tokenHash(token))
    .where('answered_at', 'is', null)
    .where('expires_at', '>', new Date())
    .executeTakeFirst()
  if (!found) return undefined
  return found.purpose === 'change' ? 'change' : 'current'
}

/**
 * Answers a link: the address is the reader's, or it is not. In the first case it is proven, and replaces the one before if it
 * was sent for that; in the second the account loses it. Throws unless the link is good; of several calls one succeeds.
 */
export async function applyEmailConfirmation(ctx: Context, token: string, isMine: boolean): Promise<void> {
  const { keyRing } = ctx.database
  await ctx.database
    .transaction(async (sql) => {
      const account = await sql
        .selectFrom('root_user')
        .innerJoin('email_confirmation', 'email_confirmation.root_user_id', 'root_user.id')
        .select(['root_user.id', 'root_user.email'])
        .where('token_hash', '=', tokenHash(token))
        .where('root_user.deleted_at', 'is', null)
        .forUpdate('root_user')
        .executeTakeFirst()
      // After the lock: the transaction that held it may have used the link.
      const link = await sql
        .updateTable('email_confirmation')
        .set({ answered_at: new Date(), is_mine: isMine })
        .where('token_hash', '=', tokenHash(token))
        .where('answered_at', 'is', null)
        .where('expires_at', '>', new Date())
        .returning(['email', 'purpose'])
        .executeTakeFirst()
      if (!account || !link) throw new Failure(...tokenInvalid)
      const email = keyRing.decrypt('email_confirmation.email', link.email)
      const isChange = link.purpose === 'change'
      const present = keyRing.decrypt('root_user.email', account.email)
      // The address was replaced after the mail was sent.
      if (!isChange && present?.toLowerCase() !== email.toLowerCase()) throw new Failure(...tokenInvalid)
      const rootUserId = account.id
      if (!isMine) {
        if (!isChange) await freeAddress(sql, rootUserId)
        await recordSecurityEvent(sql, ctx, { action: 'email_reject', rootUserId })
        return
      }
      if (isChange) await assertEmailAvailable(sql, { ...ctx, keyRing }, email, rootUserId)
      await sql
        .updateTable('root_user')
        .set({
          ...(isChange && emailColumns(keyRing, email)),
          email_confirmed_at: new Date(),
        })
        .where('id', '=', rootUserId)
        .execute()
      if (isChange) await deleteConfirmationLinks(sql, rootUserId)
      await recordSecurityEvent(sql, ctx, { action: isChange ? 'email_change' : 'email_confirm', rootUserId })
    })
    .catch((error: unknown) => {
      throw isUniqueViolation(error) ? new Failure(...emailTaken) : error
    })
}

/** Whether this link was answered so within the last minute: a second click sends the form again. */
export async function wasAnsweredWithinMinute(
  { database }: Pick<Context, 'database'>,
  token: string,
  isMine: boolean,
): Promise<boolean> {
  const found = await database.sql
    .selectFrom('email_confirmation')
    .select('root_user_id')
    .where('token_hash', '=', tokenHash(token))
    .where('answered_at', '>', new Date(Date.now() - REPEAT_MS))
    .where('is_mine', '=', isMine)
    .executeTakeFirst()
  return found !== undefined
}

/** The account that is found by an address, other than `except`. */
export const findAccountByEmail = (sql: Sql, keyRing: KeyRing, email: string, except = 0) =>
  sql
    .selectFrom('root_user')
    .select('id')
    .where(emailConditionSql(keyRing, email))
    .where('id', '<>', except)
    .executeTakeFirst()

/** Throws `Same email is already registered` when another account has the address, or a deleted one had it. */
export async function assertEmailAvailable(
  sql: Sql,
  ctx: Pick<Context, 'keys' | 'tombstoneDays'> & { keyRing: KeyRing },
  email: string,
  rootUserId: number,
): Promise<void> {
  const holder = await findAccountByEmail(sql, ctx.keyRing, email, rootUserId)
  if (holder || (await wasDeleted(sql, ctx, 'email', email.toLowerCase()))) throw new Failure(...emailTaken)
}

/** The account lives on without an address, of which `me` tells, until its holder or an operator sets another. */
async function freeAddress(sql: Sql, rootUserId: number): Promise<void> {
  await sql
    .updateTable('root_user')
    .set({ email: null, email_hash: null, is_contact_email: false, email_confirmed_at: null })
    .where('id', '=', rootUserId)
    .execute()
  await deleteConfirmationLinks(sql, rootUserId)
}

/** No mail to the address before may change anything. */
export async function deleteConfirmationLinks(sql: Sql, rootUserId: number): Promise<void> {
  await sql
    .deleteFrom('email_confirmation')
    .where('root_user_id', '=', rootUserId)
    .where('answered_at', 'is', null)
    .execute()
  await invalidateResetTokens(sql, rootUserId)
}
