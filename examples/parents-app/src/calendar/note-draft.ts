import type { CalendarDay, SaveEventInput } from '@companion/sdk'

/** What a day says, as the service has it. */
export type Note = Pick<CalendarDay, 'memo' | 'event_data'>

/** A day's note while it is written: all text, as the fields hold it. */
export interface NoteDraft {
  memo: string
  medication: { name: string; dose: string }[]
  hospital: string[]
}

export const MEMO_LIMIT = 1000

export const emptyNote: Note = { memo: '', event_data: { medication: [], hospital: [] } }

/** What a note says once it is sent whole: what was left out is empty. */
export const noteOf = ({ memo = '', event_data }: Pick<SaveEventInput, 'memo' | 'event_data'>): Note => ({
  memo,
  event_data: { medication: event_data?.medication ?? [], hospital: event_data?.hospital ?? [] },
})

export const toDraft = ({ memo, event_data }: Note): NoteDraft => ({
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

export interface LineFaults {
  name: boolean
  dose: boolean
}

/** What each line of medication lacks: a name and a whole dose, unless it was left empty. */
export const lineFaults = ({ medication }: NoteDraft): LineFaults[] =>
  medication.map(({ name, dose }) => ({
    name: name.trim() === '' && dose.trim() !== '',
    dose: name.trim() !== '' && !isDose(dose),
  }))

/** What is sent: lines that were left empty are left out. */
export const toNote = (draft: NoteDraft): Note => ({
  memo: draft.memo.trim(),
  event_data: {
    medication: draft.medication
      .filter(({ name }) => name.trim() !== '')
      .map(({ name, dose }) => ({ medication_name: name.trim(), medication_dose: Number(dose) })),
    hospital: draft.hospital.map((name) => name.trim()).filter((name) => name !== ''),
  },
})

/** Whether two notes say the same. */
export const isSame = (one: Note, other: Note): boolean =>
  JSON.stringify(toDraft(one)) === JSON.stringify(toDraft(other))

/** Whether nothing was noted. */
export const isEmptyNote = (note: Note): boolean => isSame(note, emptyNote)
