import { useState } from 'react'
import { today } from '../time/dates'
import { readPerson } from './person'
import type { Gender, Person, PersonFault, ReadPerson } from './person'

const genders: readonly Gender[] = ['F', 'M', 'N', 'P']
const nobody: Person = { name: '', birth: '', gender: 'P' }

/** What is typed of a person; `check` answers it once it can be right, and shows what is not. */
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
