import { expect, test } from 'vitest'

import { checkUploadRules } from './check.ts'
import type { DevlogItem } from './item.ts'
import { live } from './live.ts'
import type { Ending } from './live.ts'
import { SAVED_RESPONSE, startRecordingServer } from './recording-server.ts'
import type { ScriptedResponse } from './recording-server.ts'

const uniqueId = '3f2b8c9e-1111-4222-8333-123456789abc'
// A service in Seoul.
const UTC = '2026-03-01T12:30:00.000Z'
const TIME: ScriptedResponse = { status: 200, body: { utc: UTC, utc_offset_minutes: 540 } }
/** Six minutes pass in 3.6 ms. */
const SPEED = 100_000

const startServer = (answer: (number: number) => ScriptedResponse = () => SAVED_RESPONSE) =>
  startRecordingServer((request, number) => (request.path.endsWith('/time') ? TIME : answer(number)))

const sent = (requests: readonly { body: string }[]): DevlogItem[] =>
  requests.filter(({ body }) => body !== '').flatMap(({ body }) => JSON.parse(body))

test('a use sends a temporary record every six minutes, and the whole one at its end', async () => {
  await using server = await startServer()
  const report = await live({ url: server.url, uniqueId, minutes: 30, speed: SPEED })
  expect(report).toMatchObject({ ok: true, temporary: 4, temporary_acknowledged: 4, ending: 'normal' })
  const items = sent(server.requests)
  expect(items.map(({ is_temp, detail_data }) => [is_temp, detail_data.treatment_time])).toEqual([
    [true, 360],
    [true, 720],
    [true, 1080],
    [true, 1440],
    [false, 1800],
  ])
  expect(items.map(({ intensity_record }) => intensity_record.length)).toEqual([1, 2, 3, 4, 5])
  expect(
    new Set(items.map(({ log_file_id, detail_data }) => `${log_file_id} ${detail_data.treatment_date}`)).size,
  ).toBe(1)
  // It ends now, by the wall clock of the service.
  expect(items[0]?.detail_data.treatment_date.slice(0, 16)).toBe('2026-03-01T21:00')
  const findings = checkUploadRules(
    items.map((item) => [item]),
    new Date(UTC),
  )
  expect(findings.filter(({ kind }) => kind === 'error')).toEqual([])
})

test('the electrodes lose contact when they should', async () => {
  await using server = await startServer()
  const report = await live({ url: server.url, uniqueId, minutes: 480, lossAfter: 13, speed: SPEED })
  expect(report).toMatchObject({ ok: true, temporary: 2, ending: 'contact loss' })
  expect(report.item.detail_data).toMatchObject({ treatment_time: 780, finish_flag: '4' })
})

test('somebody ends the use', async () => {
  const demand = Promise.withResolvers<Ending>()
  await using server = await startServer((number) => {
    // The time and two records have been asked for and sent.
    if (number === 3) demand.resolve('contact loss')
    return SAVED_RESPONSE
  })
  // At this speed a use of a day takes 14 minutes: it does not end by itself.
  const report = await live({ url: server.url, uniqueId, minutes: 1440, speed: 7200, ended: demand.promise })
  expect(report).toMatchObject({ ok: true, ending: 'contact loss' })
  const { treatment_time, finish_flag } = report.item.detail_data
  expect(finish_flag).toBe('4')
  expect(treatment_time).toBeGreaterThanOrEqual(720)
  expect(treatment_time).toBeLessThan(86_400)
})

test('a temporary record that cannot be sent is left out; the whole one is sent until it is stored', async () => {
  await using server = await startServer((number) =>
    number === 2 || number === 4 ? { status: 503, body: { detail: 'busy' } } : SAVED_RESPONSE,
  )
  const report = await live({
    url: server.url,
    uniqueId,
    minutes: 15,
    speed: SPEED,
    policy: { firstPause: 1, longestPause: 1 },
  })
  expect(report).toMatchObject({ ok: true, temporary: 2, temporary_acknowledged: 1 })
})

test('without a service it says so', async () => {
  const server = await startServer()
  await server[Symbol.asyncDispose]()
  await expect(live({ url: server.url, uniqueId, minutes: 1 })).rejects.toThrow(
    `No service tells the time at ${server.url}: is it running, and is --url right?`,
  )
})
