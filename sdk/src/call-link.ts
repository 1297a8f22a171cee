import type { Operation, TRPCLink } from '@trpc/client'
import { observableToPromise } from '@trpc/server/observable'
import type { Observable } from '@trpc/server/observable'
import type { AppRouter } from '@companion/server/router'
import { observableOf } from './promise-observable.ts'
import type { Answer } from './promise-observable.ts'
import { CompanionError } from './companion-error.ts'
import { errorResponseOf, property, unreachable } from './errors.ts'
import { endsSession, REPLACES_TOKENS, STARTS_SESSION } from './operation-kinds.ts'
import { FILES, NEEDS_NO_SESSION } from './operations/kinds.ts'
import { randomKey } from './random-key.ts'
import { isFinal, retried } from './retry.ts'
import { headersOf } from './transport.ts'
import { timeLimit, unlessAborted, within } from './within.ts'

/** Sends a call, with this access token if there is one. */
export type Send = (accessToken?: string) => Promise<Answer>

/** Sends a call with the token that it needs. */
export type Perform = (op: Operation, send: Send) => Promise<Answer>

/** How a call ended, for the log and the metrics of a server. */
export interface CallReport {
  /** Such as `surveys.submit`. */
  operation: string
  /** How long it took in milliseconds, all attempts together. */
  ms: number
  /** The HTTP status of the last answer; undefined when none came. */
  status: number | undefined
  /** Names the last request in the log of the service. */
  requestId: string | undefined
  /** How many requests were sent. */
  tries: number
}

/** Told of each call that has ended. */
export type OnCall = (call: CallReport) => unknown

export interface CallDefaults {
  /** Time limit of a whole call in milliseconds, unless its context has a `timeout`. */
  timeout: number
  /** How often a call is tried again, unless its context has `retries`. */
  retries: number
  /** Sent with each call. */
  headers: Record<string, string>
  onCall?: OnCall | undefined
}

const late = () => unreachable('No answer in time')

/**
 * What all calls of the short methods and of the raw client have in common: time limit, headers, further attempts, and
 * the class of their errors. `perform` adds the token.
 */
export function callLink(perform: Perform, defaults: CallDefaults): TRPCLink<AppRouter> {
  async function answered(
    op: Operation,
    next: (op: Operation) => Observable<Answer, unknown>,
    attempts: Attempts,
  ): Promise<Answer> {
    const { signal: wanted, context, type, path } = op
    const ms = timeLimit(numberOr(context['timeout'], defaults.timeout))
    const deadline = Date.now() + ms
    const isKeyed = type === 'mutation' && isRepeatable(path)
    const key = isKeyed ? { [KEY]: randomKey() } : {}
    const retries = type === 'query' || isKeyed ? numberOr(context['retries'], defaults.retries) : 0
    return within({ ms, signal: wanted, late }, async (signal) =>
      perform(op, (accessToken) => {
        const headers = {
          ...defaults.headers,
          ...key,
          ...headersOf(context),
          ...(accessToken === undefined ? {} : bearer(accessToken)),
        }
        const send = () => {
          attempts.count++
          const wasUncertain = attempts.isUncertain
          attempts.isUncertain = true
          // A `fetch` of the app may ignore the signal, and other calls wait for a sign-in to end.
          return unlessAborted(
            signal,
            observableToPromise(next({ ...op, signal, context: { ...context, headers } })),
          ).catch((error: unknown): Answer => {
            const status = errorResponseOf(error)?.status
            // The first attempt has ended the session.
            if (wasUncertain && status === 401 && endsSession(path))
              return { result: { type: 'data', data: { statusCode: 200, message: 'Done' } } }
            if (status !== undefined) attempts.isUncertain = wasUncertain && !isFinal(error)
            throw error
          })
        }
        return retried(send, { retries, signal, deadline })
      }),
    )
  }

  return () =>
    ({ op, next }) =>
      observableOf(async () => {
        const begun = Date.now()
        const attempts = { count: 0, isUncertain: false }
        const tell = (status: number | undefined, requestId: unknown) => {
          const call = {
            operation: op.path,
            ms: Date.now() - begun,
            status,
            requestId: typeof requestId === 'string' ? requestId : undefined,
            tries: attempts.count,
          }
          // Do not wait for the listener: it may call the client, or throw.
          if (defaults.onCall) void Promise.resolve(call).then(defaults.onCall)
        }
        try {
          const answer = await answered(op, next, attempts)
          tell(200, requestIdOf(answer))
          return answer
        } catch (error) {
          tell(errorResponseOf(error)?.status, property(property(error, 'data'), 'requestId'))
          throw new CompanionError(op.path, error, op.type === 'mutation' && attempts.isUncertain)
        }
      })
}

const KEY = 'idempotency-key'

/** What has become of a call so far. */
interface Attempts {
  count: number
  /** Whether an attempt got no answer, and no later one tells what it did. */
  isUncertain: boolean
}

/** Whether the service keeps the response to a change: all but those of devices, of files, and that hand out tokens. */
const isRepeatable = (path: string): boolean =>
  !NEEDS_NO_SESSION.has(path) && !STARTS_SESSION.has(path) && !REPLACES_TOKENS.has(path) && !FILES[path]

const requestIdOf = ({ context }: Answer): unknown => {
  const headers = property(property(context, 'response'), 'headers')
  return headers instanceof Headers ? headers.get('x-request-id') : undefined
}

export const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

const numberOr = (value: unknown, otherwise: number): number =>
  typeof value === 'number' ? value : otherwise
