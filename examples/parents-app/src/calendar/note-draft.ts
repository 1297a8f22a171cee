import type { CalendarDay, SaveEventInput } from '@companion/sdk'

/** The note of a day, as the service stores it. */
export type Note = Pick<CalendarDay, 'memo' | 'event_data'>

/** A day's note while it is being written: the text of the fields. */
export interface NoteDraft {
  memo: string
  medication: { name: string; dose: string }[]
  hospital: string[]
}

export const MEMO_LIMIT = 1000

export const emptyNote: Note = { memo: '', event_data: { medication: [], hospital: [] } }

/** The whole note that an input stores: fields that it leaves out become empty. */
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

/** The length in code points, which the service counts too. */
export const memoLength = ({ memo }: NoteDraft): number => Array.from(memo).length

const isDose = (dose: string) => /^\d{1,9}$/.test(dose.trim())

export interface LineFaults {
  name: boolean
  dose: boolean
}

/** Which lines of medication lack a name or a whole dose. An empty line lacks nothing. */
export const lineFaults = ({ medication }: NoteDraft): LineFaults[] =>
  medication.map(({ name, dose }) => ({
    name: name.trim() === '' && dose.trim() !== '',
    dose: name.trim() !== '' && !isDose(dose),
  }))

/** The note to send, without empty lines. */
export const toNote = (draft: NoteDraft): Note => ({
  memo: draft.memo.trim(),
  event_data: {
    medication: draft.medication
      .filter(({ name }) => name.trim() !== '')
      .map(({ name, dose }) => ({ medication_name: name.trim(), medication_dose: Number(dose) })),
    hospital: draft.hospital.map((name) => name.trim()).filter((name) => name !== ''),
  },
})

/** Whether two notes have the same content. */
export const isSame = (one: Note, other: Note): boolean =>
  JSON.stringify(toDraft(one)) === JSON.stringify(toDraft(other))

/** Whether a note has no content. */
export const isEmptyNote = (note: Note): boolean => isSame(note, emptyNote)
