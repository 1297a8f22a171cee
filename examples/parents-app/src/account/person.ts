import type { CalendarDate } from '../time/dates'
import { toBirthdate } from './birthdate'

export type Gender = 'F' | 'M' | 'N' | 'P'

/** Name, birth date and gender as entered. */
export interface Person<Choice extends Gender = Gender> {
  name: string
  birth: CalendarDate | undefined
  gender: Choice
}

export type PersonIssue = 'name' | 'birth'

/** The person in the form the service takes, once every field is valid; and the names of the invalid fields. */
export function readPerson<Choice extends Gender>(
  { name, birth, gender }: Person<Choice>,
  today: CalendarDate,
) {
  const first_name = name.trim()
  const birthdate = toBirthdate(birth, today)
  const issues: PersonIssue[] = []
  if (!first_name) issues.push('name')
  if (!birthdate) issues.push('birth')
  return { person: first_name && birthdate ? { first_name, birthdate, gender } : undefined, issues }
}

export type ReadPerson = NonNullable<ReturnType<typeof readPerson<Gender>>['person']>
