import { useState } from 'react'
import { today } from '../time/dates'
import { readPerson } from './person'
import type { Gender, Person, PersonIssue, ReadPerson } from './person'

const genders: readonly Gender[] = ['F', 'M', 'N', 'P']
const nobody: Person = { name: '', birth: undefined, gender: 'P' }

/** A person as typed. `check` returns the person if all is valid; otherwise it makes the fields show their issues. */
export function usePerson(known = nobody) {
  const [typed, setTyped] = useState(known)
  const [isChecked, setChecked] = useState(false)
  const { person, issues } = readPerson(typed, today())
  const shown: readonly PersonIssue[] = isChecked ? issues : []
  return {
    fields: { typed, genders, issues: shown, onChange: setTyped },
    check: (): ReadPerson | undefined => {
      setChecked(true)
      return person
    },
  }
}
