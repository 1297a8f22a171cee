import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'

import { playFleet } from './fleet.ts'
import type { FleetDevice, FleetReport } from './fleet.ts'
import { SAVED_RESPONSE, startRecordingServer } from './recording-server.ts'
import type { RecordedRequest, ScriptedResponse } from './recording-server.ts'

const image = Buffer.alloc(100_000, 7)
const etag = `"${createHash('sha256').update(image).digest('hex')}"`

/** A service that offers firmware 13 to every device that runs an older one. */
const startService = (change: (request: RecordedRequest) => ScriptedResponse | undefined = () => undefined) =>
  startRecordingServer((request) => {
    const { path, headers } = request
    const changed = change(request)
    if (changed) return changed
    if (path.endsWith('/devlog') || path.endsWith('/report')) return SAVED_RESPONSE
    if (path.includes('/firmware?'))
      return Number(headers['x-firmware']) < 13
        ? { status: 200, headers: { 'x-firmware-id': '13' }, body: Buffer.from([1, 2, 3]) }
        : { status: 204, body: '' }
    const [from = 0, to = 0] = [...(headers.range ?? '').matchAll(/\d+/g)].map(Number)
    const part = image.subarray(from, to + 1)
    const range = `bytes ${from}-${from + part.length - 1}/${image.length}`
    return { status: 206, headers: { etag, 'content-range': range }, body: part }
  })

const fleet = (count: number): FleetDevice[] =>
  Array.from({ length: count }, (_, n) => ({
    unique_id: `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`,
    firmware: 12,
    updated_after: null,
    is_silent: false,
  }))
const day = { until: '2026-03-10', nights: 3, seed: 5, policy: { attempts: 1 } }
const outcomes = (requests: readonly RecordedRequest[]) =>
  requests.flatMap(({ path, body }) =>
    path.endsWith('/report') ? [(JSON.parse(body) as { outcome: string }).outcome] : [],
  )
const counts = (report: FleetReport) => ({ ...report, devices: undefined })
const none = { up_to_date: 0, installed: 0, failed: 0, rolled_back: 0, silent: 0, errors: 0 }

test('each device uploads, asks, loads, installs, and is up to date the day after', async () => {
  await using service = await startService()
  const first = await playFleet({ ...day, url: service.url, devices: fleet(5) })
  expect(counts(first)).toEqual({ ...none, ok: true, installed: 5 })
  expect(first.devices).toEqual(
    fleet(5).map((each) => ({ ...each, firmware: 13, updated_after: '2026-03-10' })),
  )
  expect(outcomes(service.requests).toSorted()).toEqual([
    ...Array.from({ length: 5 }, () => 'installed'),
    ...Array.from({ length: 5 }, () => 'started'),
  ])
  const uploads = service.requests.filter(({ path }) => path.endsWith('/devlog'))
  expect(new Set(uploads.map(({ headers }) => headers['x-firmware']))).toEqual(new Set(['12']))
  const second = await playFleet({ ...day, until: '2026-03-11', url: service.url, devices: first.devices })
  expect(counts(second)).toEqual({ ...none, ok: true, up_to_date: 5 })
})

test('devices fail, go back or fall silent as the seed decides', async () => {
  await using service = await startService()
  const given = { ...day, url: service.url, devices: fleet(8) }
  const failing = await playFleet({ ...given, issues: { failing: 1 } })
  expect(counts(failing)).toEqual({ ...none, ok: true, failed: 8 })
  expect(failing.devices).toEqual(fleet(8))
  const back = await playFleet({ ...given, issues: { rollingBack: 1 } })
  expect(counts(back)).toEqual({ ...none, ok: true, rolled_back: 8 })
  const silent = await playFleet({ ...given, issues: { silent: 1 } })
  expect(counts(silent)).toEqual({ ...none, ok: true, silent: 8 })
  const before = service.requests.length
  await playFleet({ ...given, devices: silent.devices })
  expect(service.requests).toHaveLength(before)
  const half = await playFleet({ ...given, issues: { failing: 0.5 } })
  expect(half.failed + half.installed).toBe(8)
  expect(half).toEqual(await playFleet({ ...given, issues: { failing: 0.5 } }))
})

test('an image that is not what it should be, or an error, counts as one and says so', async () => {
  await using service = await startService(({ path }) =>
    path.includes('/firmware/13')
      ? { status: 206, headers: { etag: '"0"', 'content-range': 'bytes 0-2/3' }, body: Buffer.alloc(3) }
      : undefined,
  )
  const said: string[] = []
  const given = { ...day, url: service.url, devices: fleet(1), progress: (line: string) => said.push(line) }
  expect(counts(await playFleet(given))).toEqual({ ...none, ok: false, errors: 1 })
  await using broken = await startService(({ path }) =>
    path.includes('/firmware?') ? { status: 500, body: {} } : undefined,
  )
  expect(counts(await playFleet({ ...given, url: broken.url }))).toEqual({ ...none, ok: false, errors: 1 })
  expect(said.map((line) => line.slice(38))).toEqual([
    'The image is not that of its ETag',
    'A device asked for firmware and got 500',
  ])
})
