import { getCountries, getCountryCallingCode, parsePhoneNumberFromString } from 'libphonenumber-js/max'
import { z } from 'zod'
import { Failure } from '../../errors/failure.ts'
import type { ErrorDeclaration } from '../../errors/failure.ts'

/**
 * Whether `value` is the one E.164 spelling of a number that the numbering plan of its country has. libphonenumber reads
 * more spellings (`+82 010…` with the national zero, `+11…` with the calling code twice): one number in two spellings
 * would be two identities.
 */
export function isPhoneNumber(value: string): boolean {
  const parsed = parsePhoneNumberFromString(value)
  return parsed?.number === value && parsed.isValid()
}

/** The one E.164 spelling of a number that was stored in another one; undefined if it is no number. */
export const canonicalPhone = (value: string): string | undefined => parsePhoneNumberFromString(value)?.number

/** How an operation answers what is no phone number, before it looks at a code or token. */
export const phoneInvalid = [
  400,
  'Phone number is invalid',
  'it is not the E.164 spelling of a number that its country assigns',
] as const satisfies ErrorDeclaration

/** A phone number in an input. The operation calls `assertPhoneNumber`: the contract's text wins over a validation error. */
export const phoneInput = z.string().meta({ description: 'E.164', examples: ['+821012345678'] })

/** Throws `Phone number is invalid`. */
export function assertPhoneNumber(value: string): void {
  if (!isPhoneNumber(value)) throw new Failure(...phoneInvalid)
}

/** The country a number belongs to, ISO 3166-1 alpha-2; several share a calling code, so that needs the whole number. */
export const findPhoneCountry = (phone: string): string | undefined =>
  parsePhoneNumberFromString(phone)?.country

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
