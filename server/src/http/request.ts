import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import type { Context } from './context.ts'
import type { Forwarded } from './forwarded.ts'

/** The part of an HTTP request that operations may read. */
export interface CallerRequest {
  id: string
  /** The client's IP address; taken from `X-Forwarded-For` only behind a trusted proxy. */
  address: string
  headers: IncomingHttpHeaders
  surface: 'rest' | 'trpc'
  /** Scheme and host of this service as the client knows them. */
  origin: () => string
  /** Sets a header of the response. */
  responseHeader: (name: string, value: string) => void
}

declare module './context.ts' {
  interface Context {
    request: CallerRequest
  }
}

/** Creates the context of one request. */
export type CreateContext = (
  request: IncomingMessage,
  response: ServerResponse,
  surface: CallerRequest['surface'],
) => Context

/** Creates the `CallerRequest` of an HTTP request; `id` is empty for a request that is not logged. */
export const callerRequest = (
  request: IncomingMessage,
  response: ServerResponse,
  surface: CallerRequest['surface'],
  { addressOf, originOf }: Forwarded,
): CallerRequest => ({
  id: request.facts?.id ?? '',
  address: addressOf(request),
  headers: request.headers,
  surface,
  origin: () => originOf(request),
  responseHeader: (name, value) => void response.setHeader(name, value),
})

/** Path and query. A client may name scheme and host before them (RFC 9112, 3.2.2). */
const TARGET = /^(?:https?:\/\/[^/?#]*)?([^?#]*)\??([^#]*)/i

/** Splits the target of a request into its path and its query, as they were sent. */
export function splitRequestTarget({ url = '' }: Pick<IncomingMessage, 'url'>): {
  path: string
  query: string
} {
  const [, path = '', query = ''] = TARGET.exec(url) ?? []
  return { path, query }
}

const BEARER = /^Bearer +([\w.~+/-]+=*)$/i

/** Returns the token of `Authorization: Bearer …` (RFC 6750), or undefined. */
export const bearerToken = (request: CallerRequest): string | undefined =>
  BEARER.exec(request.headers.authorization ?? '')?.[1]
