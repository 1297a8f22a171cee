import { parsePhoneNumberFromString } from 'libphonenumber-js/max'

/** The country a number belongs to, ISO 3166-1 alpha-2; several share a calling code, so that needs the whole number. */
export const phoneCountry = (phone: string): string | undefined => parsePhoneNumberFromString(phone)?.country
