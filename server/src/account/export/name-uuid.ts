import { hash } from 'node:crypto'

/** The namespace of URLs (RFC 9562, 6.6), as bytes. */
const URLS = Buffer.from('6ba7b8119dad11d180b400c04fd430c8', 'hex')

/** The UUID that a URL always has (version 5, RFC 9562, 5.5). */
export function uuidOfUrl(url: string): string {
  const digest = hash('sha1', Buffer.concat([URLS, Buffer.from(url)]), 'hex')
  const variant = ((Number.parseInt(digest.slice(16, 18), 16) & 0x3f) | 0x80).toString(16)
  return `${digest.slice(0, 8)}-${digest.slice(8, 12)}-5${digest.slice(13, 16)}-${variant}${digest.slice(18, 20)}-${digest.slice(20, 32)}`
}
