import type { Account } from '@companion/sdk'
import type { Texts } from '../i18n/en'

/** The address of an account in one line: whether it is confirmed, or that there is none. */
export function describeEmail({ email, is_email_confirmed }: Account, t: Texts): string {
  if (email === null) return t.email.none
  return is_email_confirmed ? email : t.email.unconfirmed(email)
}
