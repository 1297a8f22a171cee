import { existsSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { makeNights } from '@companion/device-simulator'
import { addDays } from '@companion/server/time/wall-clock.ts'
import pixelmatch from 'pixelmatch'
import { PNG } from 'pngjs'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { addChild, signUp, upload } from '../support/family.ts'
import { connectBasestation, reading, uploadReadings } from '../support/basestations.ts'
import { hasPoppler, renderPages } from '../support/files/poppler.ts'
import { fetchReport, REPORT } from '../support/report.ts'
import { useServer } from '../support/server.ts'

/*
 * Every kind of page, compared with the pictures beside this file. After a change that is meant to be seen, run this
 * file with UPDATE_PAGES=on, look at each picture that has changed, and commit it.
 */

const RESOLUTION = 60
/** Versions of poppler smooth the edges of letters differently; one bar of a chart is more than this. */
const MOST_DIFFERENT = 0.0004

// The address of the service stands on each page.
const server = useServer({ PUBLIC_URL: 'https://companion.example.org' })
const directory = fileURLToPath(new URL('pages/', import.meta.url))

let token: string
let full: { real_user_id: number; basestation_id: number }
let empty: { real_user_id: number; basestation_id: number }

beforeAll(async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: new Date('2024-11-20T16:08:00Z') })
  token = (await signUp(server)).token
  const child = await addChild(server, token)
  await server.patch(`/api/v1/beta/user/real-user/${child.real_user_id}`, {
    token,
    json: { id: child.real_user_id, first_name: '지우', last_name: '김' },
  })
  const codes = { serial_code: 'BST-2041-KR', unique_id: '7b1f0c52-3a8e-4d1b-9c60-2f5e8a4d9b13' }
  await server.database.sql.insertInto('basestation').values(codes).execute()
  const { basestation_id } = await connectBasestation(server, token, codes)
  full = { real_user_id: child.real_user_id, basestation_id }
  empty = { real_user_id: (await addChild(server, token)).real_user_id, basestation_id }
  await server.database.pool.query('UPDATE device_history SET since = $1', ['2024-08-22T12:00:00Z'])
  await server.database.pool.query(`UPDATE device SET serial_code = 'CMP-000' || id`)
  await upload(server, makeNights({ seed: 11, nights: 92, until: '2024-11-19', uniqueId: child.unique_id }))
  await server.database.pool.query('UPDATE device SET last_upload_at = $1 WHERE id = $2', [
    '2024-11-20T12:12:00Z',
    child.device_id,
  ])
  await uploadReadings(server, readings(codes.unique_id))
  for (const event of events) {
    await server.post('/api/v1/beta/event', { token, json: { real_user_id: child.real_user_id, ...event } })
  }
  for (const [index, scores] of [
    [22, 18, 31],
    [21, 18, 29],
    [19, 17, 26],
    [19, 15, 24],
    [16, 15, 22],
  ].entries()) {
    await server.database.pool.query(
      `INSERT INTO survey (real_user_id, attention_score, impulsivity_score, disorder_score, created_at)
       VALUES ($1, $2, $3, $4, $5)`,
      [child.real_user_id, ...scores, new Date(`${addDays('2024-08-27', 19 * index)}T16:00:00Z`)],
    )
  }
})

afterAll(() => void vi.useRealTimers())

/** A bedroom over the seasons: three readings a night, none for a week in October. */
function readings(unique_id: string) {
  return Array.from({ length: 92 }, (_, day) => addDays('2024-08-20', day)).flatMap((date, day) =>
    date >= '2024-10-07' && date <= '2024-10-13'
      ? []
      : [1, 3, 5].map((hour) =>
          reading(unique_id, `${date}T0${hour}:00:00`, {
            temperature: Math.round((24 - day / 25 + Math.sin(day + hour) / 2) * 10) / 10,
            humidity: Math.round((58 - day / 6 + 4 * Math.sin(day / 5)) * 10) / 10,
            brightness: Math.round(4 + 3 * Math.sin(day / 3) ** 2),
            noise: Math.round(31 + 4 * Math.sin(day * 1.7 + hour)),
          }),
        ),
  )
}

const memo =
  '오늘은 잠들기 전에 조금 보챘지만 30분 뒤에는 편안하게 잠들었습니다. 새벽 3시쯤 한 번 깨서 물을 마셨고, 떨어진 전극을 다시 붙였습니다. '
const dose = (medication_name: string, medication_dose: number) => ({ medication_name, medication_dose })
const events = [
  {
    created_at: '2024-08-29',
    memo: '첫 주인데 잘 적응하고 있어요 😀',
    event_data: { medication: [dose('메틸페니데이트', 10), dose('멜라토닌', 2)], hospital: [] },
  },
  {
    created_at: '2024-09-12',
    event_data: { medication: [], hospital: ['서울아동병원 소아청소년정신건강의학과'] },
  },
  { created_at: '2024-09-27', memo: memo.repeat(20).slice(0, 1000).trim() },
  { created_at: '2024-10-08', memo: '여행.\n베이스 스테이션은 집에 두고 왔음.' },
  { created_at: '2024-10-09', memo: 'نام جيدا (7 ساعات). · นอนหลับดี · 睡得很好 们 ༀ' },
  { created_at: '2024-10-21', memo: memo.repeat(20).slice(0, 1000).trim() },
  {
    created_at: '2024-11-04',
    memo: 'School says he is calmer. Şule öğretmen also noticed it.',
    event_data: { medication: [dose('메틸페니데이트', 15)], hospital: ['연세소아과의원'] },
  },
]

/** The pages that differ from their pictures, by how much. */
async function differences(name: string, query: Record<string, string | number>): Promise<string[]> {
  const { bytes } = await fetchReport(server, REPORT, token, query)
  const pages = await renderPages(bytes, RESOLUTION)
  await mkdir(directory, { recursive: true })
  const different: string[] = []
  for (const [index, page] of pages.entries()) {
    const file = `${directory}${name}-${index + 1}.png`
    if (process.env['UPDATE_PAGES'] === 'on')
      await writeFile(
        file,
        PNG.sync.write(page, { colorType: 2, deflateLevel: 9, deflateStrategy: 0, filterType: 0 }),
      )
    const expected = PNG.sync.read(await readFile(file))
    const { width, height } = page
    const isAlike = width === expected.width && height === expected.height
    const pixels = isAlike
      ? pixelmatch(page.data, expected.data, undefined, width, height, { threshold: 0.2 })
      : width * height
    const share = pixels / (width * height)
    if (share > MOST_DIFFERENT) different.push(`page ${index + 1}: ${(100 * share).toFixed(2)} %`)
  }
  if (existsSync(`${directory}${name}-${pages.length + 1}.png`)) different.push('a page is missing')
  return different
}

const skipped = !hasPoppler && process.env['CI'] !== 'true'
const why = skipped ? ' (skipped: no pdftoppm; install poppler-utils)' : ''

test.skipIf(skipped).each([
  ['quarter-kr', 'KR', '2024-08-20', '2024-11-20'],
  ['quarter-en', 'EN', '2024-08-20', '2024-11-20'],
  ['week-kr', 'KR', '2024-11-13', '2024-11-19'],
  ['half-year-en', 'EN', '2024-06-01', '2024-11-30'],
])(`the pages of %s look as they did${why}`, async (name, language, start_date, end_date) => {
  expect(await differences(name, { ...full, language, start_date, end_date })).toEqual([])
})

test.skipIf(skipped)(`the pages of an empty period look as they did${why}`, async () => {
  const period = { start_date: '2024-11-01', end_date: '2024-12-31' }
  expect(await differences('empty-en', { ...empty, language: 'EN', ...period })).toEqual([])
})
