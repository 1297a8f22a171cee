import type { SignedOutReason } from './errors.ts'
import { serialQueue } from './serial-queue.ts'
import type { StoredItem } from './storage.ts'
import { isOlder, parseSession } from './stored-session.ts'
import type { StoredSession } from './stored-session.ts'

export type OnSignedOut = (reason: SignedOutReason) => unknown

/** Whether somebody is signed in, and who; undefined until the storage has been read. */
export interface SessionSnapshot {
  readonly isSignedIn: boolean | undefined
  readonly rootUserId: number | undefined
}

export type SessionListener = (snapshot: SessionSnapshot) => unknown

/**
 * The only owner of the session. After the first read, its steps run one after the other, each with its storage
 * access. So memory holds what the storage holds, and no step undoes a later one.
 */
export interface SessionOwner {
  /** The session; undefined when nobody is signed in. */
  current(): Promise<StoredSession | undefined>
  /** The session, after checking whether another instance over the same storage has a newer state. */
  latest(): Promise<StoredSession | undefined>
  /** Starts the session of a sign-in, replacing any other. */
  start(session: StoredSession): Promise<void>
  /** Notes that a refresh of this state begins, and answers when the first one of it began. */
  begin(session: StoredSession, now: number): Promise<number>
  /** Saves a new state of the same login. False, and nothing is saved, when that login is over or further on. */
  advance(session: StoredSession): Promise<boolean>
  /** Ends that login, unless it is over already. */
  end(session: StoredSession, reason: SignedOutReason): Promise<void>
  /** Ends the current session, if there is one. */
  signOut(): Promise<void>
  /** Takes over what another tab has written; null when it has signed out. */
  heard(value: string | null): Promise<void>
  snapshot(): SessionSnapshot
  subscribe(listener: SessionListener): () => void
}

/**
 * @param begun keeps when a refresh began. It is no part of `item`: a client that wrote the session before it refreshes
 * could undo what another client over the same storage has just saved.
 */
export function openSessions(
  item: StoredItem,
  begun: StoredItem,
  onEnd: (reason: SignedOutReason, session: StoredSession) => unknown,
): SessionOwner {
  const step = serialQueue()
  let session: StoredSession | undefined
  let isLoaded = false
  let snapshot: SessionSnapshot = { isSignedIn: undefined, rootUserId: undefined }
  const listeners = new Set<SessionListener>()
  let loading: ReturnType<StoredItem['read']> | undefined

  const know = (next: StoredSession | undefined) => {
    session = next
    isLoaded = true
    const rootUserId = next?.root_user_id
    if (snapshot.isSignedIn === undefined || snapshot.rootUserId !== rootUserId) {
      snapshot = { isSignedIn: next !== undefined, rootUserId }
      // Runs separately: a listener may call the client, or throw.
      for (const listener of listeners) void Promise.resolve(snapshot).then(listener)
    }
    return next
  }
  const load = async () => {
    if (isLoaded) return session
    // All callers share one read, so that the waits for a storage that hangs do not add up.
    loading ??= item.read().finally(() => (loading = undefined))
    const stored = parseSession(await loading)
    if (isLoaded) return session
    know(stored)
    // A keychain answers null too while the phone is locked, so each call looks again until somebody signs in or out.
    isLoaded = stored !== undefined
    return stored
  }
  // Another instance may have a newer state. A storage that lost the session, or its newest state, is no reason to
  // end it.
  const reload = async () => {
    const known = await load()
    if (!known) return undefined
    const stored = parseSession(await item.read())
    return know(!stored || isOlder(stored, known) ? known : stored)
  }
  const save = async (next: StoredSession) => {
    await item.write(JSON.stringify(next))
    know(next)
  }
  const forget = (reason: SignedOutReason) => {
    const ended = session
    know(undefined)
    // Runs separately, and nobody waits for it: a listener may call the client, or throw, without blocking anything.
    if (ended) void Promise.resolve(ended).then((each) => onEnd(reason, each))
  }
  const remove = async (reason: SignedOutReason) => {
    forget(reason)
    await item.remove()
    await begun.remove()
  }

  return {
    current: () => (isLoaded ? step(load) : load()),
    latest: () => step(reload),
    start: (next) =>
      step(() =>
        save({ ...next, signed_in_at: Math.max(next.signed_in_at, (session?.signed_in_at ?? 0) + 1) }),
      ),
    begin: ({ refresh_key }, now) =>
      step(async () => {
        const [key, at] = ((await begun.read()) ?? '').split(' ')
        if (key === refresh_key) return Number(at)
        await begun.write(`${refresh_key} ${now}`)
        return now
      }),
    advance: (next) =>
      step(async () => {
        const present = await reload()
        if (present?.login !== next.login || isOlder(next, present)) return false
        await save(next)
        return true
      }),
    end: ({ login }, reason) =>
      step(async () => {
        if ((await reload())?.login === login) await remove(reason)
      }),
    signOut: () =>
      step(async () => {
        await load()
        await remove('signed_out')
      }),
    heard: (value) =>
      step(async () => {
        const known = await load()
        const stored = parseSession(value)
        if (!stored) forget('signed_out')
        else if (!known || !isOlder(stored, known)) know(stored)
      }),
    snapshot: () => snapshot,
    subscribe(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
}
