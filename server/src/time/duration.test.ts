import { expect, test } from 'vitest'
import { durationSeconds } from './duration.ts'

test.each([
  ['PT9H', 32_400],
  ['-PT9H', -32_400],
  ['PT-9H', -32_400],
  ['-PT-9H', 32_400],
  ['+P1D', 86_400],
  ['P2W', 1_209_600],
  ['P20440DT12H30M5S', 1_766_061_005],
  ['P1DT-1H', 82_800],
  ['PT0S', 0],
])('%s is %d seconds', (text, seconds) => {
  expect(durationSeconds(text)).toBe(seconds)
})

test.each(['', 'P', 'PT', '9H', 'T9H', 'P1DT', 'P1M', 'P1Y', 'PT1.5H', 'P9H', 'PT1M1H', 'pt9h', 'PT9H '])(
  '%j is no duration',
  (text) => {
    expect(durationSeconds(text)).toBe(undefined)
  },
)
