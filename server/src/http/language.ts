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

/** The columns of an account that say in which language its holder is spoken to. */
export interface HolderLanguage {
  language: 'KR' | 'EN' | null
  national_code: string
}

/**
 * Picks the language for the holder of an account: the one that they chose. Where they chose none, it is that which `headers`
 * of their own call prefer, or else that of their country.
 */
export const chooseAccountLanguage = (
  { language, national_code }: HolderLanguage,
  headers: IncomingHttpHeaders = {},
): Language => preferredLanguage(language === null ? headers : {}, language ?? national_code)
