import type { SignedOutReason } from './errors.ts'
import { inTurn } from './in-turn.ts'
import type { StoredItem } from './storage.ts'
import { parseSession } from './stored-session.ts'
import type { StoredSession } from './stored-session.ts'

export type OnSignedOut = (reason: SignedOutReason) => unknown

/**
 * The one place that knows who is signed in. After the first read its steps run one after the other, each with its
 * storage access, so that what is in memory is what has been saved, and none undoes a later one.
 */
export interface Sessions {
  /** Undefined: nobody is signed in. */
  current(): Promise<StoredSession | undefined>
  /** The same, after looking whether another instance over the same storage has gone ahead. */
  latest(): Promise<StoredSession | undefined>
  /** A sign-in: takes the place of whatever session there was. */
  start(session: StoredSession): Promise<void>
  /** A new state of the same login; false, and nothing saved, when that login is over. */
  advance(session: StoredSession): Promise<boolean>
  /** Ends that login, unless it is over already. */
  end(session: StoredSession, reason: SignedOutReason): Promise<void>
  /** Ends whatever session there is. */
  signOut(): Promise<void>
}

export function openSessions(
  item: StoredItem,
  onEnd: (reason: SignedOutReason, session: StoredSession) => unknown,
): Sessions {
  const step = inTurn()
  let session: StoredSession | undefined
  let isLoaded = false
  /** Refresh tokens that are worth nothing any more. */
  const replaced = new Set<string>()
  let loading: ReturnType<StoredItem['read']> | undefined

  const know = (next: StoredSession | undefined) => {
    session = next
    isLoaded = true
    return next
  }
  const load = async () => {
    if (isLoaded) return session
    // Whoever asks meanwhile waits for the same read, so that waits for a storage that hangs do not add up.
    loading ??= item.read().finally(() => (loading = undefined))
    const stored = parseSession(await loading)
    return isLoaded ? session : know(stored)
  }
  // Another instance may have gone ahead. A storage that has lost the session, or its newest state, is no reason to end it.
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
    // On its own, and waited for by nobody: a listener may call the client, or throw, without holding anything up.
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
