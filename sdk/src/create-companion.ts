import { createTRPCClient, splitLink } from '@trpc/client'
import type { AppRouter } from '@companion/server/router'
import { unreachable } from './errors.ts'
import { answersFile, fileLink } from './file-link.ts'
import { inTurn } from './in-turn.ts'
import { openOutbox } from './outbox.ts'
import { openRooms } from './operations/rooms.ts'
import type { Rooms } from './operations/rooms.ts'
import { outboxOperations } from './outbox-operations.ts'
import { sharedRefresh } from './refresh.ts'
import { sessionOperations } from './session.ts'
import { sessionLink } from './session-link.ts'
import { openSessions } from './sessions.ts'
import type { OnSignedOut } from './sessions.ts'
import { memoryStorage, storedItem } from './storage.ts'
import type { CompanionStorage } from './storage.ts'
import { storageKey } from './stored-session.ts'
import { transport } from './transport.ts'
import type { Fetch } from './transport.ts'
import type { CompanionTrpc } from './types.ts'
import { timeLimit, within } from './within.ts'

export interface CompanionOptions {
  /** The service's address, such as `https://companion.example.com`; there is one session for each. */
  baseUrl: string
  /** Where the session is kept; in memory when left out, so that it is lost with the app. */
  storage?: CompanionStorage | undefined
  /** Where the outbox is kept, if not with the session, as when that is a keychain. */
  outboxStorage?: CompanionStorage | undefined
  /** The `fetch` to use instead of the global one. */
  fetch?: Fetch | undefined
  /** Called once for each session that ends, whoever ends it, but not for one that a new sign-in replaces. */
  onSignedOut?: OnSignedOut | undefined
  /** Milliseconds a call may take as a whole; 30,000 when left out. */
  timeout?: number | undefined
}

/**
 * The operations of the service, a method each. A call resolves to the answer or throws; `safe(call)` resolves to
 * `[answer, undefined]` or `[undefined, error]`, where `error.data` is how the service refused: `status` and `detail`
 * are the ones of that operation, and undefined when there was no answer.
 *
 * Besides what a method lists, every call may be refused with 400 `Request body is not valid JSON`, 404
 * `Resource not found`, 405, 413, 415, 422 with a list of what is wrong with which field, 429 `Too many requests` and 500
 * `Internal server error. Please try again later.` (contract, Errors).
 */
export interface Companion extends Rooms {
  /** Notes and logs that reach the service however bad the connection is, and after the app was killed. */
  outbox: ReturnType<typeof outboxOperations>
  /** Who is signed in. */
  session: ReturnType<typeof sessionOperations>
  /**
   * The raw tRPC client, with the same sessions and time limits, for TanStack Query and the like. A call's
   * `context.headers` are sent with it, its `context.timeout` is its time limit in milliseconds.
   */
  trpc: CompanionTrpc
}

/**
 * The calls that wait for a refresh have limits of their own. This one goes on on a slow link: an answer that is cut off
 * is lost, and the service repeats it for no more than 60 seconds.
 */
const EXCHANGE_MS = 30_000

/** A client of the service. Make one for each `baseUrl` and share it: sessions and refreshes are kept in it. */
export function createCompanion({
  baseUrl: givenUrl,
  storage = memoryStorage(),
  outboxStorage = storage,
  fetch,
  onSignedOut,
  timeout: givenTimeout = 30_000,
}: CompanionOptions): Companion {
  if (!/^https?:\/\/[^\s?#]+$/i.test(givenUrl))
    throw new TypeError('baseUrl must be an http or https address')
  const baseUrl = givenUrl.replace(/\/+$/, '')
  const timeout = timeLimit(givenTimeout)
  const send = transport(baseUrl, fetch)
  const refreshing = createTRPCClient<AppRouter>({ links: [send] })
  const sessions = openSessions(
    storedItem(storage, storageKey('session', baseUrl), timeout),
    (reason, session) => {
      refreshes.abandon(session)
      if (reason === 'deleted') void outbox.forget(session.root_user_id).catch(() => {})
      return onSignedOut?.(reason)
    },
  )
  const alone = inTurn()
  const refreshes = sharedRefresh({
    sessions,
    alone,
    exchange: (refresh_token, key, abandoned) =>
      within({ ms: EXCHANGE_MS, signal: abandoned, late: () => unreachable('No answer in time') }, (signal) =>
        refreshing.auth.refresh.mutate(
          { refresh_token },
          { signal, context: { headers: { 'idempotency-key': key } } },
        ),
      ),
  })
  const trpc: CompanionTrpc = createTRPCClient<AppRouter>({
    links: [
      sessionLink({
        sessions,
        refresh: refreshes.refresh,
        alone,
        timeout,
        onAnswer: () => void outbox.online(),
      }),
      splitLink({ condition: answersFile, true: fileLink(baseUrl, fetch), false: send }),
    ],
  })

  const outbox = openOutbox({
    storage: outboxStorage,
    key: (account) => `${storageKey('outbox', baseUrl)}.${account}`,
    timeout,
    sessions,
    trpc,
  })

  // What the app left unsent when it was closed goes on, with or without a call.
  void outbox.wake()

  return {
    ...openRooms(trpc),
    outbox: outboxOperations(outbox),
    session: sessionOperations(sessions),
    trpc,
  }
}
