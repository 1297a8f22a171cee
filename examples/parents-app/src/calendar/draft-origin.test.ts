import type { CalendarDay } from '@companion/sdk'
import { expect, test } from 'vitest'
import { emptyNote, toDraft } from './note-draft'
import { compareDraft } from './draft-origin'

const note = (memo: string) => ({ ...emptyNote, memo })
const dayOf = (memo: string, version?: string): CalendarDay => ({
  real_user_id: 1,
  event_id: version ? 1 : null,
  treatment_data: [],
  ...note(memo),
  ...(version ? { version } : {}),
})
const ground = { version: '"1-1"', note: note('slept well') }
const typed = toDraft(note('slept well, woke once'))

test('if nobody else writes, saving replaces the note that the draft started from', () => {
  expect(compareDraft(typed, ground, dayOf('slept well', '"1-1"'))).toEqual({
    isDirty: true,
    other: undefined,
    version: '"1-1"',
  })
  expect(compareDraft(toDraft(ground.note), ground, dayOf('slept well', '"1-1"')).isDirty).toBe(false)
})

test("another parent's text is shown, and not replaced without asking", () => {
  const theirs = dayOf('had a fever', '"1-2"')
  expect(compareDraft(typed, ground, theirs)).toEqual({ isDirty: true, other: theirs, version: '"1-1"' })
})

test('a newer version with the same content is no conflict', () => {
  for (const memo of ['slept well', 'slept well, woke once'])
    expect(compareDraft(typed, ground, dayOf(memo, '"1-2"'))).toMatchObject({
      other: undefined,
      version: '"1-2"',
    })
})

test('the same holds for a day that could not be loaded at first', () => {
  const unknown = { version: undefined, note: emptyNote }
  expect(compareDraft(typed, unknown, undefined)).toMatchObject({ other: undefined, version: undefined })
  expect(compareDraft(typed, unknown, dayOf(''))).toMatchObject({ other: undefined, version: undefined })
  expect(compareDraft(typed, unknown, dayOf('', '"1-4"'))).toMatchObject({
    other: undefined,
    version: '"1-4"',
  })
  expect(compareDraft(typed, unknown, dayOf('had a fever', '"1-1"')).other?.memo).toBe('had a fever')
})
