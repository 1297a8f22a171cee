import { isOffline, signedOutError } from './errors.ts'
import { retryAfterMsOfError } from './retry-after.ts'
import { sendQueued } from './send-queued.ts'
import type { SendOutcome } from './send-queued.ts'
import type { SessionOwner } from './session-manager.ts'
import { storedOutbox } from './stored-outbox.ts'
import type { OutboxContent, OutboxItem, StoredOutbox } from './stored-outbox.ts'
import type { CompanionStorage } from './storage.ts'
import type { CompanionTrpc } from './types.ts'

/** Reports that items of the outbox have changed. */
export interface OutboxEvent {
  /**
   * - `queued`: the items are saved on this phone, or will be tried again
   * - `sent`: the service has the items; they are out of the outbox
   * - `rejected`: the service refuses the items, see `error`; the outbox goes on with the others
   * - `delayed`: the items were not sent; the outbox will try again
   * - `removed`: the app removed the items
   */
  type: 'queued' | 'sent' | 'rejected' | 'delayed' | 'removed'
  items: readonly OutboxItem[]
  /** Number of items still to be sent. */
  waiting: number
  /** Number of items rejected. */
  rejected: number
}

export type OutboxListener = (event: OutboxEvent) => unknown

export interface OutboxParts {
  storage: CompanionStorage
  /** Returns the storage key of an account's outbox. */
  key: (account: number) => string
  /** Time limit of one storage access in milliseconds. */
  timeout: number
  /** Sends at a time when no other client over the same storage does. */
  serialize: <Result>(work: () => Promise<Result>) => Promise<Result>
  sessions: SessionOwner
  trpc: CompanionTrpc
}

const MOST_IN_ONE_REQUEST = 50
const FIRST_PAUSE_MS = 250
const LONGEST_PAUSE_MS = 300_000

/**
 * Items of one lane are sent in order, because notes of one child may change the same day, and a device begins an update before
 * it has ended it.
 */
function laneOf({ kind, input }: OutboxContent): string {
  if (kind === 'event') return `child ${input.real_user_id}`
  return kind === 'devlog' ? `device ${input.unique_id}` : `firmware ${input.device_id}`
}

const isWaiting = ({ error }: OutboxItem): boolean => !error

/** Grows with each failure. The random part spreads phones that lost the service at the same moment. */
const pauseAfter = (failures: number): number =>
  Math.min(FIRST_PAUSE_MS * 2 ** (failures - 1), LONGEST_PAUSE_MS) * (0.5 + Math.random() / 2)

/** Consecutive failures, and the pause before the next try. */
interface Delay {
  failures: number
  from: number
  until: number
  /** The end of the pause that the service or a proxy asked for. */
  askedUntil: number
}
const delayed = (delay: Delay | undefined, error: unknown): Delay => {
  const failures = (delay?.failures ?? 0) + 1
  const asked = (retryAfterMsOfError(error) ?? 0) * (1 + Math.random() / 4)
  const from = Date.now()
  return { failures, from, until: from + Math.max(asked, pauseAfter(failures)), askedUntil: from + asked }
}
/** Milliseconds that are left of a pause; 0 when the clock of the phone was set back. */
const left = (delay: Delay | undefined, now: number): number =>
  delay && now >= delay.from ? Math.max(delay.until - now, 0) : 0

/**
 * Keeps items until the service has them, separately for each account. The outbox saves an item before it sends it,
 * and removes it after the response. A lost response does no harm, because sending an item twice changes nothing at the
 * service. Of several clients over one storage, one at a time sends what all of them have saved.
 */
export function openOutbox({ storage, key, timeout, serialize, sessions, trpc }: OutboxParts) {
  const listeners = new Set<OutboxListener>()
  const boxes = new Map<number, StoredOutbox>()
  const lanes = new Map<string, Delay>()
  /** How many items a lane sends at once: halved when no response came, for slow links, then growing again. */
  const sizes = new Map<string, number>()
  let offline: Delay | undefined
  /** The lane that got no response last. Other lanes go first, in case only this one gets none. */
  let unanswered: string | undefined
  /** The account for which nothing waited when this client looked last. */
  let done: number | undefined
  let isWanted = false
  let running: Promise<void> | undefined
  let timer: ReturnType<typeof setTimeout> | undefined

  function boxOf(account: number): StoredOutbox {
    const box = boxes.get(account) ?? storedOutbox(storage, key(account), timeout)
    boxes.set(account, box)
    return box
  }

  /** The outbox of the account that is signed in. */
  async function ownBox(): Promise<StoredOutbox> {
    const session = await sessions.current()
    if (!session) throw signedOutError('signed_out')
    return boxOf(session.root_user_id)
  }

  async function notify(
    box: StoredOutbox,
    type: OutboxEvent['type'],
    items: readonly OutboxItem[],
  ): Promise<void> {
    if (items.length === 0 || listeners.size === 0) return
    const all = await box.items()
    const rejected = all.filter(({ error }) => error).length
    const event = { type, items, waiting: all.length - rejected, rejected }
    // Do not wait for the listener: it may call the client, or throw.
    for (const listener of listeners) void Promise.resolve(event).then(listener)
  }

  /** Sends all items that may be sent now. Resolves when no more may be sent. */
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
        // The storage failed. Its items will be sent, perhaps again, once the storage works.
        offline = delayed(offline, error)
        return left(offline, Date.now())
      })
    }
    running = undefined
    if (pause !== undefined) timer = setTimeout(() => void wake(), pause)
  }

  /** Sends until no item may be sent now. Resolves to the time until the next item is due, if there is one. */
  async function sendAll(): Promise<number | undefined> {
    done = undefined
    const session = await sessions.current()
    if (!session) return undefined
    if ((await boxOf(session.root_user_id).items()).some(isWaiting)) return serialize(sendWaiting)
    done = session.root_user_id
    return undefined
  }

  async function sendWaiting(): Promise<number | undefined> {
    for (;;) {
      const session = await sessions.current()
      if (!session) return undefined
      const box = boxOf(session.root_user_id)
      const waiting = (await box.items()).filter(isWaiting)
      // Use one moment for all: if a pause ended in between, a later item of the lane would overtake the first.
      const now = Date.now()
      const wait = (item: OutboxItem) => Math.max(left(lanes.get(laneOf(item)), now), left(offline, now))
      const free = waiting.filter((item) => wait(item) === 0)
      const first = free.find((item) => laneOf(item) !== unanswered) ?? free[0]
      if (!first) return waiting.length > 0 ? Math.min(...waiting.map(wait)) : undefined
      const lane = laneOf(first)
      const most = first.kind === 'devlog' ? (sizes.get(lane) ?? MOST_IN_ONE_REQUEST) : 1
      // Another client may have changed them, or given them up.
      const batch = (
        await box.present(waiting.filter((item) => laneOf(item) === lane).slice(0, most))
      ).filter(isWaiting)
      if (batch.length === 0) continue
      try {
        await settle(box, await sendQueued(trpc, box, batch, session.root_user_id))
        lanes.delete(lane)
        sizes.set(lane, Math.min(most + 1, MOST_IN_ONE_REQUEST))
      } catch (error) {
        // No response: trying other lanes is useless. Any other failure concerns this lane only.
        if (isOffline(error)) {
          offline = delayed(offline, error)
          unanswered = lane
          sizes.set(lane, Math.max(batch.length >> 1, 1))
        } else lanes.set(lane, delayed(lanes.get(lane), error))
        await notify(box, 'delayed', batch)
      }
    }
  }

  async function settle(box: StoredOutbox, verdicts: readonly SendOutcome[]): Promise<void> {
    const sent = verdicts.flatMap(([item, error]) => (error ? [] : [item]))
    const refused = verdicts.flatMap(([item, error]) => (error ? [{ ...item, error }] : []))
    await box.remove(sent)
    for (const item of refused) await box.replace(item)
    await notify(box, 'sent', sent)
    await notify(box, 'rejected', refused)
  }

  return {
    listeners,
    ownBox,
    notify,
    wake,
    /** Ends the pause without network, because the service has answered. */
    online: async (): Promise<void> => {
      offline = undefined
      if ((await sessions.current())?.root_user_id !== done) return wake()
    },
    /** The app asks to send now: ends all pauses except those that the service asked for. */
    send: (): Promise<void> => {
      for (const delay of lanes.values()) delay.until = delay.askedUntil
      if (offline) offline.until = offline.askedUntil
      return wake()
    },
    /** Removes the items of a deleted account. */
    forget: (account: number) => boxOf(account).clear(),
  }
}

export type Outbox = ReturnType<typeof openOutbox>
