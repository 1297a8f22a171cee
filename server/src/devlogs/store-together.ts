import { AsyncResource } from 'node:async_hooks'
import { statement } from '../database/statement.ts'
import type { Database } from '../database/database.ts'
import type { RunNamedStatement, SharedStatementRunner } from '../database/statement.ts'
import { isValueRejectedByDatabase } from '../database/sql-errors.ts'
import { formatPostgresArray, devlogColumns, parsePostgresArray } from './devlog-columns.ts'
import type { Devlog } from './devlog.ts'
import { storeDevlogs } from './store-devlogs.ts'
import type { DevlogOutcome } from './store-devlogs.ts'

/** The second is at hand when the database has done with the first; uploads that arrive in between go into the next one. */
const MOST_UNDER_WAY = 2
const MOST_ITEMS_TOGETHER = 1000

/** `apart`: `store_devlogs` must judge the upload that the record belongs to, and nothing of that upload is stored. */
type SharedVerdict = 'stored' | 'duplicate' | 'apart'

/** Of the devices whose records were judged, each at the same place in all three arrays of PostgreSQL; null without any. */
interface Judged {
  ids: string | null
  unique_ids: string | null
  children: string | null
}

const storeAtOnce = statement<Judged & { verdicts: SharedVerdict[] }>(
  'store-uploads-together',
  `SELECT verdicts, ids::text, held_unique_ids::text AS unique_ids, children::text
   FROM store_uploads_together($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`,
)

/** A device and the child who wore it when its records were stored. */
export interface DeviceWearer {
  deviceId: number
  realUserId: number
}

/** What became of an upload. */
export interface StoredUpload {
  /** One for each record, in order. */
  verdicts: DevlogOutcome[]
  /** By the unique id of a device; not of an upload that was stored by itself. */
  wearings?: ReadonlyMap<string, DeviceWearer> | undefined
}

interface StoredTogether {
  verdicts: SharedVerdict[]
  wearings: ReadonlyMap<string, DeviceWearer>
}

interface Waiting {
  items: readonly Devlog[]
  owner: number | undefined
  /** What runs in its scope belongs to the trace of its request. */
  trace: AsyncResource
  resolve: (stored: StoredUpload) => void
  reject: (error: unknown) => void
}

interface Queue {
  waiting: Waiting[]
  underWay: number
  isScheduled: boolean
  shared: SharedStatementRunner<Waiting, StoredTogether>
}

const queues = new WeakMap<Database, Queue>()

function newQueue(database: Database): Queue {
  const waiting: Waiting[] = []
  const shared = database.share<Waiting, StoredTogether>({
    run: storeAll,
    devicesOf: ({ items }) => items.map(({ unique_id }) => unique_id),
    done: (together, stored) => conclude(database, together, stored),
    failed(together, error, isWhole) {
      // An upload that the database refuses must not touch the others.
      if (isValueRejectedByDatabase(error)) for (const each of together) storeApart(database, each)
      // It would not take what waits either: its senders get an error now, and send it again.
      else for (const { reject } of [...together, ...(isWhole ? waiting.splice(0) : [])]) reject(error)
    },
  })
  return { waiting, underWay: 0, isScheduled: false, shared }
}

/**
 * Stores the complete records of one strict upload, all or nothing, together with the uploads that wait at the same
 * moment: one statement and one commit for all of them. Nothing is stored when one verdict refuses.
 */
export function storeWithWaitingUploads(
  database: Database,
  items: readonly Devlog[],
  owner: number | undefined,
): Promise<StoredUpload> {
  const queue = queues.get(database) ?? newQueue(database)
  queues.set(database, queue)
  return new Promise((resolve, reject) => {
    queue.waiting.push({ items, owner, trace: new AsyncResource('upload'), resolve, reject })
    if (queue.isScheduled) return
    queue.isScheduled = true
    // Wait one turn of the event loop, so that uploads that arrive together share a statement.
    setImmediate(storeNext, queue)
  })
}

function storeNext(queue: Queue): void {
  queue.isScheduled = false
  if (queue.underWay === MOST_UNDER_WAY) return
  const together = take(queue)
  const [first] = together
  if (!first) return
  queue.underWay += 1
  const stored = first.trace.runInAsyncScope(() => queue.shared.begin(together))
  const goOn = () => {
    queue.underWay -= 1
    storeNext(queue)
  }
  // Before anybody is answered: the database need not wait for that.
  stored.then(goOn, goOn)
  void queue.shared.settle(together, stored)
}

function take({ waiting }: Queue): Waiting[] {
  let items = 0
  const most = waiting.findIndex((each, n) => (items += each.items.length) > MOST_ITEMS_TOGETHER && n > 0)
  return waiting.splice(0, most === -1 ? waiting.length : most)
}

function conclude(
  database: Database,
  together: readonly Waiting[],
  { verdicts, wearings }: StoredTogether,
): void {
  let at = 0
  for (const waiting of together) {
    const own = verdicts.slice(at, at + waiting.items.length)
    at += waiting.items.length
    if (verdicts.length === 0) waiting.resolve({ verdicts: waiting.items.map(() => 'stored'), wearings })
    else if (own.includes('apart')) storeApart(database, waiting)
    else waiting.resolve({ verdicts: own.filter((verdict) => verdict !== 'apart'), wearings })
  }
}

function storeApart(database: Database, { items, owner, trace, resolve, reject }: Waiting): void {
  trace
    .runInAsyncScope(() => storeDevlogs(database, items, { owner, lenient: false }))
    .then((verdicts) => resolve({ verdicts }), reject)
}

/** Resolves to one verdict for each record, or to none when all are stored. */
async function storeAll(query: RunNamedStatement, together: readonly Waiting[]): Promise<StoredTogether> {
  const items = together.flatMap((each) => each.items)
  const columns = devlogColumns(items)
  const { intensities, firsts, lasts } = intensityColumns(items)
  const perItem = (value: (waiting: Waiting, n: number) => number | 'NULL') =>
    formatPostgresArray(together.flatMap((each, n) => each.items.map(() => value(each, n))))
  const [row] = await query(storeAtOnce, [
    perItem((_each, n) => n),
    perItem(({ owner }) => owner ?? 'NULL'),
    columns.uniqueIds,
    columns.dates,
    columns.times,
    columns.movements,
    columns.logFileIds,
    columns.lastIntensities,
    columns.finishFlags,
    intensities,
    firsts,
    lasts,
  ])
  if (!row) throw new Error('PostgreSQL did not say what became of an upload')
  return { verdicts: row.verdicts, wearings: wearingsOf(row) }
}

function wearingsOf({ ids, unique_ids, children }: Judged): Map<string, DeviceWearer> {
  const wearings = new Map<string, DeviceWearer>()
  const [deviceIds, childIds] = [parsePostgresArray(ids ?? '{}'), parsePostgresArray(children ?? '{}')]
  for (const [n, uniqueId] of parsePostgresArray(unique_ids ?? '{}').entries()) {
    const realUserId = childIds[n]
    if (realUserId !== 'NULL')
      wearings.set(uniqueId, { deviceId: Number(deviceIds[n]), realUserId: Number(realUserId) })
  }
  return wearings
}

/** The intensities of all records, one after the other, and where each has its own, from 1. */
function intensityColumns(items: readonly Devlog[]) {
  const all: number[] = []
  const firsts: number[] = []
  const lasts: number[] = []
  for (const { intensity_record } of items) {
    firsts.push(all.length + 1)
    for (const { intensity } of intensity_record) all.push(intensity)
    lasts.push(all.length)
  }
  return {
    intensities: formatPostgresArray(all),
    firsts: formatPostgresArray(firsts),
    lasts: formatPostgresArray(lasts),
  }
}
