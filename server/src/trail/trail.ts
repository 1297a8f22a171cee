import { AsyncResource } from 'node:async_hooks'
import type { Logger } from 'pino'
import { Counter } from 'prom-client'
import type { Database } from '../database/database.ts'
import type { Context } from '../http/context.ts'
import { addressHasher } from '../http/hashed-address.ts'
import { addRows, columnsOf } from './add-rows.ts'
import type { TrailRow, TrailSource } from './add-rows.ts'
import { encryptOldValue } from './old-value.ts'
import { insertTrailRepeats, encodeReadKey } from './repeats.ts'
import { insertTrailUploads, uploadColumnsOf } from './uploads.ts'
import type { DeviceUploadRow } from './uploads.ts'

/** The one who acts: `account` is the child's own or a stranger's; `invitation` is a person who has opened its link. */
export type Actor =
  | { kind: 'account' | 'member' | 'client' | 'device' | 'invitation'; id: number }
  | { kind: 'operator'; id: string }

/** What somebody has done with a child's data, or has tried to do. */
export interface Access {
  actor: Actor
  /** The operationId, such as `charts.recent`; of a command `companion …`. */
  operation: string
  realUserId: number
  /** `ok`, or status and text of the error. */
  outcome: string
  /** Whether it changed something: such rows stand for themselves. All others count within their minute. */
  isChange: boolean
  /** What the change has replaced. */
  oldValue?: unknown
}

/** An upload. Of some only the database knows the child: the wearer of its record, or else of the device. */
export interface UploadAccess {
  uniqueId: string
  operation: string
  outcome: string
  /** The account that shows its token with it. */
  accountId: number | undefined
  /** A record of it. */
  date: string
  logFileId: number
  /** The device and the child of the record, where the upload has said them. */
  wearing: { deviceId: number; realUserId: number } | undefined
}

interface Origin {
  keys: Pick<Context['keys'], 'hash'>
  request: Pick<Context['request'], 'address' | 'id'>
}

/** The trail of everybody who reaches a child's data. */
export interface Trail {
  /** Takes an access. It is written within a second, with others of this process. */
  note(origin: Origin, access: Access): void
  noteUpload(origin: Origin, access: UploadAccess): void
  /** Writes what is waiting. */
  flush(): Promise<void>
  /** Writes what is waiting for the last time, and tells what could not be written. */
  stop(): Promise<void>
}

declare module '../http/context.ts' {
  interface Context {
    trail: Trail
  }
}

const MINUTE_MS = 60_000
const DELAY_MS = 500
/** So many are written at once: a process may take 20,000 records of as many devices within a second. */
const EARLY_ROWS = 2000
/** Beyond, accesses are lost: the database has been out of reach for long. */
const MOST_ROWS = 10_000

const lost = new Counter({
  name: 'companion_trail_entries_lost_total',
  help: "Accesses to a child's data that could not be put on the trail.",
})

/** What tests and measurements set otherwise. */
export interface TrailTiming {
  delayMs?: number
  mostRows?: number
  /** Within which what comes again is counted. */
  minuteMs?: number
}

/** Its old value is encrypted when it is written, off the way of a response. */
type NotedRow = Omit<TrailRow, 'old_value'> & { old_value: unknown }

interface Waiting<Kind> {
  row: Kind
  origin: Origin
}

/** Copies only these fields; the whole request would stay in memory while the row waits. */
const from = ({ keys, request: { address, id } }: Origin): Origin => ({ keys, request: { address, id } })

/**
 * Collects accesses in memory, so that nobody waits for a write. A write that fails is tried again with the next one. What
 * a crash takes away is at most the accesses of the last second. Those that are too many while the database is out of reach
 * are lost, and a row of the trail says how many.
 */
export function createTrail(
  database: Pick<Database, 'query' | 'keyRing'>,
  log: Logger,
  { delayMs = DELAY_MS, mostRows = MOST_ROWS, minuteMs = MINUTE_MS }: TrailTiming = {},
): Trail {
  let rows = new Map<string, Waiting<NotedRow>>()
  let repeats = new Map<string, number>()
  let uploads = new Map<string, Waiting<DeviceUploadRow>>()
  /** Reads of `countedMinute` that have their row. */
  const counted = new Set<string>()
  let countedMinute = 0
  /** Uploads of `minute` that are told of, and how often each of them came again, which is told when the minute is over. */
  let again = new Map<string, Waiting<DeviceUploadRow>>()
  let minute = 0
  let minuteEnd: NodeJS.Timeout | undefined
  let changes = 0
  let unreported = 0
  let timer: NodeJS.Timeout | undefined
  let isEarly = false
  let writing = Promise.resolve()
  const hashAddress = addressHasher()

  const reportLost = (times: number, err?: unknown) => {
    lost.inc(times)
    unreported += times
    log.error({ err, lost: times }, 'accesses not recorded')
  }

  const hasRoom = (most = mostRows) => rows.size + repeats.size + uploads.size < most
  const writeSoon = () => {
    timer ??= setTimeout(() => void writeDue(), delayMs).unref()
    if (isEarly || rows.size + uploads.size < EARLY_ROWS) return
    isEarly = true
    void writeDue().then(() => (isEarly = false))
  }

  function add<Kind extends { times: number }>(
    waiting: Map<string, Waiting<Kind>>,
    key: string,
    one: Waiting<Kind>,
    most = mostRows,
  ): void {
    const known = waiting.get(key)
    if (known) known.row.times += one.row.times
    else if (hasRoom(most)) waiting.set(key, one)
    else reportLost(one.row.times)
    writeSoon()
  }

  function addRepeat(key: string, times: number): void {
    const known = repeats.get(key)
    if (known !== undefined || hasRoom()) repeats.set(key, (known ?? 0) + times)
    else reportLost(times)
    writeSoon()
  }

  const sourceOf = (origin: Origin) => ({
    address_hash: Buffer.from(hashAddress(origin), 'base64url'),
    request_id: origin.request.id || null,
  })

  async function write(onFailure: (taken: Taken, error: unknown) => void): Promise<void> {
    clearTimeout(timer)
    timer = undefined
    const taken = { rows, repeats, uploads, unreported }
    rows = new Map()
    repeats = new Map()
    uploads = new Map()
    unreported = 0
    const due: (TrailRow & TrailSource)[] = [...taken.rows.values()].map(({ row, origin }) => ({
      ...row,
      old_value: encryptOldValue(database.keyRing, row.old_value),
      ...sourceOf(origin),
    }))
    if (taken.unreported > 0) due.push(lostRow(taken.unreported))
    try {
      if (due.length > 0) await database.query(addRows, columnsOf(due))
      taken.rows.clear()
      taken.unreported = 0
      if (taken.repeats.size > 0)
        await database.query(insertTrailRepeats, [[...taken.repeats.keys()], [...taken.repeats.values()]])
      taken.repeats.clear()
      const dueUploads = [...taken.uploads.values()].map((each) => ({
        ...each.row,
        ...sourceOf(each.origin),
      }))
      if (dueUploads.length > 0) await database.query(insertTrailUploads, uploadColumnsOf(dueUploads))
    } catch (error) {
      onFailure(taken, error)
    }
  }

  const inTurn = (onFailure: (taken: Taken, error: unknown) => void) => {
    writing = writing.then(() => write(onFailure))
    return writing
  }

  function countAgain(): void {
    clearTimeout(minuteEnd)
    const due = again
    again = new Map()
    minute = 0
    // They come all at once, and have their own bound.
    for (const [key, one] of due) if (one.row.times > 0) add(uploads, key, one, 2 * mostRows)
  }

  // Bound to where the trail begins: the request whose access sets the timer has no part in the write, nor has its trace.
  const writeDue = AsyncResource.bind(() =>
    inTurn((taken, error) => {
      const waiting = taken.rows.size + taken.repeats.size + taken.uploads.size
      log.warn({ err: error, rows: waiting }, 'audit trail not written, will retry')
      unreported += taken.unreported
      for (const [key, row] of taken.rows) add(rows, key, row)
      for (const [key, times] of taken.repeats) addRepeat(key, times)
      for (const [key, row] of taken.uploads) add(uploads, key, row, 2 * mostRows)
    }),
  )

  return {
    note(origin, { actor: { kind, id }, operation, realUserId, outcome, isChange, oldValue }) {
      const now = Date.now()
      const at = isChange ? now : now - (now % minuteMs)
      const row = {
        at,
        actor_kind: kind,
        actor: String(id),
        operation,
        real_user_id: realUserId,
        outcome,
        times: 1,
        is_counted: !isChange,
        old_value: oldValue,
      }
      if (isChange) {
        add(rows, `change ${(changes += 1)}`, { row, origin: from(origin) })
        return
      }
      if (at !== countedMinute) {
        counted.clear()
        countedMinute = at
      }
      const key = encodeReadKey(row)
      if (counted.has(key) && !rows.has(key)) {
        addRepeat(key, 1)
        return
      }
      if (counted.size < mostRows) counted.add(key)
      add(rows, key, { row, origin: from(origin) })
    },
    noteUpload(origin, { accountId, ...access }) {
      const now = Date.now()
      const at = now - (now % minuteMs)
      const key = `${at} ${access.uniqueId} ${accountId} ${access.outcome}`
      const row = {
        at,
        account: accountId ?? null,
        unique_id: access.uniqueId,
        operation: access.operation,
        outcome: access.outcome,
        date: access.date,
        log_file_id: access.logFileId,
        device: access.wearing?.deviceId ?? null,
        real_user_id: access.wearing?.realUserId ?? null,
        times: 1,
      }
      if (at !== minute) {
        countAgain()
        minute = at
        minuteEnd = setTimeout(countAgain, at + minuteMs - now).unref()
      }
      const known = again.get(key)
      if (known) {
        known.row.times += 1
        return
      }
      const one = { row, origin: from(origin) }
      if (again.size < mostRows) again.set(key, { ...one, row: { ...row, times: 0 } })
      add(uploads, key, one)
    },
    flush() {
      countAgain()
      return writeDue()
    },
    stop() {
      countAgain()
      return inTurn((taken, error) => {
        const times = [...taken.rows.values(), ...taken.uploads.values()].map(({ row }) => row.times)
        reportLost(
          [...times, ...taken.repeats.values()].reduce((sum, each) => sum + each, 0),
          error,
        )
      })
    },
  }
}

interface Taken {
  rows: Map<string, Waiting<NotedRow>>
  repeats: Map<string, number>
  uploads: Map<string, Waiting<DeviceUploadRow>>
  /** How many lost accesses no row has told of. */
  unreported: number
}

const lostRow = (times: number): TrailRow & TrailSource => ({
  at: Date.now(),
  actor_kind: 'service',
  actor: '',
  operation: 'trail',
  real_user_id: null,
  outcome: 'lost',
  times,
  is_counted: false,
  old_value: null,
  address_hash: null,
  request_id: null,
})
