import { getCountries, getCountryCallingCode, parsePhoneNumberFromString } from 'libphonenumber-js/max'

/** The country a number belongs to, ISO 3166-1 alpha-2; several share a calling code, so that needs the whole number. */
export const phoneCountry = (phone: string): string | undefined => parsePhoneNumberFromString(phone)?.country

/**
 * The countries whose numbers are served, each with its calling code (`+82`), in the order of `served`, or all that are
 * known. A country without telephone numbers of its own is left out.
 */
export function phoneCountries(
  served: readonly string[] | undefined,
): { country: string; calling_code: string }[] {
  const known = new Map<string, `+${string}`>(
    getCountries().map((country) => [country, `+${getCountryCallingCode(country)}`]),
  )
  return (served ?? [...known.keys()]).flatMap((country) => {
    const calling_code = known.get(country)
    return calling_code ? [{ country, calling_code }] : []
  })
}
