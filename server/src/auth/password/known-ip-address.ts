import type { Sql } from '../../database/database.ts'
import type { Context } from '../../http/context.ts'

const hashed = ({ keys, request }: Context) => keys.hash('address', request.address)

/** Remembers that the account holder has signed in from here. */
export async function addKnownIpAddress(sql: Sql, ctx: Context, rootUserId: number): Promise<void> {
  const last_seen_at = new Date()
  await sql
    .insertInto('known_ip_address')
    .values({ root_user_id: rootUserId, address_hash: hashed(ctx), last_seen_at })
    .onConflict((conflict) =>
      conflict.columns(['root_user_id', 'address_hash']).doUpdateSet({ last_seen_at }),
    )
    .execute()
}

/** Whether the account holder has signed in from here. */
export async function isKnownIpAddress(ctx: Context, rootUserId: number): Promise<boolean> {
  const known = await ctx.database.sql
    .selectFrom('known_ip_address')
    .select('root_user_id')
    .where('root_user_id', '=', rootUserId)
    .where('address_hash', '=', hashed(ctx))
    .executeTakeFirst()
  return known !== undefined
}
