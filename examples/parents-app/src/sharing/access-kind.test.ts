import { expect, test } from 'vitest'
import { kindOf } from './access-kind'

test('writing is told apart from reading, and an unknown operation is not hidden', () => {
  expect(
    [
      'calendar.saveEvent',
      'calendar.readDay',
      'surveys.submit',
      'charts.recent',
      'toString',
      'moon.land',
    ].map(kindOf),
  ).toEqual(['note', 'days', 'surveyed', 'charts', 'other', 'other'])
})
