import type { ReportEvent } from './report-data.ts'

/** A day's notes with the first entries of its lists, and the number of omitted entries. */
export interface ReportNote extends ReportEvent {
  more: { medication: number; hospital: number }
}

/** The maximum size of all notes of a report in characters: about 500 pages, drawn within seconds and 150 MB. */
const MOST = 1_000_000
/**
 * The size counted for a character of a script whose font has to join, stack or reorder letters, or for an emoji: setting
 * it takes as much time and memory as this number of Korean or Latin ones.
 */
const SHAPED = 10
const IS_SHAPED =
  /[^\0-\u052F\u1100-\u11FF\u1E00-\u22FF\u2460-\u25FF\u3000-\uD7FF\uF900-\uFAFF\uFF00-\uFFEF]/g

/** The size counted for a line, in characters, even if it is shorter. */
const SHORTEST_LINE = 36

/**
 * Shortens notes evenly if they do not fit into one report: a year of the longest possible lists has 15 million
 * characters, which nobody reads and no thread can draw. Memos get half of the space.
 */
export function shortenNotes(events: readonly ReportEvent[]): ReportNote[] {
  const isWhole = sum(events.map(({ memo }) => sizeOf(memo))) <= MOST / 2
  const share = MOST / 2 / events.length
  const notes = isWhole ? events : events.map((event) => ({ ...event, memo: beginningOf(event.memo, share) }))

  let room = MOST - sum(notes.map(({ memo }) => sizeOf(memo)))
  let most = 0
  for (;;) {
    const next = notes.flatMap(({ medication, hospital }) => [
      ...medication.slice(most, most + 1).map(({ medication_name }) => medication_name),
      ...hospital.slice(most, most + 1),
    ])
    room -= sum(next.map(sizeOf))
    if (next.length === 0 || room < 0) break
    most += 1
  }
  const moreIn = (list: readonly unknown[]) => Math.max(0, list.length - most)
  return notes.map(({ medication, hospital, ...note }) => ({
    ...note,
    medication: medication.slice(0, most),
    hospital: hospital.slice(0, most),
    more: { medication: moreIn(medication), hospital: moreIn(hospital) },
  }))
}

/** Returns as many whole lines of a memo as fit, or the beginning of its first line. */
function beginningOf(memo: string, size: number): string {
  let room = size
  const lines = memo.split('\n')
  const end = lines.findIndex((line) => (room -= sizeOf(line)) < 0)
  if (end === -1) return memo
  const kept = end > 0 ? lines.slice(0, end).join('\n') : (lines[0] ?? '').slice(0, size / SHAPED)
  return `${kept.toWellFormed()} …`
}

const sizeOf = (text: string): number =>
  sum(text.split('\n').map((line) => Math.max(lengthOf(line), SHORTEST_LINE)))

const lengthOf = (line: string) => line.length + (SHAPED - 1) * (line.match(IS_SHAPED)?.length ?? 0)

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0)
