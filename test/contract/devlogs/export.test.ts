import { randomUUID } from 'node:crypto'
import { mkdtempSync, readdirSync, readlinkSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import ExcelJS from 'exceljs'
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { DEFAULT_THREADS } from '@companion/server/threads/threads.ts'
import { addChild, devlogItem, signUp, upload } from '../../support/family.ts'
import { startServer, useServer } from '../../support/server.ts'
import { until } from '../../support/until.ts'

const server = useServer()
const PATH = '/api/v1/gamma/device/export'
const XLSX = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'

let parent: Awaited<ReturnType<typeof signUp>>
let child: Awaited<ReturnType<typeof addChild>>
let device: string
beforeAll(async () => {
  parent = await signUp(server)
})
beforeEach(async () => {
  child = await addChild(server, parent.token)
  device = child.unique_id
})

const MARCH = { start_date: '2026-03-01', end_date: '2026-03-31' }
const exported = (query: Record<string, string> = {}) =>
  server.get(PATH, { query: { unique_id: device, ...MARCH, ...query } })

async function download(query: Record<string, string> = {}) {
  const search = new URLSearchParams({ unique_id: device, ...MARCH, ...query })
  const response = await fetch(`${server.url}${PATH}?${search.toString()}`)
  const bytes = await response.arrayBuffer()
  expect(response.status).toBe(200)
  const book = new ExcelJS.Workbook()
  await book.xlsx.load(bytes)
  return { headers: response.headers, bytes, book }
}

/** The rows above those of the records. */
const HEAD = 6
const at = (text: string) => new Date(`${text}Z`)

const rowsOf = (book: ExcelJS.Workbook, sheet: string) =>
  book
    .getWorksheet(sheet)
    ?.getSheetValues()
    .slice(1)
    .map((row) => (Array.isArray(row) ? row.slice(1) : row)) ?? []

// A folder of its own for temporary files, to see that none is left.
const spool = mkdtempSync(join(tmpdir(), 'companion-spool-'))
vi.stubEnv('TMPDIR', spool)
afterAll(() => {
  vi.unstubAllEnvs()
  rmSync(spool, { recursive: true })
})
const names = () => readdirSync(spool).filter((name) => name.startsWith('companion-export-'))
/** The files that this process has open there; they have no name any more. */
const openFiles = () =>
  readdirSync('/proc/self/fd').filter((descriptor) => {
    try {
      return readlinkSync(`/proc/self/fd/${descriptor}`).startsWith(join(spool, 'companion-export-'))
    } catch {
      return false
    }
  })
const leftovers = () => [...names(), ...(process.platform === 'linux' ? openFiles() : [])]

test('three sheets: treatments, intensities on their grid, and what every column means', async () => {
  await upload(server, [
    devlogItem(device, '2026-03-31T23:59:59', { log_file_id: 2, treatment_time: 0, intensities: [] }),
    devlogItem(device, '2026-03-01T00:00', { intensities: [0, 7, 3], finish_flag: '4', movement: 12 }),
    devlogItem(device, '2026-03-02T20:00:00.25', { log_file_id: 9, is_temp: true, intensities: [5] }),
    devlogItem(device, '2026-02-28T23:59:59', { log_file_id: 4 }),
    devlogItem(device, '2026-04-01T00:00:00', { log_file_id: 5 }),
  ])
  const { book, headers, bytes } = await download()
  expect(book.worksheets.map(({ name }) => name)).toEqual(['Treatments', 'Intensities', 'Columns'])
  const head = [
    'treatment_date',
    'treatment_time',
    'treatment_time_hours',
    'last_intensity',
    'movement',
    'finish_flag',
    'finish_meaning',
    'is_temp',
    'log_file_id',
  ]
  const hours = new Date(Date.UTC(1899, 11, 30) + 720_000)
  const none = new Date(Date.UTC(1899, 11, 30))
  const about = [
    [`Device 기기: ${child.serial_code} (${device})`],
    ['Child 아이: M.'],
    ['Period 기간: 2026-03-01 – 2026-03-31'],
  ]
  const treatments = rowsOf(book, 'Treatments')
  expect(treatments.slice(0, 4)).toEqual([['Treatments · 사용 기록'], ...about])
  expect(treatments[4]).toEqual(expect.arrayContaining(['Start\n시작', 'Log file\n로그 번호']))
  expect(treatments.slice(5)).toEqual([
    head,
    [at('2026-03-01T00:00:00'), 720, hours, 3, 12, 4, 'Faulty contacts shutdown', 0, 1],
    [at('2026-03-02T20:00:00'), 720, hours, 5, 0, 1, undefined, 1, 9],
    [at('2026-03-31T23:59:59'), 0, none, 0, 0, 1, 'Normal shutdown', 0, 2],
  ])
  const intensities = rowsOf(book, 'Intensities')
  expect(intensities.slice(0, 4)).toEqual([['Intensities · 강도 기록'], ...about])
  expect(intensities.slice(5)).toEqual([
    ['treatment_date', 'log_file_id', 0, 6, 12],
    [at('2026-03-01T00:00:00'), 1, 0, 7, 3],
    [at('2026-03-02T20:00:00'), 9, 5],
    [at('2026-03-31T23:59:59'), 2],
  ])
  const explained = rowsOf(book, 'Columns')
  for (const column of head)
    expect(explained).toContainEqual([
      'Treatments',
      column,
      expect.any(String),
      expect.stringMatching(/[가-힣]/),
      expect.any(String),
    ])
  expect(explained).toContainEqual(['File', 'unique_id', undefined, undefined, device])
  book.eachSheet((sheet) =>
    sheet.eachRow((row) => row.eachCell((cell) => expect(cell.type).not.toBe(ExcelJS.ValueType.Formula))),
  )
  expect(headers.get('content-type')).toBe(XLSX)
  expect(headers.get('content-length')).toBe(String(bytes.byteLength))
  expect(headers.get('content-disposition')).toBe(
    `attachment; filename=GAMMA_DEVICE_${device}_2026-03-01~2026-03-31.xlsx`,
  )
})

test('hours and minutes are those of the report: without the seconds beyond a whole minute', async () => {
  await upload(server, [devlogItem(device, '2026-03-01T20:00', { treatment_time: 20_671 })])
  const { book } = await download()
  const row = book.getWorksheet('Treatments')?.getRow(HEAD + 1)
  expect(row?.getCell(2).value).toBe(20_671)
  expect(row?.getCell(3).value).toEqual(new Date(Date.UTC(1899, 11, 30, 5, 44)))
})

test('the sheets can be filtered, read and printed as they are', async () => {
  await upload(server, [devlogItem(device, '2026-03-01T20:00'), devlogItem(device, '2026-03-02T20:00')])
  const { book } = await download()
  expect(book.creator).toBe('Companion')
  for (const [name, filter] of [
    ['Treatments', 'A6:I8'],
    ['Intensities', 'A6:B8'],
  ] as const) {
    const sheet = book.getWorksheet(name)
    expect(sheet?.autoFilter).toEqual(filter)
    expect(sheet?.views).toMatchObject([{ state: 'frozen', ySplit: HEAD }])
    expect(sheet?.pageSetup).toMatchObject({ orientation: 'landscape', fitToPage: true, fitToHeight: 0 })
    expect(sheet?.pageSetup.printTitlesRow).toBe('5:6')
    expect(sheet?.getRow(HEAD).getCell(1).font?.bold).toBe(true)
    expect(sheet?.getRow(HEAD + 1).getCell(1).numFmt).toBe('yyyy-mm-dd hh:mm:ss')
    // Wide enough for the longest date.
    expect(sheet?.getColumn(1).width).toBe(20)
    for (let column = 1; column <= (name === 'Treatments' ? 9 : 2); column += 1) {
      const [label, title, value] = [HEAD - 1, HEAD, HEAD + 1].map((row) =>
        sheet?.getRow(row).getCell(column),
      )
      // The button of the filter takes the place of three characters.
      expect(sheet?.getColumn(column).width).toBeGreaterThanOrEqual((title?.text.length ?? 0) + 3)
      // Numbers and dates stand on the right.
      const side = typeof value?.value === 'string' ? 'left' : 'right'
      expect([label?.alignment.horizontal, title?.alignment.horizontal]).toEqual([side, side])
    }
  }
  expect(
    book
      .getWorksheet('Treatments')
      ?.getRow(HEAD + 1)
      .getCell(3).numFmt,
  ).toBe('[h]:mm')
})

test.each([
  ['지우', '김', '김 지'],
  ['Mina', 'Kim', 'M. K.'],
  ['👨‍👩‍👧 Å', '', '👨‍👩‍👧.'],
])('the child %s %s has the initials %s', async (first_name, last_name, shown) => {
  await upload(server, [devlogItem(device, '2026-03-01T20:00')])
  await server.database.sql
    .updateTable('real_user')
    .set({ first_name, last_name })
    .where('id', '=', child.real_user_id)
    .execute()
  expect(rowsOf((await download()).book, 'Treatments')[2]).toEqual([`Child 아이: ${shown}`])
})

test('an upper-case unique_id is the same device, and its file too', async () => {
  await upload(server, [devlogItem(device, '2026-03-01T20:00')])
  const { headers } = await download({ unique_id: device.toUpperCase() })
  expect(headers.get('content-disposition')).toContain(`GAMMA_DEVICE_${device}_`)
})

test('more rows than are read at once: all there, in order, from one snapshot', async () => {
  const count = 2501
  await server.database.pool.query(
    `INSERT INTO treatment (device_id, real_user_id, treatment_date, treatment_time, log_file_id, last_intensity,
       finish_flag, intensity_record)
     SELECT $1, $2, timestamp '2026-03-01' + n * interval '1 minute', n, n, 1, 1, ARRAY[n % 100, 0]::smallint[]
     FROM generate_series(1, $3::int) n`,
    [child.device_id, child.real_user_id, count],
  )
  const { book } = await download()
  for (const sheet of ['Treatments', 'Intensities']) expect(rowsOf(book, sheet)).toHaveLength(count + HEAD)
  expect(rowsOf(book, 'Treatments').at(-1)).toMatchObject({ 1: count, 8: count })
  expect(rowsOf(book, 'Intensities').at(-1)).toEqual([at('2026-03-02T17:41:00'), count, count % 100, 0])
})

test('an unknown device, none in these days, days the wrong way round, deleted logs: 404', async () => {
  const none = { status: 404, body: { detail: 'Device Log not found' } }
  await upload(server, [devlogItem(device, '2026-03-05T20:00')])
  expect(await exported({ unique_id: randomUUID() })).toMatchObject(none)
  expect(await exported({ start_date: '2026-03-06' })).toMatchObject(none)
  expect(await exported({ start_date: '2026-03-06', end_date: '2026-03-04' })).toMatchObject(none)
  await server.delete('/api/v1/gamma/device/devlog', { query: { unique_id: device } })
  expect(await exported()).toMatchObject(none)
})

test('a database that refuses: 500 as JSON, never half a file', async () => {
  await upload(server, [devlogItem(device, '2026-03-05T20:00')])
  await server.database.pool.query('ALTER TABLE treatment RENAME TO elsewhere')
  try {
    expect(await exported()).toMatchObject({
      status: 500,
      body: { detail: 'Internal error while deleting device logs' },
    })
  } finally {
    await server.database.pool.query('ALTER TABLE elsewhere RENAME TO treatment')
  }
  expect((await download()).book.worksheets).toHaveLength(3)
})

test.each([
  ['start_date', '2026-02-30'],
  ['end_date', '20260301'],
  ['end_date', ''],
  ['unique_id', 'mine'],
])('%s %j is 422', async (field, value) => {
  expect(await exported({ [field]: value })).toMatchObject({
    status: 422,
    body: { detail: [{ loc: ['query', field] }] },
  })
})

test('many at once are all complete, and leave no file behind', async () => {
  await upload(server, [devlogItem(device, '2026-03-05T20:00')])
  const books = await Promise.all(Array.from({ length: 3 }, () => download()))
  for (const { book } of books) expect(rowsOf(book, 'Treatments')).toHaveLength(HEAD + 1)
  await expect.poll(leftovers).toEqual([])
})

test.skipIf(process.platform !== 'linux')('a crash leaves no file behind: it has no name', async () => {
  await upload(server, [devlogItem(device, '2026-03-05T20:00')])
  // A moment in which files are written, and none of them has a name. These downloads may be over before it is seen.
  const isSeen = async () => {
    const over = Promise.all(Array.from({ length: 3 }, () => download())).then(() => 'over')
    let isUnnamed = false
    do isUnnamed = openFiles().length > 0 && names().length === 0
    while (!isUnnamed && (await Promise.race([over, turn('not yet')])) !== 'over')
    await over
    return isUnnamed
  }
  expect(await until(isSeen)).toBe(true)
})

test('clients that go away, whenever, leave no file behind and do no harm', async () => {
  await upload(server, [devlogItem(device, '2026-03-05T20:00')])
  const search = new URLSearchParams({ unique_id: device, ...MARCH })
  await Promise.all(
    Array.from({ length: 30 }, async (_, n) => {
      const signal = AbortSignal.timeout(5 + 10 * n)
      await fetch(`${server.url}${PATH}?${search.toString()}`, { signal }).catch(() => undefined)
    }),
  )
  await expect.poll(leftovers).toEqual([])
  expect((await download()).book.worksheets).toHaveLength(3)
})

describe('what waits', () => {
  const status = async (unique_id: string) => (await exported({ unique_id })).status

  // Its spreadsheet takes so long that all other calls come in the time.
  beforeEach(() =>
    server.database.pool.query(
      `INSERT INTO treatment (device_id, real_user_id, treatment_date, treatment_time, log_file_id, last_intensity,
         finish_flag, intensity_record)
       SELECT $1, $2, timestamp '2026-03-05' + n * interval '1 second', 60, n, 7, 1, '{7}' FROM generate_series(1, 40000) n`,
      [child.device_id, child.real_user_id],
    ),
  )

  test('of one device, two spreadsheets; the others are to come back', async () => {
    const responses = await Promise.all(Array.from({ length: 8 }, () => exported()))
    const refused = responses.filter((response) => response.status === 429)
    expect(refused).toHaveLength(8 - DEFAULT_THREADS - 2)
    expect(responses.filter((response) => response.status === 200)).toHaveLength(DEFAULT_THREADS + 2)
    for (const { headers, body } of refused) {
      expect(body).toEqual({ detail: 'Too many requests' })
      expect(headers.get('retry-after')).toBe('30')
    }
    expect(await status(device)).toBe(200)
  })

  test('of all devices, sixteen', async () => {
    const children = await Promise.all(Array.from({ length: 20 }, () => addChild(server, parent.token)))
    await upload(
      server,
      children.map(({ unique_id }) => devlogItem(unique_id, '2026-03-05T20:00')),
    )
    const long = Array.from({ length: DEFAULT_THREADS }, () => exported())
    if (process.platform === 'linux') await until(() => openFiles().length === DEFAULT_THREADS)
    const statuses = await Promise.all(children.map(({ unique_id }) => status(unique_id)))
    expect(statuses.filter((each) => each === 200)).toHaveLength(16)
    expect(statuses.filter((each) => each === 429)).toHaveLength(4)
    for (const { status: each } of await Promise.all(long)) expect(each).toBe(200)
  })
})

test('with DEVICE_READS=off there is no such path, and what a device sends is stored', async () => {
  const closed = await startServer({ DEVICE_READS: 'off' }, server.databaseUrl)
  try {
    expect((await upload(closed, [devlogItem(device, '2026-03-05T20:00')])).status).toBe(200)
    const queries: Record<string, Record<string, string>> = {
      export: MARCH,
      detail: { event_date: '2026-03-05' },
      history: {},
    }
    for (const [path, query] of Object.entries(queries)) {
      const response = await closed.get(`/api/v1/gamma/device/${path}`, {
        query: { unique_id: device, ...query },
      })
      expect(response).toMatchObject({ status: 404, body: { detail: 'Resource not found' } })
    }
    const erased = await closed.delete('/api/v1/gamma/device/devlog', { query: { unique_id: device } })
    expect(erased.status).toBe(200)
  } finally {
    await closed.stop()
  }
})
