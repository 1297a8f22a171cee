import { TRPCClientError } from '@trpc/client'
import type { OperationResultEnvelope } from '@trpc/client'
import { observable } from '@trpc/server/observable'
import type { Observable } from '@trpc/server/observable'
import type { AppRouter } from '@companion/server/router'
import { asError } from './errors.ts'

export type OperationOutput = OperationResultEnvelope<unknown, TRPCClientError<AppRouter>>

/** What a link of tRPC answers, by a promise. */
export const observableFromPromise = (
  answer: () => Promise<OperationOutput>,
): Observable<OperationOutput, TRPCClientError<AppRouter>> =>
  observable((observer) => {
    void answer()
      .then(observer.next, (error: unknown) =>
        observer.error(TRPCClientError.from<AppRouter>(asError(error))),
      )
      .finally(observer.complete)
  })
