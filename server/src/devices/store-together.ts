import { statement } from '../database/statement.ts'
import type { Database } from '../database/database.ts'
import { isRefusedByDatabase } from '../database/refusal.ts'
import { array, devlogColumns } from './devlog-columns.ts'
import type { Devlog } from './devlog.ts'
import { storeDevlogs } from './store-devlogs.ts'
import type { Verdict } from './store-devlogs.ts'

/** Enough to keep the database busy while another one commits; what arrives meanwhile goes into the next one together. */
const MOST_AT_ONCE = 2
const MOST_ITEMS_TOGETHER = 1000

/** `apart`: the upload must be stored by itself, because of a device in use or a temporary record to be replaced. */
type Told = Verdict | 'apart'

const storeComplete = statement<{ told: (Told | null)[] }>(
  'store-complete-devlogs',
  'SELECT store_complete_devlogs($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) AS told',
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
  /** The devices of what is under way: a second statement would wait for the first one's locks. */
  devices: Set<string>
  isScheduled: boolean
}

const queues = new WeakMap<Database, Queue>()

/**
 * Stores the complete records of one strict upload, all or nothing, together with the uploads that wait at the same
 * moment: one statement and one commit for all of them. Resolves to one verdict per item; nothing is stored when one refuses.
 */
export function storeTogether(
  database: Database,
  items: readonly Devlog[],
  owner: number | undefined,
): Promise<Verdict[]> {
  const queue = queues.get(database) ?? { waiting: [], underWay: 0, devices: new Set(), isScheduled: false }
  queues.set(database, queue)
  return new Promise((resolve, reject) => {
    queue.waiting.push({ items, owner, resolve, reject })
    schedule(database, queue)
  })
}

/** Not before what else arrives in this turn of the event loop is there too. */
function schedule(database: Database, queue: Queue): void {
  if (queue.isScheduled || queue.underWay >= MOST_AT_ONCE || queue.waiting.length === 0) return
  queue.isScheduled = true
  setImmediate(() => {
    queue.isScheduled = false
    const together = take(queue)
    if (together.length === 0) return
    const devices = new Set(together.flatMap(({ items }) => items.map(({ unique_id }) => unique_id)))
    for (const device of devices) queue.devices.add(device)
    queue.underWay += 1
    void store(database, together).finally(() => {
      queue.underWay -= 1
      for (const device of devices) queue.devices.delete(device)
      schedule(database, queue)
    })
  })
}

function take(queue: Queue): Waiting[] {
  const together: Waiting[] = []
  const left: Waiting[] = []
  let count = 0
  for (const waiting of queue.waiting) {
    const { items } = waiting
    const isFree = !items.some(({ unique_id }) => queue.devices.has(unique_id))
    if (isFree && (count === 0 || count + items.length <= MOST_ITEMS_TOGETHER)) {
      count += items.length
      together.push(waiting)
    } else left.push(waiting)
  }
  queue.waiting = left
  return together
}

async function store(database: Database, together: readonly Waiting[]): Promise<void> {
  try {
    const verdicts = await storeAll(database, together)
    let at = 0
    for (const { items, owner, resolve, reject } of together) {
      const own = items.map((_item, n) => verdicts[at + n] ?? 'stored')
      at += items.length
      if (own.includes('apart'))
        storeDevlogs(database, items, { owner, lenient: false }).then(resolve, reject)
      else resolve(own.filter((verdict) => verdict !== 'apart'))
    }
  } catch (error) {
    const isAlone = together.length === 1
    // What the database refuses of one upload must not touch the others.
    if (isAlone || !isRefusedByDatabase(error)) for (const { reject } of together) reject(error)
    else await Promise.all(together.map((each) => store(database, [each])))
  }
}

/** Resolves to what is to be said of each item; of one that was stored, nothing. */
async function storeAll(database: Database, together: readonly Waiting[]): Promise<(Told | null)[]> {
  const columns = devlogColumns(together.flatMap(({ items }) => items))
  const perItem = (value: (waiting: Waiting, n: number) => number | 'NULL') =>
    array(together.flatMap((each, n) => each.items.map(() => value(each, n))))
  const [row] = await database.query(storeComplete, [
    perItem((_each, n) => n),
    perItem(({ owner }) => owner ?? 'NULL'),
    columns.uniqueIds,
    columns.dates,
    columns.times,
    columns.movements,
    columns.logFileIds,
    columns.lastIntensities,
    columns.finishFlags,
    columns.records,
  ])
  return row?.told ?? []
}
