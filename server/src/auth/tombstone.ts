import type { Sql } from '../database/database.ts'
import type { Context } from '../http/context.ts'

declare module '../http/context.ts' {
  interface Context {
    /** How many days a deleted account's e-mail and phone stay taken. */
    tombstoneDays: number
  }
}

const DAY = 86_400_000

/** Whether an account with this e-mail or phone was deleted so lately that it may not be used again. */
export async function wasDeleted(
  sql: Sql,
  ctx: Context,
  kind: 'email' | 'phone',
  value: string,
): Promise<boolean> {
  const found = await sql
    .selectFrom('root_user')
    .select('id')
    .where(kind === 'email' ? 'deleted_email_hash' : 'deleted_phone_hash', '=', ctx.keys.hash(kind, value))
    .where('deleted_at', '>', new Date(Date.now() - ctx.tombstoneDays * DAY))
    .executeTakeFirst()
  return found !== undefined
}
