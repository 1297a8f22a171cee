import { detectPlatform } from './platform.ts'
import { randomKey } from './random-key.ts'
import { memoryStorages } from './storage.ts'
import type { CompanionStorage, StoredItem } from './storage.ts'

/** Makes a queue that runs one task at a time, in the order given, and goes on after a task that failed. */
export function serialQueue(): <Result>(work: () => Promise<Result>) => Promise<Result> {
  let last: Promise<unknown> = Promise.resolve()
  return (work) => {
    const result = last.then(work)
    last = result.catch(() => undefined)
    return result
  }
}

declare const navigator: {
  locks?: { request<Result>(name: string, work: () => Promise<Result>): Promise<Result> }
}

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))

/**
 * Longer than another process takes from reading that nobody has the lease to having written that it does, and than a
 * tab of Chromium nearly always takes to see what another tab has written: of 300 numbers that three busy tabs counted up
 * in localStorage under one Web Lock, 230 arrived without a pause, and 298 with this one.
 */
const SETTLED_MS = 50

/**
 * A queue for those who change `key` in `storage`. In a browser it is one for all tabs, by the Web Locks API, unless the
 * storage is the memory of one tab. Clients of several processes have queues of their own, or what `elsewhere` does.
 */
export function createStorageQueue(
  storage: CompanionStorage,
  key: string,
  elsewhere: ReturnType<typeof serialQueue> = (work) => work(),
): ReturnType<typeof serialQueue> {
  const turns = serialQueue()
  if (memoryStorages.has(storage)) return turns
  const locks = detectPlatform() === 'browser' ? navigator.locks : undefined
  return (work) =>
    turns(() => (locks ? locks.request(key, () => pause(SETTLED_MS).then(work)) : elsewhere(work)))
}

/** How long a lease holds, in milliseconds: after that, the others take the process that had it for killed. */
const LEASE_MS = 2000
/**
 * A queue for processes that share nothing but an item of a storage, which has no locks. Two processes may have a turn at
 * the same time when one of them, or the storage, stands still for long.
 */
export function createLeaseQueue(item: StoredItem): ReturnType<typeof serialQueue> {
  return async (work) => {
    const me = randomKey()
    const claim = () => item.write(`${me} ${Date.now() + LEASE_MS}`)
    for (;;) {
      const lease = (await item.read()) ?? ''
      if (lease.startsWith(me)) break
      const left = Number(lease.split(' ')[1]) - Date.now()
      // No lease is longer; but a clock may have been put back.
      if (!(left > 0 && left <= LEASE_MS)) await claim()
      await pause(SETTLED_MS)
    }
    const renewing = setInterval(() => void claim().catch(() => {}), LEASE_MS / 4)
    try {
      return await work()
    } finally {
      clearInterval(renewing)
      await item.remove()
    }
  }
}
