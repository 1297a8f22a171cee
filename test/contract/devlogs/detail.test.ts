import { randomUUID } from 'node:crypto'
import { beforeEach, expect, test } from 'vitest'
import { addChild, devlogItem, signUp, upload } from '../../support/family.ts'
import { useServer } from '../../support/server.ts'

const server = useServer()

let device: string
beforeEach(async () => {
  device = (await addChild(server, (await signUp(server)).token)).unique_id
})

const detail = (query: Record<string, string> = {}) =>
  server.get('/api/v1/gamma/device/detail', { query: { unique_id: device, ...query } })

test('the records of the day, in order, all that are not deleted', async () => {
  await upload(server, [
    devlogItem(device, '2026-03-01T23:59:59.5', { log_file_id: 3, treatment_time: 10, intensities: [] }),
    devlogItem(device, '2026-03-01T00:00', { log_file_id: 2, intensities: [4], is_temp: true }),
    devlogItem(device, '2026-03-02T00:00:00'),
  ])
  expect(await detail({ event_date: '2026-03-01' })).toMatchObject({
    status: 200,
    body: {
      treatment_data: [
        { treatment_date: '2026-03-01T00:00:00', treatment_time: 720, last_intensity: 4 },
        { treatment_date: '2026-03-01T23:59:59.5', treatment_time: 10, last_intensity: 0 },
      ],
    },
  })
  expect((await detail({ event_date: '2026-03-03' })).body).toEqual({ treatment_data: [] })
  await server.delete('/api/v1/gamma/device/devlog', { query: { unique_id: device } })
  expect((await detail({ event_date: '2026-03-01' })).body).toEqual({ treatment_data: [] })
})

test('of a day with more records than anybody has, the newest 2,000', async () => {
  const record = (n: number) =>
    devlogItem(device, '2026-03-01T21:00:00', { log_file_id: n, intensities: [n % 100] })
  await upload(server, [devlogItem(device, '2026-03-01T20:00:00', { intensities: [100] })])
  for (const from of [0, 1000])
    await upload(
      server,
      Array.from({ length: 1000 }, (_, n) => record(from + n)),
    )
  const { treatment_data } = (await detail({ event_date: '2026-03-01' })).body
  expect(treatment_data.map(({ last_intensity }: { last_intensity: number }) => last_intensity)).toEqual(
    Array.from({ length: 2000 }, (_, n) => n % 100),
  )
})

test('an unknown device: 400', async () => {
  expect(await detail({ event_date: '2026-03-01', unique_id: randomUUID() })).toMatchObject({
    status: 400,
    body: { detail: 'Failed to read detail event' },
  })
})

test.each(['2026-02-30', '20260301', '', '0000-01-01'])('event_date %j is 422', async (event_date) => {
  expect(await detail({ event_date })).toMatchObject({
    status: 422,
    body: { detail: [{ loc: ['query', 'event_date'] }] },
  })
})

test('event_date is required', async () => {
  expect(await detail()).toMatchObject({
    status: 422,
    body: { detail: [{ type: 'missing', loc: ['query', 'event_date'] }] },
  })
})
