import type { CalendarDay } from '@companion/sdk'
import { expect, test } from 'vitest'
import { emptyNote, toDraft } from './note-draft'
import { standing } from './note-ground'

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

test('as long as nobody else writes, saving replaces what the draft was begun from', () => {
  expect(standing(typed, ground, dayOf('slept well', '"1-1"'))).toEqual({
    isDirty: true,
    other: undefined,
    version: '"1-1"',
  })
  expect(standing(toDraft(ground.note), ground, dayOf('slept well', '"1-1"')).isDirty).toBe(false)
})

test("another's text is shown, and not replaced unasked", () => {
  const theirs = dayOf('had a fever', '"1-2"')
  expect(standing(typed, ground, theirs)).toEqual({ isDirty: true, other: theirs, version: '"1-1"' })
})

test('a newer version that says the same is no conflict', () => {
  for (const memo of ['slept well', 'slept well, woke once'])
    expect(standing(typed, ground, dayOf(memo, '"1-2"'))).toMatchObject({
      other: undefined,
      version: '"1-2"',
    })
})

test('a day that could not be loaded at first is no exception', () => {
  const unknown = { version: undefined, note: emptyNote }
  expect(standing(typed, unknown, undefined)).toMatchObject({ other: undefined, version: undefined })
  expect(standing(typed, unknown, dayOf(''))).toMatchObject({ other: undefined, version: undefined })
  expect(standing(typed, unknown, dayOf('', '"1-4"'))).toMatchObject({ other: undefined, version: '"1-4"' })
  expect(standing(typed, unknown, dayOf('had a fever', '"1-1"')).other?.memo).toBe('had a fever')
})
