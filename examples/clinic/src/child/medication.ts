import type { CalendarDay } from '@companion/sdk'

type Medication = CalendarDay['event_data']['medication'][number]

/** The dose that the family's app has put into the name, as the service keeps whole numbers without a unit. */
const NAMED = /^(.*\S) \((\d+(?:\.\d{1,3})? \p{L}[\p{L}/%]{0,11})\)$/u

/** A medication and its dose, as the family wrote them. */
export function medicationText({ medication_name, medication_dose }: Medication): string {
  const [, name, dose] = (medication_dose === 1 && NAMED.exec(medication_name)) || []
  return name && dose ? `${name} ${dose}` : `${medication_name} ${medication_dose}`
}
