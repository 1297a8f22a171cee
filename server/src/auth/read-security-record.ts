import type { Sql } from '../database/database.ts'

export interface SecurityRecordRow {
  recorded_at: Date
  root_user_id: number | null
  action: string
  reason: string | null
  address: string | null
  request_id: string | null
}

interface Wanted {
  rootUserId?: number | undefined
  action?: string | undefined
  since?: Date | undefined
  limit: number
}

/** The newest rows of the security record that are wanted, oldest first. */
export async function readSecurityRecord(
  sql: Sql,
  { rootUserId, action, since, limit }: Wanted,
): Promise<SecurityRecordRow[]> {
  const rows = await sql
    .selectFrom('security_record')
    .select(['recorded_at', 'root_user_id', 'action', 'reason', 'address', 'request_id'])
    .$if(rootUserId !== undefined, (query) => query.where('root_user_id', '=', rootUserId ?? 0))
    .$if(action !== undefined, (query) => query.where('action', '=', action ?? ''))
    .$if(since !== undefined, (query) => query.where('recorded_at', '>=', since ?? new Date(0)))
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()
  return rows.toReversed()
}
