import { addDays } from '@companion/server/time/wall-clock.ts'
import { afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { addChild, devlogItem, signUp, upload } from '../../support/family.ts'
import type { Account } from '../../support/family.ts'
import { addBasestation, connectBasestation, disconnectBasestation } from '../../support/basestations.ts'
import { readPdf } from '../../support/files/pdf.ts'
import { fetchReport, readFigures, REPORT, search } from '../../support/report.ts'
import { useServer } from '../../support/server.ts'

const server = useServer()
let parent: Account
let child: Awaited<ReturnType<typeof addChild>>
let station: Awaited<ReturnType<typeof connectBasestation>>
let stranger: Account
let strangersChild: number
let strangersStation: number

beforeAll(async () => {
  parent = await signUp(server)
  child = await addChild(server, parent.token)
  station = await connectBasestation(server, parent.token)
  stranger = await signUp(server)
  strangersChild = (await addChild(server, stranger.token)).real_user_id
  strangersStation = (await connectBasestation(server, stranger.token)).basestation_id
})

afterEach(() => void vi.useRealTimers())

const query = (other: Record<string, string | number> = {}) => ({
  real_user_id: child.real_user_id,
  basestation_id: station.basestation_id,
  start_date: '2026-10-01',
  end_date: '2026-10-31',
  ...other,
})
const report = (other: Record<string, string | number> = {}) =>
  fetchReport(server, REPORT, parent.token, query(other))
const refused = (other: Record<string, string | number>) =>
  server.get(REPORT, { token: parent.token, query: query(other) })

describe('the file', () => {
  test('is a complete PDF with the name and headers of the contract', async () => {
    const { status, headers, bytes } = await report()
    expect(status).toBe(200)
    expect(headers.get('content-type')).toBe('application/pdf')
    expect(headers.get('content-disposition')).toBe('attachment; filename=Beta_Report.pdf')
    expect(headers.get('content-length')).toBe(String(bytes.length))
    expect(headers.get('cache-control')).toBe('private, no-store')
    expect(Buffer.from(bytes.subarray(0, 5)).toString()).toBe('%PDF-')
    expect(Buffer.from(bytes.subarray(-6)).toString()).toBe('%%EOF\n')
  })

  test.each([
    ['KR', 'ko-KR', '사용 보고서'],
    ['EN', 'en', 'Usage report'],
  ])('in %s has language, title and tags for assistive programs', async (language, tag, title) => {
    const pdf = await readPdf((await report({ language })).bytes)
    expect(pdf).toMatchObject({ language: tag, title: `${title}: Mina`, isTagged: true })
    expect(pdf.pages[0]?.[0]).toEqual([title])
  })

  test('keeps a name from meaning something in its metadata', async () => {
    const other = await addChild(server, parent.token)
    // A name of today holds no line feed, one that was stored earlier may.
    await server.database.sql
      .updateTable('real_user')
      .set({ first_name: 'A & <B>\n"C"', last_name: '' })
      .where('id', '=', other.real_user_id)
      .execute()
    const { bytes } = await report({ real_user_id: other.real_user_id, language: 'EN' })
    const { title, metadata, pages } = await readPdf(bytes)
    expect(title).toBe('Usage report: A ＆ ‹B› "C"')
    expect(metadata).toBe(title)
    expect(pages[0]?.slice(1, 3)).toEqual([['A & <B>'], ['"C"']])
  })

  test('is Korean without a language', async () => {
    const { real_user_id, basestation_id, start_date, end_date } = query()
    const { bytes } = await fetchReport(server, REPORT, parent.token, {
      real_user_id,
      basestation_id,
      start_date,
      end_date,
    })
    expect((await readPdf(bytes)).language).toBe('ko-KR')
  })

  test('is the same to the byte for the same data at the same moment, and not at another', async () => {
    await upload(server, [devlogItem(child.unique_id, '2026-10-03T21:00:00')])
    vi.useFakeTimers({ toFake: ['Date'] })
    const [first, second] = [await report(), await report()]
    expect(Buffer.compare(first.bytes, second.bytes)).toBe(0)
    vi.setSystemTime(Date.now() + 60_000)
    expect(Buffer.compare(first.bytes, (await report()).bytes)).not.toBe(0)
  })

  test('says when it was made, with the zone of the service', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() })
    const { created } = await readFigures((await report({ language: 'EN' })).bytes)
    const shown = new Intl.DateTimeFormat('en-GB', { timeZone: 'America/New_York', timeStyle: 'short' })
    expect(created).toContain(`, ${shown.format(new Date())} (America/New_York, UTC−0`)
  })

  test('answers HEAD with the headers alone', async () => {
    const response = await fetch(`${server.url}${REPORT}?${search(query())}`, {
      method: 'HEAD',
      headers: { authorization: `Bearer ${parent.token}` },
    })
    expect(response.status).toBe(200)
    expect(Number(response.headers.get('content-length'))).toBeGreaterThan(10_000)
    expect(await response.text()).toBe('')
  })

  test('is no operation of tRPC, which carries JSON alone', async () => {
    const { status } = await server.get(`/trpc/reports.pdf`, {
      token: parent.token,
      query: { input: JSON.stringify(query()) },
    })
    expect(status).toBe(404)
  })
})

describe('the base station', () => {
  test('is the one that is named', async () => {
    const second = await connectBasestation(server, parent.token)
    const { bytes } = await report({ basestation_id: second.basestation_id, language: 'EN' })
    expect((await readFigures(bytes)).station).toBe(second.serial_code)
  })
})

describe('errors', () => {
  const json = (status: number, detail: string) => ({ status, body: { detail } })

  test('are JSON, in the order child, its owner, base station, its owner', async () => {
    const [nobody, unknown] = [2_000_000_000, 2_000_000_000]
    expect(await refused({ real_user_id: nobody, basestation_id: unknown })).toMatchObject(
      json(404, 'Real user is not found'),
    )
    expect(await refused({ real_user_id: strangersChild, basestation_id: unknown })).toMatchObject(
      json(401, 'Not authorized user'),
    )
    expect(await refused({ basestation_id: unknown })).toMatchObject(json(404, 'Device not found'))
    expect(await refused({ basestation_id: strangersStation })).toMatchObject(
      json(403, 'This device does not belong to the user'),
    )
  })

  test('name a base station that is disconnected, or was never connected, as not the caller’s', async () => {
    const gone = await connectBasestation(server, parent.token)
    await disconnectBasestation(server, parent.token, gone.basestation_id)
    const { unique_id } = await addBasestation(server)
    const { rows } = await server.database.pool.query('SELECT id FROM basestation WHERE unique_id = $1', [
      unique_id,
    ])
    for (const basestation_id of [gone.basestation_id, rows[0].id]) {
      expect(await refused({ basestation_id })).toMatchObject(
        json(403, 'This device does not belong to the user'),
      )
    }
  })

  test('a deleted child is not found', async () => {
    const deleted = await addChild(server, parent.token)
    await server.delete('/api/v1/beta/user/delete-real-user', {
      token: parent.token,
      json: { real_user_id: deleted.real_user_id, unique_id: deleted.unique_id },
    })
    expect(await refused({ real_user_id: deleted.real_user_id })).toMatchObject(
      json(404, 'Real user is not found'),
    )
  })

  test('begin with the access token, before anything of the query is judged', async () => {
    for (const token of [undefined, 'nonsense']) {
      const response = await server.get(REPORT, { ...(token ? { token } : {}), query: { language: 'XX' } })
      expect(response).toMatchObject(json(401, 'Could not validate credentials'))
      expect(response.headers.get('content-type')).toContain('application/json')
    }
    const leaving = await signUp(server)
    await server.delete('/api/v1/beta/user/root-user', { token: leaving.token })
    expect(await server.get(REPORT, { token: leaving.token, query: query() })).toMatchObject(
      json(401, 'User is Deleted'),
    )
    const blocked = await signUp(server)
    await server.database.pool.query('UPDATE root_user SET blocked_at = now() WHERE id = $1', [blocked.id])
    expect(await server.get(REPORT, { token: blocked.token, query: query() })).toMatchObject(
      json(423, 'Access denied. Account blocked'),
    )
    const erased = await signUp(server)
    await server.database.pool.query('DELETE FROM root_user WHERE id = $1', [erased.id])
    expect(await server.get(REPORT, { token: erased.token, query: query() })).toMatchObject(
      json(401, 'User is None'),
    )
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 1_000_000 })
    expect(await refused({})).toMatchObject(json(401, 'Token is expired'))
  })

  test.each([
    [{ start_date: '2026-11-02', end_date: '2026-11-01' }, 'end_date', 'must not lie before start_date'],
    [
      { start_date: '2025-01-01', end_date: '2026-01-02' },
      'end_date',
      'must lie less than 366 days after start_date',
    ],
    [{ start_date: '2026-02-29' }, 'start_date', 'must be a day as yyyy-mm-dd'],
    [{ start_date: '20260201' }, 'start_date', 'must be a day as yyyy-mm-dd'],
    [{ end_date: '' }, 'end_date', 'must be a day as yyyy-mm-dd'],
    [{ language: 'kr' }, 'language', 'Invalid option: expected one of "KR"|"EN"'],
    [{ language: '' }, 'language', 'Invalid option: expected one of "KR"|"EN"'],
    [{ real_user_id: 'x' }, 'real_user_id', 'Invalid input: expected number, received string'],
  ])('%j is not valid', async (other, field, msg) => {
    const { status, body } = await refused(other)
    expect(status).toBe(422)
    expect(body.detail).toEqual([expect.objectContaining({ loc: ['query', field], msg })])
  })

  test('a longest period of 366 days is answered', async () => {
    const { status, bytes } = await report({
      start_date: '2024-01-01',
      end_date: '2024-12-31',
      language: 'EN',
    })
    expect(status).toBe(200)
    expect((await readFigures(bytes)).period).toBe('1 January 2024 – 31 December 2024 (366 days)')
  })

  test('a year of the longest notes is answered, and says what it leaves out', async () => {
    const { token } = await signUp(server)
    const { real_user_id } = await addChild(server, token)
    const { basestation_id } = await connectBasestation(server, token)
    const [first = '', ...days] = Array.from({ length: 366 }, (_, n) => addDays('2024-01-01', n))
    const text = '가'.repeat(200)
    const { status } = await server.post('/api/v1/beta/event', {
      token,
      json: {
        real_user_id,
        created_at: first,
        memo: '가'.repeat(1000),
        event_data: {
          medication: Array.from({ length: 100 }, () => ({ medication_name: text, medication_dose: 1 })),
          hospital: Array.from({ length: 100 }, () => text),
        },
      },
    })
    expect(status).toBe(200)
    await server.database.pool.query(
      `INSERT INTO event (real_user_id, event_date, memo, event_data)
       SELECT real_user_id, unnest($2::date[]), memo, event_data FROM event WHERE real_user_id = $1`,
      [real_user_id, days],
    )
    const year = { start_date: first, end_date: '2024-12-31', language: 'EN' }
    const whole = await fetchReport(server, REPORT, token, { real_user_id, basestation_id, ...year })
    expect(whole.status).toBe(200)
    const day = await fetchReport(server, REPORT, token, {
      real_user_id,
      basestation_id,
      ...year,
      end_date: first,
    })
    const textOf = async (bytes: Uint8Array) => (await readPdf(bytes, 20)).pages.flat().join('\n')
    expect(await textOf(whole.bytes)).toMatch(/and 9\d more/)
    expect(await textOf(day.bytes)).not.toMatch(/and \d+ more/)
  })
})

test.each([
  ['0001-01-01', '0001-01-31', '1 January 1 – 31 January 1 (31 days)'],
  ['9999-12-01', '9999-12-31', '1 December 9999 – 31 December 9999 (31 days)'],
])('the period from %s is answered too', async (start_date, end_date, period) => {
  const { status, bytes } = await report({ start_date, end_date, language: 'EN' })
  expect(status).toBe(200)
  expect((await readFigures(bytes)).period).toBe(period)
})

test('more reports at once than may wait are refused as JSON, with the time to ask again; the rest are answered', async () => {
  const responses = await Promise.all(
    Array.from({ length: 150 }, () => report({ start_date: '2026-10-01', end_date: '2026-10-01' })),
  )
  const [drawn, refused] = [200, 429].map((status) =>
    responses.filter((response) => response.status === status),
  )
  expect(drawn?.length).toBeGreaterThanOrEqual(40)
  expect((drawn?.length ?? 0) + (refused?.length ?? 0)).toBe(150)
  expect(refused?.length).toBeGreaterThan(0)
  for (const { headers, bytes } of refused ?? []) {
    expect(headers.get('retry-after')).toBe('10')
    expect(headers.get('content-type')).toContain('application/json')
    expect(JSON.parse(Buffer.from(bytes).toString())).toEqual({ detail: 'Too many requests' })
  }
})
