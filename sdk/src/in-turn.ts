import { platform } from './platform.ts'
import { inMemory } from './storage.ts'
import type { CompanionStorage } from './storage.ts'

/** Makes a queue that runs one task at a time, in the order given, and goes on after a task that failed. */
export function inTurn(): <Result>(work: () => Promise<Result>) => Promise<Result> {
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

/**
 * A queue for those who change `key` in `storage`. In a browser it is one for all tabs, by the Web Locks API, unless the
 * storage is the memory of one tab. Other clients over the same storage, as of several processes, have queues of their own.
 */
export function inTurnOver(storage: CompanionStorage, key: string): ReturnType<typeof inTurn> {
  const turns = inTurn()
  const locks = platform() === 'browser' && !inMemory.has(storage) ? navigator.locks : undefined
  return locks ? (work) => turns(() => locks.request(key, work)) : turns
}
