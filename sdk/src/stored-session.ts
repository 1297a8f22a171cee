import { readProperty } from './errors.ts'
import { randomKey } from './random-key.ts'

/** A session as it is stored: in one item, so that its parts always match. Times are milliseconds since 1970. */
export interface StoredSession {
  version: 1
  /** Made at sign-in and kept by refreshes: tells this login from others of the same account. */
  login: string
  /** When that sign-in was answered; later than every sign-in that this client has seen before. */
  signed_in_at: number
  /** How many refreshes of this login came before. */
  refreshes: number
  root_user_id: number
  access_token: string
  /** When the client stops sending the access token. */
  renew_at: number
  refresh_token: string
  refresh_expires_at: number
  /**
   * Idempotency-Key of the refresh of this token. It follows from the login and the number of its refreshes, so that all
   * clients over this storage (tabs, processes) send the same key and get the same pair.
   */
  refresh_key: string
}

/** Whether `one` is a state before `other`: the states of a login follow each other, and so do logins. */
export const isOlder = (one: StoredSession, other: StoredSession): boolean =>
  one.login === other.login ? one.refreshes < other.refreshes : one.signed_in_at < other.signed_in_at

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
export const storageKey = (kind: 'session' | 'refresh' | 'outbox', baseUrl: string): string =>
  `companion.${kind}.${baseUrl.replace(/[^A-Za-z0-9.-]/g, (char) => `_${char.charCodeAt(0).toString(16)}_`)}`

/** How long before its end an access token is renewed; a tenth of its life if that is shorter. */
const RENEW_BEFORE_SECONDS = 30

/** The tokens of a response with their ends, counted from when the request was sent: their lives began after that. */
const lives = ({ access_token, expires_in, refresh_token, refresh_expires_in }: Tokens, sentAt: number) => ({
  access_token,
  renew_at: sentAt + (expires_in - Math.min(RENEW_BEFORE_SECONDS, expires_in / 10)) * 1000,
  refresh_token,
  refresh_expires_at: sentAt + refresh_expires_in * 1000,
})

/** The login without its last digits, which give way to the number: a key is used for one refresh only. */
const refreshKey = (login: string, refreshes: number) =>
  login.slice(0, 24) + refreshes.toString(16).padStart(8, '0')

export function newSession(root_user_id: number, tokens: Tokens, sentAt: number): StoredSession {
  const login = randomKey()
  return {
    version: 1,
    login,
    signed_in_at: Date.now(),
    refreshes: 0,
    root_user_id,
    ...lives(tokens, sentAt),
    refresh_key: refreshKey(login, 0),
  }
}

export function renewedSession(session: StoredSession, tokens: Tokens, sentAt: number): StoredSession {
  const refreshes = session.refreshes + 1
  return {
    ...session,
    refreshes,
    ...lives(tokens, sentAt),
    refresh_key: refreshKey(session.login, refreshes),
  }
}

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
  keys.every((key) => typeof readProperty(value, key) === type)

const isStoredSession = (value: unknown): value is StoredSession =>
  readProperty(value, 'version') === 1 &&
  has(value, 'string', ['login', 'access_token', 'refresh_token', 'refresh_key']) &&
  has(value, 'number', ['signed_in_at', 'refreshes', 'root_user_id', 'renew_at', 'refresh_expires_at'])

/** Whether a response is a token response. */
export const areTokens = (value: unknown): value is Tokens & { id: unknown } =>
  has(value, 'string', ['access_token', 'refresh_token']) &&
  has(value, 'number', ['expires_in', 'refresh_expires_in'])
