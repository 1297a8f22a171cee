import type { Database } from '../database/database.ts'
import { devlog } from './devlog.ts'
import { storeDevlogs } from './store-devlogs.ts'
import { refusalOf } from './upload-devlogs.ts'

const columns = ['id', 'received_at', 'reason', 'address', 'content'] as const

/** What lenient uploads have put aside, oldest first; `id` narrows it to one. */
export function listRejected({ sql }: Database, id?: bigint) {
  const all = sql.selectFrom('rejected_devlog').select(columns).orderBy('id')
  return (id === undefined ? all : all.where('id', '=', id)).execute()
}

/** Tries to store rejected items again, all or the one named; what is stored is no longer rejected. */
export async function retryRejected(database: Database, id?: bigint) {
  const outcomes: { id: number; status: string; detail?: string }[] = []
  for (const rejected of await listRejected(database, id)) {
    const outcome = await retry(database, rejected.content)
    if (outcome.detail === undefined) await dropRejected(database, rejected.id)
    else {
      await database.sql
        .updateTable('rejected_devlog')
        .set({ reason: outcome.detail })
        .where('id', '=', rejected.id)
        .execute()
    }
    outcomes.push({ id: Number(rejected.id), ...outcome })
  }
  return outcomes
}

async function retry(database: Database, content: string): Promise<{ status: string; detail?: string }> {
  const { data, error } = devlog.safeParse(JSON.parse(content))
  if (!data) {
    const [issue] = error.issues
    return { status: 'rejected', detail: `${issue?.path.join('.') || 'item'}: ${issue?.message}` }
  }
  const [verdict = 'unknown'] = await storeDevlogs(database, [data], { owner: undefined, lenient: true })
  const refusal = refusalOf(verdict)
  return refusal ? { status: 'rejected', detail: refusal[1] } : { status: verdict }
}

/** Forgets one rejected item; whether there was one. */
export async function dropRejected({ sql }: Database, id: bigint): Promise<boolean> {
  const { numDeletedRows } = await sql.deleteFrom('rejected_devlog').where('id', '=', id).executeTakeFirst()
  return numDeletedRows > 0n
}
