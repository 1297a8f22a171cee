import { useState } from 'react'
import { readDeviceCodes } from './device-codes'
import type { DeviceCodeName, DeviceCodes } from './device-codes'

/** The codes of a device as typed. `check` returns them if they are valid, or makes the fields show their issues. */
export function useDeviceCodes() {
  const [typed, setTyped] = useState<DeviceCodes>({ serial_code: '', mac_id: '', unique_id: '' })
  const [isChecked, setChecked] = useState(false)
  const { codes, issues } = readDeviceCodes(typed)
  const shown: readonly DeviceCodeName[] = isChecked ? issues : []
  return {
    fields: { typed, issues: shown, onChange: setTyped },
    check: (): DeviceCodes | undefined => {
      setChecked(true)
      return issues.length === 0 ? codes : undefined
    },
  }
}
