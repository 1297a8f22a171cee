import type { Sql } from '../database/database.ts'
import type { Context } from '../http/context.ts'
import { networkOf } from '../limits/network.ts'

const hashed = ({ keys, request }: Context) => keys.hash('address', request.address)

/** Remembers that the account holder has signed in from here. */
export async function addKnownAddress(sql: Sql, ctx: Context, rootUserId: number): Promise<void> {
  const last_seen_at = new Date()
  await sql
    .insertInto('known_address')
    .values({ root_user_id: rootUserId, address_hash: hashed(ctx), last_seen_at })
    .onConflict((conflict) =>
      conflict.columns(['root_user_id', 'address_hash']).doUpdateSet({ last_seen_at }),
    )
    .execute()
}

/**
 * Whose wrong passwords are counted together: an address the account holder is known by has a budget of its own, so
 * that strangers who use theirs up do not lock the holder out.
 */
export async function signInBucket(ctx: Context, account: { id: number; email: string }): Promise<string> {
  const known = await ctx.database.sql
    .selectFrom('known_address')
    .select('root_user_id')
    .where('root_user_id', '=', account.id)
    .where('address_hash', '=', hashed(ctx))
    .executeTakeFirst()
  return known ? `${account.email} ${networkOf(ctx.request.address)}` : account.email
}
