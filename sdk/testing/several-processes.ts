import fc from 'fast-check'
import { createCompanion, isOffline } from '../src/index.ts'
import type { Companion, Fetch } from '../src/index.ts'
import { cut } from './service-in-memory.ts'

const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))

/** A process in a round: when it calls, how slow its storage is, how many answers it loses, whether it is killed. */
const startedProcess = fc.record({
  skew: fc.nat(20),
  storageMs: fc.nat(3),
  lost: fc.nat(2),
  killedAfter: fc.option(fc.nat(60), { freq: 3 }),
})

/** Up to 4 rounds, in each of which 1 to 4 processes start. */
export const rounds = fc.array(fc.array(startedProcess, { minLength: 1, maxLength: 4 }), {
  minLength: 1,
  maxLength: 4,
})

/** Processes of one phone or computer, or tabs, whose clients share a storage and nothing else. */
export function severalProcesses(baseUrl: string, fetch: Fetch) {
  const items = new Map<string, string>()
  const reasons: string[] = []
  let survivors: Companion[] = []
  /** Requests that the service has not answered, of killed processes too. */
  const onTheWay = new Set<Promise<Response>>()

  /** A process that has been killed does nothing any more. */
  function start({ storageMs = 0, lost = 0 } = {}) {
    let isAlive = true
    let losing = lost
    const alive = () => (isAlive ? Promise.resolve() : new Promise<void>(() => {}))
    const access = async <Result>(act: () => Result): Promise<Result> => {
      if (storageMs > 0) await sleep(storageMs)
      await alive()
      return act()
    }
    const companion = createCompanion({
      baseUrl,
      storage: {
        getItem: (key) => access(() => items.get(key) ?? null),
        setItem: (key, value) => access(() => items.set(key, value)),
        removeItem: (key) => access(() => items.delete(key)),
        getAllKeys: () => access(() => [...items.keys()]),
      },
      fetch: async (url, init) => {
        if (storageMs > 0) await sleep(3 * storageMs)
        await alive()
        const request = fetch(url, init)
        onTheWay.add(request)
        const response = await request.finally(() => onTheWay.delete(request))
        if (losing-- <= 0) return response
        await response.body?.cancel()
        return cut()
      },
      onSignedOut: (reason) => reasons.push(reason),
    })
    return { companion, kill: () => (isAlive = false) }
  }

  /** Calls at the same time by processes that just start and those that have survived earlier rounds. */
  async function round(processes: typeof rounds extends fc.Arbitrary<(infer Round)[]> ? Round : never) {
    const started = processes.map((each) => ({ ...each, ...start(each) }))
    const calls = [
      ...survivors.map((companion) => companion.account.me()),
      ...started.map(({ companion, skew, killedAfter, kill }) => {
        if (killedAfter !== null) void sleep(killedAfter).then(kill)
        const call = sleep(skew).then(() => companion.account.me())
        // The call of a killed process never ends.
        return killedAfter === null ? call : Promise.race([call, sleep(killedAfter)])
      }),
    ]
    await Promise.all(calls.map((call) => call.catch(ignoreOffline)))
    survivors = [
      ...survivors,
      ...started.flatMap(({ companion, killedAfter }) => (killedAfter === null ? [companion] : [])),
    ]
    // They lose here what they have still to lose.
    for (const companion of survivors) await companion.account.me().catch(ignoreOffline)
    // The clock jumps between rounds: a refresh that a killed process sent before would reach the service too late to be a repeated one.
    await Promise.allSettled(onTheWay)
    return [...survivors, start().companion]
  }

  return { start, round, reasons }
}

const NOTES_OF_ONE = 3

/**
 * Notes that such processes queue for one child, each process on a day of its own, one after the other.
 *
 * @param sent the notes as the service has received them
 */
export function queuedNotes(
  { start }: Pick<ReturnType<typeof severalProcesses>, 'start'>,
  real_user_id: number,
  sent: { day: string; memo: string }[],
) {
  const queued: string[] = []
  const survivors: Companion[] = []
  let days = 0
  let accidents = 0

  /** Each process queues its notes, unless it is killed before. */
  async function round(processes: typeof rounds extends fc.Arbitrary<(infer Round)[]> ? Round : never) {
    await Promise.all(
      processes.map(async ({ skew, killedAfter, ...each }) => {
        const { companion, kill } = start(each)
        accidents += each.lost
        const created_at = new Date(Date.UTC(2026, 0, ++days)).toISOString().slice(0, 10)
        const all = async () => {
          await sleep(skew)
          for (let index = 0; index < NOTES_OF_ONE; index++) {
            const memo = `${created_at} ${index}`
            await companion.outbox.saveEvent({ real_user_id, created_at, memo })
            queued.push(memo)
          }
        }
        if (killedAfter === null) {
          survivors.push(companion)
          return all()
        }
        accidents++
        await Promise.race([all(), sleep(killedAfter)])
        kill()
      }),
    )
  }

  /** Waits until the outbox is empty, and answers what has gone wrong. */
  async function issues() {
    const last = start().companion
    while ((await last.outbox.list()).length > 0) {
      await Promise.all([last, ...survivors].map((each) => each.outbox.send()))
      await sleep(100)
    }
    const memos = sent.map(({ memo }) => memo)
    const first = [...new Set(memos)]
    return {
      lost: queued.filter((memo) => !memos.includes(memo)),
      // Only a lost response or a killed process may be the reason to send a note again.
      doubled: memos.length - first.length > accidents ? memos : [],
      overtaken: sent.filter(
        ({ day, memo }) => memo > (sent.findLast((other) => other.day === day)?.memo ?? ''),
      ),
    }
  }

  return { round, issues }
}

function ignoreOffline(error: unknown): void {
  if (!isOffline(error)) throw error
}
