import type { CalendarDay, SaveEventInput } from '@companion/sdk'

/** A day's note while it is written: all text, as the fields hold it. */
export interface NoteDraft {
  memo: string
  medication: { name: string; dose: string }[]
  hospital: string[]
}

export const MEMO_LIMIT = 1000

export const toDraft = ({ memo, event_data }: Pick<CalendarDay, 'memo' | 'event_data'>): NoteDraft => ({
  memo,
  medication: event_data.medication.map(({ medication_name, medication_dose }) => ({
    name: medication_name,
    dose: String(medication_dose),
  })),
  hospital: [...event_data.hospital],
})

/** Code points, as the service counts. */
export const memoLength = ({ memo }: NoteDraft): number => Array.from(memo).length

const isDose = (dose: string) => /^\d{1,9}$/.test(dose.trim())

/** The lines whose dose cannot be sent: a named medication needs a whole number. */
export const doseFaults = ({ medication }: NoteDraft): number[] =>
  medication.flatMap(({ name, dose }, index) => (name.trim() !== '' && !isDose(dose) ? [index] : []))

/** What is sent: lines that were left empty are left out. */
export const toEvent = (draft: NoteDraft): Pick<SaveEventInput, 'memo' | 'event_data'> => ({
  memo: draft.memo.trim(),
  event_data: {
    medication: draft.medication
      .filter(({ name }) => name.trim() !== '')
      .map(({ name, dose }) => ({ medication_name: name.trim(), medication_dose: Number(dose) })),
    hospital: draft.hospital.map((name) => name.trim()).filter((name) => name !== ''),
  },
})

/** Whether nothing was noted. */
export const isEmptyNote = ({ memo, event_data }: Pick<CalendarDay, 'memo' | 'event_data'>): boolean =>
  memo === '' && event_data.medication.length === 0 && event_data.hospital.length === 0
