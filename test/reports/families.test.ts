import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { makeNights } from '@companion/device-simulator'
import { addDays } from '@companion/server/time/wall-clock.ts'
import { getDocument } from 'pdfjs-dist/legacy/build/pdf.mjs'
import { PNG } from 'pngjs'
import { expect, test } from 'vitest'
import { addChild, addDevice, devlogItem, signUp, upload } from '../support/family.ts'
import { connectBasestation, reading, uploadReadings } from '../support/basestations.ts'
import { renderPages } from '../support/files/poppler.ts'
import { fetchReport, REPORT } from '../support/report.ts'
import { useServer } from '../support/server.ts'

/*
 * The reports of ten families, whose names, notes and records are as hard to lay out as they come. On no page does a text
 * leave the page or lie on another. With PICTURES=<directory>, the pages are written there for people to look at.
 */

const server = useServer()

const FIRST = '2025-01-01'
const LAST = '2025-12-31'
const LONG = 'Maximiliana-Alexandrina Wolfeschlegelste'

interface Home {
  token: string
  child: Awaited<ReturnType<typeof addChild>>
  nights: (count: number, uniqueId?: string, until?: string) => Promise<unknown>
  note: (date: string, memo: string, more?: object) => Promise<unknown>
}

interface Family {
  name?: [first: string, last: string]
  first?: string
  fill?: (home: Home) => Promise<unknown>
  hasReadings?: boolean
}

const medicated = (medication_name: string) => ({
  medication: [{ medication_name, medication_dose: 10 }],
  hospital: ['서울아동병원 소아청소년정신건강의학과'],
})

const families: Record<string, Family> = {
  'nothing at all': {},
  'one night': {
    fill: ({ child }) =>
      upload(server, [devlogItem(child.unique_id, `${LAST}T21:30:00`, { treatment_time: 25_000 })]),
  },
  'a year with 70 notes': {
    first: FIRST,
    fill: async ({ nights, note }) => {
      await nights(365)
      for (let n = 0; n < 70; n += 1)
        await note(addDays(FIRST, 5 * n), '새벽에 전극을 다시 붙였습니다. '.repeat(1 + (n % 9)))
    },
  },
  emoji: {
    name: ['Mina 🦊', ''],
    fill: async ({ nights, note }) => {
      await nights(30)
      await note('2025-12-03', '😀😴👨‍👩‍👧‍👦🏳️‍🌈👍🏽 schlief gut 🇰🇷')
      await note('2025-12-04', '🎉'.repeat(200), { event_data: medicated('💊 Methylphenidate') })
    },
  },
  Arabic: {
    name: ['محمد', 'العبدالله'],
    fill: async ({ nights, note }) => {
      await nights(30)
      await note('2025-12-03', 'نام جيدا (7 ساعات)، واستيقظ مرة واحدة في الساعة 03:15. '.repeat(6))
    },
  },
  Khmer: {
    name: ['សុវណ្ណ', ''],
    fill: async ({ nights, note }) => {
      await nights(30)
      await note('2025-12-03', 'កូនធំគេងលក់ស្រួល '.repeat(6), { event_data: medicated('ថ្នាំ ២៥ mg') })
      await note('2025-12-04', 'ڥ ڢ ࢤ دواء ١٠ ملغ')
    },
  },
  Thai: {
    name: ['ณัฐวุฒิ', 'ศรีสุขสวัสดิ์'],
    fill: async ({ nights, note }) => {
      await nights(30)
      await note('2025-12-03', 'นอนหลับดีตลอดคืน ตื่นหนึ่งครั้งตอนตีสาม '.repeat(8))
    },
  },
  'names of 40 letters': {
    name: [LONG, LONG],
    fill: async ({ nights, note }) => {
      await nights(30)
      await note('2025-12-03', 'W'.repeat(300), { event_data: medicated('M'.repeat(170)) })
    },
  },
  'the largest figures': {
    fill: async ({ child, nights, note }) => {
      await nights(30)
      const most = { treatment_time: 86_400, movement: 2_147_483_647, intensities: [32_767, 32_767] }
      for (const [n, day] of ['2025-11-29', '2025-11-30', LAST].entries())
        await upload(server, [
          devlogItem(child.unique_id, `${day}T22:00:00`, { log_file_id: 900 + n, ...most }),
        ])
      await note('2025-12-03', `a${'\u0301'.repeat(300)} b${'\u0323'.repeat(99)}`)
    },
  },
  siblings: {
    name: ['지우', '김'],
    fill: async ({ token, nights }) => {
      await nights(30)
      const other = await addChild(server, token)
      await upload(server, makeNights({ seed: 5, nights: 30, until: LAST, uniqueId: other.unique_id }))
    },
  },
  'exchanged devices': {
    fill: async ({ token, child: { real_user_id, ...first }, nights }) => {
      await nights(10, first.unique_id, '2025-12-10')
      let { device_id } = first
      for (const last of ['2025-12-17', '2025-12-24', LAST]) {
        await server.delete(`/api/v1/beta/device/${device_id}`, { token })
        const codes = await addDevice(server)
        const json = { ...codes, real_user_id }
        device_id = (await server.post('/api/v1/beta/device', { token, json })).body.device_id
        await nights(7, codes.unique_id, last)
      }
      await server.database.pool.query(
        `UPDATE device_history h SET
           since = CASE place WHEN 0 THEN since ELSE DATE '2025-12-04' + 7 * place END,
           until = CASE place WHEN 3 THEN until ELSE DATE '2025-12-11' + 7 * place END
         FROM (SELECT device_id, row_number() OVER (ORDER BY device_id)::int - 1 AS place
               FROM device_history WHERE real_user_id = $1) exchanged
         WHERE h.device_id = exchanged.device_id`,
        [real_user_id],
      )
    },
  },
  'two plans': {
    fill: async ({ child, nights }) => {
      await nights(30)
      await server.database.pool.query(
        `INSERT INTO plan (real_user_id, from_date, nights_per_week, minutes, set_by, set_at)
         SELECT $1, from_date, 5, minutes, set_by, now()
         FROM (VALUES (date '2025-12-08', 300, 'parent'), (date '2025-12-20', 390, 'clinic')) p (from_date, minutes, set_by)`,
        [child.real_user_id],
      )
    },
  },
  'no readings': { fill: ({ nights }) => nights(30), hasReadings: false },
}

async function reportOf({ name, first = '2025-12-01', fill, hasReadings = true }: Family, language: string) {
  const { token } = await signUp(server)
  const child = await addChild(server, token)
  const { real_user_id } = child
  await server.database.pool.query(`UPDATE device_history SET since = '2024-12-30' WHERE real_user_id = $1`, [
    real_user_id,
  ])
  if (name) {
    const [first_name, last_name] = name
    const json = { id: real_user_id, first_name, last_name }
    const renamed = await server.patch(`/api/v1/beta/user/real-user/${real_user_id}`, { token, json })
    expect(renamed.status).toBe(200)
  }
  const { basestation_id, unique_id } = await connectBasestation(server, token)
  if (hasReadings) {
    const days = Array.from({ length: 31 }, (_, day) => addDays('2025-12-01', day))
    await uploadReadings(
      server,
      days.map((day, n) => reading(unique_id, `${day}T03:00:00`, { temperature: 20 + (n % 5), noise: n })),
    )
  }
  await fill?.({
    token,
    child,
    nights: (nights, uniqueId = child.unique_id, until = LAST) =>
      upload(server, makeNights({ seed: nights, nights, until, uniqueId })),
    note: async (created_at, memo, more = {}) => {
      const json = { real_user_id, created_at, memo, ...more }
      expect((await server.post('/api/v1/beta/event', { token, json })).status).toBe(200)
    },
  })
  const period = { start_date: first, end_date: LAST, language }
  const report = await fetchReport(server, REPORT, token, { real_user_id, basestation_id, ...period })
  expect(report.status).toBe(200)
  return report.bytes
}

/** The texts that leave the page, and those that lie on another. */
async function misplaced(bytes: Uint8Array): Promise<string[]> {
  const task = getDocument({ data: bytes.slice(), useSystemFonts: false, verbosity: 0 })
  const document = await task.promise
  const issues: string[] = []
  for (let number = 1; number <= document.numPages; number += 1) {
    const page = await document.getPage(number)
    const [left = 0, bottom = 0, right = 0, top = 0] = page.view
    const { items } = await page.getTextContent()
    const texts = items.flatMap((item) => {
      if (!('str' in item) || item.str.trim() === '') return []
      const [, , , , x = 0, y = 0] = item.transform
      return [
        { text: item.str, x, y, width: item.width, height: item.height, isMirrored: item.dir === 'rtl' },
      ]
    })
    for (const [n, { text, x, y, width, height, isMirrored }] of texts.entries()) {
      if (x < left || x + width > right || y < bottom || y + height > top) {
        issues.push(`page ${number}: ${text} leaves the page`)
      }
      // What pdf.js tells of the places of brackets and numbers within Arabic is not where they are drawn.
      if (isMirrored) continue
      const other = texts.slice(n + 1).find((each) => {
        const across = Math.min(x + width, each.x + each.width) - Math.max(x, each.x)
        // Letters are about 0.7 as high as their line.
        const down = Math.min(y + 0.7 * height, each.y + 0.7 * each.height) - Math.max(y, each.y)
        return across > 1 && down > 1
      })
      if (other) issues.push(`page ${number}: ${text} lies on ${other.text}`)
    }
  }
  await task.destroy()
  return issues
}

async function writePictures(name: string, bytes: Uint8Array): Promise<void> {
  const directory = process.env['PICTURES']
  if (directory === undefined) return
  await mkdir(directory, { recursive: true })
  for (const [n, page] of (await renderPages(bytes, 80)).entries())
    await writeFile(join(directory, `${name.replaceAll(' ', '-')}-${n + 1}.png`), PNG.sync.write(page))
}

test.each(Object.entries(families))('the report of a family with %s', async (name, family) => {
  for (const language of ['KR', 'EN']) {
    const bytes = await reportOf(family, language)
    await writePictures(`${name} ${language}`, bytes)
    expect(await misplaced(bytes)).toEqual([])
  }
})
