import { expect, test } from 'vitest'

import { upload } from './index.ts'
import type { Misbehaviour, UploadReport } from './index.ts'
import { makeNights } from './nights.ts'
import { SAVED_RESPONSE, startRecordingServer } from './recording-server.ts'
import type { ScriptedResponse } from './recording-server.ts'
import { truthOf } from './truth.ts'

const uniqueId = '3f2b8c9e-1111-4222-8333-123456789abc'
const items = makeNights({ seed: 1, nights: 30, until: '2026-03-31', uniqueId })
const BUSY: ScriptedResponse = { status: 503, body: { detail: 'busy' } }

async function run(
  answer: (number: number) => ScriptedResponse,
  options: { misbehaviour?: Misbehaviour; batch?: number; attempts?: number; timeout?: number } = {},
): Promise<{
  report: UploadReport
  requests: { body: string; whole: boolean }[]
  waits: number[]
  said: string[]
}> {
  await using server = await startRecordingServer((_, number) => answer(number))
  const waits: number[] = []
  const said: string[] = []
  const { attempts = 6, timeout = 600_000, ...rest } = options
  const report = await upload({
    ...rest,
    url: `${server.url}/`,
    items,
    policy: { attempts, timeout },
    progress: (line) => said.push(line),
    wait: async (milliseconds) => waits.push(milliseconds),
  })
  expect(report.sent).toBe(report.acknowledged + report.rejected + report.failed)
  return { report, requests: server.requests, waits, said }
}

function itemsIn(body: string): unknown[] {
  const content: unknown = JSON.parse(body)
  return Array.isArray(content) ? content : []
}

test('uploads every item once, in the form of the contract', async () => {
  await using server = await startRecordingServer(() => SAVED_RESPONSE)
  const report = await upload({ url: server.url, items })

  expect(report).toMatchObject({
    ok: true,
    sent: 3,
    acknowledged: 3,
    retried: 0,
    rejected: 0,
    items: items.length,
  })
  expect(report.items_acknowledged).toBe(items.length)
  expect(report.truth).toEqual(truthOf(items))
  expect(server.requests.flatMap((request) => itemsIn(request.body))).toEqual(items)
  for (const request of server.requests) {
    expect(request.path).toBe('/api/v1/gamma/device/devlog')
    expect(request.headers['content-type']).toBe('application/json')
    expect(request.headers).not.toHaveProperty('prefer')
    expect(request.headers).not.toHaveProperty('authorization')
  }
})

test('gzip and lenient are said in the headers', async () => {
  await using server = await startRecordingServer(() => SAVED_RESPONSE)
  await upload({ url: server.url, items, misbehaviour: { gzip: true, lenient: true } })
  expect(server.requests.flatMap((request) => itemsIn(request.body))).toEqual(items)
  expect(server.requests[0]?.headers).toMatchObject({
    'content-encoding': 'gzip',
    prefer: 'handling=lenient',
  })
})

test('an upload that fails is sent again, the same bytes, until it is acknowledged', async () => {
  const { report, requests, waits } = await run((number) => (number < 4 ? BUSY : SAVED_RESPONSE), {
    batch: 100,
  })
  expect(report).toMatchObject({ ok: true, sent: 4, acknowledged: 1, retried: 3, failed: 3 })
  expect(new Set(requests.map((request) => request.body)).size).toBe(1)
  expect(waits).toHaveLength(3)
})

test('Retry-After is obeyed', async () => {
  const limited = { status: 429, headers: { 'retry-after': '7' }, body: { detail: 'Too many requests' } }
  const { report, waits } = await run((number) => (number === 1 ? limited : SAVED_RESPONSE), { batch: 100 })
  expect(report).toMatchObject({ ok: true, retried: 1 })
  expect(waits[0]).toBeGreaterThanOrEqual(7000)
})

test('attempts are bounded, and then the rest waits for another day', async () => {
  const { report, requests } = await run(() => BUSY, { attempts: 3 })
  expect(requests).toHaveLength(3)
  expect(report).toMatchObject({
    ok: false,
    sent: 3,
    acknowledged: 0,
    failed: 3,
    unsent: 2,
    items_acknowledged: 0,
  })
  expect(report.rejections).toMatchObject([{ upload: 1, status: 503, detail: 'busy' }])
  expect(report.items_rejected).toBe(0)
})

test('another 4xx stops its upload only, and its detail is reported', async () => {
  const refused = { status: 409, body: { detail: 'Not Connected Device' } }
  const { report, requests, said } = await run((number) => (number === 2 ? refused : SAVED_RESPONSE))
  expect(requests).toHaveLength(3)
  expect(report).toMatchObject({ ok: false, sent: 3, acknowledged: 2, rejected: 1, items_rejected: 10 })
  expect(report.items_acknowledged).toBe(items.length - 10)
  expect(report.rejections).toEqual([
    {
      upload: 2,
      status: 409,
      detail: 'Not Connected Device',
      items: [10, 11, 12, 13, 14, 15, 16, 17, 18, 19],
    },
  ])
  expect(said).toContain('upload 2/3: refused, 409 Not Connected Device')
})

test('single items of a lenient upload can be rejected', async () => {
  const results = items.map((_, index) =>
    index === 4 ? { index, status: 'rejected', detail: 'too early' } : { index, status: 'stored' },
  )
  const response = { status: 200, body: { statusCode: 200, message: 'saved', results } }
  const { report } = await run(() => response, { batch: 100, misbehaviour: { lenient: true } })
  expect(report).toMatchObject({ ok: false, acknowledged: 1, rejected: 0, items_rejected: 1 })
  expect(report.items_acknowledged).toBe(items.length - 1)
  expect(report.results).toEqual({ stored: items.length - 1, duplicate: 0, completed: 0, rejected: 1 })
  expect(report.rejections).toEqual([{ upload: 1, status: 200, detail: 'too early', items: [4] }])
})

test('retries repeat acknowledged uploads byte for byte', async () => {
  const { report, requests } = await run(() => SAVED_RESPONSE, { misbehaviour: { retries: 1 } })
  expect(report).toMatchObject({ ok: true, sent: 6, acknowledged: 6, repeated: 3, retried: 0 })
  const bodies = requests.map((request) => request.body)
  expect([bodies[0], bodies[2], bodies[4]]).toEqual([bodies[1], bodies[3], bodies[5]])
})

test('a repetition that is refused is an issue of the server and shows', async () => {
  const { report } = await run(
    (number) => (number === 2 ? { status: 409, body: { detail: 'again?' } } : SAVED_RESPONSE),
    {
      batch: 100,
      misbehaviour: { retries: 1 },
    },
  )
  expect(report).toMatchObject({ ok: false, items_acknowledged: items.length })
})

test('a cut connection leaves half a body behind and is followed by the whole', async () => {
  const { report, requests } = await run(() => SAVED_RESPONSE, { misbehaviour: { cut: 1 } })
  expect(report).toMatchObject({ ok: true, sent: 6, acknowledged: 3, cut: 3, retried: 3, failed: 3 })
  const torn = requests.filter((request) => !request.whole)
  const whole = requests.filter((request) => request.whole)
  expect(torn).toHaveLength(3)
  expect(whole.flatMap((request) => itemsIn(request.body))).toEqual(items)
  for (const [index, request] of torn.entries()) {
    expect(request.body.length).toBeGreaterThan(0)
    expect(request.body.length).toBeLessThan(whole[index]?.body.length ?? 0)
    expect(whole[index]?.body.startsWith(request.body)).toBe(true)
  }
})

test('a lost answer is followed by the same request', async () => {
  const { report, requests } = await run(() => SAVED_RESPONSE, { misbehaviour: { lost: 1 } })
  expect(report).toMatchObject({ ok: true, sent: 6, acknowledged: 3, lost: 3, retried: 3, failed: 3 })
  const bodies = requests.map((request) => request.body)
  expect([bodies[0], bodies[2], bodies[4]]).toEqual([bodies[1], bodies[3], bodies[5]])
  expect(requests.every((request) => request.whole)).toBe(true)
})

const NO_JSON: ScriptedResponse = { status: 400, body: { detail: 'Request body is not valid JSON' } }

test('a torn request is a beginning of the whole one, which follows', async () => {
  const { report, requests } = await run((number) => (number % 2 === 1 ? NO_JSON : SAVED_RESPONSE), {
    misbehaviour: { torn: 1 },
  })
  expect(report).toMatchObject({ ok: true, sent: 6, acknowledged: 3, torn: 3, retried: 3, rejected: 3 })
  for (const [index, { body, whole }] of requests.entries()) {
    expect(whole).toBe(true)
    if (index % 2 === 1) expect(body.startsWith(requests[index - 1]?.body ?? '-')).toBe(true)
    else expect(() => itemsIn(body)).toThrow('JSON')
  }
})

test('to acknowledge a torn request is an issue of the server and shows', async () => {
  const { report } = await run(() => SAVED_RESPONSE, { batch: 100, misbehaviour: { torn: 1 } })
  expect(report).toMatchObject({ ok: false, rejections: [{ detail: 'Half a body was acknowledged' }] })
})

test('everything at once still delivers every item', async () => {
  const misbehaviour = {
    retries: 0.5,
    duplicates: 0.5,
    shuffle: true,
    cut: 0.5,
    lost: 0.5,
    temporary: 0.5,
    gzip: true,
  }
  const { report, requests } = await run((number) => (number % 3 === 0 ? BUSY : SAVED_RESPONSE), {
    batch: 4,
    misbehaviour,
  })
  expect(report).toMatchObject({ ok: true, items_acknowledged: report.items })
  const received = requests.filter((request) => request.whole).flatMap((request) => itemsIn(request.body))
  expect(truthOf(received)).toEqual(truthOf(items))
})

test('a server out of reach is reported, not thrown', async () => {
  const server = await startRecordingServer(() => SAVED_RESPONSE)
  await server[Symbol.asyncDispose]()
  const report = await upload({ url: server.url, items, misbehaviour: { cut: 1 }, wait: async () => {} })
  expect(report).toMatchObject({ ok: false, acknowledged: 0, sent: 7, cut: 1, unsent: 2 })
  expect(report.rejections[0]).toMatchObject({ status: null })
  expect(report.rejections[0]?.detail).toContain('ECONNREFUSED')
})

test('a try without an answer ends after its time', async () => {
  const silent: typeof globalThis.fetch = (_, init) =>
    new Promise((_resolve, reject) => {
      init?.signal?.addEventListener('abort', () => reject(new Error('timed out')))
    })
  const report = await upload({
    url: 'http://device.test',
    items,
    fetch: silent,
    policy: { attempts: 1, timeout: 20 },
  })
  expect(report).toMatchObject({ ok: false, sent: 1, failed: 1 })
})

test('no items, no uploads', async () => {
  const { requests } = await run(() => SAVED_RESPONSE)
  expect(requests.length).toBeGreaterThan(0)
  expect(await upload({ url: 'http://device.test', items: [] })).toMatchObject({
    ok: true,
    sent: 0,
    items: 0,
  })
})
