import type { CalendarDate } from '../time/dates'
import { toBirthdate } from './birthdate'

export type Gender = 'F' | 'M' | 'N' | 'P'

/** Who somebody is, as it is typed. */
export interface Person<Choice extends Gender = Gender> {
  name: string
  birth: string
  gender: Choice
}

export type PersonFault = 'name' | 'birth'

/** What is typed of a person, as the service takes it once it can be right, and the fields that cannot be. */
export function readPerson<Choice extends Gender>(
  { name, birth, gender }: Person<Choice>,
  today: CalendarDate,
) {
  const first_name = name.trim()
  const birthdate = toBirthdate(birth, today)
  const faults: PersonFault[] = []
  if (!first_name) faults.push('name')
  if (!birthdate) faults.push('birth')
  return { person: first_name && birthdate ? { first_name, birthdate, gender } : undefined, faults }
}

export type ReadPerson = NonNullable<ReturnType<typeof readPerson<Gender>>['person']>
