import pLimit from 'p-limit'
import type { LimitFunction } from 'p-limit'
import type { Database } from '../database/database.ts'
import { Failure } from '../errors/failure.ts'
import { generic } from '../errors/generic.ts'

/** At most this number of calls wait for one device. At least one connection that may wait stays free for others. */
const MOST_OF_ONE_DEVICE = 2
/** The part of the pool that may wait for locks: everybody else needs the rest. */
const PART_OF_POOL = 1 / 4
/** The maximum number of calls that wait for one of these connections, and how long they do. */
const MOST_FOR_CONNECTION = 50
const TIMEOUT_MS = 1000

interface Line {
  connections: LimitFunction
  mostOfOneDevice: number
  /** How many calls wait for the lock of each device. */
  waiting: Map<string, number>
  /** For each device, when the call that came last lets the next one try. */
  last: Map<string, Promise<void>>
}

type Pool = Database['pool']
const lines = new WeakMap<Pool, Line>()
const lineOf = (pool: Pool) => lines.get(pool) ?? openLine(pool)

/**
 * Runs `attempt`, which locks the devices. It first tries without waiting for locks, and resolves to undefined if somebody
 * else holds one; then it may wait for them and keeps its connection. Calls of this process do not get into each other's
 * way: they try one after the other. Throws 429 if enough calls already wait for a device, or if no connection that may
 * wait comes free: a device that somebody holds must not stop all the others.
 */
export async function inDeviceQueue<Result>(
  { pool }: Pick<Database, 'pool'>,
  uniqueIds: readonly string[],
  attempt: (waits: boolean) => Promise<Result | undefined>,
): Promise<Result | undefined> {
  const line = lineOf(pool)
  const devices = new Set(uniqueIds)
  const next = Promise.withResolvers<void>()
  const before = [...devices].flatMap((device) => line.last.get(device) ?? [])
  for (const device of devices) line.last.set(device, next.promise)
  await Promise.all(before)
  // A call that makes no progress lets the next one see for itself.
  const timeout = setTimeout(next.resolve, TIMEOUT_MS)
  try {
    return (await attempt(false)) ?? (await waitForLocks(line, devices, () => attempt(true)))
  } finally {
    clearTimeout(timeout)
    next.resolve()
    for (const device of devices) if (line.last.get(device) === next.promise) line.last.delete(device)
  }
}

/**
 * Runs `work` on one of the connections that may wait, however long it takes until one comes free: the next step of
 * something that was begun and must not be left half done.
 */
export const runOnWaitingConnection = <Result>(
  { pool }: Pick<Database, 'pool'>,
  work: () => Promise<Result>,
): Promise<Result> => lineOf(pool).connections(work)

async function waitForLocks<Result>(
  { connections, mostOfOneDevice, waiting }: Line,
  devices: ReadonlySet<string>,
  work: () => Promise<Result>,
): Promise<Result> {
  const isFull = [...devices].some((device) => (waiting.get(device) ?? 0) >= mostOfOneDevice)
  if (isFull || connections.pendingCount >= MOST_FOR_CONNECTION) throw tooMany()
  for (const device of devices) waiting.set(device, (waiting.get(device) ?? 0) + 1)
  const timeout = AbortSignal.timeout(TIMEOUT_MS)
  const turn = Promise.withResolvers<void>()
  timeout.addEventListener('abort', () => turn.reject(tooMany()))
  const outcome = connections(async () => {
    if (timeout.aborted) throw tooMany()
    turn.resolve()
    return work()
  })
  try {
    await Promise.race([turn.promise, outcome])
    return await outcome
  } finally {
    outcome.catch(() => undefined)
    for (const device of devices) {
      const left = (waiting.get(device) ?? 1) - 1
      if (left > 0) waiting.set(device, left)
      else waiting.delete(device)
    }
  }
}

const tooMany = () => new Failure(...generic.tooMany, { headers: { 'retry-after': '1' } })

function openLine(pool: Pool): Line {
  const most = Math.max(1, Math.floor(pool.options.max * PART_OF_POOL))
  const line = {
    connections: pLimit(most),
    mostOfOneDevice: Math.min(MOST_OF_ONE_DEVICE, Math.max(1, most - 1)),
    waiting: new Map<string, number>(),
    last: new Map<string, Promise<void>>(),
  }
  lines.set(pool, line)
  return line
}
