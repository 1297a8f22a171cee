import pLimit from 'p-limit'
import type { LimitFunction } from 'p-limit'
import type { Database } from '../database/database.ts'
import { Failure } from '../errors/failure.ts'
import { generic } from '../errors/generic.ts'

/** So much may wait for the lock of one device; never for all the connections that may wait, if there are several. */
const MOST_OF_ONE_DEVICE = 2
/** The part of the pool that may wait for locks: everybody else needs the rest. */
const PART_OF_POOL = 1 / 4
/** How much may wait for one of these connections, and how long. */
const MOST_IN_LINE = 50
const PATIENCE_MS = 1000

interface Line {
  connections: LimitFunction
  mostOfOneDevice: number
  ofDevice: Map<string, number>
}

type Pool = Database['pool']
const lines = new WeakMap<Pool, Line>()

const tooMany = () => new Failure(...generic.tooMany, { headers: { 'retry-after': '1' } })

/**
 * Runs `work`, which may wait for the locks of devices and keeps a connection meanwhile. Throws 429 when enough already
 * wait for one of `uniqueIds`, or when no connection for waiting comes free: a device that somebody holds must not stop
 * all the others.
 */
export async function waitInLine<Result>(
  { pool }: Pick<Database, 'pool'>,
  uniqueIds: readonly string[],
  work: () => Promise<Result>,
): Promise<Result> {
  const { connections, mostOfOneDevice, ofDevice } = lineOf(pool)
  const devices = new Set(uniqueIds)
  const isFull = [...devices].some((device) => (ofDevice.get(device) ?? 0) >= mostOfOneDevice)
  if (isFull || connections.pendingCount >= MOST_IN_LINE) throw tooMany()
  for (const device of devices) ofDevice.set(device, (ofDevice.get(device) ?? 0) + 1)
  const patience = AbortSignal.timeout(PATIENCE_MS)
  const turn = Promise.withResolvers<void>()
  patience.addEventListener('abort', () => turn.reject(tooMany()))
  const outcome = connections(async () => {
    if (patience.aborted) throw tooMany()
    turn.resolve()
    return work()
  })
  try {
    await Promise.race([turn.promise, outcome])
    return await outcome
  } finally {
    outcome.catch(() => undefined)
    for (const device of devices) {
      const left = (ofDevice.get(device) ?? 1) - 1
      if (left > 0) ofDevice.set(device, left)
      else ofDevice.delete(device)
    }
  }
}

/**
 * Runs `work` on one of the connections that may wait, however long it takes until one comes free: the next step of
 * something that was begun and must not be left half done.
 */
export const inTurn = <Result>(
  { pool }: Pick<Database, 'pool'>,
  work: () => Promise<Result>,
): Promise<Result> => lineOf(pool).connections(work)

const lineOf = (pool: Pool) => lines.get(pool) ?? openLine(pool)

function openLine(pool: Pool): Line {
  const most = Math.max(1, Math.floor(pool.options.max * PART_OF_POOL))
  const line = {
    connections: pLimit(most),
    mostOfOneDevice: Math.min(MOST_OF_ONE_DEVICE, Math.max(1, most - 1)),
    ofDevice: new Map<string, number>(),
  }
  lines.set(pool, line)
  return line
}
