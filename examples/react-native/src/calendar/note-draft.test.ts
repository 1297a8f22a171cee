import { expect, test } from 'vitest'
import { doseFaults, memoLength, toDraft, toEvent } from './note-draft'

const day = {
  memo: 'slept well',
  event_data: {
    medication: [{ medication_name: 'Melatonin', medication_dose: 3 }],
    hospital: ['Hanul Clinic'],
  },
}

test('a note goes through the form unchanged', () => {
  expect(toEvent(toDraft(day))).toEqual(day)
})

test('lines left empty are not sent', () => {
  expect(
    toEvent({ memo: ' x ', medication: [{ name: ' ', dose: '5' }], hospital: ['', ' Hanul Clinic '] }),
  ).toEqual({ memo: 'x', event_data: { medication: [], hospital: ['Hanul Clinic'] } })
})

test('a named medication needs a whole dose', () => {
  const medication = ['', '1.5', '-1', 'x', '10'].map((dose) => ({ name: 'A', dose }))
  expect(doseFaults({ memo: '', hospital: [], medication })).toEqual([0, 1, 2, 3])
  expect(doseFaults({ memo: '', hospital: [], medication: [{ name: '', dose: '' }] })).toEqual([])
})

test('a memo is counted in code points', () => {
  expect(memoLength({ ...toDraft(day), memo: '잘 잤다 😀' })).toBe(6)
})
