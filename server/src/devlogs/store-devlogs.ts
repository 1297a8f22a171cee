import { statement } from '../database/statement.ts'
import type { Database } from '../database/database.ts'
import { formatPostgresArray, devlogColumns } from './devlog-columns.ts'
import type { Devlog } from './devlog.ts'
import { inDeviceQueue } from './device-queue.ts'

/** The outcome of one item. The last three are errors. */
export type DevlogOutcome = 'stored' | 'duplicate' | 'completed' | 'unknown' | 'unconnected' | 'foreign'

const store = statement<{ verdicts: DevlogOutcome[] | null }>(
  'store-devlogs',
  'SELECT store_devlogs($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) AS verdicts',
)

interface Judging {
  /** Devices of other accounts are refused. */
  owner: number | undefined
  /** Otherwise an error of one item keeps all of them out. */
  lenient: boolean
}

/**
 * Stores usage logs, each once, in one round trip; one verdict per item, in order. Waits for devices that are in use, or
 * throws 429; see `inDeviceQueue`.
 */
export async function storeDevlogs(
  database: Pick<Database, 'query' | 'pool'>,
  items: readonly Devlog[],
  judging: Judging,
): Promise<DevlogOutcome[]> {
  const devices = items.map(({ unique_id }) => unique_id)
  const attempt = (waits: boolean) => storeDevlogsUnqueued(database, items, { ...judging, waits })
  return (await inDeviceQueue(database, devices, attempt)) ?? []
}

/** The same within a transaction or without: undefined when a device is in use and it `waits` for none. */
export async function storeDevlogsUnqueued(
  { query }: Pick<Database, 'query'>,
  items: readonly Devlog[],
  { owner, lenient, waits }: Judging & { waits: boolean },
): Promise<DevlogOutcome[] | undefined> {
  const columns = devlogColumns(items)
  const [row] = await query(store, [
    columns.uniqueIds,
    columns.dates,
    columns.times,
    columns.movements,
    columns.logFileIds,
    columns.lastIntensities,
    columns.finishFlags,
    formatPostgresArray(items.map((item) => item.is_temp)),
    formatPostgresArray(items.map(recordOf)),
    owner ?? null,
    lenient,
    waits,
  ])
  if (!row) throw new Error('PostgreSQL did not say what became of an upload')
  return row.verdicts ?? undefined
}

const recordOf = ({ intensity_record }: Devlog) =>
  `"${formatPostgresArray(intensity_record.map(({ intensity }) => intensity))}"`
