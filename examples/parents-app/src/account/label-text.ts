import type { DeviceCodes } from './device-codes'

export type ScannedLabel =
  | ({ kind: 'device' } & DeviceCodes)
  | ({ kind: 'basestation' } & Omit<DeviceCodes, 'mac_id'>)

/**
 * The codes in the text of a label's QR code, which docs/firmware.md describes:
 * `companion://device?serial_code=CMP-000123&mac_id=1A2B&unique_id=7b1f0c52-…`; undefined if it is not such a text.
 * Capitals do not matter, because a keyboard may have made them.
 */
export function readLabel(text: string): ScannedLabel | undefined {
  const [, kind, query = ''] = /^companion:\/\/(device|basestation)\/?\?(\S+)$/i.exec(text.trim()) ?? []
  const codes = new Map(
    query.split('&').map((pair) => {
      const [name = '', value = ''] = pair.split('=', 2)
      return [name.toLowerCase(), value]
    }),
  )
  const [serial_code, mac_id, unique_id] = ['serial_code', 'mac_id', 'unique_id'].map((name) =>
    codes.get(name),
  )
  if (!serial_code || !unique_id) return undefined
  if (kind?.toLowerCase() === 'basestation') return { kind: 'basestation', serial_code, unique_id }
  return mac_id ? { kind: 'device', serial_code, mac_id, unique_id } : undefined
}
