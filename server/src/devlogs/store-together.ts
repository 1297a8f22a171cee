import { AsyncLocalStorage } from 'node:async_hooks'
import { statement } from '../database/statement.ts'
import type { Database } from '../database/database.ts'
import type { Query } from '../database/statement.ts'
import { isOfAnotherNode, isRefusedByDatabase } from '../database/refusal.ts'
import { array, devlogColumns } from './devlog-columns.ts'
import type { Devlog } from './devlog.ts'
import { apartFromLost, byNodes, createLostNodes } from './lost-nodes.ts'
import type { LostNodes } from './lost-nodes.ts'
import { storeDevlogs } from './store-devlogs.ts'
import type { Verdict } from './store-devlogs.ts'

/** The second is at hand when the database has done with the first; uploads that arrive in between go into the next one. */
const MOST_UNDER_WAY = 2
const MOST_ITEMS_TOGETHER = 1000

/** `apart`: `store_devlogs` must judge the upload that the record belongs to, and nothing of that upload is stored. */
type Told = 'stored' | 'duplicate' | 'apart'

const storeAtOnce = statement<{ told: Told[] }>(
  'store-devlogs-together',
  'SELECT store_devlogs_together($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) AS told',
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
  lost: LostNodes
}

const queues = new WeakMap<Database, Queue>()
const newQueue = (): Queue => ({ waiting: [], underWay: 0, isScheduled: false, lost: createLostNodes() })

/**
 * Stores the complete records of one strict upload, all or nothing, together with the uploads that wait at the same
 * moment: one statement and one commit for all of them. Resolves to one verdict per item; nothing is stored when one refuses.
 */
export function storeTogether(
  database: Database,
  items: readonly Devlog[],
  owner: number | undefined,
): Promise<Verdict[]> {
  const queue = queues.get(database) ?? newQueue()
  queues.set(database, queue)
  return new Promise((resolve, reject) => {
    queue.waiting.push({ items, owner, inOwnTrace: AsyncLocalStorage.snapshot(), resolve, reject })
    if (queue.isScheduled) return
    queue.isScheduled = true
    // Not before what else arrives in this turn of the event loop is there too.
    setImmediate(storeNext, database, queue)
  })
}

function storeNext(database: Database, queue: Queue): void {
  queue.isScheduled = false
  if (queue.underWay === MOST_UNDER_WAY) return
  const together = take(queue)
  const [first] = together
  if (!first) return
  queue.underWay += 1
  const told = first.inOwnTrace(() => begin(database, queue, together))
  const goOn = () => {
    queue.underWay -= 1
    storeNext(database, queue)
  }
  // Before anybody is answered: the database need not wait for that.
  told.then(goOn, goOn)
  void answer(database, queue, together, told)
}

/** While nodes are lost, uploads that need them do not go with the others, nor hold them up. */
async function begin(database: Database, queue: Queue, together: Waiting[]): Promise<Told[]> {
  if (queue.lost.size > 0) {
    const { others, refused, probes } = await apartFromLost(database, queue.lost, together)
    for (const { upload, error } of refused) upload.reject(error)
    for (const { node, uploads } of probes) void storeOn(database, queue, [node], uploads)
    together.splice(0, together.length, ...others)
    if (together.length === 0) return []
  }
  return storeAll(database.queryInTurn, together)
}

function take({ waiting }: Queue): Waiting[] {
  let items = 0
  const most = waiting.findIndex((each, n) => (items += each.items.length) > MOST_ITEMS_TOGETHER && n > 0)
  return waiting.splice(0, most === -1 ? waiting.length : most)
}

async function answer(
  database: Database,
  queue: Queue,
  together: readonly Waiting[],
  told: Promise<Told[]>,
): Promise<void> {
  try {
    tell(database, together, await told)
  } catch (error) {
    // An upload that the database refuses, or whose node is lost, must not touch the others.
    if (isRefusedByDatabase(error)) for (const each of together) storeApart(database, each)
    else if (isOfAnotherNode(error)) await storeNodeByNode(database, queue, together, error)
    // It would not take what waits either: its senders are told now, and send it again.
    else for (const { reject } of [...together, ...queue.waiting.splice(0)]) reject(error)
  }
}

function tell(database: Database, together: readonly Waiting[], verdicts: readonly Told[]): void {
  let at = 0
  for (const waiting of together) {
    const own = verdicts.slice(at, at + waiting.items.length)
    at += waiting.items.length
    if (verdicts.length === 0) waiting.resolve(waiting.items.map(() => 'stored'))
    else if (own.includes('apart')) storeApart(database, waiting)
    else waiting.resolve(own.filter((verdict) => verdict !== 'apart'))
  }
}

async function storeNodeByNode(
  database: Database,
  queue: Queue,
  together: readonly Waiting[],
  error: unknown,
): Promise<void> {
  const groups = await byNodes(database, together).catch(() => undefined)
  if (!groups) for (const { reject } of together) reject(error)
  // Alone it would only wait again, perhaps for what its node had promised.
  else if (together.length === 1)
    for (const { nodes, uploads } of groups) refuse(queue, nodes, uploads, error)
  else await Promise.all(groups.map(({ nodes, uploads }) => storeOn(database, queue, nodes, uploads)))
}

function refuse(
  { lost }: Queue,
  nodes: readonly number[],
  uploads: readonly Waiting[],
  error: unknown,
): void {
  lost.note(nodes, error)
  for (const { reject } of uploads) reject(error)
}

/** Stores uploads whose records lie on the same nodes; on a connection of their own, as a lost node may take long to say nothing. */
async function storeOn(
  database: Database,
  queue: Queue,
  nodes: readonly number[],
  uploads: readonly Waiting[],
): Promise<void> {
  const { lost } = queue
  try {
    tell(database, uploads, await storeAll(database.query, uploads))
    lost.found(nodes)
  } catch (error) {
    if (isRefusedByDatabase(error)) {
      lost.found(nodes)
      for (const each of uploads) storeApart(database, each)
    } else {
      refuse(queue, nodes, uploads, error)
    }
  }
}

function storeApart(database: Database, { items, owner, inOwnTrace, resolve, reject }: Waiting): void {
  inOwnTrace(() => storeDevlogs(database, items, { owner, lenient: false })).then(resolve, reject)
}

/** Resolves to one verdict for each record, or to none when all are stored. */
async function storeAll(query: Query, together: readonly Waiting[]): Promise<Told[]> {
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
  return row.told
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
