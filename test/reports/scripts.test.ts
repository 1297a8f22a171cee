import { makeNights } from '@companion/device-simulator'
import { addDays } from '@companion/server/time/wall-clock.ts'
import { beforeAll, describe, expect, test } from 'vitest'
import { addChild, signUp, upload } from '../support/family.ts'
import { connectBasestation, reading, uploadReadings } from '../support/basestations.ts'
import { copiedText, hasPoppler, structureOf } from '../support/files/poppler.ts'
import { hasQpdf, readTags } from '../support/files/qpdf.ts'
import type { Tags } from '../support/files/qpdf.ts'
import { fetchReport, REPORT } from '../support/report.ts'
import { scripts } from '../support/scripts.ts'
import { useServer } from '../support/server.ts'

/*
 * What is copied from a report, and what a screen reader follows, is what the family wrote, in each of 20 scripts; judged
 * by poppler and qpdf.
 */

const server = useServer()

const skipped = !(hasPoppler && hasQpdf) && process.env['CI'] !== 'true'
const why = skipped ? ' (skipped: no pdftotext or qpdf; install poppler-utils and qpdf)' : ''

interface Judged extends Tags {
  name: string
  /** The text of all pages as it is copied. */
  copied: string
  /** What follows the tags, one text a line. */
  structure: string
}

/** A report of a family that writes in all scripts, with the child's name in one of them. */
async function judgedReport(language: 'EN' | 'KR', script: string): Promise<Judged> {
  const { token } = await signUp(server)
  const { real_user_id, unique_id } = await addChild(server, token)
  const named = scripts.find((each) => each.script === script)
  const json = { id: real_user_id, first_name: named?.first_name, last_name: named?.last_name }
  await server.patch(`/api/v1/beta/user/real-user/${real_user_id}`, { token, json })
  const station = await connectBasestation(server, token)
  await upload(server, makeNights({ seed: 3, nights: 20, until: '2025-12-30', uniqueId: unique_id }))
  await uploadReadings(server, [reading(station.unique_id, '2025-12-20T03:00:00', { temperature: 21 })])
  for (const [day, { first_name, last_name, medication, memo }] of scripts.entries()) {
    const event_data = {
      medication: [{ medication_name: medication, medication_dose: 10 }],
      hospital: [first_name, last_name].filter((each) => each !== ''),
    }
    const note = { real_user_id, created_at: addDays('2025-12-01', day), memo, event_data }
    expect((await server.post('/api/v1/beta/event', { token, json: note })).status).toBe(200)
  }
  const { basestation_id } = station
  const period = { start_date: '2025-12-01', end_date: '2025-12-31' }
  const query = { real_user_id, basestation_id, ...period, language }
  const { status, bytes } = await fetchReport(server, REPORT, token, query)
  expect(status).toBe(200)
  const judged = [copiedText(bytes), structureOf(bytes), readTags(bytes)] as const
  const [copied, structure, tags] = await Promise.all(judged)
  return { ...tags, copied, structure, name: named?.first_name ?? '' }
}

const isLeftward = (text: string) => /[\p{Script=Arabic}\p{Script=Hebrew}]/u.test(text)
const words = (text: string) => text.split(/[\s()]+/).filter((word) => word !== '')

describe.skipIf(skipped)(`a report in 20 scripts${why}`, () => {
  let english: Judged
  let korean: Judged
  beforeAll(async () => {
    english = await judgedReport('EN', 'Devanagari')
    korean = await judgedReport('KR', 'Arabic')
  })

  test.each(scripts)('is copied as it was written in $script', (written) => {
    const { first_name, last_name, medication, memo } = written
    for (const { copied, spans } of [english, korean]) {
      for (const text of [first_name, last_name, medication, memo].map((each) => each.normalize('NFC'))) {
        // A page from left to right parts the words of a line that runs leftward; its span has them in their order.
        if (isLeftward(text)) {
          expect(words(text).filter((word) => !words(copied).includes(word))).toEqual([])
          expect(spans.join('\n')).toContain(text)
        } else expect(copied).toContain(text)
      }
    }
  })

  test.each([
    ['en', () => english],
    ['ko-KR', () => korean],
  ])('parts words, tags everything, and is read in order in %s', (language, report) => {
    const { structure, copied, ...tags } = report()
    expect(tags).toMatchObject({ untagged: [], unlabelled: 0, language, showsTitle: true })
    expect(tags.title).toContain(tags.name)
    expect(tags.read).toEqual(tags.painted)
    expect(new Set(tags.read).size).toBe(tags.read.length)
    // Everything that follows the tags is a word of a page, and no two words are one.
    const heard = [...structure.matchAll(/^ *"(.*)"$/gm)].flatMap(([, text = '']) =>
      text.normalize('NFC').split(/\s+/),
    )
    const seen = new Set(copied.split(' '))
    const plain = /^(?=.*[\p{L}\p{N}])[\p{Script=Latin}\p{Script=Hangul}\p{N}\p{P}\p{S}]+$/u
    expect(heard.filter((word) => plain.test(word) && !seen.has(word))).toEqual([])
    expect(heard.length).toBeGreaterThan(500)
    const headings = [...structure.matchAll(/^ *H2 .*\n *"(.*)"$/gm)].map(([, heading]) => heading)
    expect(tags.bookmarks).toEqual(headings)
  })
})
