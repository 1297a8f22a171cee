import { isOffline, signedOut } from './errors.ts'
import { retryAfterOf } from './retry-after.ts'
import { sendQueued } from './send-queued.ts'
import type { Verdict } from './send-queued.ts'
import type { Sessions } from './sessions.ts'
import { storedOutbox } from './stored-outbox.ts'
import type { OutboxContent, OutboxItem, StoredOutbox } from './stored-outbox.ts'
import type { CompanionStorage } from './storage.ts'
import type { CompanionTrpc } from './types.ts'

/** Something happened to items of the outbox. */
export interface OutboxEvent {
  /**
   * - `queued`: saved on this phone, or to be tried again
   * - `sent`: the service has them; they are out of the outbox
   * - `set_aside`: the service refuses them, see `error`; the others go on
   * - `delayed`: not sent, will be tried again by itself
   * - `removed`: by the app
   */
  type: 'queued' | 'sent' | 'set_aside' | 'delayed' | 'removed'
  items: readonly OutboxItem[]
  /** How many are still to be sent. */
  waiting: number
  /** How many have been set aside. */
  set_aside: number
}

export type OutboxListener = (event: OutboxEvent) => unknown

export interface OutboxParts {
  storage: CompanionStorage
  /** The storage key of an account's outbox. */
  key: (account: number) => string
  /** Milliseconds the storage may take. */
  timeout: number
  sessions: Sessions
  trpc: CompanionTrpc
}

const MOST_IN_ONE_REQUEST = 50
const FIRST_PAUSE_MS = 250
const LONGEST_PAUSE_MS = 300_000

/** One after another within a lane: notes of a child may say different things of the same day. */
const laneOf = (content: OutboxContent): string =>
  content.kind === 'event' ? `child ${content.input.real_user_id}` : `device ${content.input.unique_id}`

/** Longer with each failure; a random part keeps phones apart that lost the service at the same moment. */
const pauseAfter = (failures: number): number =>
  Math.min(FIRST_PAUSE_MS * 2 ** (failures - 1), LONGEST_PAUSE_MS) * (0.5 + Math.random() / 2)

/** Failures in a row of something, and the pause before it is tried again. */
interface Delay {
  failures: number
  from: number
  until: number
  /** The end of what the service, or a proxy, asked for. */
  askedUntil: number
}
const delayed = (delay: Delay | undefined, error: unknown): Delay => {
  const failures = (delay?.failures ?? 0) + 1
  const asked = (retryAfterOf(error) ?? 0) * (1 + Math.random() / 4)
  const from = Date.now()
  return { failures, from, until: from + Math.max(asked, pauseAfter(failures)), askedUntil: from + asked }
}
/** Milliseconds that are left of a pause; none when the phone's clock has been put back. */
const left = (delay: Delay | undefined, now: number): number =>
  delay && now >= delay.from ? Math.max(delay.until - now, 0) : 0

/**
 * Keeps what must reach the service until it has, each account's apart. An item is saved before it is sent and removed
 * after the answer. To send one twice changes nothing at the service, so that a lost answer does no harm.
 */
export function openOutbox({ storage, key, timeout, sessions, trpc }: OutboxParts) {
  const listeners = new Set<OutboxListener>()
  const boxes = new Map<number, StoredOutbox>()
  const lanes = new Map<string, Delay>()
  /** How many items a lane sends at once: half as many after no answer, for slow links, and then more by and by. */
  const sizes = new Map<string, number>()
  let offline: Delay | undefined
  /** The lane whose turn it was then: others go first, in case it alone gets no answer. */
  let unanswered: string | undefined
  let isWanted = false
  let running: Promise<void> | undefined
  let timer: ReturnType<typeof setTimeout> | undefined

  function boxOf(account: number): StoredOutbox {
    const box = boxes.get(account) ?? storedOutbox(storage, key(account), timeout)
    boxes.set(account, box)
    return box
  }

  /** The outbox of whoever is signed in. */
  async function ownBox(): Promise<StoredOutbox> {
    const session = await sessions.current()
    if (!session) throw signedOut('signed_out')
    return boxOf(session.root_user_id)
  }

  async function tell(
    box: StoredOutbox,
    type: OutboxEvent['type'],
    items: readonly OutboxItem[],
  ): Promise<void> {
    if (items.length === 0 || listeners.size === 0) return
    const all = await box.items()
    const set_aside = all.filter(({ error }) => error).length
    const event = { type, items, waiting: all.length - set_aside, set_aside }
    // Nobody waits for a listener, which may call the client, or throw.
    for (const listener of listeners) void Promise.resolve(event).then(listener)
  }

  /** Sends what may be sent now; resolves when nothing more may. */
  function wake(): Promise<void> {
    isWanted = true
    running ??= run()
    return running
  }

  async function run(): Promise<void> {
    clearTimeout(timer)
    let pause: number | undefined
    while (isWanted) {
      isWanted = false
      pause = await sendAll().catch((error: unknown) => {
        // The storage failed; what it holds will be sent, perhaps again, when it does not.
        offline = delayed(offline, error)
        return left(offline, Date.now())
      })
    }
    running = undefined
    if (pause !== undefined) timer = setTimeout(() => void wake(), pause)
  }

  /** Sends until nothing may be sent now, and tells how long the next item has to wait, if there is one. */
  async function sendAll(): Promise<number | undefined> {
    for (;;) {
      const session = await sessions.current()
      if (!session) return undefined
      const box = boxOf(session.root_user_id)
      const waiting = (await box.items()).filter(({ error }) => !error)
      // One moment for all: a pause that ended in between would let a later item of its lane overtake the first.
      const now = Date.now()
      const wait = (item: OutboxItem) => Math.max(left(lanes.get(laneOf(item)), now), left(offline, now))
      const free = waiting.filter((item) => wait(item) === 0)
      const first = free.find((item) => laneOf(item) !== unanswered) ?? free[0]
      if (!first) return waiting.length > 0 ? Math.min(...waiting.map(wait)) : undefined
      const lane = laneOf(first)
      const most = first.kind === 'event' ? 1 : (sizes.get(lane) ?? MOST_IN_ONE_REQUEST)
      const batch = waiting.filter((item) => laneOf(item) === lane).slice(0, most)
      try {
        await settle(box, await sendQueued(trpc, box, batch, session.root_user_id))
        lanes.delete(lane)
        sizes.set(lane, Math.min(most + 1, MOST_IN_ONE_REQUEST))
      } catch (error) {
        // Without an answer there is no use in trying others; anything else concerns this lane alone.
        if (isOffline(error)) {
          offline = delayed(offline, error)
          unanswered = lane
          sizes.set(lane, Math.max(batch.length >> 1, 1))
        } else lanes.set(lane, delayed(lanes.get(lane), error))
        await tell(box, 'delayed', batch)
      }
    }
  }

  async function settle(box: StoredOutbox, verdicts: readonly Verdict[]): Promise<void> {
    const sent = verdicts.flatMap(([item, error]) => (error ? [] : [item]))
    const refused = verdicts.flatMap(([item, error]) => (error ? [{ ...item, error }] : []))
    await box.remove(sent)
    for (const item of refused) await box.replace(item)
    await tell(box, 'sent', sent)
    await tell(box, 'set_aside', refused)
  }

  return {
    listeners,
    ownBox,
    tell,
    wake,
    /** The service has been heard of: nothing has to wait for the network any more. */
    online: (): Promise<void> => {
      offline = undefined
      return wake()
    },
    /** The app wants it now: no pause is kept but those that were asked for. */
    send: (): Promise<void> => {
      for (const delay of lanes.values()) delay.until = delay.askedUntil
      if (offline) offline.until = offline.askedUntil
      return wake()
    },
    /** Removes what an account has left behind that is no more. */
    forget: (account: number) => boxOf(account).clear(),
  }
}

export type Outbox = ReturnType<typeof openOutbox>
