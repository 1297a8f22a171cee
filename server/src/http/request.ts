import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import type { Request } from 'express'
import type { Config } from '../config/config.ts'

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

export const callerRequest = (request: Request, publicUrl: string | undefined): CallerRequest => ({
  id: request.id ?? '',
  address: request.ip ?? '',
  headers: request.headers,
  surface: request.baseUrl === '/trpc' ? 'trpc' : 'rest',
  origin: () => publicUrl ?? `${request.protocol}://${request.host}`,
  answerHeader: (name, value) => void request.res?.setHeader(name, value),
})

/** The same for a request that Express has not seen; `dressed` makes it one of Express, where that is needed. */
export const bareCallerRequest = (
  request: IncomingMessage,
  response: ServerResponse,
  dressed: () => Request,
  { publicUrl, trustProxy }: Pick<Config, 'publicUrl' | 'trustProxy'>,
): CallerRequest => ({
  id: request.id ?? '',
  address: (trustProxy ? dressed().ip : request.socket.remoteAddress) ?? '',
  headers: request.headers,
  surface: 'rest',
  origin: () => publicUrl ?? callerRequest(dressed(), publicUrl).origin(),
  answerHeader: (name, value) => void response.setHeader(name, value),
})

const BEARER = /^Bearer +([\w.~+/-]+=*)$/i

/** The token of `Authorization: Bearer …` (RFC 6750), or undefined. */
export const bearerToken = (request: CallerRequest): string | undefined =>
  BEARER.exec(request.headers.authorization ?? '')?.[1]
