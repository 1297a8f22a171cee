import { useState } from 'react'
import { today } from '../time/dates'
import { readPerson } from './person'
import type { Gender, Person, PersonFault, ReadPerson } from './person'

const genders: readonly Gender[] = ['F', 'M', 'N', 'P']
const nobody: Person = { name: '', birth: undefined, gender: 'P' }

/** A person as typed. `check` returns the person if all is valid; otherwise it makes the fields show their faults. */
export function usePerson(known = nobody) {
  const [typed, setTyped] = useState(known)
  const [isChecked, setChecked] = useState(false)
  const { person, faults } = readPerson(typed, today())
  const shown: readonly PersonFault[] = isChecked ? faults : []
  return {
    fields: { typed, genders, faults: shown, onChange: setTyped },
    check: (): ReadPerson | undefined => {
      setChecked(true)
      return person
    },
  }
}
