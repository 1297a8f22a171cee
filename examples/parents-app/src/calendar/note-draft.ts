import type { CalendarDay, SaveEventInput } from '@companion/sdk'
import { storedMedication, parseStoredMedication } from './medication'
import type { MedicationLine } from './medication'
import { splitMoodFromMemo, memoWithMood } from './mood'
import type { Mood } from './mood'

/** The note of a day, as the service stores it. */
export type Note = Pick<CalendarDay, 'memo' | 'event_data'>

/** A day's note while it is being written: the text of the fields. */
export interface NoteDraft {
  mood: Mood | undefined
  memo: string
  medication: MedicationLine[]
  hospital: string[]
}

export const MEMO_LIMIT = 1000

export const emptyNote: Note = { memo: '', event_data: { medication: [], hospital: [] } }

/** The whole note that an input stores: fields that it leaves out become empty. */
export const noteOf = ({ memo = '', event_data }: Pick<SaveEventInput, 'memo' | 'event_data'>): Note => ({
  memo,
  event_data: { medication: event_data?.medication ?? [], hospital: event_data?.hospital ?? [] },
})

export function toDraft({ memo, event_data }: Note): NoteDraft {
  const { mood, text } = splitMoodFromMemo(memo)
  return {
    mood,
    memo: text,
    medication: event_data.medication.map(parseStoredMedication),
    hospital: [...event_data.hospital],
  }
}

const memoOf = ({ mood, memo }: NoteDraft) => memoWithMood(mood, memo.trim())

/** The length in code points, which the service counts too. */
export const memoLength = (draft: NoteDraft): number => Array.from(memoOf(draft)).length

export interface LineIssues {
  name: boolean
  dose: boolean
}

/** Which lines of medication lack a name or a dose. An empty line lacks nothing. */
export const lineIssues = ({ medication }: NoteDraft): LineIssues[] =>
  medication.map((line) => ({
    name: line.name.trim() === '' && line.dose.trim() !== '',
    dose: line.name.trim() !== '' && !storedMedication(line),
  }))

/** The note to send, without empty lines. */
export const toNote = (draft: NoteDraft): Note => ({
  memo: memoOf(draft),
  event_data: {
    medication: draft.medication
      .filter(({ name }) => name.trim() !== '')
      .flatMap((line) => storedMedication(line) ?? []),
    hospital: draft.hospital.map((name) => name.trim()).filter((name) => name !== ''),
  },
})

/** Whether two notes have the same content. */
export const isSame = (one: Note, other: Note): boolean =>
  JSON.stringify(toDraft(one)) === JSON.stringify(toDraft(other))

/** Whether a note has no content. */
export const isEmptyNote = (note: Note): boolean => isSame(note, emptyNote)
