import { expect, test } from 'vitest'
import { lineIssues, memoLength, toDraft, toNote } from './note-draft'

const day = {
  memo: 'slept well',
  event_data: {
    medication: [{ medication_name: 'Melatonin', medication_dose: 3 }],
    hospital: ['Hanul Clinic'],
  },
}

test('a note goes through the form unchanged', () => {
  expect(toNote(toDraft(day))).toEqual(day)
})

test('empty lines are not sent', () => {
  expect(
    toNote({
      mood: undefined,
      memo: ' x ',
      medication: [{ name: ' ', dose: '' }],
      hospital: ['', ' Hanul Clinic '],
    }),
  ).toEqual({ memo: 'x', event_data: { medication: [], hospital: ['Hanul Clinic'] } })
})

test('a medication needs a name and a dose, unless its line is empty', () => {
  const issuesOf = (name: string, dose: string) =>
    lineIssues({ mood: undefined, memo: '', hospital: [], medication: [{ name, dose }] })[0]
  for (const dose of ['', '1.5', '-1', 'x']) expect(issuesOf('A', dose)).toEqual({ name: false, dose: true })
  expect(issuesOf(' ', '5')).toEqual({ name: true, dose: false })
  for (const [name, dose] of [
    ['A', '10'],
    ['A', '0.5 mg'],
    [' ', ''],
  ] as const)
    expect(issuesOf(name, dose)).toEqual({ name: false, dose: false })
})

test('a memo is counted in code points', () => {
  expect(memoLength({ ...toDraft(day), memo: '잘 잤다 😀' })).toBe(6)
  expect(memoLength({ ...toDraft(day), mood: 'good', memo: '잘 잤다' })).toBe(6)
})
