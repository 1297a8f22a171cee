/** The codes on the label of a device, in the form the service takes. */
export interface DeviceCodes {
  serial_code: string
  mac_id: string
  unique_id: string
}

export type DeviceCodeName = keyof DeviceCodes

/** Normalises what was typed and names the invalid fields. */
export function readDeviceCodes(typed: DeviceCodes): { codes: DeviceCodes; issues: DeviceCodeName[] } {
  const codes = {
    serial_code: typed.serial_code.trim().toUpperCase(),
    mac_id: typed.mac_id.replace(/[\s:]/g, '').toUpperCase(),
    unique_id: typed.unique_id.trim().toLowerCase(),
  }
  const issues: DeviceCodeName[] = []
  if (!/^[A-Z0-9-]{6,32}$/.test(codes.serial_code)) issues.push('serial_code')
  if (!/^[0-9A-F]{4}$/.test(codes.mac_id)) issues.push('mac_id')
  if (!/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(codes.unique_id)) issues.push('unique_id')
  return { codes, issues }
}

/** The same for a base station, which has no MAC address on its label. */
export function readBasestationCodes(typed: Omit<DeviceCodes, 'mac_id'>) {
  const { codes, issues } = readDeviceCodes({ ...typed, mac_id: '' })
  const { serial_code, unique_id } = codes
  return { codes: { serial_code, unique_id }, issues: issues.filter((issue) => issue !== 'mac_id') }
}
