import { expect, test } from 'vitest'
import { parseStoredMedication, storedMedication } from '../../../parents-app/src/calendar/medication'
import { medicationText } from './medication'

test('a medication reads as the family wrote it in its app', () => {
  for (const [name, dose, text] of [
    ['Melatonin', '0.5 mg', 'Melatonin 0.5 mg'],
    ['멜라토닌', '2밀리그램', '멜라토닌 2 밀리그램'],
    ['Vitamin D (drops)', '10 µg/ml', 'Vitamin D (drops) 10 µg/ml'],
    ['Melatonin', '3', 'Melatonin 3'],
    ['Melatonin', '1', 'Melatonin 1'],
  ] as const) {
    const stored = storedMedication({ name, dose })
    expect(stored && medicationText(stored)).toBe(text)
  }
})

test('a name in parentheses of another app reads as in the app of the family', () => {
  for (const stored of [
    { medication_name: 'Melatonin (3 mg)', medication_dose: 2 },
    { medication_name: 'Melatonin (slow)', medication_dose: 1 },
    { medication_name: 'Melatonin (1.2345 mg)', medication_dose: 1 },
    { medication_name: '(3 mg)', medication_dose: 1 },
  ]) {
    const { name, dose } = parseStoredMedication(stored)
    expect(medicationText(stored)).toBe(`${name} ${dose}`)
  }
})
