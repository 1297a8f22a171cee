import type { TestServer } from './server.ts'

/** Account and reason of the latest two security records of an action, newest first. */
export async function recorded({ database }: TestServer, action: string) {
  const { rows } = await database.pool.query(
    'SELECT root_user_id, reason FROM security_record WHERE action = $1 ORDER BY id DESC LIMIT 2',
    [action],
  )
  return rows
}

/** What is on record of an account, oldest first. */
export async function actionsOf({ database }: TestServer, rootUserId: number): Promise<string[]> {
  const { rows } = await database.pool.query<{ action: string }>(
    'SELECT action FROM security_record WHERE root_user_id = $1 ORDER BY id',
    [rootUserId],
  )
  return rows.map(({ action }) => action)
}
