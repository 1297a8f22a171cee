import type { Operation, TRPCLink } from '@trpc/client'
import { observableToPromise } from '@trpc/server/observable'
import type { Observable } from '@trpc/server/observable'
import type { AppRouter } from '@companion/server/router'
import { observableFromPromise } from './promise-observable.ts'
import type { OperationOutput } from './promise-observable.ts'
import { CompanionError } from './companion-error.ts'
import { errorResponseOf, readProperty, unreachableError } from './errors.ts'
import { endsSession, TOKEN_REPLACING_OPERATIONS, SESSION_STARTING_OPERATIONS } from './operation-kinds.ts'
import { FILES, NEEDS_NO_SESSION } from './operations/kinds.ts'
import { randomKey } from './random-key.ts'
import { settlesEarlierAttempts, sendWithRetries } from './retry.ts'
import { headersOf } from './transport.ts'
import { validateTimeout, rejectOnAbort, runWithinTimeout } from './time-limit.ts'

/** Sends a call, with this access token if there is one. */
export type SendWithToken = (accessToken?: string) => Promise<OperationOutput>

/** Sends a call with the token that it needs. */
export type SendAuthorized = (op: Operation, send: SendWithToken) => Promise<OperationOutput>

/** How a call ended, for the log and the metrics of a server. */
export interface CallReport {
  /** Such as `surveys.submit`. */
  operation: string
  /** How long it took in milliseconds, all attempts together. */
  ms: number
  /** The HTTP status of the last response; undefined when none came. */
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

const late = () => unreachableError('No answer in time')

/**
 * What all calls of the short methods and of the raw client have in common: time limit, headers, further attempts, and
 * the class of their errors. `perform` adds the token.
 */
export function callLink(perform: SendAuthorized, defaults: CallDefaults): TRPCLink<AppRouter> {
  async function called(
    op: Operation,
    next: (op: Operation) => Observable<OperationOutput, unknown>,
  ): Promise<OperationOutput> {
    const { signal: wanted, context, type, path } = op
    const begun = Date.now()
    const ms = validateTimeout(numberOr(context['timeout'], defaults.timeout))
    const deadline = begun + ms
    const isChange = type === 'mutation'
    const isKeyed = isChange && isRepeatable(path)
    const retries = !isChange || isKeyed ? numberOr(context['retries'], defaults.retries) : 0
    const key = isKeyed ? { 'idempotency-key': randomKey() } : {}
    let attempts = 0
    /** Whether an attempt got no response, and no later one tells what it did. */
    let isUncertain = false
    const tell = (status: number | undefined, requestId: unknown) => {
      const call = {
        operation: path,
        ms: Date.now() - begun,
        status,
        requestId: typeof requestId === 'string' ? requestId : undefined,
        tries: attempts,
      }
      // Do not wait for the listener: it may call the client, or throw.
      void Promise.resolve(call).then(defaults.onCall)
    }
    try {
      const output = await runWithinTimeout({ ms, signal: wanted, late }, async (signal) =>
        perform(op, (accessToken) => {
          const headers = {
            ...defaults.headers,
            ...key,
            ...headersOf(context),
            ...(accessToken === undefined ? {} : bearerHeader(accessToken)),
          }
          const send = async () => {
            attempts++
            const wasUncertain = isUncertain
            isUncertain = true
            try {
              // A `fetch` of the app may ignore the signal, and other calls wait for a sign-in to end.
              return await rejectOnAbort(
                signal,
                observableToPromise(next({ ...op, signal, context: { ...context, headers } })),
              )
            } catch (error) {
              const status = errorResponseOf(error)?.status
              // The first attempt has ended the session.
              if (wasUncertain && status === 401 && endsSession(path)) return DONE
              if (status !== undefined) isUncertain = wasUncertain && !settlesEarlierAttempts(error)
              throw error
            }
          }
          return sendWithRetries(send, { retries, signal, deadline })
        }),
      )
      tell(200, readProperty(readProperty(output.context, 'response'), 'requestId'))
      return output
    } catch (error) {
      tell(errorResponseOf(error)?.status, readProperty(readProperty(error, 'data'), 'requestId'))
      throw new CompanionError(path, error, isChange && isUncertain)
    }
  }

  return () =>
    ({ op, next }) =>
      observableFromPromise(() => called(op, next))
}

const DONE: OperationOutput = { result: { type: 'data', data: { statusCode: 200, message: 'Done' } } }

/** Whether the service keeps the response to a change: all but those of devices, of files, and that hand out tokens. */
const isRepeatable = (path: string): boolean =>
  !NEEDS_NO_SESSION.has(path) &&
  !SESSION_STARTING_OPERATIONS.has(path) &&
  !TOKEN_REPLACING_OPERATIONS.has(path) &&
  !FILES[path]

export const bearerHeader = (token: string) => ({ authorization: `Bearer ${token}` })

const numberOr = (value: unknown, otherwise: number): number =>
  typeof value === 'number' ? value : otherwise
