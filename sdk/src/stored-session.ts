import { property } from './errors.ts'
import { randomKey } from './random-key.ts'

/** A session as it is stored: in one item, so that its parts always match. Times are milliseconds since 1970. */
export interface StoredSession {
  version: 1
  /** Made at sign-in and kept by refreshes: tells this login from others of the same account. */
  login: string
  root_user_id: number
  access_token: string
  /** When the client stops sending the access token. */
  renew_at: number
  refresh_token: string
  refresh_expires_at: number
  /** Idempotency-Key of a refresh of this token that has begun and whose answer is not saved yet. */
  refresh_key?: string
  /** When that refresh began. */
  refresh_begun_at?: number
}

/** The part of a token response that a session keeps. */
export interface Tokens {
  access_token: string
  /** Seconds. */
  expires_in: number
  refresh_token: string
  /** Seconds. */
  refresh_expires_in: number
}

/** Makes a storage key: one per kind and service, never two alike, in characters that every storage allows. */
export const storageKey = (kind: 'session' | 'outbox', baseUrl: string): string =>
  `companion.${kind}.${baseUrl.replace(/[^A-Za-z0-9.-]/g, (char) => `_${char.charCodeAt(0).toString(16)}_`)}`

/** How long before its end an access token is renewed; a tenth of its life if that is shorter. */
const RENEW_BEFORE_SECONDS = 30

/** The tokens of an answer with their ends, counted from when the request was sent: their lives began after that. */
const lives = ({ access_token, expires_in, refresh_token, refresh_expires_in }: Tokens, sentAt: number) => ({
  access_token,
  renew_at: sentAt + (expires_in - Math.min(RENEW_BEFORE_SECONDS, expires_in / 10)) * 1000,
  refresh_token,
  refresh_expires_at: sentAt + refresh_expires_in * 1000,
})

export const newSession = (root_user_id: number, tokens: Tokens, sentAt: number): StoredSession => ({
  version: 1,
  login: randomKey(),
  root_user_id,
  ...lives(tokens, sentAt),
})

export const renewedSession = (
  { login, root_user_id }: StoredSession,
  tokens: Tokens,
  sentAt: number,
): StoredSession => ({ version: 1, login, root_user_id, ...lives(tokens, sentAt) })

/** Reads a stored session; undefined for any other text, such as half of one. */
export function parseSession(value: unknown): StoredSession | undefined {
  if (typeof value !== 'string') return undefined
  try {
    const parsed: unknown = JSON.parse(value)
    return isStoredSession(parsed) ? parsed : undefined
  } catch {
    return undefined
  }
}

const has = (value: unknown, type: 'string' | 'number', keys: readonly string[]) =>
  keys.every((key) => typeof property(value, key) === type)

const isStoredSession = (value: unknown): value is StoredSession =>
  property(value, 'version') === 1 &&
  has(value, 'string', ['login', 'access_token', 'refresh_token']) &&
  has(value, 'number', ['root_user_id', 'renew_at', 'refresh_expires_at']) &&
  ['string', 'undefined'].includes(typeof property(value, 'refresh_key')) &&
  ['number', 'undefined'].includes(typeof property(value, 'refresh_begun_at'))

/** Whether an answer is a token response. */
export const areTokens = (value: unknown): value is Tokens & { id: unknown } =>
  has(value, 'string', ['access_token', 'refresh_token']) &&
  has(value, 'number', ['expires_in', 'refresh_expires_in'])
