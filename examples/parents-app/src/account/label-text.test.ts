import { expect, test } from 'vitest'
import { readLabel } from './label-text'

const codes = { serial_code: 'CMP-000123', unique_id: '7b1f0c52-3a8e-4d1b-9c60-2f5e8a4d9b13' }
const device = `companion://device?serial_code=${codes.serial_code}&mac_id=1A2B&unique_id=${codes.unique_id}`
const basestation = `companion://basestation?unique_id=${codes.unique_id}&serial_code=${codes.serial_code}`

test('a label tells the codes of a device or of a base station, in any order', () => {
  expect(readLabel(device)).toEqual({ kind: 'device', mac_id: '1A2B', ...codes })
  expect(readLabel(` ${device}&batch=7\n`)).toEqual({ kind: 'device', mac_id: '1A2B', ...codes })
  expect(readLabel(basestation)).toEqual({ kind: 'basestation', ...codes })
  expect(readLabel(device.toUpperCase())).toMatchObject({ kind: 'device', serial_code: codes.serial_code })
})

test('any other text is no label', () => {
  for (const text of [
    '',
    'CMP-000123',
    'https://example.com/?serial_code=1',
    device.replace('&mac_id=1A2B', ''),
  ])
    expect(readLabel(text)).toBeUndefined()
})
