import type { KeyRing } from './key-ring.ts'
import { encryptIfChanged } from './key-ring.ts'

/** What both an account holder and a child have, in tables of their own. */
export interface PersonFields {
  first_name: string
  last_name: string
  /** `yyyymmdd` */
  birthdate: string
}

type Table = 'root_user' | 'real_user'

/** A row of `table` with its name and birth date opened. */
export const decryptPerson = <Row extends PersonFields>(keyRing: KeyRing, table: Table, row: Row): Row => ({
  ...row,
  first_name: keyRing.decrypt(`${table}.first_name`, row.first_name),
  last_name: keyRing.decrypt(`${table}.last_name`, row.last_name),
  birthdate: keyRing.decrypt(`${table}.birthdate`, row.birthdate),
})

const columns = ['first_name', 'last_name', 'birthdate'] as const

type Given = { [Column in keyof PersonFields]?: string | undefined }

/** What is given, with name and birth date encrypted. What says the same as `stored` stays the same. */
export function encryptPerson<Profile extends Given>(
  keyRing: KeyRing,
  table: Table,
  given: Profile,
  stored?: PersonFields,
): Profile {
  const sealed: Given = {}
  for (const column of columns) {
    const text = given[column]
    if (text !== undefined)
      sealed[column] = encryptIfChanged(keyRing, `${table}.${column}`, text, stored?.[column])
  }
  return { ...given, ...sealed }
}
