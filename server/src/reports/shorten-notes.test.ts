import { expect, test } from 'vitest'
import type { ReportEvent } from './report-data.ts'
import { shortenNotes } from './shorten-notes.ts'

const event = (entries: number, { length = 200, memo = 'Slept well.' } = {}): ReportEvent => ({
  date: '2026-03-01',
  night: '2026-03-01',
  memo,
  medication: Array.from({ length: entries }, (_, n) => ({
    medication_name: `${n} `.padEnd(length, 'm'),
    medication_dose: n,
  })),
  hospital: Array.from({ length: entries }, (_, n) => `${n} `.padEnd(length, 'h')),
})
const days = (count: number, day: ReportEvent) => Array.from({ length: count }, () => day)
const NONE = { medication: 0, hospital: 0 }

test.each([
  ['no notes', []],
  ['a day as long as can be', [event(100, { memo: '\n'.repeat(1000) })]],
  ['a year of a few entries and long memos', days(366, event(2, { memo: 'm'.repeat(1000) }))],
])('%s stay whole', (_what, events) => {
  expect(shortenNotes(events)).toEqual(events.map((each) => ({ ...each, more: NONE })))
})

test('lists that are too long together lose their ends, each day alike, and the memos stay', () => {
  const long = event(100)
  const short = event(1)
  const [first, ...others] = shortenNotes([short, ...days(365, long)])
  expect(first).toEqual({ ...short, more: NONE })
  const kept = others[0]?.medication.length ?? 0
  expect(kept).toBeGreaterThan(1)
  for (const note of others) {
    expect(note.medication).toEqual(long.medication.slice(0, kept))
    expect(note.hospital).toEqual(long.hospital.slice(0, kept))
    expect(note).toMatchObject({ memo: long.memo, more: { medication: 100 - kept, hospital: 100 - kept } })
  }
})

test('memos that are too long together lose whole lines', () => {
  const lines = Array.from({ length: 250 }, (_, n) => String(n))
  const notes = shortenNotes(days(366, event(1, { memo: lines.join('\n') })))
  const kept = notes[0]?.memo.split('\n').length ?? 0
  expect(kept).toBeGreaterThan(30)
  expect(kept).toBeLessThan(50)
  for (const { memo, more } of notes) {
    expect(memo).toBe(`${lines.slice(0, kept).join('\n')} …`)
    expect(more).toEqual(NONE)
  }
})

test('a memo of one line is never cut if its letters need no shaping', () => {
  const memo = '가'.repeat(1000)
  const many = '\n'.repeat(900)
  const notes = shortenNotes([event(0, { memo }), ...days(365, event(0, { memo: many }))])
  expect(notes[0]?.memo).toBe(memo)
  expect(notes[1]?.memo.length).toBeLessThan(100)
})

test('memos of letters that need shaping are kept whole as far as they fit, and never left out', () => {
  const memo = 'نام جيدا '.repeat(111)
  expect(shortenNotes(days(40, event(0, { memo }))).every((note) => note.memo === memo)).toBe(true)
  for (const note of shortenNotes(days(366, event(0, { memo })))) {
    expect(note.memo.length).toBeGreaterThan(120)
    expect(note.memo.length).toBeLessThan(160)
    expect(note.memo.endsWith(' …')).toBe(true)
  }
})
