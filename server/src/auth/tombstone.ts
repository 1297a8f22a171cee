import type { Sql } from '../database/database.ts'
import type { Context } from '../http/context.ts'

declare module '../http/context.ts' {
  interface Context {
    /** How many days a deleted account's e-mail and phone stay taken. */
    tombstoneDays: number
  }
}

const DAY = 86_400_000

const columns = {
  email: 'deleted_email_hash',
  phone: 'deleted_phone_hash',
  identity: 'deleted_identity_hash',
} as const

/** Whether an account with this e-mail, phone or social identity was deleted so lately that it may not be used again. */
export async function wasDeleted(
  sql: Sql,
  ctx: Pick<Context, 'keys' | 'tombstoneDays'>,
  kind: keyof typeof columns,
  value: string,
): Promise<boolean> {
  const found = await sql
    .selectFrom('root_user')
    .select('id')
    .where(columns[kind], '=', ctx.keys.hash(kind, value))
    .where('deleted_at', '>', new Date(Date.now() - ctx.tombstoneDays * DAY))
    .executeTakeFirst()
  return found !== undefined
}
