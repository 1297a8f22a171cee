import type { IncomingHttpHeaders } from 'node:http'
import Negotiator from 'negotiator'
import type { Language } from '../delivery/messages.ts'

const isLanguage = (tag: string | undefined): tag is Language => tag === 'ko' || tag === 'en'

/** Picks the supported language that `Accept-Language` prefers (RFC 9110), or else that of `country` (ISO 3166-1). */
export const preferredLanguage = (headers: IncomingHttpHeaders, country?: string): Language =>
  new Negotiator({ headers })
    .languages()
    .map((range) => range.toLowerCase().split('-')[0])
    .find(isLanguage) ?? (country === 'KR' ? 'ko' : 'en')
