import { getCountries, getCountryCallingCode, parsePhoneNumberFromString } from 'libphonenumber-js/max'

/** The country a number belongs to, ISO 3166-1 alpha-2; several share a calling code, so that needs the whole number. */
export const phoneCountry = (phone: string): string | undefined => parsePhoneNumberFromString(phone)?.country

const named = {
  en: new Intl.DisplayNames('en', { type: 'region' }),
  ko: new Intl.DisplayNames('ko', { type: 'region' }),
}

interface PhoneCountry {
  country: string
  calling_code: string
  /** In English and Korean. */
  names: { en: string; ko: string }
}

/** All countries that have telephone numbers of their own. */
const known = new Map<string, PhoneCountry>(
  getCountries().map((country) => {
    const names = { en: named.en.of(country) ?? country, ko: named.ko.of(country) ?? country }
    return [country, { country, calling_code: `+${getCountryCallingCode(country)}`, names }]
  }),
)

/**
 * The countries whose numbers are served, each with its calling code (`+82`), in the order of `served`, or all that are
 * known. A country without telephone numbers of its own is left out.
 */
export const phoneCountries = (served: readonly string[] = [...known.keys()]): PhoneCountry[] =>
  served.flatMap((country) => known.get(country) ?? [])
