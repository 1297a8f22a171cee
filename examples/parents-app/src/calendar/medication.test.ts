import { expect, test } from 'vitest'
import { storedMedication, parseStoredMedication } from './medication'

test('a dose with a unit goes into the name, and comes back from there', () => {
  const written = { name: 'Melatonin', dose: '0.5 mg' }
  const stored = { medication_name: 'Melatonin (0.5 mg)', medication_dose: 1 }
  expect(storedMedication(written)).toEqual(stored)
  expect(parseStoredMedication(stored)).toEqual(written)
  expect(storedMedication({ name: ' 멜라토닌 ', dose: ' 0,50밀리그램 ' })?.medication_name).toBe(
    '멜라토닌 (0.50 밀리그램)',
  )
})

test('a whole number without a unit is stored as it always was', () => {
  const stored = { medication_name: 'Melatonin', medication_dose: 3 }
  expect(storedMedication({ name: 'Melatonin', dose: '3' })).toEqual(stored)
  expect(parseStoredMedication(stored)).toEqual({ name: 'Melatonin', dose: '3' })
})

test('a name in parentheses from another app stays as it is', () => {
  for (const stored of [
    { medication_name: 'Melatonin (3 mg)', medication_dose: 2 },
    { medication_name: 'Melatonin (slow)', medication_dose: 1 },
  ])
    expect(parseStoredMedication(stored)).toEqual({
      name: stored.medication_name,
      dose: String(stored.medication_dose),
    })
})

test('a decimal without a unit says nothing, and a word is no dose', () => {
  for (const dose of ['', '0.5', 'three', '-1', '1.5.2 mg', '3 mg daily'])
    expect(storedMedication({ name: 'Melatonin', dose })).toBeUndefined()
})
