import fc from 'fast-check'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { patiently } from '../testing/settle.ts'
import { cut, refuse, serviceInMemory } from '../testing/service-in-memory.ts'
import { createCompanion, isOffline, isSignedOut, isStorageFailure, errorResponseOf, safe } from './index.ts'
import type { Companion } from './index.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] }))
afterEach(() => void vi.useRealTimers())

const credentials = { username: 'parent@example.com', password: 'correct horse battery' }
const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))

/** A phone whose network, storage and app fail as `luck` decides: each number from 0 to 1 is one decision. */
function phone(luck: Iterator<number>) {
  const service = serviceInMemory()
  const items = new Map<string, string>()
  const reasons: string[] = []
  let badness = 0
  let started = 0
  const chance = (share: number) => Number(luck.next().value) < share * badness

  /** `alive` never resolves in an app that has been killed. */
  async function store<Result>(alive: () => Promise<void>, act: () => Result): Promise<Result> {
    if (chance(0.1)) throw new Error('locked')
    if (chance(0.1)) await sleep(60)
    await alive()
    const result = act()
    if (chance(0.05)) throw new Error('too late')
    return result
  }
  async function send(url: string | URL | Request, init?: RequestInit): Promise<Response> {
    if (chance(0.15)) return cut()
    if (chance(0.1)) return new Response('<h1>Sign in to the hotel</h1>')
    if (chance(0.1)) return refuse(500, 'Internal server error.')
    if (chance(0.05)) return refuse(429, 'Too many requests', { 'retry-after': '1' })
    const response = await service.fetch(url, init)
    if (chance(0.1)) await sleep(9000)
    return chance(0.3) ? cut() : response
  }
  /** Starts the app. An app that ran before is killed: nothing it does has an effect any more. */
  function start(): Companion {
    const mine = ++started
    const alive = () => (mine === started ? Promise.resolve() : new Promise<void>(() => {}))
    return createCompanion({
      baseUrl: 'https://companion.test',
      storage: {
        getItem: (key) => store(alive, () => items.get(key) ?? null),
        setItem: (key, value) => store(alive, () => items.set(key, value)),
        removeItem: (key) => store(alive, () => items.delete(key)),
      },
      fetch: (url, init) => alive().then(() => send(url, init)),
      onSignedOut: (reason) => reasons.push(reason),
    })
  }
  return { service, reasons, start, setBadness: (next: number) => (badness = next) }
}

/** The errors that a call may fail with when only network, storage or service fail. */
const isBadLuck = (error: unknown) =>
  isOffline(error) || isStorageFailure(error) || [401, 429, 500].includes(errorResponseOf(error)?.status ?? 0)

const step = fc.constantFrom('me', 'me', 'note', 'note', 'expire', 'send', 'abort', 'kill', 'wait')

test('when network, storage and apps fail at random, nobody is signed out, no note is lost or overtaken', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { minLength: 10, maxLength: 40 }),
      fc.noBias(fc.infiniteStream(fc.integer({ min: 0, max: 999 }).map((n) => n / 1000))),
      async (steps, luck) => {
        const { service, reasons, start, setBadness } = phone(luck)
        let app = start()
        await patiently(app.auth.signIn(credentials))
        setBadness(1)
        let written = 0
        const accepted: string[] = []
        const failures: unknown[] = []
        const attempt = (call: Promise<unknown>) => void call.catch((error: unknown) => failures.push(error))
        const acts: Record<
          typeof step extends fc.Arbitrary<infer Step extends string> ? Step : never,
          () => void
        > = {
          me: () => attempt(app.account.me()),
          note: () => {
            const memo = String(written++)
            const saved = app.outbox.saveEvent({ real_user_id: 1, created_at: '2026-03-01', memo })
            attempt(saved.then(() => accepted.push(memo)))
          },
          expire: () => vi.setSystemTime(Date.now() + 900_000),
          send: () => void app.outbox.send(),
          abort: () => {
            const controller = new AbortController()
            setTimeout(() => controller.abort(), 20)
            void safe(app.account.me({ signal: controller.signal }))
          },
          kill: () => (app = start()),
          wait: () => {},
        }
        for (const each of steps) {
          acts[each]()
          await vi.advanceTimersByTimeAsync(each === 'wait' ? 10_000 : 50)
        }
        await vi.advanceTimersByTimeAsync(120_000)
        setBadness(0)
        expect(failures.filter((error) => !isBadLuck(error))).toEqual([])
        expect(failures.filter(isSignedOut)).toEqual([])

        app = start()
        expect(await patiently(app.account.me())).toMatchObject({ root_user_id: 7 })
        await patiently(app.outbox.send())
        await vi.advanceTimersByTimeAsync(600_000)
        expect(await patiently(app.outbox.list())).toEqual([])
        expect(reasons).toEqual([])
        const notes = service.to('calendar.saveEvent').map(({ input }) => Reflect.get(Object(input), 'memo'))
        expect(notes).toEqual(expect.arrayContaining(accepted))
        expect(notes.map(Number)).toEqual(notes.map(Number).toSorted((one, other) => one - other))
        vi.clearAllTimers()
      },
    ),
    { numRuns: 500 },
  )
})
