import { expect, test } from 'vitest'
import { progressLine } from './progress.ts'

test.each([
  [{ done: 12_000, share: 0.4, seconds: 4 }, '12,000 devices, 3,000/s, 40 %, 6 s left'],
  [{ done: 10, share: 0.01, seconds: 10 }, '10 devices, 1/s, 1 %, 17 min left'],
  [{ done: 10, share: 0.001, seconds: 10 }, '10 devices, 1/s, 0 %, 2 h 47 min left'],
  [{ done: 5, share: undefined, seconds: 2 }, '5 devices, 3/s'],
])('%j', (state, line) => {
  expect(progressLine('devices', state)).toBe(line)
})
