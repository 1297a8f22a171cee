import { expect, test } from 'vitest'
import { decodeKeptReport, createReportStore } from './kept-reports'

function memory() {
  const items = new Map<string, string>([['another', 'text']])
  return {
    items,
    getAllKeys: async () => [...items.keys()],
    getItem: async (key: string) => items.get(key) ?? null,
    setItem: async (key: string, text: string) => items.set(key, text),
    multiRemove: async (keys: string[]) => keys.forEach((key) => items.delete(key)),
  }
}

const of = { start_date: '2026-10-25', end_date: '2026-11-24', made_on: '2026-11-24' }
const pdf = (length: number) => ({
  name: 'Beta_Report.pdf',
  type: 'application/pdf',
  bytes: Uint8Array.from({ length }, (_, at) => at % 256).buffer,
})

test('a report comes back byte for byte', async () => {
  const reports = createReportStore(memory())
  for (const length of [0, 1, 24_573, 24_574, 100_000]) {
    await reports.keep(7, pdf(length), of)
    const kept = await reports.read(7)
    expect(kept).toMatchObject(of)
    expect(kept && decodeKeptReport(kept).type).toBe('application/pdf')
    expect(kept && new Uint8Array(decodeKeptReport(kept).bytes)).toEqual(new Uint8Array(pdf(length).bytes))
  }
})

test('the newest report of each child is kept; a huge one is not', async () => {
  const storage = memory()
  const reports = createReportStore(storage)
  await reports.keep(7, pdf(10), of)
  await reports.keep(7, pdf(20), { ...of, made_on: '2026-11-25' })
  await reports.keep(7, pdf(1_200_000), { ...of, made_on: '2026-11-26' })
  await reports.keep(8, pdf(10), of)
  expect(await reports.read(7)).toMatchObject({ made_on: '2026-11-25' })
  await reports.forget([8])
  expect(await reports.read(7)).toBeNull()
  expect(await reports.read(8)).toMatchObject(of)
  await reports.forget()
  expect([...storage.items.keys()]).toEqual(['another'])
})

test('what cannot be read is no report', async () => {
  const storage = memory()
  const reports = createReportStore(storage)
  for (const text of ['{', 'null', '{"base64":1}']) {
    storage.items.set('companion-report-7', text)
    expect(await reports.read(7)).toBeNull()
  }
})
