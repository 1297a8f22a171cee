import { CompiledQuery } from 'kysely'
import type { Database, Sql } from '../database/database.ts'
import { RejectedDevlog } from '../entities/entities.ts'
import type { StatementExecution, ExecuteStatement } from '../database/statement.ts'
import { devlogSchema } from './devlog.ts'
import { lockDevices } from '../devices/pairing.ts'
import { parseRejectedItem } from './rejected-item.ts'
import { storeDevlogsUnqueued } from './store-devlogs.ts'
import type { DevlogOutcome } from './store-devlogs.ts'
import { verdictError } from './upload.ts'

/** The items that lenient uploads have rejected, oldest first; `id` narrows them to one. */
export async function listRejected(database: Database, id?: bigint) {
  const { keyRing } = database
  const rejected = await database.fork().find(RejectedDevlog, id === undefined ? {} : { id }, {
    exclude: ['content_hash'],
    orderBy: { id: 'asc' },
  })
  return rejected.map(({ content, address, ...row }) => ({
    ...row,
    content: keyRing.decrypt('rejected_devlog.content', content),
    address: keyRing.decrypt('rejected_devlog.address', address ?? null),
  }))
}

type Rejected = Awaited<ReturnType<typeof listRejected>>[number]

interface Outcome {
  /** `parseRejectedItem`: it could be stored, but not for the child who wears the device now. */
  status: DevlogOutcome | 'rejected' | 'kept'
  detail?: string
}

/**
 * Tries to store rejected items again, all or the one named; what is stored is no longer rejected. Only for the child who
 * wore the device when the item arrived; with `forPresentWearer` for the present one, if nobody is known to have worn it.
 */
export async function retryRejected(database: Database, id?: bigint, forPresentWearer = false) {
  const outcomes: ({ id: number } & Outcome)[] = []
  for (const rejected of await listRejected(database, id)) {
    const outcome = await retry(database, rejected, forPresentWearer)
    if (outcome.detail === undefined) await dropRejected(database, rejected.id)
    else if (outcome.status === 'rejected') {
      await database.fork().nativeUpdate(RejectedDevlog, rejected.id, { reason: outcome.detail })
    }
    outcomes.push({ id: Number(rejected.id), ...outcome })
  }
  return outcomes
}

async function retry(
  database: Database,
  { content, real_user_id: wearerThen }: Rejected,
  forPresentWearer: boolean,
): Promise<Outcome> {
  const item = parseRejectedItem(content)
  if (item === undefined) return { status: 'kept', detail: 'Only its beginning was kept' }
  const { data, error } = devlogSchema.safeParse(item)
  if (!data) {
    const [issue] = error.issues
    return { status: 'rejected', detail: `${issue?.path.join('.') || 'item'}: ${issue?.message}` }
  }
  return database.transaction(async (sql) => {
    // Held until the record is stored, so that it stays with the child seen here.
    const device = await lockDevices(sql)
      .select('real_user_id')
      .where('unique_id', '=', data.unique_id)
      .executeTakeFirst()
    const wearer = device?.real_user_id ?? null
    if (wearer !== null && wearer !== wearerThen) {
      if (wearerThen !== null)
        return { status: 'kept', detail: 'Another child wore the device when the record arrived' }
      if (!forPresentWearer)
        return { status: 'kept', detail: 'Nobody is known to have worn the device when the record arrived' }
    }
    const verdicts = await storeDevlogsUnqueued(
      { query: (statement, values) => statement.ask(runWithin(sql), values) },
      [data],
      { owner: undefined, lenient: true, waits: true },
    )
    const [verdict = 'unknown'] = verdicts ?? []
    const error = verdictError(verdict)
    return error ? { status: 'rejected', detail: error[1] } : { status: verdict }
  })
}

const runWithin =
  (transaction: Sql): ExecuteStatement =>
  async <Row>({ text, values }: StatementExecution) =>
    (await transaction.executeQuery<Row>(CompiledQuery.raw(text, values))).rows

/** Forgets one rejected item; whether there was one. */
export const dropRejected = async (database: Database, id: bigint): Promise<boolean> =>
  (await database.fork().nativeDelete(RejectedDevlog, id)) > 0
