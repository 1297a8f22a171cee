/** Countries that sign-up offers, with their calling codes. */
const countries = { KR: '+82', US: '+1' } as const
export type Country = keyof typeof countries

/** The number as E.164, whether typed the national way (010-1234-5678) or with its calling code. */
export function toE164(country: Country, typed: string): string | undefined {
  const compact = typed.replace(/[\s().-]/g, '')
  const number = compact.startsWith('+')
    ? compact
    : countries[country] + (country === 'KR' ? compact.replace(/^0/, '') : compact)
  return /^\+[1-9]\d{7,14}$/.test(number) ? number : undefined
}
