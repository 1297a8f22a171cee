import { expect, test } from 'vitest'
import { entriesWithReadings } from './readings'

const none = { temperature: 0, humidity: 0, brightness: 0, noise: 0 }

test('dates without readings are left out, but a freezing room is not', () => {
  const mild = { ...none, date: '2026-03-01', temperature: 20 }
  const frosty = { ...none, date: '2026-03-02', noise: 31 }
  expect(entriesWithReadings([mild, frosty, { ...none, date: '2026-03-03' }])).toEqual([mild, frosty])
  expect(entriesWithReadings([{ ...none, date: '2026-03-01' }])).toEqual([])
})
