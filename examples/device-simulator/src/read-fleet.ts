import { readItems } from './read-items.ts'
import type { FleetDevice } from './fleet.ts'

/**
 * Reads a JSON file with the devices of a fleet: a list of uuids, which run `firmware`, or what the last run has left there. Throws
 * an Error that says what is wrong with the file.
 */
export async function readFleet(file: string, firmware: number): Promise<FleetDevice[]> {
  const items = await readItems(file)
  return items.map((item, index) => {
    if (typeof item === 'string') return { unique_id: item, firmware, updated_after: null, is_silent: false }
    if (isFleetDevice(item)) return item
    throw new Error(`${file}: entry ${index} is neither a uuid nor a device of a fleet`)
  })
}

function isFleetDevice(value: unknown): value is FleetDevice {
  return (
    typeof value === 'object' &&
    value !== null &&
    'unique_id' in value &&
    typeof value.unique_id === 'string' &&
    'firmware' in value &&
    Number.isInteger(value.firmware) &&
    'updated_after' in value &&
    (value.updated_after === null || typeof value.updated_after === 'string') &&
    'is_silent' in value &&
    typeof value.is_silent === 'boolean'
  )
}
