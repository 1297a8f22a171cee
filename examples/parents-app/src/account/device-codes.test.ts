import { expect, test } from 'vitest'
import { readBasestationCodes, readDeviceCodes } from './device-codes'

const typed = {
  serial_code: ' demo-003 ',
  mac_id: 'd0:a3',
  unique_id: 'DE000000-0000-4000-8000-000000000003',
}

test('spaces, colons and letter case are normalised', () => {
  expect(readDeviceCodes(typed)).toEqual({
    codes: { serial_code: 'DEMO-003', mac_id: 'D0A3', unique_id: 'de000000-0000-4000-8000-000000000003' },
    issues: [],
  })
})

test('each invalid field is named', () => {
  expect(readDeviceCodes({ serial_code: 'A', mac_id: 'XYZ', unique_id: '1' }).issues).toEqual([
    'serial_code',
    'mac_id',
    'unique_id',
  ])
  expect(readDeviceCodes({ ...typed, mac_id: '' }).issues).toEqual(['mac_id'])
})

test('a base station needs no MAC address', () => {
  expect(readBasestationCodes({ serial_code: 'base-9001', unique_id: typed.unique_id })).toEqual({
    codes: { serial_code: 'BASE-9001', unique_id: 'de000000-0000-4000-8000-000000000003' },
    issues: [],
  })
  expect(readBasestationCodes({ serial_code: '', unique_id: '1' }).issues).toEqual([
    'serial_code',
    'unique_id',
  ])
})
