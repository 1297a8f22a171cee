import type { SignedOutReason } from './errors.ts'
import { inTurn } from './in-turn.ts'
import type { StoredItem } from './storage.ts'
import { parseSession } from './stored-session.ts'
import type { StoredSession } from './stored-session.ts'

export type OnSignedOut = (reason: SignedOutReason) => unknown

/**
 * The only owner of the session. After the first read, its steps run one after the other, each with its storage
 * access. So memory holds what the storage holds, and no step undoes a later one.
 */
export interface Sessions {
  /** The session; undefined when nobody is signed in. */
  current(): Promise<StoredSession | undefined>
  /** The session, after checking whether another instance over the same storage has a newer state. */
  latest(): Promise<StoredSession | undefined>
  /** Starts the session of a sign-in, replacing any other. */
  start(session: StoredSession): Promise<void>
  /** Saves a new state of the same login. False, and nothing is saved, when that login is over. */
  advance(session: StoredSession): Promise<boolean>
  /** Ends that login, unless it is over already. */
  end(session: StoredSession, reason: SignedOutReason): Promise<void>
  /** Ends the current session, if there is one. */
  signOut(): Promise<void>
}

export function openSessions(
  item: StoredItem,
  onEnd: (reason: SignedOutReason, session: StoredSession) => unknown,
): Sessions {
  const step = inTurn()
  let session: StoredSession | undefined
  let isLoaded = false
  /** Refresh tokens that the service no longer accepts. */
  const replaced = new Set<string>()
  let loading: ReturnType<StoredItem['read']> | undefined

  const know = (next: StoredSession | undefined) => {
    session = next
    isLoaded = true
    return next
  }
  const load = async () => {
    if (isLoaded) return session
    // All callers share one read, so that the waits for a storage that hangs do not add up.
    loading ??= item.read().finally(() => (loading = undefined))
    const stored = parseSession(await loading)
    return isLoaded ? session : know(stored)
  }
  // Another instance may have a newer state. A storage that lost the session, or its newest state, is no reason to
  // end it.
  const reload = async () => {
    const known = await load()
    if (!known) return undefined
    const stored = parseSession(await item.read()) ?? known
    const isOlder =
      replaced.has(stored.refresh_token) ||
      (stored.refresh_token === known.refresh_token && stored.refresh_key === undefined)
    return know(isOlder ? known : stored)
  }
  const save = async (next: StoredSession) => {
    await item.write(JSON.stringify(next))
    if (session && session.refresh_token !== next.refresh_token) replaced.add(session.refresh_token)
    know(next)
  }
  const remove = async (reason: SignedOutReason) => {
    const ended = session
    know(undefined)
    // Runs separately, and nobody waits for it: a listener may call the client, or throw, without blocking anything.
    if (ended) void Promise.resolve(ended).then((each) => onEnd(reason, each))
    await item.remove()
  }

  return {
    current: () => (isLoaded ? step(load) : load()),
    latest: () => step(reload),
    start: (next) => step(() => save(next)),
    advance: (next) =>
      step(async () => {
        if ((await reload())?.login !== next.login) return false
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
  }
}
