import type { Database, Sql } from '../../database/database.ts'
import type { Context } from '../../http/context.ts'
import { networkOf } from '../../limits/network.ts'
import { isKnownIpAddress } from './known-ip-address.ts'

/**
 * Counts a try of the password at sign-in before it is compared, so that attempts sent at once cannot exceed what is allowed;
 * throws 429 beyond. Resolves to what must be called when the password was right.
 *
 * An address that the account is known by has a budget of its own, so that strangers who use theirs up do not lock the
 * holder out. Strangers who have failed 100 times in a row may try no more until that streak ends.
 */
export async function countPasswordAttempt(
  ctx: Context & { database: Database },
  { id, email }: { id: number; email: string },
): Promise<() => Promise<void>> {
  const { limits, request } = ctx
  const isKnown = await isKnownIpAddress(ctx, id)
  const bucket = isKnown ? `${email} ${networkOf(request.address)}` : email
  await limits.consume('failedSignInsPerAccount', bucket)
  if (!isKnown) await limits.countUnknownIpFailure(id)
  return async () => {
    await limits.giveBack('failedSignInsPerAccount', bucket)
    await resetUnknownIpFailures(ctx.database.sql, id)
  }
}

/** The attempts of strangers count no more: the holder was here, or the password is another. */
export async function resetUnknownIpFailures(sql: Sql, rootUserId: number): Promise<void> {
  await sql.deleteFrom('unknown_ip_failures').where('root_user_id', '=', rootUserId).execute()
}
