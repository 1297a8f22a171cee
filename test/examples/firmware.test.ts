import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { createRandom, makeNights } from '@companion/device-simulator'
import type { DevlogItem } from '@companion/device-simulator'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { canCompile, hasValgrind, make, NEEDED, valgrind } from '../support/device-in-c.ts'
import { addChild, addDevice, signUp } from '../support/family.ts'
import { startFailingProxy } from '../support/machines/failing-proxy.ts'
import type { Issue } from '../support/machines/failing-proxy.ts'
import { useServer } from '../support/server.ts'
import { until } from '../support/until.ts'

const server = useServer({ SERVICE_TIME_ZONE: 'Asia/Seoul' })
const SEOUL = 9 * 3600
const UPLOAD = 'POST /api/v1/gamma/device/devlog'
const TIME = 'GET /api/v1/gamma/device/time'

const run = promisify(execFile)

test('the calls on the page for firmware work as they stand there', async () => {
  const { unique_id } = await addChild(server, (await signUp(server)).token)
  const page = await readFile(new URL('../../docs/firmware.md', import.meta.url), 'utf8')
  const [send = '', time = ''] = [...page.matchAll(/```sh\n(.*?)```/gs)].map(([, script = '']) =>
    script.replace('https://SERVICE', server.url).replace(/[0-9a-f]{8}-[0-9a-f-]{27}/, unique_id),
  )
  const response = (await run('bash', ['-c', send])).stdout
  expect(response).toMatch(/^HTTP\/1.1 200 OK\r\n/)
  const [, body = ''] = response.split('\r\n\r\n')
  expect(body).toMatch(/^\{"statusCode":200/)
  const told = (await run('bash', ['-c', time])).stdout
  expect(told).toMatch(/^\{"utc":".*","utc_offset_minutes":540\}$/)
  for (const text of [body, told]) expect(text.length).toBeLessThanOrEqual(64)
})

describe.skipIf(!canCompile)(`the firmware in C (${NEEDED})`, () => {
  let directory: string
  let program: string
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'companion-firmware-'))
    program = join(directory, 'device')
    await make('device', program)
  })
  afterAll(() => rm(directory, { recursive: true, force: true }))

  let device: string
  let ring: string
  let rings = 0
  beforeEach(async () => {
    device = (await addChild(server, (await signUp(server)).token)).unique_id
    rings += 1
    ring = join(directory, `ring-${rings}`)
  })

  const seconds = (date: string) => Date.parse(`${date}Z`) / 1000
  /** A log as the program reads it, its start moved as a wrong clock would. */
  const lineOf = ({ log_file_id, detail_data, intensity_record }: DevlogItem, error = 0) =>
    [
      log_file_id,
      seconds(detail_data.treatment_date) + error,
      detail_data.treatment_time,
      detail_data.movement ?? 0,
      detail_data.finish_flag,
      ...intensity_record.map(({ intensity }) => intensity),
    ].join(' ')
  /** The true time at which a clock went back to 1970, so that it was wrong for this log and the later ones. */
  const lostBefore = (item: DevlogItem | undefined) => seconds(item?.detail_data.treatment_date ?? '') - 3600
  const nights = (count: number) =>
    makeNights({ seed: 7, nights: count, until: '2026-03-31', uniqueId: device })

  const start = (url: string, options: string[], wrapper: string[] = []) => {
    const [command, ...before] = [...wrapper, program]
    const given = ['-u', url, '-d', device, '-r', ring, '-p', '5', '-P', '40', ...options]
    return spawn(command, [...before, ...given])
  }
  async function ended(child: ReturnType<typeof start>) {
    let [out, said] = ['', '']
    child.stdout.on('data', (chunk) => (out += String(chunk)))
    child.stderr.on('data', (chunk) => (said += String(chunk)))
    const [code] = await once(child, 'close')
    return { code, out, said }
  }
  /** Lets the device record `lines` and send what it holds. */
  function go(lines: string[], options: string[] = [], url = server.url, wrapper: string[] = []) {
    const child = start(url, options, wrapper)
    child.stdin.end(lines.map((line) => `${line}\n`).join(''))
    return ended(child)
  }

  async function stored() {
    const { rows } = await server.database.pool.query(
      `SELECT to_json(treatment_date) #>> '{}' AS treatment_date, log_file_id, treatment_time, movement,
         finish_flag, last_intensity, intensity_record
       FROM treatment t JOIN device d ON d.id = t.device_id
       WHERE d.unique_id = $1 AND t.deleted_at IS NULL ORDER BY log_file_id`,
      [device],
    )
    return rows
  }
  const asStored = (items: readonly DevlogItem[]) =>
    items.map(({ log_file_id, detail_data, intensity_record }) => ({
      ...detail_data,
      movement: detail_data.movement ?? 0,
      finish_flag: Number(detail_data.finish_flag),
      log_file_id,
      intensity_record: intensity_record.map(({ intensity }) => intensity),
    }))

  test.each([[[]], [['-z']]])(
    'sends all it holds, more than its memory takes at once (%j)',
    async (options) => {
      const items = nights(120)
      const lines = items.map((item) => lineOf(item))
      expect(lines.length).toBeGreaterThan(64)
      const done = await go(lines, ['-f', '12', ...options])
      expect(done).toEqual({ code: 0, out: '0 held, 0 rejected\n', said: '' })
      expect(await stored()).toEqual(asStored(items))
      const { rows } = await server.database.pool.query(
        'SELECT now_firmware_id FROM device WHERE unique_id = $1',
        [device],
      )
      expect(rows).toEqual([{ now_firmware_id: 12 }])
    },
  )

  test('has the dates of every day from 1970 to 2199 right', async () => {
    const days = Array.from({ length: 4200 }, (_, n) => new Date(n * 20 * 86_400_000 + n * 61_000))
    const check = join(directory, 'dates')
    await make('dates', check)
    const child = spawn(check)
    child.stdin.end(days.map((day) => `${day.getTime() / 1000}\n`).join(''))
    const { out } = await ended(child)
    expect(out).toBe(
      days.map((day) => `${day.toISOString().slice(0, 19)} ${day.getTime() / 1000}\n`).join(''),
    )
  })

  /** Two of each issue, in a random order. */
  function badLine(seed: number): Issue[] {
    const random = createRandom(seed, 'line')
    const issues: Issue[] = ['busy', 'silent']
    for (let n = 0; n < 3; n += 1)
      issues.push(
        'bad gateway',
        'too large',
        'hung up',
        'lost',
        'cut',
        'late',
        'promises more',
        'promises less',
      )
    return issues
      .map((issue) => ({ issue, at: random.next() }))
      .toSorted((one, other) => one.at - other.at)
      .map(({ issue }) => issue)
  }

  test.each([
    [1, []],
    [2, ['-z']],
  ])('loses and doubles nothing on a bad line (%d, %j)', async (seed, options) => {
    const items = nights(250)
    const front = await startFailingProxy(server.url, {
      [UPLOAD]: badLine(seed),
      [TIME]: ['lost', 'bad gateway', 'promises more'],
    })
    // The clock was lost before the last 20 of them.
    const lost = lostBefore(items.at(-20))
    const lines = items.map((item, n) => lineOf(item, n < items.length - 20 ? 0 : -lost))
    const done = await go(
      lines,
      ['-t', '1000', '-a', '40', '-e', String(SEOUL - lost), ...options],
      front.url,
    )
    expect(done).toMatchObject({ code: 0, out: '0 held, 0 rejected\n' })
    expect(done.said).toContain('refused: clock')
    expect(front.unmet()).toEqual([])
    const found = await stored()
    // The clocks of the device and the service tick at different moments.
    for (const [n, { treatment_date }] of found.entries()) {
      const item = items[n]
      if (!item) continue
      expect(Math.abs(seconds(treatment_date) - seconds(item.detail_data.treatment_date))).toBeLessThan(60)
    }
    const withoutDates = (records: any[]) => records.map((record) => ({ ...record, treatment_date: '' }))
    expect(withoutDates(found)).toEqual(withoutDates(asStored(items)))
  })

  test('still holds, after the power failed in the middle of an upload, what was not acknowledged', async () => {
    const items = nights(20)
    const front = await startFailingProxy(server.url, { [UPLOAD]: ['silent'] })
    const child = start(front.url, [])
    child.stdin.end(items.map((item) => `${lineOf(item)}\n`).join(''))
    await until(async () => front.received.length > 0 || undefined)
    child.kill('SIGKILL')
    expect((await ended(child)).code).toBe(null)
    expect(await stored()).toEqual([])
    expect(await go([])).toMatchObject({ code: 0, out: '0 held, 0 rejected\n' })
    expect(await stored()).toEqual(asStored(items))
  })

  test('keeps its logs while the service does not know it, or nobody wears it, and gives up for later', async () => {
    const lines = nights(3).map((item) => lineOf(item))
    const held = `${lines.length} held, 0 rejected\n`
    const worn = device
    device = (await addDevice(server)).unique_id
    expect(await go(lines)).toEqual({ code: 3, out: held, said: 'stopped: not-connected\n' })
    device = '3f2b8c9e-1111-4222-8333-123456789abc'
    expect(await go([])).toEqual({ code: 3, out: held, said: 'stopped: unknown-device\n' })
    expect(await go([], ['-a', '2'], 'http://127.0.0.1:1')).toMatchObject({ code: 4, out: held })
    device = worn
    expect(await go([])).toMatchObject({ code: 0 })
    expect(await stored()).toHaveLength(lines.length)
  })

  test('sets aside the one log that the service never takes, and sends the others', async () => {
    const items = nights(20)
    const bad = items[4]
    const lines = items.map((item) =>
      lineOf(item === bad ? { ...item, detail_data: { ...item.detail_data, finish_flag: 9 } } : item),
    )
    expect(await go(lines)).toMatchObject({ code: 2, out: '0 held, 1 rejected\n' })
    expect(await stored()).toEqual(asStored(items.filter((item) => item !== bad)))
  })

  test.skipIf(!hasValgrind).each([
    // Its clock had jumped, or was lost and then set by hand before the log was sent.
    ['2036-02-06T21:00:00', 0],
    ['2099-12-31T23:59:59', 40],
    ['1970-01-02T21:00:00', 79],
  ])(
    'sets aside a log of %s that no correction can date, and sends all others (valgrind)',
    async (date, at) => {
      const items = nights(120).slice(0, 80)
      const undatable = items[at]
      expect(items).toHaveLength(80)
      if (!undatable) throw new Error('No such log')
      const logs = items.map((item) => ({ ...item, log_file_id: 2 * item.log_file_id }))
      const bad = {
        ...undatable,
        log_file_id: 2 * undatable.log_file_id + 1,
        detail_data: { ...undatable.detail_data, treatment_date: date },
      }
      const lines = logs.toSpliced(at + 1, 0, bad).map((item) => lineOf(item))
      const done = await go(lines, ['-z', '-e', String(SEOUL)], server.url, valgrind)
      expect(done).toMatchObject({ code: 2, out: '0 held, 1 rejected\n' })
      expect(done.said).not.toContain('==')
      expect(done.said.match(/clock corrected/g)).toHaveLength(1)
      expect(await stored()).toEqual(asStored(logs))
    },
  )

  test('corrects the dates of a clock that is years ahead, and of one that was lost', async () => {
    const items = nights(40)
    const ahead = 10 * 365 * 86_400
    for (const error of [ahead, -lostBefore(items.at(-10))]) {
      device = (await addChild(server, (await signUp(server)).token)).unique_id
      ring = join(directory, `ring-clock-${error}`)
      // The last ten were written by the wrong clock.
      const lines = items.map((item, n) => lineOf(item, n < items.length - 10 ? 0 : error))
      const done = await go(lines, ['-e', String(SEOUL + error)])
      expect(done).toMatchObject({ code: 0, out: '0 held, 0 rejected\n' })
      const found = await stored()
      expect(found).toHaveLength(items.length)
      for (const [n, { treatment_date }] of found.entries()) {
        const truth = items[n]?.detail_data.treatment_date ?? ''
        expect(Math.abs(seconds(treatment_date) - seconds(truth))).toBeLessThan(60)
      }
    }
  })

  test.skipIf(!hasValgrind)(
    'leaks and oversteps no memory, on a bad line too (valgrind)',
    async () => {
      const items = nights(60)
      const front = await startFailingProxy(server.url, {
        [UPLOAD]: ['bad gateway', 'too large', 'hung up', 'cut', 'lost', 'promises more', 'promises less'],
      })
      const lines = items.map((item) => lineOf(item))
      const done = await go(lines, ['-z', '-a', '40'], front.url, valgrind)
      expect(done).toMatchObject({ code: 0, out: '0 held, 0 rejected\n' })
      expect(done.said).not.toContain('==')
      expect(front.unmet()).toEqual([])
      expect(await stored()).toEqual(asStored(items))
    },
    120_000,
  )
})
