import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import type { Context } from './context.ts'
import type { Forwarded } from './forwarded.ts'

/** The part of an HTTP request that operations may look at. */
export interface CallerRequest {
  id: string
  /** The client's address; taken from `X-Forwarded-For` only behind a configured proxy. */
  address: string
  headers: IncomingHttpHeaders
  surface: 'rest' | 'trpc'
  /** The address of this server as the client knows it. */
  origin: () => string
  /** Sets a header of the answer. */
  answerHeader: (name: string, value: string) => void
}

declare module './context.ts' {
  interface Context {
    request: CallerRequest
  }
}

/** Makes the context of one request. */
export type CreateContext = (
  request: IncomingMessage,
  response: ServerResponse,
  surface: CallerRequest['surface'],
) => Context

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
  answerHeader: (name, value) => void response.setHeader(name, value),
})

const BEARER = /^Bearer +([\w.~+/-]+=*)$/i

/** The token of `Authorization: Bearer …` (RFC 6750), or undefined. */
export const bearerToken = (request: CallerRequest): string | undefined =>
  BEARER.exec(request.headers.authorization ?? '')?.[1]
