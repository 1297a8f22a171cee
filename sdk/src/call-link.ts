import type { Operation, TRPCLink } from '@trpc/client'
import { observableToPromise } from '@trpc/server/observable'
import type { Observable } from '@trpc/server/observable'
import type { AppRouter } from '@companion/server/router'
import { observableOf } from './promise-observable.ts'
import type { Output } from './promise-observable.ts'
import { CompanionError } from './companion-error.ts'
import { unreachable } from './errors.ts'
import { retried } from './retry-reads.ts'
import { headersOf } from './transport.ts'
import { timeLimit, unlessAborted, within } from './within.ts'

/** Sends a call, with this access token if there is one. */
export type Send = (accessToken?: string) => Promise<Output>

/** Sends a call with the token that it needs. */
export type Perform = (op: Operation, send: Send) => Promise<Output>

export interface CallDefaults {
  /** Time limit of a whole call in milliseconds, unless its context has a `timeout`. */
  timeout: number
  /** How often a read is tried again, unless its context has `retries`. */
  retries: number
  /** Sent with each call. */
  headers: Record<string, string>
}

const late = () => unreachable('No answer in time')

/**
 * What all calls of the short methods and of the raw client have in common: time limit, headers, further attempts of reads,
 * and the class of their errors. `perform` adds the token.
 */
export function callLink(perform: Perform, defaults: CallDefaults): TRPCLink<AppRouter> {
  async function answered(
    op: Operation,
    next: (op: Operation) => Observable<Output, unknown>,
  ): Promise<Output> {
    const { signal: wanted, context, type } = op
    const ms = timeLimit(numberOr(context['timeout'], defaults.timeout))
    const deadline = Date.now() + ms
    const retries = type === 'query' ? numberOr(context['retries'], defaults.retries) : 0
    return within({ ms, signal: wanted, late }, async (signal) =>
      perform(op, (accessToken) => {
        const headers = {
          ...defaults.headers,
          ...headersOf(context),
          ...(accessToken === undefined ? {} : bearer(accessToken)),
        }
        const send = () =>
          // A `fetch` of the app may ignore the signal, and other calls wait for a sign-in to end.
          unlessAborted(
            signal,
            observableToPromise(next({ ...op, signal, context: { ...context, headers } })),
          )
        return retried(send, { retries, signal, deadline })
      }),
    )
  }

  return () =>
    ({ op, next }) =>
      observableOf(() =>
        answered(op, next).catch((error: unknown) => {
          throw new CompanionError(op.path, error)
        }),
      )
}

export const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

const numberOr = (value: unknown, otherwise: number): number =>
  typeof value === 'number' ? value : otherwise
