import type { CalendarDay, SaveEventInput } from '@companion/sdk'
import { QueryClient } from '@tanstack/react-query'
import { beforeEach, expect, test, vi } from 'vitest'
import { dayOptions } from '../companion/queries'
import { emptyNote } from './note-draft'
import { saveNote } from './save-note'

const { readDay, saveEvent, outbox } = vi.hoisted(() => ({
  readDay: vi.fn<() => Promise<CalendarDay>>(),
  saveEvent: vi.fn<(event: SaveEventInput) => Promise<void>>(),
  outbox: { saveEvent: vi.fn<(event: SaveEventInput) => Promise<void>>(), remove: vi.fn<() => void>() },
}))
vi.mock('../companion/client', () => ({ companion: { calendar: { readDay, saveEvent }, outbox } }))

const date = '2026-03-01'
const note = (memo: string) => ({ ...emptyNote, memo })
const dayOf = (memo: string, version?: string): CalendarDay => ({
  real_user_id: 1,
  event_id: version ? 1 : null,
  treatment_data: [],
  ...note(memo),
  ...(version ? { version } : {}),
})
const offline = Object.assign(new Error('offline'), { cause: { name: 'CompanionUnreachable' } })
const errorResponse = (detail: string) => Object.assign(new Error(detail), { data: { detail } })

/** Saves on a phone that last saw the day as `seen`. */
function save(seen: CalendarDay | undefined, saving: { version: string | undefined; isChosen?: boolean }) {
  const queries = new QueryClient({ defaultOptions: { queries: { staleTime: 30_000, retry: false } } })
  const { queryKey } = dayOptions(1, date)
  if (seen) queries.setQueryData(queryKey, seen)
  const outcome = saveNote(queries, { childId: 1, date, queued: [] }, { note: note('slept well'), ...saving })
  return { outcome, shown: () => queries.getQueryData(queryKey) }
}

beforeEach(() => {
  vi.resetAllMocks()
  saveEvent.mockResolvedValue(undefined)
})

test("the first note of a day does not replace another parent's unseen note, even if the day was empty just before", async () => {
  const theirs = dayOf('had a fever', '"1-1"')
  readDay.mockResolvedValue(theirs)
  for (const seen of [dayOf(''), undefined]) {
    const { outcome, shown } = save(seen, { version: undefined })
    expect(await outcome).toBe('conflict')
    expect(shown()).toMatchObject(theirs)
  }
  expect(saveEvent).not.toHaveBeenCalled()
})

test('it is saved if the day is still empty or has the same content, or if the parent has decided to replace it', async () => {
  for (const memo of ['', 'slept well']) {
    readDay.mockResolvedValue(dayOf(memo, '"1-1"'))
    expect(await save(dayOf(''), { version: undefined }).outcome).toBe('saved')
  }
  readDay.mockResolvedValue(dayOf('had a fever', '"1-1"'))
  expect(await save(dayOf(''), { version: undefined, isChosen: true }).outcome).toBe('saved')
  expect(saveEvent).toHaveBeenCalledTimes(3)
})

test('without a connection it waits in the outbox', async () => {
  readDay.mockRejectedValue(offline)
  saveEvent.mockRejectedValue(offline)
  expect(await save(dayOf(''), { version: undefined }).outcome).toBe('saved')
  expect(await save(dayOf('', '"1-1"'), { version: '"1-1"' }).outcome).toBe('saved')
  expect(outbox.saveEvent.mock.calls).toMatchObject([[{ memo: 'slept well' }], [{ version: '"1-1"' }]])
})

test('a day that could not be read is not overwritten', async () => {
  readDay.mockRejectedValue(errorResponse('Internal server error'))
  await expect(save(dayOf(''), { version: undefined }).outcome).rejects.toThrow('Internal server error')
  expect(saveEvent).not.toHaveBeenCalled()
})

test('a conflict shows the current note; if that cannot be loaded, saving has failed', async () => {
  saveEvent.mockRejectedValue(errorResponse('Event was changed meanwhile'))
  const theirs = dayOf('had a fever', '"1-2"')
  readDay.mockResolvedValueOnce(theirs)
  const { outcome, shown } = save(dayOf('', '"1-1"'), { version: '"1-1"' })
  expect(await outcome).toBe('conflict')
  expect(shown()).toMatchObject(theirs)
  readDay.mockRejectedValueOnce(errorResponse('Internal server error'))
  await expect(save(theirs, { version: '"1-1"' }).outcome).rejects.toThrow('Internal server error')
  // Without a connection, the outbox will find the conflict later.
  readDay.mockRejectedValueOnce(offline)
  expect(await save(theirs, { version: '"1-1"' }).outcome).toBe('saved')
  expect(outbox.saveEvent).toHaveBeenCalledOnce()
})
