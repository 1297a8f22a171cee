import { download } from './download.ts'
import { unreachableError } from './errors.ts'
import { createStorageQueue, createLeaseQueue } from './serial-queue.ts'
import { openOutbox } from './outbox.ts'
import { openModules } from './operations/modules.ts'
import type { Modules } from './operations/modules.ts'
import { outboxOperations } from './outbox-operations.ts'
import type { OutboxOperations } from './outbox-operations.ts'
import { detectPlatform } from './platform.ts'
import { rawClient, toTypedClient } from './raw-client.ts'
import { sharedRefresh } from './refresh.ts'
import { createClientFactory } from './service-clients.ts'
import type { CommonClientOptions } from './service-clients.ts'
import { sessionOperations } from './session.ts'
import type { SessionOperations } from './session.ts'
import { callsWithSession } from './calls-with-session.ts'
import { openSessions } from './session-manager.ts'
import type { OnSignedOut } from './session-manager.ts'
import { memoryStorages, memoryStorage, createStoredItem } from './storage.ts'
import type { CompanionStorage } from './storage.ts'
import { storageKey } from './stored-session.ts'
import { callsWithAccessToken } from './calls-with-access-token.ts'
import type { AccessTokenProvider } from './calls-with-access-token.ts'
import type { CompanionTrpc } from './types.ts'
import { runWithinTimeout } from './time-limit.ts'

export interface CompanionOptions extends CommonClientOptions {
  /** Stores the session. Default: in memory, so that the session ends with the app. */
  storage?: CompanionStorage | undefined
  /** Stores the outbox. Default: `storage`. Needed when `storage` is a keychain, whose values are too short. */
  outboxStorage?: CompanionStorage | undefined
  /** Called once for each session that ends, with the reason; not for a session that a new sign-in replaces. */
  onSignedOut?: OnSignedOut | undefined
  accessToken?: undefined
}

/** Options of a client without session. */
export interface TokenOptions extends CommonClientOptions {
  /**
   * Sent with each call that needs one: the token of a parent, or of an app that a parent has connected. A function is asked
   * before each call, and once more after 401; `@companion/sdk/oauth` makes such functions.
   */
  accessToken: string | AccessTokenProvider
}

/**
 * The operations of the service, one method each. A call resolves to the response or throws. `safe(call)` resolves to
 * `[output, undefined]` or `[undefined, error]`: `error.data` holds the service's error, with the `status` and
 * `detail` that this operation declares, and is undefined when no response came.
 *
 * Besides the errors that a method lists, the service may refuse every call with one of `GenericError`, and a call that
 * needs somebody to be signed in with 401 and 423 when the session has ended: `isSignedOut` knows these.
 */
export interface Companion extends Modules {
  /** Notes, logs and reports that reach the service however bad the connection is, and after the app was killed. */
  outbox: OutboxOperations
  /** The session: who is signed in. */
  session: SessionOperations
  /**
   * The raw tRPC client, with the same session and time limits, for TanStack Query and similar libraries.
   * `context.headers` of a call are sent with it; `context.timeout` is its time limit in milliseconds.
   */
  trpc: CompanionTrpc
}

/**
 * A client that calls with an access token and keeps nothing: for servers, where each visitor has a token of their own.
 * It has no session and no outbox, and nobody can sign in with it. When the token has expired, calls fail with an error
 * that `isSignedOut` knows.
 */
export interface TokenCompanion extends Omit<Modules, 'auth'> {
  auth: Omit<Modules['auth'], 'signIn' | 'signUp' | 'socialSignIn' | 'socialSignUp'>
  /** The raw tRPC client, with the same token. */
  trpc: CompanionTrpc
}

declare function addEventListener(
  type: 'storage',
  listener: (event: { key: string | null; newValue: string | null }) => void,
): void

/**
 * Time limit of a refresh in milliseconds. The calls that wait for it have limits of their own, which do not stop the
 * refresh: on a slow link its response may still arrive, and the service repeats a lost one for only 60 seconds.
 */
const EXCHANGE_MS = 30_000

/**
 * Makes a client of the service. In an app or a page, make one for each `baseUrl` and share it, because it holds session
 * and refreshes. On a server, make one for each request.
 */
export function createCompanion(options: TokenOptions): TokenCompanion
export function createCompanion(options: CompanionOptions): Companion
export function createCompanion(options: TokenOptions | CompanionOptions): TokenCompanion | Companion {
  const { baseUrl, timeout, headers, send, clientOf } = createClientFactory(options, download)
  if (options.accessToken !== undefined) {
    const client = clientOf(callsWithAccessToken(options.accessToken))
    return { ...openModules(client), trpc: toTypedClient(client) }
  }

  const { storage = memoryStorage(), outboxStorage = storage, onSignedOut } = options
  const sessionKey = storageKey('session', baseUrl)
  const sessions = openSessions(
    createStoredItem(storage, sessionKey, timeout),
    createStoredItem(storage, storageKey('refresh', baseUrl), timeout),
    (reason, session) => {
      refreshes.abandon(session)
      if (reason === 'deleted') void outbox.forget(session.root_user_id).catch(() => {})
      return onSignedOut?.(reason)
    },
  )
  const serialize = createStorageQueue(storage, sessionKey)
  const refreshing = toTypedClient(rawClient([send]))
  const refreshes = sharedRefresh({
    sessions,
    serialize,
    exchange: (refresh_token, key, abandoned) =>
      runWithinTimeout(
        { ms: EXCHANGE_MS, signal: abandoned, late: () => unreachableError('No answer in time') },
        (signal) =>
          refreshing.auth.refresh.mutate(
            { refresh_token },
            { signal, context: { headers: { ...headers, 'idempotency-key': key } } },
          ),
      ),
  })
  const client = clientOf(
    callsWithSession({
      sessions,
      refresh: refreshes.refresh,
      serialize,
      // On a server, two sign-ins with one client are those of two people.
      mayReplace: detectPlatform() !== 'server' || !memoryStorages.has(storage),
      onResponse: () => void outbox.online(),
    }),
  )
  const trpc = toTypedClient(client)
  const outboxKey = storageKey('outbox', baseUrl)
  const outbox = openOutbox({
    storage: outboxStorage,
    key: (account) => `${outboxKey}.${account}`,
    timeout,
    serialize: createStorageQueue(
      outboxStorage,
      outboxKey,
      createLeaseQueue(createStoredItem(outboxStorage, outboxKey, timeout)),
    ),
    sessions,
    trpc,
  })

  if (detectPlatform() === 'browser')
    addEventListener('storage', ({ key, newValue }) => {
      if (key === sessionKey) void sessions.heard(newValue)
      // This tab sends what another has saved, in case that one is closed.
      else if (newValue && key?.startsWith(outboxKey)) void outbox.wake()
    })
  // Sends the items that were left when the app was closed, even if the app makes no call.
  void outbox.wake()

  return {
    ...openModules(client),
    outbox: outboxOperations(outbox),
    session: sessionOperations(sessions),
    trpc,
  }
}
