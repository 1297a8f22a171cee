import { createTRPCClientProxy } from '@trpc/client'
import type { Operation, OperationLink, TRPCLink, TRPCRequestOptions, TRPCUntypedClient } from '@trpc/client'
import { observableToPromise } from '@trpc/server/observable'
import type { AppRouter } from '@companion/server/router'
import type { ServiceTrpc } from './file-link.ts'

type Responses = ReturnType<OperationLink<AppRouter>>

function sendOver([link, ...rest]: OperationLink<AppRouter>[], op: Operation): Responses {
  if (!link) throw new Error('The last link passes nothing on')
  return link({ op, next: (next) => sendOver(rest, next) })
}

type Send = (path: string, input: unknown, options?: TRPCRequestOptions) => Promise<unknown>

/** Sends a call of the operation that is at a path, such as `auth.signIn`. */
export interface RawClient {
  query: Send
  mutation: Send
}

/**
 * The client that `createTRPCUntypedClient` makes of these links, but for queries and mutations only: what it brings for
 * subscriptions would be 1 kB of a page.
 */
export function rawClient(links: readonly TRPCLink<AppRouter>[]): RawClient {
  const runtime = {}
  const chain = links.map((link) => link(runtime))
  let calls = 0
  const procedure =
    (type: Operation['type']): Send =>
    async (path, input, { context = {}, signal } = {}) => {
      const op = { id: ++calls, type, path, input, context, signal: signal ?? null }
      return (await observableToPromise(sendOver(chain, op))).result.data
    }
  return { query: procedure('query'), mutation: procedure('mutation') }
}

/** The proxy, and the adapter of TanStack Query, ask nothing else of a client. */
const isClient = (value: object): value is TRPCUntypedClient<AppRouter> =>
  'query' in value && 'mutation' in value

/** The client as tRPC types it, for its tools. */
export function toTypedClient(client: RawClient): ServiceTrpc {
  if (!isClient(client)) throw new TypeError('This is no client of tRPC')
  return createTRPCClientProxy(client)
}
