export interface RegistrationOutcome {
  /** `existing`: the same item is already registered; `conflict`: its serial code or id belongs to another item. */
  outcome: 'added' | 'existing' | 'conflict'
  id?: number
}

interface Codes {
  unique_id: string
  serial_code: string
  mac_id?: string
}

const isSame = (one: Codes, other: Codes) =>
  one.unique_id === other.unique_id && one.serial_code === other.serial_code && one.mac_id === other.mac_id

/** Returns the outcome of each of `given`, in order; `added` holds the rows that the insert added. */
export async function registrationOutcomesOf<Row extends Codes & { id: number }>(
  given: readonly Codes[],
  added: Row[],
  find: (uniqueIds: string[]) => Promise<Row[]>,
): Promise<RegistrationOutcome[]> {
  const missing = given.filter((each) => !added.some((row) => isSame(row, each)))
  const known = missing.length === 0 ? [] : await find(missing.map((each) => each.unique_id))
  return given.map((each) => {
    const fresh = added.findIndex((row) => isSame(row, each))
    // Remove the row, so that an item given twice is `added` the first time and `existing` the second time.
    const [row] = fresh < 0 ? [] : added.splice(fresh, 1)
    if (row) {
      known.push(row)
      return { outcome: 'added', id: row.id }
    }
    const same = known.find((other) => isSame(other, each))
    return same ? { outcome: 'existing', id: same.id } : { outcome: 'conflict' }
  })
}
