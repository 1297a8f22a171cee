/** Countries that sign-up offers, with their calling codes. */
const countries = { KR: '+82', US: '+1' } as const
export type Country = keyof typeof countries

/** A number to be confirmed: as typed and, after a code was sent to it, as E.164. */
export interface PhoneNumber {
  country: Country
  typed: string
  sentTo: string | undefined
}

/** The number as E.164. It may be typed in the national form (010-1234-5678) or with its calling code. */
export function toE164(country: Country, typed: string): string | undefined {
  const compact = typed.replace(/[\s().-]/g, '')
  const number = compact.startsWith('+')
    ? compact
    : countries[country] + (country === 'KR' ? compact.replace(/^0/, '') : compact)
  return /^\+[1-9]\d{7,14}$/.test(number) ? number : undefined
}

/** The number as its owner writes it: 010-1234-5678, (212) 555-0123. Numbers of other countries stay E.164. */
export const formatPhone = (phone: string): string =>
  phone
    .replace(/^\+82(1\d)(\d{3,4})(\d{4})$/, '0$1-$2-$3')
    .replace(/^\+1(\d{3})(\d{3})(\d{4})$/, '($1) $2-$3')
