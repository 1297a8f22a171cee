import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'

import { makeNights } from './nights.ts'
import { SAVED_RESPONSE, startRecordingServer } from './recording-server.ts'
import { truthOf } from './truth.ts'

const uniqueId = '3f2b8c9e-1111-4222-8333-123456789abc'
const items = makeNights({ seed: 9, nights: 7, until: '2026-03-31', uniqueId })
const week = ['nights', '--unique-id', uniqueId, '--seed', '9', '--nights', '7', '--until', '2026-03-31']

async function simulate(
  options: string[],
  input = '',
): Promise<{ code: unknown; out: string; said: string }> {
  const main = fileURLToPath(new URL('main.ts', import.meta.url))
  const child = spawn(process.execPath, [main, ...options])
  child.stdin.end(input)
  const [[code], out, said] = await Promise.all([
    once(child, 'close'),
    text(child.stdout),
    text(child.stderr),
  ])
  return { code, out, said }
}

test('a dry run prints the items, which can be uploaded as a file', async () => {
  const dry = await simulate([...week, '--dry-run'])
  expect(dry.code).toBe(0)
  expect(JSON.parse(dry.out)).toEqual(items)

  await using server = await startRecordingServer(() => SAVED_RESPONSE)
  const { code, out } = await simulate(['file', '-', '--url', server.url], dry.out)
  expect(code).toBe(0)
  expect(out).toContain(`items    ${items.length}: ${items.length} acknowledged, 0 not`)
  expect(JSON.parse(server.requests[0]?.body ?? '')).toEqual(items)
})

test('--json prints one object with the truth, progress goes to standard error', async () => {
  await using server = await startRecordingServer(() => SAVED_RESPONSE)
  const { code, out, said } = await simulate([...week, '--url', server.url, '--json', '--cut', '1'])
  expect(code).toBe(0)
  expect(JSON.parse(out)).toMatchObject({ ok: true, sent: 2, retried: 1, cut: 1, truth: truthOf(items) })
  expect(said).toContain('upload 1/1: connection cut after')
})

test('an error shows the words of the server and ends with 1', async () => {
  const issue = { loc: ['body', '0', 'detail_data', 'treatment_date'], msg: 'before 2015-01-01' }
  await using server = await startRecordingServer(() => ({ status: 422, body: { detail: [issue] } }))
  const { code, said } = await simulate([...week, '--url', server.url, '--clock-1970'])
  expect(code).toBe(1)
  expect(server.requests[0]?.body).toContain('"treatment_date":"1970-01-01T')
  expect(said).toContain('refused, 422 body.0.detail_data.treatment_date: before 2015-01-01')
})

test.each([
  [['nights']],
  [['nights', '--unique-id', 'mine']],
  [[...week, '--cut', '2']],
  [[...week, '--until', '2026-02-30']],
  [[...week, '--nights', '0']],
  [[...week, '--url', 'ftp://device.test']],
  [['file', '/no/such/file.json']],
])('%j is a mistake, said in words', async (options) => {
  const { code, out, said } = await simulate(options)
  expect(code).toBe(1)
  expect(out).toBe('')
  expect(said).toMatch(/error|There is no file/)
  expect(said).not.toContain('    at ')
})

test('a file that is no list of items is a mistake', async () => {
  expect(await simulate(['file', '-'], '{}')).toEqual({
    code: 1,
    out: '',
    said: '- does not contain a JSON array of items\n',
  })
  expect((await simulate(['file', '-'], '[')).said).toContain('- does not contain JSON: ')
})

test('--check judges uploads without a service: a list of items, or a list of uploads with their retries', async () => {
  const fine = await simulate(['file', '-', '--check'], JSON.stringify(items))
  expect(fine).toMatchObject({ code: 0, out: `1 upload, ${items.length} items: 0 errors, 0 doubts\n` })

  const [first] = items
  const retried = { ...first, detail_data: { ...first?.detail_data, treatment_time: 1 } }
  const { code, out } = await simulate(
    ['file', '-', '--check', '--json'],
    JSON.stringify([[first], [retried]]),
  )
  expect(code).toBe(1)
  const report = JSON.parse(out)
  expect(report).toMatchObject({ ok: false, uploads: 2 })
  expect(report.findings).toContainEqual(
    expect.objectContaining({
      kind: 'error',
      upload: 2,
      item: 1,
      problem: expect.stringContaining('a retry must'),
    }),
  )
})

test('a fleet keeps in its file what each device runs, and a file of anything else is a mistake', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'companion-fleet-'))
  onTestFinished(() => rm(directory, { recursive: true }))
  const file = join(directory, 'fleet.json')
  await using server = await startRecordingServer(({ path }) =>
    path.endsWith('/devlog') ? SAVED_RESPONSE : { status: 204, body: '' },
  )
  await writeFile(file, JSON.stringify([uniqueId]))
  const fleet = ['fleet', file, '--url', server.url, '--until', '2026-03-31', '--nights', '7']
  expect(
    await simulate([...fleet, '--firmware', '12', '--contact-loss', '2', '--shorter', '0.3']),
  ).toMatchObject({
    code: 0,
    out: '1 device: 1 up to date, 0 installed, 0 failed, 0 rolled back, 0 silent, 0 with errors\n',
  })
  const [device] = JSON.parse(await readFile(file, 'utf8'))
  expect(device).toEqual({ unique_id: uniqueId, firmware: 12, updated_after: null, is_silent: false })
  expect((await simulate(fleet)).code).toBe(0)
  await writeFile(file, '[1]')
  expect((await simulate(fleet)).said).toContain('entry 0 is neither a uuid nor a device of a fleet')
})

test('live tells the service of a use while it goes on, and takes its end from the keyboard', async () => {
  await using server = await startRecordingServer(({ path }) =>
    path.endsWith('/time')
      ? { status: 200, body: { utc: '2026-03-01T12:30:00.000Z', utc_offset_minutes: 540 } }
      : SAVED_RESPONSE,
  )
  const wear = ['live', '--unique-id', uniqueId, '--url', server.url]
  const whole = await simulate([...wear, '--minutes', '13', '--speed', '100000'])
  expect(whole).toMatchObject({
    code: 0,
    out: 'temporary records: 2, 2 acknowledged\nwhole record: 13 minutes, normal, acknowledged\n',
  })
  expect(whole.said).toContain('minute 6: temporary record: 1 of 1 items acknowledged')
  // In real time.
  const faulty = await simulate([...wear, '--json'], 'f\n')
  expect(faulty.code).toBe(0)
  expect(JSON.parse(faulty.out)).toMatchObject({ ok: true, temporary: 0, ending: 'contact loss' })
})
