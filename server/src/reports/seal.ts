import { createHmac, timingSafeEqual } from 'node:crypto'
import { z } from 'zod'

/*
 * A report is sealed by a keyed digest (HMAC, RFC 2104) of all its bytes, which stands in its metadata. It is computed with
 * zeros in its own place. See docs/decisions/sealed-reports.md.
 */

const OPENING = Buffer.from('obj\n(companion-report ')
const CLOSING = Buffer.from(')\nendobj')
const DIGEST_LENGTH = 64
/** More than a seal of the longest name has. */
const MOST_BYTES = 10_000
/** Without the letters that are taken for digits (Crockford's base 32). */
const SIGNS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
const CODE = /^[0-9A-HJKMNP-TV-Z]{4}(-[0-9A-HJKMNP-TV-Z]{4}){2}$/

const digest = (key: Uint8Array, purpose: string, content: string | Uint8Array) =>
  createHmac('sha256', key).update(`${purpose}\n`).update(content).digest()

/**
 * The check code of a report, 60 bits in three groups, by which a page of paper is matched with its file. `content` is all
 * that the report says.
 */
export function computeCheckCode(key: Uint8Array, content: string): string {
  const bytes = digest(key, 'check code', content)
  const signs = Array.from(bytes.subarray(0, 12), (byte) => SIGNS[byte % SIGNS.length]).join('')
  return `${signs.slice(0, 4)}-${signs.slice(4, 8)}-${signs.slice(8)}`
}

const reportIdentity = z.object({
  child: z.string(),
  first: z.string(),
  last: z.string(),
  made_at: z.string(),
  time_zone: z.string(),
})

/**
 * Whose report it is: the child's name, the first and last date of its period, and the moment at which it was made, to be shown
 * in the time zone of the report.
 */
export type ReportIdentity = z.infer<typeof reportIdentity>

/** The value of the metadata in which the digest has its place. */
export const sealPlaceholder = (code: string, identity: ReportIdentity): string =>
  `companion-report ${code} ${Buffer.from(JSON.stringify(identity)).toString('base64url')} hmac-sha256 ${'0'.repeat(DIGEST_LENGTH)}`

interface Place {
  code: string
  /** Encoded; reports from before it was sealed have none. */
  identity: string | undefined
  /** Where the digest begins. */
  start: number
}

/** The one place of a seal in `pdf`. */
function placeIn(pdf: Buffer): Place | undefined {
  const opening = pdf.indexOf(OPENING)
  if (opening === -1 || pdf.indexOf(OPENING, opening + 1) !== -1) return undefined
  const closing = pdf.indexOf(CLOSING, opening)
  const text = pdf.toString('latin1', opening + OPENING.length, Math.min(closing, opening + MOST_BYTES))
  const [, code = '', identity, found = ''] =
    /^(\S{14})(?: ([\w-]+))? hmac-sha256 ([0-9a-f]{64})$/.exec(text) ?? []
  return CODE.test(code) && found ? { code, identity, start: closing - DIGEST_LENGTH } : undefined
}

/** Writes the digest into its place in `pdf`, whose metadata has a value of `sealPlaceholder`. */
export function sealReport(key: Uint8Array, pdf: Uint8Array): void {
  const bytes = Buffer.from(pdf.buffer, pdf.byteOffset, pdf.byteLength)
  const place = placeIn(bytes)
  if (!place) throw new Error('The report has no place for its seal')
  bytes.write(digest(key, 'report', bytes).toString('hex'), place.start, 'latin1')
}

/** `made`: by the holder of the key, and not a byte is different; `changed`: it has a seal, which is not that of its bytes. */
export type Verdict =
  | { state: 'made'; code: string; report?: ReportIdentity }
  | { state: 'changed' | 'unknown' }

/** Says whether `pdf` was sealed with `key` and is unchanged. */
export function verifySeal(key: Uint8Array, pdf: Uint8Array): Verdict {
  const bytes = Buffer.from(pdf)
  const place = placeIn(bytes)
  if (!place) return { state: bytes.includes('companion-report ') ? 'changed' : 'unknown' }
  const found = Buffer.from(bytes.subarray(place.start, place.start + DIGEST_LENGTH))
  bytes.fill('0', place.start, place.start + DIGEST_LENGTH)
  const expected = Buffer.from(digest(key, 'report', bytes).toString('hex'))
  if (!timingSafeEqual(found, expected)) return { state: 'changed' }
  return { state: 'made', code: place.code, ...(place.identity && { report: opened(place.identity) }) }
}

const opened = (identity: string): ReportIdentity =>
  reportIdentity.parse(JSON.parse(Buffer.from(identity, 'base64url').toString()))
