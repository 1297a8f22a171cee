import { expect, test } from 'vitest'
import { latestReading } from './latest-reading'

const none = { temperature: 0, humidity: 0, brightness: 0, noise: 0 }

test('the newest date with readings is found, a freezing room among them', () => {
  const frosty = { ...none, date: '2026-03-02', noise: 31 }
  expect(
    latestReading([
      { ...none, date: '2026-03-01', temperature: 20 },
      frosty,
      { ...none, date: '2026-03-03' },
    ]),
  ).toBe(frosty)
  expect(latestReading([{ ...none, date: '2026-03-01' }])).toBeUndefined()
})
