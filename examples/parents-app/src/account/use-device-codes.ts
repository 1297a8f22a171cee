import { useState } from 'react'
import { readDeviceCodes } from './device-codes'
import type { CodeFault, DeviceCodes } from './device-codes'

/** What is typed of a device's codes; `check` answers them once they can be right, and shows what is not. */
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
