import { beforeAll, describe, expect, test } from 'vitest'
import { restoreDevlogs } from '@companion/server/devlogs/devlog-deletion.ts'
import { shiftDevlogs } from '@companion/server/devlogs/devlog-shift.ts'
import { connectBasestation } from '../../support/basestations.ts'
import { addChild, devlogItem, signUp, upload } from '../../support/family.ts'
import type { Account } from '../../support/family.ts'
import { allPages, askFhir, nextPage } from '../../support/fhir.ts'
import { fhirIssues } from '../../support/files/fhir.ts'
import { granted } from '../../support/oauth.ts'
import { OPERATOR } from '../../support/operator.ts'
import { useServer } from '../../support/server.ts'
import { addMember } from '../../support/shares.ts'

const server = useServer()
const SYSTEM = 'https://companion.example/fhir'
const CODES = `${SYSTEM}/CodeSystem/companion`

let parent: Account
let child: Awaited<ReturnType<typeof addChild>>
let patient: string

const ask = (path: string, token = parent.token, init = {}) => askFhir(server, path, token, init)
const idsOf = (body: any): string[] => (body.entry ?? []).map(({ resource }: any) => resource.id)
const self = (body: any): string => body.link.find(({ relation }: any) => relation === 'self').url

beforeAll(async () => {
  parent = await signUp(server)
  child = await addChild(server, parent.token)
  patient = `child-${child.real_user_id}`
  const { unique_id, real_user_id } = child
  await upload(server, [
    devlogItem(unique_id, '2026-03-01T21:30:00', { intensities: [0, 7, 3] }),
    devlogItem(unique_id, '2026-03-02T21:30:00', { log_file_id: 2 }),
    devlogItem(unique_id, '2026-04-03T21:30:00', { log_file_id: 3, is_temp: true }),
  ])
  for (const [created_at, memo] of [
    ['2026-03-02', 'Slept well'],
    ['2026-03-05', 'No device'],
  ])
    await server.post('/api/v1/beta/event', {
      token: parent.token,
      json: {
        real_user_id,
        created_at,
        memo,
        event_data: {
          medication: [{ medication_name: 'Methylphenidate', medication_dose: 10 }],
          hospital: ['Seoul', 'Busan'],
        },
      },
    })
  const survey = { real_user_id, attention_score: 1, impulsivity_score: 2, disorder_score: 3 }
  await server.post('/api/v1/beta/survey', { token: parent.token, json: survey })
  await server.post('/api/v1/beta/survey', { token: parent.token, json: survey })
})

describe('every type', () => {
  test.each([
    ['Patient', 1],
    ['Device', 1],
    ['Observation', 9],
    ['QuestionnaireResponse', 2],
    ['MedicationStatement', 2],
  ])('%s: all are valid, are read by their ids, and are counted', async (type, count) => {
    const all = await allPages(server, `${type}?_count=2`, parent.token)
    expect(all).toHaveLength(count)
    expect(new Set(all.map(({ id }) => id)).size).toBe(count)
    for (const resource of all) {
      expect(fhirIssues(resource)).toEqual([])
      const { status, body, headers } = await ask(`${type}/${resource.id}`)
      expect([status, body]).toEqual([200, resource])
      expect(headers.get('content-type')).toBe('application/fhir+json; charset=utf-8')
      expect(resource.meta.lastUpdated).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
      expect(idsOf((await ask(`${type}?_id=${resource.id}`)).body)).toEqual([resource.id])
    }
    const counted = await ask(`${type}?_summary=count`)
    expect(counted.body).toMatchObject({ resourceType: 'Bundle', type: 'searchset', total: count })
    expect(counted.body).not.toHaveProperty('entry')
    expect(fhirIssues(counted.body)).toEqual([])
    expect(fhirIssues((await ask(type)).body)).toEqual([])
  })

  test.each(['Patient', 'Device', 'Observation', 'QuestionnaireResponse', 'MedicationStatement'])(
    '%s: a search by when it changed',
    async (type) => {
      const [one] = await allPages(server, type, parent.token)
      const at = encodeURIComponent(one.meta.lastUpdated)
      expect(idsOf((await ask(`${type}?_lastUpdated=ge${at}&_lastUpdated=le${at}`)).body)).toContain(one.id)
      expect(idsOf((await ask(`${type}?_lastUpdated=lt2020`)).body)).toEqual([])
      expect(idsOf((await ask(`${type}?_lastUpdated=gt${at}`)).body)).not.toContain(one.id)
      expect(await ask(`${type}?_lastUpdated=yesterday`)).toMatchObject({
        status: 400,
        body: { issue: [{ code: 'invalid', diagnostics: '_lastUpdated is not valid' }] },
      })
      const { body } = await ask(`${type}?_summary=count&_lastUpdated=lt2020`)
      expect(body.total).toBe(0)
    },
  )
})

describe('by child', () => {
  test.each([
    (id: string) => id,
    (id: string) => `Patient/${id}`,
    (id: string) => `${server.url}/fhir/Patient/${id}`,
  ])('a reference in each of its forms', async (form) => {
    for (const name of ['patient', 'subject']) {
      const path = `Observation?${name}=${encodeURIComponent(form(patient))}`
      expect(await allPages(server, path, parent.token)).toHaveLength(9)
    }
  })

  test("another's child, an absent one and what is no child have nothing", async () => {
    const other = await signUp(server)
    const theirs = await addChild(server, other.token)
    for (const id of [
      `child-${theirs.real_user_id}`,
      'child-2147483647',
      'child-99999999999',
      'Group/1',
      'x',
    ]) {
      const { status, body } = await ask(`Observation?patient=${id}`)
      expect([status, body.entry]).toEqual([200, undefined])
    }
    expect(
      idsOf((await ask(`Observation?patient=${patient},child-${theirs.real_user_id}`)).body),
    ).toHaveLength(9)
    expect(idsOf((await ask(`Observation?patient=${patient}&patient=child-1999999`)).body)).toEqual([])
  })
})

describe('by date', () => {
  test.each([
    ['date=2026-03-01', 1],
    ['date=2026-03', 8],
    ['date=ge2026-03-02&date=lt2026-03-05', 4],
    ['date=gt2026-03-05', 1],
    ['date=le2026-03-01', 1],
    ['date=2025', 0],
  ])('Observation?%s', async (query, count) => {
    expect(await allPages(server, `Observation?${query}&_count=3`, parent.token)).toHaveLength(count)
    const { body } = await ask(`Observation?${query}&_summary=count`)
    expect(body.total).toBe(count)
  })

  test('medication and surveys have a date too', async () => {
    expect(idsOf((await ask('MedicationStatement?date=2026-03-02')).body)).toHaveLength(1)
    expect(idsOf((await ask('MedicationStatement?effective=2026-03-05')).body)).toHaveLength(1)
    expect(idsOf((await ask('QuestionnaireResponse?authored=ge2026-01-01T00:00:00Z')).body)).toHaveLength(2)
    expect(idsOf((await ask('QuestionnaireResponse?date=lt2026')).body)).toEqual([])
  })

  test('a moment is not compared with dates that have no zone', async () => {
    expect(await ask('Observation?date=ge2026-03-01T00:00:00Z')).toMatchObject({
      status: 400,
      body: { issue: [{ diagnostics: 'date is not valid' }] },
    })
  })
})

describe('by code and category', () => {
  test.each([
    [`code=${CODES}|device-use`, 3],
    ['code=device-use', 3],
    ['code=note,hospital-visit', 6],
    [`code=${CODES}|`, 9],
    ['code=|device-use', 0],
    ['code=http://loinc.org|device-use', 0],
    ['category=therapy', 3],
    ['category=http://terminology.hl7.org/CodeSystem/observation-category|therapy', 3],
    ['category=vital-signs', 0],
    ['code=note&category=therapy', 0],
  ])('Observation?%s', async (query, count) => {
    const encoded = query.replaceAll('|', '%7C')
    expect(await allPages(server, `Observation?${encoded}`, parent.token)).toHaveLength(count)
    expect((await ask(`Observation?${encoded}&_summary=count`)).body.total).toBe(count)
  })
})

describe('pages', () => {
  test('hold every Observation once in the order of dates, whatever their size', async () => {
    const all = await allPages(server, 'Observation?_count=500', parent.token)
    const dates: string[] = all.map(({ effectiveDateTime }) => effectiveDateTime)
    expect(dates).toEqual(dates.toSorted())
    for (const size of [1, 2, 3, 4, 8, 9, 10])
      expect(await allPages(server, `Observation?_count=${size}`, parent.token)).toEqual(all)
  })

  test('stay as they are while others write', async () => {
    const { token } = await signUp(server)
    const other = await addChild(server, token)
    const night = (n: number) => devlogItem(other.unique_id, `2026-03-0${n}T21:30:00`, { log_file_id: n })
    await upload(server, [night(2), night(4), night(6)])
    const first = await ask('Observation?_count=2', token)
    await upload(server, [night(1), night(3), night(5)])
    const second = await ask(nextPage(first.body) ?? '', token)
    const dates = [first, second].map(({ body }) =>
      body.entry.map(({ resource }: any) => resource.effectiveDateTime),
    )
    expect(dates).toEqual([
      ['2026-03-02', '2026-03-04'],
      ['2026-03-05', '2026-03-06'],
    ])
  })

  test('end where nothing follows, and a place that is none is refused', async () => {
    expect(nextPage((await ask('Observation?_count=9')).body)).toBeUndefined()
    const { body } = await ask('Observation?_count=1')
    const cursor = new URL(nextPage(body) ?? '').searchParams.get('_cursor') ?? ''
    const forged = (place: unknown[]) => Buffer.from(JSON.stringify(place)).toString('base64url')
    for (const path of [
      'Observation?_cursor=x',
      `Device?_cursor=${cursor}`,
      `QuestionnaireResponse?_cursor=${cursor}`,
      `Observation?_cursor=${forged([1, '2026-99-01T00:00:00', 'treatment', '1', 0])}`,
      `Observation?_cursor=${forged([1, '2026-03-01T00:00:00', 'note', '99999999999', 0])}`,
      `Device?_cursor=${forged([0, '', 'device', '99999999999', 0])}`,
    ])
      expect((await ask(path)).status).toBe(400)
  })

  test.each(['0', '501', '-1', '1.5', '', 'x', '99999999999'])('_count=%s is refused', async (count) => {
    expect(await ask(`Observation?_count=${count}`)).toMatchObject({
      status: 400,
      body: { resourceType: 'OperationOutcome', issue: [{ diagnostics: '_count must be from 1 to 500' }] },
    })
  })
})

describe('what is not understood', () => {
  test('is left out of `self`, and refused if the caller is strict', async () => {
    const query = `patient=${patient}&colour=red&date=2026-03`
    const { status, body } = await ask(`Observation?${query}`)
    expect(status).toBe(200)
    expect(self(body)).toBe(`${server.url}/fhir/Observation?patient=${patient}&date=2026-03`)
    const strict = await ask(`Observation?${query}`, parent.token, { headers: { prefer: 'handling=strict' } })
    expect(strict.status).toBe(400)
    expect(strict.body.issue[0].diagnostics).toBe('Search parameter "colour" is not known')
    const known = `Observation?patient=${patient}&_format=json`
    expect((await ask(known, parent.token, { headers: { prefer: 'handling=strict' } })).status).toBe(200)
  })

  test.each(['subject:Patient=x', 'code:text=x', '_summary=text', 'code=', 'patient=a,,b', 'date=ne2026'])(
    'Observation?%s is wrong',
    async (query) => expect((await ask(`Observation?${query}`)).status).toBe(400),
  )
})

test('the next page has the form that was asked for', async () => {
  // As of a program that cannot choose its header.
  const headers = { accept: 'text/html' }
  for (const format of ['json', 'application/fhir+json', 'application%2Ffhir%2Bjson']) {
    const first = await ask(`Observation?_count=2&_format=${format}`, parent.token, { headers })
    expect(first.status).toBe(200)
    const next = await ask(nextPage(first.body) ?? '', parent.token, { headers })
    expect([next.status, idsOf(next.body).length]).toEqual([200, 2])
  }
})

describe('POST _search', () => {
  const post = (body: string, type = 'application/x-www-form-urlencoded', query = '') =>
    ask(`Observation/_search${query}`, parent.token, {
      method: 'POST',
      body,
      headers: { 'content-type': type },
    })

  test('takes the parameters of the form and of the address', async () => {
    const { status, body } = await post('code=device-use&_count=2')
    expect([status, idsOf(body).length]).toEqual([200, 2])
    expect((await ask(nextPage(body) ?? '')).body.entry).toHaveLength(1)
    expect(idsOf((await post('code=device-use', undefined, '?date=2026-03')).body)).toHaveLength(2)
    expect(idsOf((await post('')).body)).toHaveLength(9)
  })

  test('what is no form is refused', async () => {
    expect(await post('{}', 'application/json')).toMatchObject({
      status: 415,
      body: { issue: [{ diagnostics: 'Unsupported media type' }] },
    })
    expect((await post('x'.repeat(30_000))).status).toBe(413)
    expect((await ask('Observation/_search')).headers.get('allow')).toBe('POST, OPTIONS')
  })
})

test('a member finds the records of a shared child, and base stations are for their owner alone', async () => {
  const owner = await signUp(server)
  const shared = await addChild(server, owner.token)
  await upload(server, [devlogItem(shared.unique_id, '2026-03-01T21:30:00')])
  const station = await connectBasestation(server, owner.token)
  const member = await addMember(
    server,
    { token: owner.token },
    { real_user_id: shared.real_user_id, role: 'viewer' },
  )
  expect(await allPages(server, 'Observation', member.token)).toHaveLength(1)
  const devices = async (token: string) => allPages(server, 'Device?_count=1', token)
  expect((await devices(member.token)).map(({ serialNumber }) => serialNumber)).toEqual([shared.serial_code])
  const own = await devices(owner.token)
  expect(new Set(own.map(({ serialNumber }) => serialNumber))).toEqual(
    new Set([shared.serial_code, station.serial_code]),
  )
  for (const device of own) {
    expect(fhirIssues(device)).toEqual([])
    expect((await askFhir(server, `Device/${device.id}`, owner.token)).body).toEqual(device)
  }
  expect(JSON.stringify(own)).toContain(shared.unique_id)
  const ofStation = own.find(({ serialNumber }) => serialNumber === station.serial_code)
  expect((await askFhir(server, `Device/${ofStation.id}`, member.token)).status).toBe(404)
})

test('a service finds what its scopes open, of the children that it was granted', async () => {
  const { token } = await granted(server, parent, {
    scope: 'usage:read',
    children: [child.real_user_id],
  })
  expect((await allPages(server, 'Observation', token)).map(({ id }) => id.split('-')[0])).toEqual([
    'treatment',
    'treatment',
    'treatment',
  ])
  expect((await ask('Observation?_summary=count', token)).body.total).toBe(3)
  expect(await allPages(server, 'Device', token)).toHaveLength(1)
  for (const type of ['Patient', 'QuestionnaireResponse', 'MedicationStatement', 'DocumentReference']) {
    const { status, body, headers } = await ask(type, token)
    expect([type, status, body.issue[0]]).toEqual([
      type,
      403,
      { severity: 'error', code: 'forbidden', diagnostics: 'Insufficient scope' },
    ])
    expect(headers.get('www-authenticate')).toContain('insufficient_scope')
  }
  const note = (await allPages(server, 'Observation?code=note', parent.token))[0]
  expect((await ask(`Observation/${note.id}`, token)).status).toBe(404)
})

test('a record that is completed, deleted and restored, or moved has changed', async () => {
  const account = await signUp(server)
  const { unique_id } = await addChild(server, account.token)
  const at = '2026-03-01T21:30:00'
  const state = async () => {
    const [use] = await allPages(server, 'Observation', account.token)
    return [use?.id, use?.status, use?.effectiveDateTime, use?.meta.lastUpdated] as const
  }
  await upload(server, [devlogItem(unique_id, at, { is_temp: true })])
  const [id, ...temporary] = await state()
  await upload(server, [devlogItem(unique_id, at)])
  const [completed, status, date, then] = await state()
  expect([completed, status, date]).toEqual([id, 'final', '2026-03-01'])
  expect(then > (temporary[2] ?? '')).toBe(true)
  // The same again changes nothing.
  await upload(server, [devlogItem(unique_id, at)])
  expect(await state()).toEqual([id, 'final', date, then])
  await server.delete('/api/v1/gamma/device/devlog', { query: { unique_id } })
  expect((await state())[0]).toBeUndefined()
  await server.database.transaction((sql) => restoreDevlogs(sql, { uniqueId: unique_id, operator: OPERATOR }))
  const [back, , , restored] = await state()
  expect([back, restored > then]).toEqual([id, true])
  const night = { from: '2026-03-01T00:00:00', to: '2026-03-02T00:00:00', seconds: 86_400, dryRun: false }
  await server.database.transaction((sql) =>
    shiftDevlogs(sql, { uniqueId: unique_id, ...night, operator: OPERATOR }),
  )
  const [moved, , day, shifted] = await state()
  expect([moved, day, shifted > restored]).toEqual([id, '2026-03-02', true])
})

test('a note has changed when the use arrives that it is read beside', async () => {
  const account = await signUp(server)
  const { unique_id, real_user_id } = await addChild(server, account.token)
  const medication = [{ medication_name: 'Melatonin', medication_dose: 1 }]
  await server.post('/api/v1/beta/event', {
    token: account.token,
    json: {
      real_user_id,
      created_at: '2026-03-02',
      memo: 'Slept well',
      event_data: { medication, hospital: [] },
    },
  })
  const [before] = await allPages(server, 'Observation?code=note', account.token)
  expect(before).not.toHaveProperty('focus')
  const since = `_lastUpdated=gt${before.meta.lastUpdated}`
  expect(await allPages(server, `Observation?code=note&${since}`, account.token)).toEqual([])
  await upload(server, [devlogItem(unique_id, '2026-03-02T21:30:00')])
  const [use] = await allPages(server, 'Observation?code=device-use', account.token)
  const [note, ...others] = await allPages(server, `Observation?code=note&${since}`, account.token)
  expect(note).toEqual({
    ...before,
    meta: { lastUpdated: use.meta.lastUpdated },
    focus: [{ reference: `Observation/${use.id}` }],
  })
  expect(others).toEqual([])
  const [statement] = await allPages(server, `MedicationStatement?${since}`, account.token)
  expect(statement.meta).toEqual(note.meta)
})
