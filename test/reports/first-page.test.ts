import { addDays } from '@companion/server/time/wall-clock.ts'
import { decodeQR } from 'qr/decode.js'
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { addChild, devlogItem, signUp, upload } from '../support/family.ts'
import { connectBasestation } from '../support/basestations.ts'
import { readPdf } from '../support/files/pdf.ts'
import { hasPoppler, renderPages } from '../support/files/poppler.ts'
import { fetchReport, readFigures, REPORT } from '../support/report.ts'
import { startServer, useServer } from '../support/server.ts'
import type { TestServer } from '../support/server.ts'

/* The first page of families whose figures were calculated by hand, and what leads from it to the other pages. */

const server = useServer()

/** On this day the reports are made, in the morning of New York. */
const NOW = '2026-11-24T15:00:00Z'

beforeAll(() => void vi.useFakeTimers({ toFake: ['Date'], now: new Date(NOW) }))
afterAll(() => void vi.useRealTimers())

const HOUR = 3600

interface Night {
  evening: string
  hours: number
  hasLoss?: boolean
}

const evenings = (first: string, last: string) => {
  const found = [first]
  while ((found.at(-1) ?? last) < last) found.push(addDays(found.at(-1) ?? last, 1))
  return found
}

const nightsFrom = (first: string, last: string, hours: number): Night[] =>
  evenings(first, last).map((evening) => ({ evening, hours }))

async function addFamily() {
  const { token } = await signUp(server)
  const { basestation_id } = await connectBasestation(server, token)
  /** Adds a child whose device was paired on a date at noon, with these nights. */
  const add = async (pairedOn: string, nights: readonly Night[]) => {
    const child = await addChild(server, token)
    await server.database.pool.query('UPDATE device_history SET since = $2 WHERE device_id = $1', [
      child.device_id,
      `${pairedOn}T17:00:00Z`,
    ])
    const items = nights.map(({ evening, hours, hasLoss }, index) =>
      devlogItem(child.unique_id, `${evening}T21:00:00`, {
        log_file_id: index + 1,
        treatment_time: hours * HOUR,
        finish_flag: hasLoss ? 4 : 1,
      }),
    )
    if (items.length > 0) expect((await upload(server, items)).status).toBe(200)
    const { real_user_id } = child
    const report = async (start_date: string, end_date: string, at: TestServer = server) => {
      const query = { real_user_id, basestation_id, start_date, end_date, language: 'EN' }
      const { status, bytes } = await fetchReport(at, REPORT, token, query)
      expect(status).toBe(200)
      return { bytes, ...(await readFigures(bytes)), pdf: await readPdf(bytes) }
    }
    const note = async (created_at: string, memo: string, more: object = {}) => {
      const json = { real_user_id, created_at, memo, ...more }
      expect((await server.post('/api/v1/beta/event', { token, json })).status).toBe(200)
    }
    const survey = (date: string, scores: readonly [number, number, number]) =>
      server.database.pool.query(
        `INSERT INTO survey (real_user_id, attention_score, impulsivity_score, disorder_score, created_at)
         VALUES ($1, $2, $3, $4, $5)`,
        [real_user_id, ...scores, `${date}T17:00:00Z`],
      )
    return { real_user_id, report, note, survey }
  }
  return { token, add }
}

test('a child paired three days ago, with nights since September', async () => {
  const { add } = await addFamily()
  const { report } = await add('2026-11-21', [
    ...nightsFrom('2026-09-01', '2026-09-10', 5),
    ...nightsFrom('2026-11-10', '2026-11-20', 3),
  ])
  const { glance, records, text } = await report('2026-08-25', '2026-11-24')
  // 1 September to 23 November are 30 + 31 + 23 evenings; the hole is 20 + 31 + 9 long.
  expect(records).toMatch(/^for 21 of 84 nights;/)
  expect(glance).toEqual({
    'Nights used': '21 of 84',
    'Nights that reach the goal': '10 of 84',
    'Median usage time': '3 h 0 min',
    'Longest gap': '60 nights',
    'Contact losses': '0',
    'Symptoms, first to last survey': '–',
    'Mean usage time': '3 h 57 min',
    'Mean of all nights': '0 h 59 min',
    'Total usage time': '83 h 0 min',
    'Mean intensity': expect.any(String),
    'Mean movement': expect.any(String),
    'Usual start': '21:00',
    'Goal of a night': '4 h',
  })
  for (const said of ['25% of the nights that count', '12% of the nights that count', '11 Sep – 9 Nov'])
    expect(text).toContain(said)
  expect(text).not.toContain('before:')
})

test('a child without a night: one page, and nothing empty on it', async () => {
  const { add } = await addFamily()
  const { report } = await add('2026-11-01', [])
  const { glance, text, pages, pdf } = await report('2026-11-01', '2026-11-24')
  expect(pages).toBe(1)
  expect(glance).toMatchObject({
    'Nights used': '0 of 23',
    'Nights that reach the goal': '0 of 23',
    'Median usage time': '–',
    'Longest gap': '23 nights',
    'Contact losses': '–',
    'Symptoms, first to last survey': '–',
    'Total usage time': '–',
    'Usual start': '–',
  })
  expect(text).toContain('No notes, no surveys.')
  expect(pdf.outline).toEqual(['At a glance', 'How to read this report'])
})

test('a child with two nights: strips from the first of them to the last', async () => {
  const { add } = await addFamily()
  const { report } = await add('2026-11-01', [
    { evening: '2026-11-20', hours: 5, hasLoss: true },
    { evening: '2026-11-22', hours: 2 },
  ])
  const { glance, text, nights } = await report('2026-11-01', '2026-11-24')
  expect(glance).toMatchObject({
    'Nights used': '2 of 23',
    'Nights that reach the goal': '1 of 23',
    'Median usage time': '3 h 30 min',
    'Longest gap': '19 nights',
    'Contact losses': '1',
    'Total usage time': '7 h 0 min',
  })
  expect(text).toContain('1 Nov – 19 Nov')
  expect(text).toContain('on 1 night, 0.5 per night used')
  const strips = text.split('\n').filter((line) => /^[A-Z][a-z]{2} \d{1,2} Nov$/.test(line))
  expect(strips).toEqual(['Fri 20 Nov', 'Sat 21 Nov', 'Sun 22 Nov'])
  // Dates without a record are left out of the table.
  expect([...nights.keys()]).toEqual(['2026-11-20', '2026-11-22'])
})

test('a year with holes', async () => {
  const { add } = await addFamily()
  const isHole = (evening: string) =>
    (evening >= '2026-03-10' && evening <= '2026-03-24') || evening.startsWith('2026-07')
  const nights = evenings('2026-01-01', '2026-10-31')
    .filter((evening) => !isHole(evening))
    .map((evening) => ({
      evening,
      hours: evening.startsWith('2026-06') ? 3 : 5,
      hasLoss: evening.endsWith('-01'),
    }))
  const { report } = await add('2026-01-01', nights)
  const { glance, text, weeks } = await report('2025-11-24', '2026-11-23')
  // 304 evenings to the end of October, of which 15 and 31 have no record, and 23 more; 30 nights in June are short.
  expect(glance).toMatchObject({
    'Nights used': '258 of 327',
    'Nights that reach the goal': '228 of 327',
    'Median usage time': '5 h 0 min',
    'Longest gap': '31 nights',
    'Contact losses': '9',
    'Total usage time': '1,230 h 0 min',
    'Mean usage time': '4 h 46 min',
    'Mean of all nights': '3 h 45 min',
  })
  for (const said of ['79% of the nights that count', '70% of the nights that count', '1 Jul – 31 Jul'])
    expect(text).toContain(said)
  expect(weeks.get('8 Mar – 14 Mar 2026')?.slice(0, 3)).toEqual(['2 / 7', '2 / 7', '5:00'])
})

test('two siblings have figures of their own', async () => {
  const { add } = await addFamily()
  const one = await add('2026-11-14', nightsFrom('2026-11-14', '2026-11-16', 5))
  const other = await add('2026-11-19', nightsFrom('2026-11-19', '2026-11-23', 3))
  expect((await one.report('2026-11-14', '2026-11-23')).glance).toMatchObject({
    'Nights used': '3 of 10',
    'Nights that reach the goal': '3 of 10',
    'Longest gap': '7 nights',
    'Total usage time': '15 h 0 min',
  })
  expect((await other.report('2026-11-14', '2026-11-23')).glance).toMatchObject({
    'Nights used': '5 of 5',
    'Nights that reach the goal': '0 of 5',
    'Longest gap': '0 nights',
    'Total usage time': '15 h 0 min',
  })
})

test('each figure says whether it is better or worse than before, as far as both periods count', async () => {
  const { add } = await addFamily()
  const { report, survey } = await add('2026-11-04', [
    ...nightsFrom('2026-11-04', '2026-11-09', 5),
    ...nightsFrom('2026-11-10', '2026-11-11', 3).map((night) => ({ ...night, hasLoss: true })),
    ...nightsFrom('2026-11-14', '2026-11-18', 5).map((night) => ({ ...night, hasLoss: true })),
    ...nightsFrom('2026-11-19', '2026-11-22', 3).map((night) => ({ ...night, hasLoss: true })),
  ])
  await survey('2026-11-14', [20, 12, 31])
  await survey('2026-11-21', [18, 12, 22])
  const { text, glance } = await report('2026-11-14', '2026-11-23')
  for (const said of [
    '↑ better, before: 8 of 10 (80%)',
    '↓ worse, before: 6 of 10 (60%)',
    '→ no change, before: 5 h 0 min',
    '↓ better, before: 2 nights',
    '↑ worse, before: 0.3 per night used',
    '↓ better',
    'attention 20 → 18, impulsivity 12 → 12',
  ])
    expect(text.split('\n')).toContain(said)
  expect(glance['Symptoms, first to last survey']).toBe('31 → 22')
  expect(text).toContain('No notes. 2 surveys: page ')
  // Of the fourteen evenings before, eight have no device yet.
  const short = await report('2026-11-10', '2026-11-23')
  expect(short.text).toContain('before: 6 of 6 (100%)')
  expect(short.text).not.toMatch(/(better|worse), before/)
})

test('a note written before noon is about the night before, also when it is changed later; it keeps its date', async () => {
  const { add, token } = await addFamily()
  const { report, note, real_user_id } = await add('2026-11-01', [
    { evening: '2026-11-19', hours: 4 },
    { evening: '2026-11-20', hours: 5 },
    { evening: '2026-11-22', hours: 2 },
  ])
  onTestFinished(() => void vi.setSystemTime(new Date(NOW)))
  const at = (moment: string) => vi.setSystemTime(new Date(moment))
  // New York is five hours behind: 11:59 and 12:00 there.
  at('2026-11-20T16:59:00Z')
  await note('2026-11-20', 'Slept well.')
  at('2026-11-21T17:00:00Z')
  await note('2026-11-21', 'A long walk.')
  at('2026-11-23T13:00:00Z')
  const medication = [{ medication_name: 'Melatonin 2 mg', medication_dose: 1 }]
  await note('2026-11-23', 'Woke up twice.', { event_data: { medication, hospital: [] } })
  at('2026-11-23T23:00:00Z')
  const events = await server.get('/api/v1/beta/event', {
    token,
    query: { real_user_id, current_date: '2026-11-23' },
  })
  await note('2026-11-23', 'Woke up twice. Tired in the evening.', { event_id: events.body.event_id })
  at(NOW)
  const { text, noted, pdf } = await report('2026-11-01', '2026-11-24')
  expect(noted).toEqual(['2026-11-20', '2026-11-21', '2026-11-23'])
  const nights = text.split('\n').filter((line) => line.startsWith('night '))
  expect(nights).toEqual([
    'night 19 Nov – 20 Nov: 4:00',
    'night 21 Nov – 22 Nov: no record',
    'night 22 Nov – 23 Nov: 2:00',
  ])

  const [, page = ''] = /^3 notes, 1 medication: page (\d+)\. No surveys\.$/m.exec(text) ?? []
  expect(pdf.pages[Number(page) - 1]?.flat()).toContain('Medication, hospital visits and memos')
  expect(pdf.outline).toEqual([
    'At a glance',
    'Usage time by date',
    'How to read this report',
    'Nights from evening to morning',
    'Intensity',
    'Movement',
    'Adherence calendar',
    'Medication, hospital visits and memos',
    'Records by date',
  ])
})

test('every page says by text and QR code where the report can be verified: at the address of the service', async () => {
  const { add } = await addFamily()
  const { report } = await add('2026-11-01', nightsFrom('2026-11-14', '2026-11-16', 5))
  const named = await startServer({ PUBLIC_URL: 'https://companion.example.org' }, server.databaseUrl)
  onTestFinished(() => named.stop())
  for (const [at, address] of [
    [server, server.url],
    [named, 'https://companion.example.org'],
  ] as const) {
    const { bytes, pdf } = await report('2026-11-01', '2026-11-24', at)
    for (const page of pdf.pages)
      expect(page.at(-1)?.join(' ')).toMatch(new RegExp(`^Check code \\S{14}\\. Check at ${address}/verify$`))
    if (!hasPoppler) continue
    for (const { width, height, data } of await renderPages(bytes, 150))
      expect(decodeQR({ width, height, data: new Uint8Array(data) })).toBe(`${address}/verify`)
  }
})
