import { statement } from '../database/database.ts'
import type { Database } from '../database/database.ts'
import type { Devlog } from './devlog.ts'

/** What became of one item. The last three are refusals. */
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
  database: Database,
  items: readonly Devlog[],
  { owner, lenient }: { owner: number | undefined; lenient: boolean },
): Promise<Verdict[]> {
  const column = <Value>(value: (item: Devlog) => Value) => items.map(value)
  const [row] = await database.query(store, [
    column((item) => item.unique_id),
    column((item) => item.detail_data.treatment_date),
    column((item) => item.detail_data.treatment_time),
    column((item) => item.detail_data.movement),
    column((item) => item.log_file_id),
    column((item) => item.detail_data.last_intensity),
    column((item) => item.detail_data.finish_flag),
    column((item) => item.is_temp),
    column((item) => `{${item.intensity_record.map(({ intensity }) => intensity).join()}}`),
    owner ?? null,
    lenient,
  ])
  return row?.verdicts ?? []
}
