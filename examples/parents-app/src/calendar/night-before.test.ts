import { expect, test } from 'vitest'
import { nightOfNote, updateSightings } from './night-before'

const DATE = '2026-11-24'

test('a note that was there before noon is about the night before, and stays so', () => {
  const morning = updateSightings(undefined, false, `${DATE}T06:12:00`)
  expect(nightOfNote(DATE, morning)).toEqual({ evening: '2026-11-23', isCertain: true })
  const evening = updateSightings(morning, false, `${DATE}T21:00:00`)
  expect(nightOfNote(DATE, evening)).toEqual({ evening: '2026-11-23', isCertain: true })
  expect(nightOfNote('2026-03-01', { seenAt: '2026-03-01T11:59:59' })).toEqual({
    evening: '2026-02-28',
    isCertain: true,
  })
})

test('a note that was not there at noon is about its date', () => {
  const empty = updateSightings(undefined, true, `${DATE}T12:30:00`)
  expect(nightOfNote(DATE, empty)).toBeUndefined()
  expect(nightOfNote(DATE, updateSightings(empty, false, `${DATE}T12:31:00`))).toBeUndefined()
})

test('of a note that this phone first saw later, nothing is known', () => {
  expect(nightOfNote(DATE, updateSightings(undefined, false, '2026-11-26T08:00:00'))).toMatchObject({
    isCertain: false,
  })
  const before = updateSightings(undefined, true, `${DATE}T08:00:00`)
  expect(nightOfNote(DATE, updateSightings(before, false, `${DATE}T15:00:00`))).toMatchObject({
    isCertain: false,
  })
})

test('a note that was emptied and written again is a new one', () => {
  const morning = updateSightings(undefined, false, `${DATE}T06:12:00`)
  const emptied = updateSightings(morning, true, `${DATE}T13:00:00`)
  expect(nightOfNote(DATE, updateSightings(emptied, false, `${DATE}T20:00:00`))).toBeUndefined()
})
