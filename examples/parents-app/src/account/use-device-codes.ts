import { useState } from 'react'
import { readDeviceCodes } from './device-codes'
import type { CodeFault, DeviceCodes } from './device-codes'

/** The codes of a device as typed. `check` returns them if they are valid, or makes the fields show their faults. */
export function useDeviceCodes() {
  const [typed, setTyped] = useState<DeviceCodes>({ serial_code: '', mac_id: '', unique_id: '' })
  const [isChecked, setChecked] = useState(false)
  const { codes, faults } = readDeviceCodes(typed)
  const shown: readonly CodeFault[] = isChecked ? faults : []
  return {
    fields: { typed, faults: shown, onChange: setTyped },
    check: (): DeviceCodes | undefined => {
      setChecked(true)
      return faults.length === 0 ? codes : undefined
    },
  }
}
