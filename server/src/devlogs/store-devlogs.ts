import { statement } from '../database/statement.ts'
import type { Database } from '../database/database.ts'
import { array, devlogColumns } from './devlog-columns.ts'
import type { Devlog } from './devlog.ts'

/** The outcome of one item. The last three are refusals. */
export type Verdict = 'stored' | 'duplicate' | 'completed' | 'unknown' | 'unconnected' | 'foreign'

const store = statement<{ verdicts: Verdict[] }>(
  'store-devlogs',
  'SELECT store_devlogs($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) AS verdicts',
)

/**
 * Stores usage logs, each once, in one round trip; one verdict per item, in order. Unless `lenient`, a refusal of one
 * item keeps all of them out. With `owner`, devices of other accounts are refused.
 */
export async function storeDevlogs(
  database: Pick<Database, 'query'>,
  items: readonly Devlog[],
  { owner, lenient }: { owner: number | undefined; lenient: boolean },
): Promise<Verdict[]> {
  const columns = devlogColumns(items)
  const [row] = await database.query(store, [
    columns.uniqueIds,
    columns.dates,
    columns.times,
    columns.movements,
    columns.logFileIds,
    columns.lastIntensities,
    columns.finishFlags,
    array(items.map((item) => item.is_temp)),
    array(items.map(recordOf)),
    owner ?? null,
    lenient,
  ])
  if (!row) throw new Error('PostgreSQL did not say what became of an upload')
  return row.verdicts
}

const recordOf = ({ intensity_record }: Devlog) =>
  `"${array(intensity_record.map(({ intensity }) => intensity))}"`
