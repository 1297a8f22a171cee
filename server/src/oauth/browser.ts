import { randomBytes } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { tokenHash } from '../auth/tokens/tokens.ts'

/*
 * A step of an authorization belongs to the browser that began it. One cookie says which browser that is: by its prefix,
 * browsers take it from this host alone (RFC 6265bis, 4.1.3.2), so that no sibling domain can plant its own step here.
 */

const nameFor = (issuer: string) => `${issuer.startsWith('https:') ? '__Host-' : ''}companion_oauth_browser`

const known = (id: string) => tokenHash(id).toString('base64url')

/** By what the browser of a request is known; undefined of one that has no cookie yet. */
export function readBrowserId({ headers }: IncomingMessage, issuer: string): string | undefined {
  const [, id] =
    new RegExp(`(?:^|; *)${nameFor(issuer)}=([\\w-]{43})(?:;|$)`).exec(headers.cookie ?? '') ?? []
  return id === undefined ? undefined : known(id)
}

/** Gives a browser its cookie, for as long as it runs. Returns by what it is known. */
export function setBrowserCookie(response: ServerResponse, issuer: string): string {
  const id = randomBytes(32).toString('base64url')
  const secure = issuer.startsWith('https:') ? 'secure; ' : ''
  response.appendHeader('set-cookie', `${nameFor(issuer)}=${id}; path=/; ${secure}samesite=lax; httponly`)
  return known(id)
}
