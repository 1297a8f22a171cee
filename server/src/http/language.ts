import type { IncomingHttpHeaders } from 'node:http'
import type { Language } from '../delivery/messages.ts'

const isLanguage = (tag: string | undefined): tag is Language => tag === 'ko' || tag === 'en'

/** The language that `Accept-Language` prefers of those spoken here (RFC 9110), else that of `country` (ISO 3166-1). */
export function preferredLanguage(headers: IncomingHttpHeaders, country?: string): Language {
  const wanted = (headers['accept-language'] ?? '')
    .slice(0, 1000)
    .split(',')
    .map((range) => {
      const [tag = '', quality] = range.toLowerCase().split(/;\s*q=/)
      return { language: tag.trim().split('-')[0], weight: quality === undefined ? 1 : Number(quality) }
    })
    .filter(({ weight }) => weight > 0)
    .toSorted((one, other) => other.weight - one.weight)
    .map(({ language }) => language)
    .find(isLanguage)
  return wanted ?? (country === 'KR' ? 'ko' : 'en')
}
