import type { CalendarDate } from '../time/dates'
import { isEmail } from './email'
import { isPassword } from './password'
import { readPerson } from './person'
import type { Person } from './person'

/** The profile of a new account as typed. */
export interface ProfileDraft extends Person<'F' | 'M' | 'P'> {
  email: string
  password: string
  isPush: boolean
  isMarketing: boolean
}

export const emptyProfile: ProfileDraft = {
  name: '',
  birth: undefined,
  gender: 'P',
  email: '',
  password: '',
  isPush: false,
  isMarketing: false,
}

/** The profile in the form the service takes, once every field is valid; and the names of the invalid fields. */
export function readProfile(draft: ProfileDraft, today: CalendarDate) {
  const { person, issues } = readPerson(draft, today)
  const all = [
    ...issues,
    ...(isEmail(draft.email) ? [] : (['email'] as const)),
    ...(isPassword(draft.password) ? [] : (['password'] as const)),
  ]
  const profile =
    person && all.length === 0
      ? {
          ...person,
          last_name: '',
          email: draft.email.trim(),
          password: draft.password,
          is_push_agree: draft.isPush,
          is_marketing_agree: draft.isMarketing,
        }
      : undefined
  return { profile, issues: all }
}
