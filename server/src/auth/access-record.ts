import type { Logger } from 'pino'
import { Counter } from 'prom-client'
import { statement } from '../database/statement.ts'
import type { Database } from '../database/database.ts'

/** One call of a member, or of another service, that has read or changed the data of a child. */
export type Access = {
  realUserId: number
  /** The operationId, such as `charts.recent`. */
  operation: string
} & ({ memberId: number } | { clientId: number })

/**
 * The record of who but the owner has reached a child's data: one row for each member or service, operation, child and hour.
 */
export interface AccessRecord {
  /** Counts an access. It is written within about a second, with others of this process. */
  count(access: Access): void
  /** Writes what is waiting. */
  flush(): Promise<void>
  /** Writes what is waiting for the last time, and tells what could not be written. */
  stop(): Promise<void>
}

declare module '../http/context.ts' {
  interface Context {
    accessRecord: AccessRecord
  }
}

const HOUR_MS = 3_600_000
const DELAY_MS = 1000
/** Beyond, accesses are lost: the database has been out of reach for long. */
const MOST_ROWS = 10_000

const lost = new Counter({
  name: 'companion_lost_accesses_total',
  help: "Accesses of members and other services to a child's data that could not be put on record.",
})

type Row = Access & {
  hour: number
  times: number
}

// The lock holds off the deletion of a child until the row is there for it to erase, and in the order of all who lock
// several.
const addAccesses = (table: 'child_access' | 'application_access', who: 'member_id' | 'client_id') =>
  statement<never>(
    `add-${table}`,
    `WITH child AS MATERIALIZED (
     SELECT id FROM real_user WHERE id = ANY ($1::int[]) AND deleted_at IS NULL ORDER BY id FOR SHARE
   )
   INSERT INTO ${table} (real_user_id, hour, ${who}, operation, times)
   SELECT counted.* FROM unnest($1::int[], $2::timestamptz[], $3::int[], $4::text[], $5::int[])
     AS counted (real_user_id, hour, who, operation, times)
   JOIN child ON child.id = counted.real_user_id
   ORDER BY 1, 2, 3, 4
   ON CONFLICT (real_user_id, hour, ${who}, operation)
     DO UPDATE SET times = ${table}.times + excluded.times`,
  )
const addOfMembers = addAccesses('child_access', 'member_id')
const addOfClients = addAccesses('application_access', 'client_id')

const whoIn = (access: Access) => ('memberId' in access ? access.memberId : access.clientId)

/**
 * Collects accesses in memory, so that a read waits for no write. A write that fails is tried again with the next one; what
 * a crash or too many of them take away is at most the accesses of the last second, or of the time without a database.
 */
export function createAccessRecord(
  database: Pick<Database, 'query'>,
  log: Logger,
  { delayMs = DELAY_MS, mostRows = MOST_ROWS } = {},
): AccessRecord {
  let rows = new Map<string, Row>()
  let timer: NodeJS.Timeout | undefined
  let writing = Promise.resolve()

  const tellLost = (times: number, err?: unknown) => {
    lost.inc(times)
    log.error({ err, lost: times }, 'accesses not recorded')
  }

  function add(row: Row): void {
    const key = `${row.hour} ${row.realUserId} ${'memberId' in row} ${whoIn(row)} ${row.operation}`
    const known = rows.get(key)
    if (known) known.times += row.times
    else if (rows.size < mostRows) rows.set(key, row)
    else tellLost(row.times)
    timer ??= setTimeout(() => void flush(), delayMs).unref()
  }

  async function write(onFailure: (due: Row[], error: unknown) => void): Promise<void> {
    clearTimeout(timer)
    timer = undefined
    const all = [...rows.values()]
    rows = new Map()
    for (const [add, isOfMember] of [
      [addOfMembers, true],
      [addOfClients, false],
    ] as const) {
      const due = all.filter((row) => 'memberId' in row === isOfMember)
      if (due.length === 0) continue
      const columns = [
        due.map(({ realUserId }) => realUserId),
        due.map(({ hour }) => new Date(hour)),
        due.map(whoIn),
        due.map(({ operation }) => operation),
        due.map(({ times }) => times),
      ]
      await database.query(add, columns).catch((error: unknown) => onFailure(due, error))
    }
  }

  const inTurn = (onFailure: (due: Row[], error: unknown) => void) => {
    writing = writing.then(() => write(onFailure))
    return writing
  }

  const flush = () =>
    inTurn((due, error) => {
      log.warn({ err: error, rows: due.length }, 'access record waits')
      for (const row of due) add(row)
    })

  return {
    count: (access) => add({ ...access, hour: Math.floor(Date.now() / HOUR_MS) * HOUR_MS, times: 1 }),
    flush,
    stop: () =>
      inTurn((due, error) =>
        tellLost(
          due.reduce((sum, { times }) => sum + times, 0),
          error,
        ),
      ),
  }
}
