import type { Note } from './note-draft'

type Stored = Note['event_data']['medication'][number]

/** A medication as a parent writes it: `Melatonin`, `0.5 mg`. */
export interface MedicationLine {
  name: string
  dose: string
}

const DOSE = /^(\d{1,9})(?:[.,](\d{1,3}))?(?:\s*(\p{L}[\p{L}/%]{0,11}))?$/u
const NAMED = /^(.*\S) \((\d+(?:\.\d{1,3})? \p{L}[\p{L}/%]{0,11})\)$/u

/**
 * The medication to store; undefined if the dose is none. The service keeps a dose as a whole number without a unit, so a
 * dose with a unit goes into the name, once: `Melatonin (0.5 mg)`, 1. Apps that do not know this show both as they are.
 */
export function storedMedication({ name, dose }: MedicationLine): Stored | undefined {
  const [, whole, part, unit] = DOSE.exec(dose.trim()) ?? []
  if (whole === undefined || (part !== undefined && unit === undefined)) return undefined
  const medication_name = name.trim()
  if (unit === undefined) return { medication_name, medication_dose: Number(whole) }
  const amount = part === undefined ? Number(whole) : `${Number(whole)}.${part}`
  return { medication_name: `${medication_name} (${amount} ${unit})`, medication_dose: 1 }
}

/** The same medication as its writer wrote it. */
export function parseStoredMedication({ medication_name, medication_dose }: Stored): MedicationLine {
  const [, name, dose] = (medication_dose === 1 && NAMED.exec(medication_name)) || []
  return name && dose ? { name, dose } : { name: medication_name, dose: String(medication_dose) }
}
