import { makeNights } from '@companion/device-simulator'
import { addDays, today, wallClock } from '@companion/server/time/wall-clock.ts'
import ExcelJS from 'exceljs'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { addChild, addDevice, devlogItem, signUp, upload } from '../support/family.ts'
import { connectBasestation, reading, uploadReadings } from '../support/basestations.ts'
import { readPdf } from '../support/files/pdf.ts'
import { fetchReport, readFigures, REPORT } from '../support/report.ts'
import { useServer } from '../support/server.ts'

const server = useServer()

type Devlog = ReturnType<typeof devlogItem> | ReturnType<typeof makeNights>[number]

/** A family whose device was paired on the date `pairedOn`. */
async function addFamily(pairedOn = '2023-12-31') {
  const { token } = await signUp(server)
  const child = await addChild(server, token)
  await server.database.pool.query('UPDATE device_history SET since = $2 WHERE device_id = $1', [
    child.device_id,
    `${pairedOn}T17:00:00Z`,
  ])
  const station = await connectBasestation(server, token)
  const get = async (path: string, query: Record<string, string | number>) => {
    const { status, body } = await server.get(path, {
      token,
      query: { real_user_id: child.real_user_id, ...query },
    })
    expect(status).toBe(200)
    return body
  }
  const send = async (items: Devlog[]) => {
    for (let first = 0; first < items.length; first += 1000) {
      expect(await upload(server, items.slice(first, first + 1000))).toMatchObject({ status: 200 })
    }
  }
  return { token, child, station, get, send }
}

type Family = Awaited<ReturnType<typeof addFamily>>

async function figures({ token, child, station }: Family, start_date: string, end_date: string) {
  const { status, bytes } = await fetchReport(server, REPORT, token, {
    real_user_id: child.real_user_id,
    basestation_id: station.basestation_id,
    start_date,
    end_date,
    language: 'EN',
  })
  expect(status).toBe(200)
  return readFigures(bytes)
}

const NONE = '–'
const minutes = (seconds: number) => Math.floor(seconds / 60)
const hourMinute = (seconds: number) =>
  `${Math.floor(minutes(seconds) / 60)}:${String(minutes(seconds) % 60).padStart(2, '0')}`
const duration = (seconds: number) => `${Math.floor(minutes(seconds) / 60)} h ${minutes(seconds) % 60} min`
/** Halves away from zero. */
const tenths = (value: number) => (Math.round(value * 10 + 1e-9) / 10).toFixed(1)
const grouped = (value: number) => value.toLocaleString('en-US')

/** By date: the number of records and their length in the device's own day and in its spreadsheet, which agree. */
async function recorded({ child }: Family, dates: readonly string[]) {
  const unique_id = child.unique_id
  const query = new URLSearchParams({ unique_id, start_date: FIRST, end_date: LAST })
  const response = await fetch(`${server.url}/api/v1/gamma/device/export?${query.toString()}`)
  const book = new ExcelJS.Workbook()
  const bytes = await response.arrayBuffer()
  if (response.status === 200) await book.xlsx.load(bytes)
  const rows = book.getWorksheet('Treatments')?.getSheetValues() ?? []
  const cells = rows.flatMap((row) => (Array.isArray(row) && row[1] instanceof Date ? [row.slice(1)] : []))
  return Promise.all(
    dates.map(async (date) => {
      const { body } = await server.get('/api/v1/gamma/device/detail', {
        query: { unique_id, event_date: date },
      })
      const times: number[] = body.treatment_data.map((use: any) => use.treatment_time)
      const ofDate = cells.filter(([start]) => start instanceof Date && start.toISOString().startsWith(date))
      const ascending = (one: number, other: number) => one - other
      expect(ofDate.map((row) => Number(row[1])).toSorted(ascending)).toEqual(times.toSorted(ascending))
      for (const [, time, shown] of ofDate)
        expect(shown).toEqual(new Date(Date.UTC(1899, 11, 30, 0, minutes(Number(time)))))
      const total = times.reduce((sum, time) => sum + time, 0)
      return [date, [String(times.length), hourMinute(total)]]
    }),
  )
}

/** The dates of 30 days, as chart operations tell them. */
async function charted({ get }: Family, last: string) {
  const analysis = await get('/api/v1/beta/chart/analysis', { select_mode: 1, current_date: last })
  const recent = await get('/api/v1/beta/chart/recent', { select_mode: 1, current_date: last })
  const hasData = new Set<string>(recent.treatment_time_data.map((day: any) => day.treatment_date))
  const dates: string[] = analysis.treatment_time_data.map((day: any) => day.treatment_date)
  const rows = dates.map((date, index) => {
    const sleep = analysis.sleep_env_data[index]
    const used = (text: string) => (hasData.has(date) ? text : NONE)
    const isMeasured = sleep.temperature !== 0
    return [
      date,
      [
        used(hourMinute(analysis.treatment_time_data[index].treatment_time)),
        used(analysis.treatment_intensity_data[index].last_intensity.toFixed(1)),
        used(grouped(analysis.movement_data[index].movement)),
        isMeasured ? sleep.temperature.toFixed(1) : NONE,
        isMeasured ? sleep.humidity.toFixed(1) : NONE,
        isMeasured ? grouped(sleep.brightness) : NONE,
        isMeasured ? grouped(sleep.noise) : NONE,
      ],
    ] as const
  })
  return { analysis, hasData, rows }
}

/** The same cells of the report's table: usage, intensity, movement and the sleep environment. */
const compared = (cells: readonly string[] = []) => [...cells.slice(2, 5), ...cells.slice(6)]

const FIRST = '2024-09-01'
const LAST = '2024-09-30'

/**
 * The figures of the report and of the operations, in the same shape. September 2024 has 30 days, so that report,
 * monthly chart and calendar month are of the same dates.
 */
async function both(family: Family, items: Devlog[]) {
  const report = await figures(family, FIRST, LAST)
  const { analysis, hasData, rows } = await charted(family, LAST)
  const history = await family.get('/api/v1/beta/event/history', {
    select_mode: 1,
    year: 2024,
    select_data: 9,
  })
  const { survey_analysis } = await family.get('/api/v1/beta/chart/survey/analysis', {})
  const marked = (mark: string) => history.filter((day: any) => day[mark] === 1).map((day: any) => day.date)
  const details = items.map((item) => ({ ...item.detail_data, is_temp: 'is_temp' in item && item.is_temp }))
  const isIssue = ({ finish_flag, is_temp }: (typeof details)[number]) =>
    String(finish_flag) === '4' && !is_temp
  const shown = (text: string) => (hasData.size > 0 ? text : NONE)
  // From noon to noon, as `nights_of` counts, but by a model of its own.
  const nights = Array.from({ length: 30 }, (_, day) => {
    const [from, to] = [`${addDays(FIRST, day)}T12`, `${addDays(FIRST, day + 1)}T12`]
    const recorded = details.filter(({ treatment_date: at }) => at >= from && at < to)
    const used = recorded.filter(({ is_temp, treatment_time }) => is_temp || treatment_time >= 120)
    const seconds = used.reduce((sum, { treatment_time }) => sum + treatment_time, 0)
    const losses = used.filter(isIssue).length
    return { hasRecord: recorded.length > 0, isUsed: used.length > 0, seconds, losses }
  })
  const usedNights = nights.filter(({ isUsed }) => isUsed)
  const ofUsed = (text: () => string) => (usedNights.length > 0 ? text() : NONE)
  const times = usedNights.map(({ seconds }) => seconds).toSorted((one, other) => one - other)
  const total = times.reduce((sum, time) => sum + time, 0)
  const median =
    ((times[Math.floor((times.length - 1) / 2)] ?? 0) + (times[Math.floor(times.length / 2)] ?? 0)) / 2
  const gaps = nights.map(({ isUsed }) => (isUsed ? ' ' : 'x')).join('')
  const hasRecords = hasData.size > 0
  const answered = {
    nightsUsed: `${usedNights.length} of 30`,
    meanTime: ofUsed(() => duration(total / times.length)),
    totalTime: ofUsed(() => duration(total)),
    meanTimeOfAll: ofUsed(() => duration(total / 30)),
    medianTime: ofUsed(() => duration(median)),
    nightsAtGoal: `${times.filter((time) => time >= 4 * 3600).length} of 30`,
    longestGap: Math.max(0, ...gaps.split(' ').map((gap) => gap.length)),
    records: `for ${nights.filter(({ hasRecord }) => hasRecord).length} of 30 nights`,
    meanIntensity: shown(tenths(analysis.avg_treatment_intensity)),
    contactLosses: ofUsed(() => String(usedNights.reduce((sum, { losses }) => sum + losses, 0))),
    nights: rows
      .filter(([, cells]) => hasRecords && cells.some((cell) => cell !== NONE))
      .map(([date, cells]) => {
        const ofDate = details.filter((detail) => detail.treatment_date.startsWith(date))
        const [start = NONE] = ofDate.map((detail) => detail.treatment_date.slice(11, 16)).toSorted()
        const counts = [ofDate.length, ofDate.filter(isIssue).length].map(String)
        const [uses, issues] = ofDate.length > 0 ? counts : [NONE, NONE]
        return [date, uses, start, ...cells.slice(0, 3), issues, ...cells.slice(3)]
      }),
    noted: marked('is_event'),
    surveys: survey_analysis.map((survey: any) => [
      survey.created_at.slice(0, 10),
      ...[survey.attention_score, survey.impulsivity_score, survey.disorder_score].map(String),
    ]),
  }
  const { glance } = report
  const said = {
    nightsUsed: glance['Nights used'],
    meanTime: glance['Mean usage time'],
    totalTime: glance['Total usage time'],
    meanTimeOfAll: glance['Mean of all nights'],
    medianTime: glance['Median usage time'],
    nightsAtGoal: glance['Nights that reach the goal'],
    longestGap: Number.parseInt(glance['Longest gap'] ?? '', 10),
    records: report.records.split(';')[0],
    meanIntensity: glance['Mean intensity'],
    contactLosses: glance['Contact losses'],
    nights: [...report.nights].map(([date, cells]) => [date, ...cells]),
    noted: report.noted,
    surveys: report.surveys.toReversed().slice(0, 5),
  }
  return { answered, said, report }
}

const anyUse = fc.record({
  day: fc.nat(29),
  second: fc.nat(86_399),
  treatment_time: fc.oneof(fc.nat(130), fc.nat(36_000)),
  intensity: fc.nat(60),
  movement: fc.nat(3000),
  finish_flag: fc.integer({ min: 1, max: 6 }),
  is_temp: fc.boolean(),
})

const anyReading = fc.record({
  day: fc.nat(29),
  minute: fc.nat(1439),
  temperature: fc.integer({ min: 150, max: 300 }).map((tenths) => tenths / 10),
  humidity: fc.integer({ min: 200, max: 800 }).map((tenths) => tenths / 10),
  brightness: fc.nat(2000),
  noise: fc.nat(100),
})

const anyHistory = fc.record({
  uses: fc.uniqueArray(anyUse, { selector: ({ day, second }) => `${day} ${second}`, maxLength: 60 }),
  readings: fc.uniqueArray(anyReading, { selector: ({ day, minute }) => `${day} ${minute}`, maxLength: 40 }),
  events: fc.uniqueArray(fc.record({ day: fc.nat(29), memo: fc.constantFrom('', '메모', 'a memo 😀') }), {
    selector: ({ day }) => day,
    maxLength: 10,
  }),
  surveys: fc.uniqueArray(
    fc.record({ day: fc.nat(29), scores: fc.tuple(fc.nat(60), fc.nat(60), fc.nat(60)) }),
    {
      selector: ({ day }) => day,
      maxLength: 8,
    },
  ),
})

const clock = (seconds: number) => new Date(seconds * 1000).toISOString().slice(11, 19)

describe('the figures of a report are those of charts and calendar', () => {
  test('for any history', async () => {
    await fc.assert(
      fc.asyncProperty(anyHistory, async ({ uses, readings, events, surveys }) => {
        const family = await addFamily()
        const items = uses.map(({ day, second, intensity, ...detail }, index) =>
          devlogItem(family.child.unique_id, `${addDays(FIRST, day)}T${clock(second)}`, {
            ...detail,
            intensities: [intensity],
            log_file_id: index + 1,
          }),
        )
        await family.send(items)
        await uploadReadings(
          server,
          readings.map(({ day, minute, ...values }) =>
            reading(family.station.unique_id, `${addDays(FIRST, day)}T${clock(60 * minute)}`, values),
          ),
        )
        for (const { day, memo } of events) {
          await server.post('/api/v1/beta/event', {
            token: family.token,
            json: { real_user_id: family.child.real_user_id, created_at: addDays(FIRST, day), memo },
          })
        }
        for (const { day, scores } of surveys) {
          await server.database.pool.query(
            `INSERT INTO survey (real_user_id, attention_score, impulsivity_score, disorder_score, created_at)
             VALUES ($1, $2, $3, $4, $5)`,
            [family.child.real_user_id, ...scores, new Date(`${addDays(FIRST, day)}T16:00:00Z`)],
          )
        }
        const { answered, said, report } = await both(family, items)
        expect(said).toEqual(answered)
        if (items.length === 0) return
        const dates = [...report.nights.keys()].filter((date) => report.nights.get(date)?.[0] !== NONE)
        const own = dates.map((date) => [date, [report.nights.get(date)?.[0], report.nights.get(date)?.[2]]])
        expect(await recorded(family, dates)).toEqual(own)
      }),
      { numRuns: 12 },
    )
  })

  test('for a period without anything', async () => {
    const { answered, said, report } = await both(await addFamily(), [])
    expect(said).toEqual(answered)
    expect(report.glance).toMatchObject({ 'Nights used': '0 of 30', 'Usual start': NONE })
    expect(report.text).toContain('No use was recorded in this period.')
    expect(report.text).toContain('No notes, no surveys.')
  })

  test('for one night', async () => {
    const family = await addFamily()
    const items = [devlogItem(family.child.unique_id, '2024-09-10T21:30:00', { treatment_time: 25_230 })]
    await family.send(items)
    const { answered, said, report } = await both(family, items)
    expect(said).toEqual(answered)
    expect(report.glance).toMatchObject({
      'Nights used': '1 of 30',
      'Mean usage time': '7 h 0 min',
      'Usual start': '21:30',
    })
    const alone = await figures(family, '2024-09-10', '2024-09-10')
    expect(alone.period).toBe('10 September 2024 – 10 September 2024 (1 day)')
    expect(alone.glance['Nights used']).toBe('1 of 1')
    expect([...alone.nights.keys()]).toEqual(['2024-09-10'])
  })

  test('for a start within a minute, which strip and table tell alike', async () => {
    const family = await addFamily()
    await family.send([devlogItem(family.child.unique_id, '2024-09-10T21:02:40', { treatment_time: 24_950 })])
    const report = await figures(family, FIRST, LAST)
    expect(report.nights.get('2024-09-10')?.slice(1, 2)).toEqual(['21:02'])
    expect(report.text).toContain('21:02 – 03:58')
  })

  test.each([
    [119, '0:01', '0 of 30', '0 of 30'],
    [120, '0:02', '1 of 30', '0 of 30'],
    [14_399, '3:59', '1 of 30', '0 of 30'],
    [14_400, '4:00', '1 of 30', '1 of 30'],
  ])(
    'for a use of %i seconds: %s, which is no more than what counts',
    async (treatment_time, shown, used, atGoal) => {
      const family = await addFamily()
      const items = [devlogItem(family.child.unique_id, '2024-09-10T21:30:00', { treatment_time })]
      await family.send(items)
      const { answered, said, report } = await both(family, items)
      expect(said).toEqual(answered)
      expect(report.nights.get('2024-09-10')?.[2]).toBe(shown)
      expect(report.glance).toMatchObject({ 'Nights used': used, 'Nights that reach the goal': atGoal })
      expect(await recorded(family, ['2024-09-10'])).toEqual([['2024-09-10', ['1', shown]]])
    },
  )

  test('for four uses a night: the bedtime is the start of the first', async () => {
    const family = await addFamily()
    const items = Array.from({ length: 30 }, (_, day) =>
      ['20:50:00', '21:40:00', '22:30:00', '23:20:00'].map((time, index) =>
        devlogItem(family.child.unique_id, `${addDays(FIRST, day)}T${time}`, {
          log_file_id: 4 * day + index + 1,
          treatment_time: 2000 + index,
          intensities: [20 + index],
          movement: index,
          finish_flag: index === 3 ? 1 : 4,
        }),
      ),
    ).flat()
    await family.send(items)
    const { answered, said, report } = await both(family, items)
    expect(said).toEqual(answered)
    expect(report.glance).toMatchObject({
      'Nights used': '30 of 30',
      'Mean usage time': '2 h 13 min',
      'Mean intensity': '21.5',
      'Usual start': '20:50',
      'Contact losses': '90',
    })
  })

  test('for 366 nights of a simulated device, told by week', async () => {
    const family = await addFamily()
    const items = makeNights({ seed: 7, nights: 366, until: '2024-12-31', uniqueId: family.child.unique_id })
    await family.send(items)
    const report = await figures(family, '2024-01-01', '2024-12-31')
    expect(report.nights.size).toBe(0)
    expect(report.weeks.size).toBe(53)
    const times = new Map<string, number>()
    for (const { detail_data: use } of items) {
      if (use.treatment_time < 120) continue
      const hour = Number(use.treatment_date.slice(11, 13))
      const evening = addDays(use.treatment_date.slice(0, 10), hour < 12 ? -1 : 0)
      times.set(evening, (times.get(evening) ?? 0) + use.treatment_time)
    }
    const [first, second] = [...report.weeks]
    expect(first?.[0]).toBe('1 Jan – 6 Jan 2024')
    expect(second?.[0]).toBe('7 Jan – 13 Jan 2024')
    expect([...report.weeks.keys()].at(-1)).toBe('29 Dec – 31 Dec 2024')
    for (const [index, [, cells]] of [...report.weeks].entries()) {
      const days = Array.from({ length: 7 }, (_, day) => addDays('2023-12-31', 7 * index + day))
      const known = days.flatMap((day) => (day > '2023-12-31' ? (times.get(day) ?? []) : []))
      const mean = known.reduce((sum, time) => sum + time, 0) / known.length
      expect(cells[2]).toBe(known.length === 0 ? NONE : hourMinute(mean))
    }
    const used = [...times.keys()].filter((evening) => evening.startsWith('2024'))
    expect(report.glance['Nights used']).toBe(`${used.length} of 366`)
  })
})

describe('a date without a record', () => {
  test.each([
    ['the pairing', '2024-09-11', '2024-09-20T21:30:00', '1 of 20', 10, '11 September 2024', '10 nights'],
    ['the first record', '2024-09-11', '2024-09-04T11:59:59', '1 of 28', 2, '3 September 2024', '27 nights'],
  ])('counts for nothing before %s', async (_, pairedOn, recordedAt, used, before, begun, gap) => {
    const family = await addFamily(pairedOn)
    await family.send([devlogItem(family.child.unique_id, recordedAt)])
    const { glance, records, text } = await figures(family, FIRST, LAST)
    expect(glance).toMatchObject({ 'Nights used': used, 'Longest gap': gap })
    expect(records).toMatch(new RegExp(`^for ${used} nights; last upload \\d{1,2} `))
    expect(text).toContain(`${30 - before} of the 30 nights count.`)
    expect(text.replaceAll('\n', ' ')).toContain(
      `${before} nights lie before the device was paired or had a record (${begun}).`,
    )
  })

  test('is not said to be one without use, even for a child whose device was paired a minute ago', async () => {
    const { token } = await signUp(server)
    const child = await addChild(server, token)
    const family = { token, child, station: await connectBasestation(server, token) }
    const today = new Date().toISOString().slice(0, 10)
    for (const language of ['EN', 'KR']) {
      const { bytes } = await fetchReport(server, REPORT, token, {
        real_user_id: child.real_user_id,
        basestation_id: family.station.basestation_id,
        start_date: addDays(today, -31),
        end_date: addDays(today, -2),
        language,
      })
      const { pages } = await readPdf(bytes)
      expect(pages.flat(2).join(' ')).not.toMatch(/not used|unused|사용 안 함|사용하지 않/i)
      if (language === 'EN') {
        const report = await readFigures(bytes)
        expect(report.glance['Nights used']).toBe('0 of 0')
        expect(report.records).toBe('for 0 of 0 nights; no upload yet')
        expect(report.device).toMatch(`${child.serial_code}, firmware 1 (since `)
      }
    }
  })
})

test('a use that goes on, and one whose last log did not arrive, are told apart after 12 hours', async () => {
  const family = await addFamily()
  const now = Date.parse(`${wallClock('America/New_York')}Z`)
  /** A use of 6 h 6 min of which nothing was heard for `minutesAgo`. */
  const silent = (minutesAgo: number, log_file_id: number) => {
    const [start, end] = [366 + minutesAgo, minutesAgo].map((ago) =>
      new Date(now - ago * 60_000).toISOString(),
    )
    const options = { log_file_id, treatment_time: 21_960, is_temp: true, finish_flag: 4 }
    const item = devlogItem(family.child.unique_id, start?.slice(0, 19) ?? '', options)
    return { item, start: start?.slice(11, 16), end: end?.slice(11, 16) }
  }
  const days = (count: number) => addDays(today('America/New_York', new Date(now)), count)
  const report = () => figures(family, days(-7), days(0))

  const [running, lost] = [silent(710, 2), silent(4 * 1440 + 730, 1)]
  await family.send([running.item])
  const one = await report()
  expect(one.text).toContain(`${running.start} – …`)
  expect(one.text).toContain('… in use when this report was made')
  expect(one.text).not.toContain('did not arrive')
  expect(one.glance['Contact losses']).toBe('0')

  await family.send([lost.item])
  expect((await report()).text).toContain(`${lost.start} – ${lost.end} *`)
  await server.delete('/api/v1/gamma/device/devlog', { query: { unique_id: family.child.unique_id } })
  const [over] = [silent(730, 3)]
  await family.send([over.item])
  const { text } = await report()
  expect(text).toContain(`${over.start} – ${over.end} *`)
  expect(text).toContain('* ended, its last log did not arrive')
  expect(text).not.toContain('in use when')
  const year = await figures(family, days(-364), days(0))
  expect(year.text).not.toContain('did not arrive')
})

test('two sums that differ are explained beside them', async () => {
  const family = await addFamily()
  await family.send([
    devlogItem(family.child.unique_id, '2024-09-03T21:30:00', { log_file_id: 1, treatment_time: 16 }),
    devlogItem(family.child.unique_id, '2024-09-20T21:30:00', { log_file_id: 2, treatment_time: 14_400 }),
  ])
  const { glance, records, text } = await figures(family, FIRST, LAST)
  expect(glance).toMatchObject({ 'Nights used': '1 of 30', 'Nights that reach the goal': '1 of 30' })
  expect(records).toMatch(/^for 2 of 30 nights; /)
  expect(text.replaceAll('\n', ' ')).toContain(
    '2 nights have a record; 1 of them counts as used, the other with less than 2 minutes not.',
  )
})

test('the period before is compared, as far as it counts', async () => {
  const family = await addFamily('2024-08-27')
  await family.send([
    devlogItem(family.child.unique_id, '2024-08-30T21:30:00', { log_file_id: 1, treatment_time: 7200 }),
    devlogItem(family.child.unique_id, '2024-09-20T21:30:00', { log_file_id: 2, treatment_time: 14_400 }),
  ])
  const { text } = await figures(family, FIRST, LAST)
  expect(text).toContain('before: 1 of 5')
  expect(text).toContain('before: 2 h 0 min')
  expect(text).toContain('“Before” names the value of the 30 nights before this period.')
  const first = await figures(family, '2024-08-01', '2024-08-26')
  expect(first.text).not.toContain('before:')
})

test('the devices that a child wore are named with their firmware, the latest first', async () => {
  const family = await addFamily('2024-09-02')
  const { token, child } = family
  const upload = (unique_id: string, log_file_id: number, firmware: string) =>
    server.post('/api/v1/gamma/device/devlog', {
      json: [devlogItem(unique_id, `2024-09-0${log_file_id}T21:30:00`, { log_file_id })],
      headers: { 'x-firmware': firmware },
    })
  await upload(child.unique_id, 3, '4')
  await server.delete(`/api/v1/beta/device/${child.device_id}`, { token })
  const next = await addDevice(server)
  await server.post('/api/v1/beta/device', { token, json: { ...next, real_user_id: child.real_user_id } })
  await upload(next.unique_id, 5, '7')
  await upload(next.unique_id, 6, '8')
  const { rows } = await server.database.pool.query(
    'SELECT firmware_id, until IS NULL AS is_open FROM device_history WHERE real_user_id = $1 ORDER BY since, until',
    [child.real_user_id],
  )
  // Of several firmwares within a day only the last is kept.
  expect(rows).toEqual([
    { firmware_id: 1, is_open: false },
    { firmware_id: 4, is_open: false },
    { firmware_id: 8, is_open: true },
  ])
  const today = new Date().toISOString().slice(0, 10)
  const report = await figures(family, addDays(today, -3), today)
  expect(report.device).toContain(`${next.serial_code}, firmware 8 (since `)
  expect(report.text).toContain(`${child.serial_code}, firmware 4 (`)
  // What the next family of a device sees begins with its own records.
  await server.delete(`/api/v1/beta/device/${await deviceOf(token)}`, { token })
  const { rows: free } = await server.database.pool.query(
    'SELECT last_upload_at FROM device WHERE unique_id = $1',
    [next.unique_id],
  )
  expect(free).toEqual([{ last_upload_at: null }])
  expect((await figures(family, FIRST, LAST)).records).toMatch(/^for 3 of 29 nights; last upload /)
})

async function deviceOf(token: string): Promise<number> {
  const { body } = await server.get('/api/v1/beta/device', { token })
  return body[0].device_id
}

test('nights that have not come are not possible ones', async () => {
  const family = await addFamily(new Date(Date.now() - 20 * 86_400_000).toISOString().slice(0, 10))
  const [first, last] = [
    addDays(new Date().toISOString().slice(0, 10), -3),
    addDays(new Date().toISOString().slice(0, 10), 60),
  ]
  const { glance, nights } = await figures(family, first, last)
  expect(glance['Nights used']).toMatch(/^0 of [23]$/)
  expect(nights.size).toBe(0)
  const ahead = await figures(family, addDays(last, 1), addDays(last, 30))
  expect(ahead.glance['Nights used']).toBe('0 of 0')
  expect(ahead.text).toContain('This period has not begun yet.')
})

test('deleted uses, those of another child, and readings of an earlier owner are not in it', async () => {
  const [family, other] = [await addFamily(), await addFamily()]
  await other.send([devlogItem(other.child.unique_id, '2024-09-10T21:30:00')])
  const items = [devlogItem(family.child.unique_id, '2024-09-10T21:30:00')]
  await family.send(items)
  await server.delete('/api/v1/gamma/device/devlog', { query: { unique_id: family.child.unique_id } })
  await uploadReadings(server, [reading(family.station.unique_id, '2024-09-10T22:00:00')])
  await server.delete(`/api/v1/beta/basestation/${family.station.basestation_id}`, { token: family.token })
  await connectBasestation(server, other.token, family.station)
  const { glance, nights } = await figures({ ...other, station: family.station }, FIRST, LAST)
  expect(glance['Nights used']).toBe('1 of 30')
  expect(compared(nights.get('2024-09-10')).slice(3)).toEqual([NONE, NONE, NONE, NONE])
  await connectBasestation(server, family.token)
  const left = await server.get('/api/v1/beta/basestation', { token: family.token })
  const basestation_id = left.body[0].basestation_id
  const own = await figures({ ...family, station: { ...family.station, basestation_id } }, FIRST, LAST)
  expect(own.glance['Nights used']).toBe('0 of 30')
})

test('of a date with more uses than its strip can show, all are counted', async () => {
  const family = await addFamily()
  await family.send(
    Array.from({ length: 60 }, (_, minute) =>
      devlogItem(family.child.unique_id, `2024-09-10T21:${String(minute).padStart(2, '0')}:00`, {
        log_file_id: minute + 1,
        treatment_time: 30,
        intensities: Array.from({ length: 240 }, (__, place) => place),
      }),
    ),
  )
  const { nights } = await figures(family, FIRST, LAST)
  expect(nights.get('2024-09-10')?.slice(0, 3)).toEqual(['60', '21:00', '0:30'])
})

test('the dose of a medication whose name runs from right to left stands apart from the figures of the name', async () => {
  const family = await addFamily()
  const medication = [{ medication_name: 'ميلاتونين 0.5 mg', medication_dose: 3 }]
  const { status } = await server.post('/api/v1/beta/event', {
    token: family.token,
    json: {
      real_user_id: family.child.real_user_id,
      created_at: FIRST,
      event_data: { medication, hospital: [] },
    },
  })
  expect(status).toBe(200)
  const { text } = await figures(family, FIRST, LAST)
  expect(text.split('\n')).toContain('dose 3')
})

test('names and memos of any length, with emoji, are told whole, and what no font has in words on its page', async () => {
  const family = await addFamily()
  const memo = '전극이 떨어져 새벽에 다시 붙였습니다. '.repeat(60).slice(0, 996).trim()
  const name = `${'가'.repeat(98)}😀`
  await server.patch(`/api/v1/beta/user/real-user/${family.child.real_user_id}`, {
    token: family.token,
    json: { id: family.child.real_user_id, first_name: name, last_name: '' },
  })
  for (const [day, text] of [memo, `${'A'.repeat(990)}끝 🇰🇷 ༀ`].entries()) {
    const { status } = await server.post('/api/v1/beta/event', {
      token: family.token,
      json: { real_user_id: family.child.real_user_id, created_at: addDays(FIRST, day), memo: text },
    })
    expect(status).toBe(200)
  }
  const { text } = await figures(family, FIRST, LAST)
  const joined = text.replaceAll(/\d Sep \(continued\)|night \d Sep – \d Sep: no record|\s/g, '')
  expect(joined).toContain(memo.replaceAll(/\s/g, ''))
  expect(joined).toContain(`${'A'.repeat(990)}끝🇰🇷□`)
  expect(joined).toContain(`${'가'.repeat(98)}😀`)
  const explained = '□ stands for a character on this page that the fonts of this report cannot show.'
  expect(text.split(explained)).toHaveLength(2)
})

describe('nights and their goals', () => {
  const plan = ({ child }: Family, from_date: string, minutes: number, set_by = 'parent') =>
    server.database.pool.query(
      `INSERT INTO plan (real_user_id, from_date, nights_per_week, minutes, set_by, set_at) VALUES ($1, $2, 5, $3, $4, now())`,
      [child.real_user_id, from_date, minutes, set_by],
    )

  test('a night that lost contact and went on after midnight is one, also on the last evening of the period', async () => {
    const family = await addFamily()
    await family.send(
      [
        ['2024-09-30T23:00:00', 8460, 4],
        ['2024-10-01T01:36:00', 7200, 1],
        ['2024-10-01T12:00:00', 7200, 4],
        ['2024-09-01T11:59:59', 7200, 4],
      ].map(([start, treatment_time, finish_flag], n) =>
        devlogItem(family.child.unique_id, String(start), {
          log_file_id: n + 1,
          treatment_time: Number(treatment_time),
          finish_flag: Number(finish_flag),
        }),
      ),
    )
    const { glance, nights, text } = await figures(family, FIRST, LAST)
    expect(glance).toMatchObject({
      'Nights used': '1 of 30',
      'Nights that reach the goal': '1 of 30',
      'Total usage time': '4 h 21 min',
      'Longest gap': '29 nights',
      'Contact losses': '1',
      'Goal of a night': '4 h',
    })
    expect(nights.get('2024-09-30')?.[2]).toBe('2:21')
    const words = text.replaceAll('\n', ' ')
    expect(words).toContain("A night runs from noon to noon on the device's clock")
    expect(words).toContain('set by the service')
    expect(words).toContain('Goal of a night: 4 h (set by the service).')
    expect(words).toContain('mean of the dates 2 h 10 min')
  })

  test('each night, and each of the period before, is judged by the plan of its evening', async () => {
    const family = await addFamily()
    await plan(family, '2024-08-20', 60)
    await plan(family, '2024-09-10', 120, 'clinic')
    await family.send(
      ['2024-08-19', '2024-08-20', '2024-09-09', '2024-09-10', '2024-09-11'].map((date, n) =>
        devlogItem(family.child.unique_id, `${date}T23:00:00`, {
          log_file_id: n + 1,
          treatment_time: date === '2024-09-11' ? 7200 : 3600,
        }),
      ),
    )
    const { glance, text } = await figures(family, FIRST, LAST)
    expect(glance).toMatchObject({
      'Nights used': '3 of 30',
      'Nights that reach the goal': '2 of 30',
      'Goal of a night': '1 h – 2 h',
    })
    expect(text).toContain('before: 1 of 30')
    const words = text.replaceAll('\n', ' ')
    expect(words).toContain(
      'Goal of a night: 1 h (planned by the parents); from 10 September 2024 2 h (planned by the clinic).',
    )
    const week = await figures(family, '2024-09-10', '2024-09-16')
    expect(week.glance).toMatchObject({ 'Goal of a night': '2 h', 'Nights that reach the goal': '1 of 7' })
    expect(week.text).toContain('planned by the clinic')
    const year = await figures(family, '2024-01-01', '2024-12-31')
    expect(year.weeks.get('8 Sep – 14 Sep 2024')?.slice(0, 3)).toEqual(['3 / 7', '2 / 7', '1:20'])
  })

  test('the evening of today does not count, whatever was recorded', async () => {
    const family = await addFamily()
    const evening = today('America/New_York')
    await family.send([devlogItem(family.child.unique_id, `${evening}T12:00:00`)])
    const { glance } = await figures(family, addDays(evening, -1), evening)
    expect(glance).toMatchObject({ 'Nights used': '0 of 1', 'Mean usage time': NONE })
  })
})
