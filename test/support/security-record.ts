import type { TestServer } from './server.ts'

/** Account and reason of the latest two security records of an action, newest first. */
export async function recorded({ database }: TestServer, action: string) {
  const { rows } = await database.pool.query(
    'SELECT root_user_id, reason FROM security_record WHERE action = $1 ORDER BY id DESC LIMIT 2',
    [action],
  )
  return rows
}
