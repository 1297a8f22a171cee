import { AsyncLocalStorage } from 'node:async_hooks'
import { statement } from '../database/statement.ts'
import type { Database } from '../database/database.ts'
import type { Query, SharedStatement } from '../database/statement.ts'
import { isRefusedByDatabase } from '../database/sql-errors.ts'
import { array, devlogColumns } from './devlog-columns.ts'
import type { Devlog } from './devlog.ts'
import { storeDevlogs } from './store-devlogs.ts'
import type { Verdict } from './store-devlogs.ts'

/** The second is at hand when the database has done with the first; uploads that arrive in between go into the next one. */
const MOST_UNDER_WAY = 2
const MOST_ITEMS_TOGETHER = 1000

/** `apart`: `store_devlogs` must judge the upload that the record belongs to, and nothing of that upload is stored. */
type SharedVerdict = 'stored' | 'duplicate' | 'apart'

const storeAtOnce = statement<{ verdicts: SharedVerdict[] }>(
  'store-devlogs-together',
  'SELECT store_devlogs_together($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) AS verdicts',
)

interface Waiting {
  items: readonly Devlog[]
  owner: number | undefined
  /** Runs in the trace of its request. */
  inOwnTrace: <Result>(work: () => Result) => Result
  resolve: (verdicts: Verdict[]) => void
  reject: (error: unknown) => void
}

interface Queue {
  waiting: Waiting[]
  underWay: number
  isScheduled: boolean
  shared: SharedStatement<Waiting, SharedVerdict[]>
}

const queues = new WeakMap<Database, Queue>()

function newQueue(database: Database): Queue {
  const waiting: Waiting[] = []
  const shared = database.share<Waiting, SharedVerdict[]>({
    run: storeAll,
    devicesOf: ({ items }) => items.map(({ unique_id }) => unique_id),
    done: (together, verdicts) => conclude(database, together, verdicts),
    failed(together, error, isWhole) {
      // An upload that the database refuses must not touch the others.
      if (isRefusedByDatabase(error)) for (const each of together) storeApart(database, each)
      // It would not take what waits either: its senders get an error now, and send it again.
      else for (const { reject } of [...together, ...(isWhole ? waiting.splice(0) : [])]) reject(error)
    },
  })
  return { waiting, underWay: 0, isScheduled: false, shared }
}

/**
 * Stores the complete records of one strict upload, all or nothing, together with the uploads that wait at the same
 * moment: one statement and one commit for all of them. Resolves to one verdict per item; nothing is stored when one refuses.
 */
export function storeTogether(
  database: Database,
  items: readonly Devlog[],
  owner: number | undefined,
): Promise<Verdict[]> {
  const queue = queues.get(database) ?? newQueue(database)
  queues.set(database, queue)
  return new Promise((resolve, reject) => {
    queue.waiting.push({ items, owner, inOwnTrace: AsyncLocalStorage.snapshot(), resolve, reject })
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
  const verdicts = first.inOwnTrace(() => queue.shared.begin(together))
  const goOn = () => {
    queue.underWay -= 1
    storeNext(queue)
  }
  // Before anybody is answered: the database need not wait for that.
  verdicts.then(goOn, goOn)
  void queue.shared.settle(together, verdicts)
}

function take({ waiting }: Queue): Waiting[] {
  let items = 0
  const most = waiting.findIndex((each, n) => (items += each.items.length) > MOST_ITEMS_TOGETHER && n > 0)
  return waiting.splice(0, most === -1 ? waiting.length : most)
}

function conclude(
  database: Database,
  together: readonly Waiting[],
  verdicts: readonly SharedVerdict[],
): void {
  let at = 0
  for (const waiting of together) {
    const own = verdicts.slice(at, at + waiting.items.length)
    at += waiting.items.length
    if (verdicts.length === 0) waiting.resolve(waiting.items.map(() => 'stored'))
    else if (own.includes('apart')) storeApart(database, waiting)
    else waiting.resolve(own.filter((verdict) => verdict !== 'apart'))
  }
}

function storeApart(database: Database, { items, owner, inOwnTrace, resolve, reject }: Waiting): void {
  inOwnTrace(() => storeDevlogs(database, items, { owner, lenient: false })).then(resolve, reject)
}

/** Resolves to one verdict for each record, or to none when all are stored. */
async function storeAll(query: Query, together: readonly Waiting[]): Promise<SharedVerdict[]> {
  const items = together.flatMap((each) => each.items)
  const columns = devlogColumns(items)
  const { intensities, firsts, lasts } = intensityColumns(items)
  const perItem = (value: (waiting: Waiting, n: number) => number | 'NULL') =>
    array(together.flatMap((each, n) => each.items.map(() => value(each, n))))
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
  return row.verdicts
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
  return { intensities: array(all), firsts: array(firsts), lasts: array(lasts) }
}
