import { statement } from '../database/database.ts'
import type { Database } from '../database/database.ts'
import { isRefusedByDatabase } from '../database/refusal.ts'
import { devlogColumns } from './devlog-columns.ts'
import type { Devlog } from './devlog.ts'
import { storeDevlogs } from './store-devlogs.ts'
import type { Verdict } from './store-devlogs.ts'

/** As many statements as are under way at once; what arrives meanwhile waits and goes into the next one together. */
const MOST_AT_ONCE = 2
const MOST_ITEMS_TOGETHER = 1000

const storeComplete = statement<{ refusals: (Verdict | null)[] | null }>(
  'store-complete-devlogs',
  'SELECT store_complete_devlogs($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) AS refusals',
)

interface Waiting {
  items: readonly Devlog[]
  owner: number | undefined
  resolve: (verdicts: Verdict[]) => void
  reject: (error: unknown) => void
}

interface Queue {
  waiting: Waiting[]
  underWay: number
}

const queues = new WeakMap<Database, Queue>()

/**
 * Stores the complete records of one strict upload, all or nothing, together with the uploads that wait at the same
 * moment: one statement and one commit for all of them. An upload that nobody waits beside is not held up. Resolves to
 * the refusals, none when all is stored.
 */
export function storeTogether(
  database: Database,
  items: readonly Devlog[],
  owner: number | undefined,
): Promise<Verdict[]> {
  const queue = queues.get(database) ?? { waiting: [], underWay: 0 }
  queues.set(database, queue)
  return new Promise((resolve, reject) => {
    queue.waiting.push({ items, owner, resolve, reject })
    flush(database, queue)
  })
}

function flush(database: Database, queue: Queue): void {
  if (queue.underWay >= MOST_AT_ONCE || queue.waiting.length === 0) return
  let count = 0
  const end = queue.waiting.findIndex(
    ({ items }, n) => (count += items.length) > MOST_ITEMS_TOGETHER && n > 0,
  )
  const together = queue.waiting.splice(0, end < 0 ? queue.waiting.length : end)
  queue.underWay += 1
  void store(database, together).finally(() => {
    queue.underWay -= 1
    flush(database, queue)
  })
}

async function store(database: Database, together: readonly Waiting[]): Promise<void> {
  try {
    const refusals = await storeAll(database, together)
    let at = 0
    for (const { items, resolve } of together) {
      resolve((refusals?.slice(at, at + items.length) ?? []).filter((refusal) => refusal !== null))
      at += items.length
    }
  } catch (error) {
    const isAlone = together.length === 1
    // What the database refuses of one upload must not touch the others.
    if (isAlone || !isRefusedByDatabase(error)) for (const { reject } of together) reject(error)
    else await Promise.all(together.map((each) => store(database, [each])))
  }
}

async function storeAll(
  database: Database,
  together: readonly Waiting[],
): Promise<(Verdict | null)[] | undefined> {
  const columns = devlogColumns(together.flatMap(({ items }) => items))
  const perItem = (value: (waiting: Waiting, n: number) => number | null) =>
    together.flatMap((each, n) => each.items.map(() => value(each, n)))
  const [row] = await database.query(storeComplete, [
    perItem((_each, n) => n),
    perItem(({ owner }) => owner ?? null),
    columns.uniqueIds,
    columns.dates,
    columns.times,
    columns.movements,
    columns.logFileIds,
    columns.lastIntensities,
    columns.finishFlags,
    columns.records,
  ])
  if (row?.refusals) return row.refusals
  // A temporary record is to be replaced: the thorough way, one upload after the other.
  const verdicts: (Verdict | null)[] = []
  for (const { items: own, owner } of together) {
    verdicts.push(...(await storeDevlogs(database, own, { owner, lenient: false })))
  }
  return verdicts
}
