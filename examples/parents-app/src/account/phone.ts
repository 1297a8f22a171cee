import { isSupportedCountry, parsePhoneNumberFromString } from 'libphonenumber-js/max'
import type { PhoneCountry } from '@companion/sdk'

/** What is offered until the service has named the countries whose numbers get codes. */
export const usualCountries: readonly PhoneCountry[] = [
  { country: 'KR', calling_code: '+82', names: { en: 'South Korea', ko: '대한민국' } },
  { country: 'US', calling_code: '+1', names: { en: 'United States', ko: '미국' } },
]

/** The choice of a country that is not offered by name: its numbers are typed with their calling code. */
export const OTHER = 'other'

/**
 * The country of a number that nobody has typed yet. Where the phone is says more than its language: a parent in Korea may use
 * it in English, and one in America in Korean.
 */
export function likelyCountry(language: 'ko' | 'en', timeZone: string | null): string {
  if (timeZone === 'Asia/Seoul') return 'KR'
  if (timeZone?.startsWith('America/') || timeZone === 'Pacific/Honolulu') return 'US'
  return language === 'ko' ? 'KR' : 'US'
}

/** More countries than this are not offered by name. */
const MOST_NAMED = 4

/** The countries to offer by name, and whether others are served too. */
export function offeredCountries(served: readonly PhoneCountry[]): {
  named: readonly PhoneCountry[]
  hasOthers: boolean
} {
  if (served.length <= MOST_NAMED) return { named: served, hasOthers: false }
  const usual = served.filter((each) => usualCountries.some(({ country }) => country === each.country))
  return { named: usual, hasOthers: true }
}

/** A number to be confirmed: as typed and, after a code was sent to it, as E.164. */
export interface PhoneNumber {
  /** ISO 3166-1 alpha-2, or `OTHER`. */
  country: string
  typed: string
  sentTo: string | undefined
}

/**
 * The one E.164 spelling of a number, which is the only one that the service takes. It may be typed in the national form
 * (010-1234-5678), with its calling code, or with both (+82 (0)10-1234-5678). Its country must be in `served`.
 */
export function toE164(
  served: readonly PhoneCountry[],
  { country, typed }: Pick<PhoneNumber, 'country' | 'typed'>,
): string | undefined {
  const chosen = served.find((each) => each.country === country)
  const parsed = parsePhoneNumberFromString(typed, {
    ...(chosen && isSupportedCountry(chosen.country) && { defaultCountry: chosen.country }),
    // A letter in a number is a slip, not the beginning of other text.
    extract: false,
  })
  const isServed = served.some(({ calling_code }) => calling_code === `+${parsed?.countryCallingCode}`)
  return isServed && parsed?.isValid() ? parsed.number : undefined
}

/** The number as its owner writes it: 010-1234-5678, (212) 555-0123. Numbers of other countries stay E.164. */
export const formatPhone = (phone: string): string =>
  phone
    .replace(/^\+82(1\d)(\d{3,4})(\d{4})$/, '0$1-$2-$3')
    .replace(/^\+1(\d{3})(\d{3})(\d{4})$/, '($1) $2-$3')
