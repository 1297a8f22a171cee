import { createTRPCClient, splitLink } from '@trpc/client'
import type { AppRouter } from '@companion/server/router'
import { unreachable } from './errors.ts'
import { answersFile, fileLink } from './file-link.ts'
import { inTurnOver } from './in-turn.ts'
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
  /** Address of the service, such as `https://companion.example.com`. Each address has its own session. */
  baseUrl: string
  /** Stores the session. Default: in memory, so that the session ends with the app. */
  storage?: CompanionStorage | undefined
  /** Stores the outbox. Default: `storage`. Needed when `storage` is a keychain, whose values are too short. */
  outboxStorage?: CompanionStorage | undefined
  /** Used instead of the global `fetch`. */
  fetch?: Fetch | undefined
  /** Called once for each session that ends, with the reason; not for a session that a new sign-in replaces. */
  onSignedOut?: OnSignedOut | undefined
  /** Time limit of a whole call in milliseconds; default 30,000. */
  timeout?: number | undefined
}

/**
 * The operations of the service, one method each. A call resolves to the answer or throws. `safe(call)` resolves to
 * `[answer, undefined]` or `[undefined, error]`: `error.data` holds the service's refusal, with the `status` and
 * `detail` that this operation declares, and is undefined when no answer came.
 *
 * Besides the errors that a method lists, the service may refuse every call with 400
 * `Request body is not valid JSON`, 404 `Resource not found`, 405, 413, 415, 422 with a list of the faulty fields, 429
 * `Too many requests` and 500 `Internal server error. Please try again later.` (contract, Errors).
 */
export interface Companion extends Rooms {
  /** Notes and logs that reach the service however bad the connection is, and after the app was killed. */
  outbox: ReturnType<typeof outboxOperations>
  /** The session: who is signed in. */
  session: ReturnType<typeof sessionOperations>
  /**
   * The raw tRPC client, with the same session and time limits, for TanStack Query and similar libraries.
   * `context.headers` of a call are sent with it; `context.timeout` is its time limit in milliseconds.
   */
  trpc: CompanionTrpc
}

/**
 * Time limit of a refresh in milliseconds. The calls that wait for it have limits of their own, which do not stop the
 * refresh: on a slow link its answer may still arrive, and the service repeats a lost one for only 60 seconds.
 */
const EXCHANGE_MS = 30_000

/**
 * Makes a client of the service. Make one for each `baseUrl` and share it, because it holds session and refreshes.
 */
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
    storedItem(storage, storageKey('refresh', baseUrl), timeout),
    (reason, session) => {
      refreshes.abandon(session)
      if (reason === 'deleted') void outbox.forget(session.root_user_id).catch(() => {})
      return onSignedOut?.(reason)
    },
  )
  const alone = inTurnOver(storage, storageKey('session', baseUrl))
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

  // Sends the items that were left when the app was closed, even if the app makes no call.
  void outbox.wake()

  return {
    ...openRooms(trpc),
    outbox: outboxOperations(outbox),
    session: sessionOperations(sessions),
    trpc,
  }
}
