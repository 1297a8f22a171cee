import { readdirSync, readlinkSync } from 'node:fs'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import { familyTables, tablesNotExported } from '@companion/server/account/export/family-tables.ts'
import { addChild, devlogItem, PASSWORD, signUp, upload } from '../../support/family.ts'
import type { Account } from '../../support/family.ts'
import { fhirIssues, startFhirServer } from '../../support/files/fhir.ts'
import { connectBasestation, reading, uploadReadings } from '../../support/basestations.ts'
import { grantDirectly } from '../../support/oauth.ts'
import { useOpenIdProvider } from '../../support/outside/openid.ts'
import { useServer } from '../../support/server.ts'
import { addMember, shares } from '../../support/shares.ts'
import { socialClaims, socialSignUp } from '../../support/outside/social.ts'
import { somebodyWaits } from '../../support/lock-waits.ts'
import { until } from '../../support/until.ts'
import { unzipExport } from '../../support/files/zip.ts'

const PATH = '/api/v1/beta/user/export'
const DAY = '2026-03-01'
const SYSTEM = 'https://companion.example/fhir'

const provider = useOpenIdProvider()
const server = useServer(() => ({ SOCIAL_PROVIDERS: provider.configuration }))

const limited = useServer({ RATE_LIMITS: 'on' })

const ask = (token: string, json: object, at = server) =>
  at.post(PATH, { token, json: { format: 'json', password: PASSWORD, ...json } })

/** Downloads an export. The text client would break the bytes. */
async function download(token: string, json: object, url = server.url) {
  const response = await fetch(`${url}${PATH}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ format: 'json', password: PASSWORD, ...json }),
  })
  const bytes = new Uint8Array(await response.arrayBuffer())
  expect(response.status).toBe(200)
  expect(response.headers.get('content-length')).toBe(String(bytes.length))
  return { headers: response.headers, files: unzipExport(bytes) }
}

/** The exports that this process has open; they have no name any more. */
const openExports = () =>
  process.platform === 'linux'
    ? readdirSync('/proc/self/fd').filter((descriptor) => {
        try {
          return readlinkSync(`/proc/self/fd/${descriptor}`).includes('/companion-export-')
        } catch {
          return false
        }
      })
    : []

let parent: Account
let child: Awaited<ReturnType<typeof addChild>>
beforeEach(async () => {
  parent = await signUp(server)
  child = await addChild(server, parent.token)
})

const saveNote = (memo: string, event_data: object = {}, event_date = DAY) =>
  server.post('/api/v1/beta/event', {
    token: parent.token,
    json: { real_user_id: child.real_user_id, created_at: event_date, memo, event_data },
  })

/** A home in which something of every kind has happened. */
async function live() {
  const { token } = parent
  const { real_user_id, unique_id } = child
  await upload(server, [
    devlogItem(unique_id, `${DAY}T21:30:00.25`, { intensities: [0, 7, 3], finish_flag: '4', movement: 12 }),
    devlogItem(unique_id, '2026-03-02T20:00:00', { log_file_id: 2, is_temp: true, intensities: [] }),
  ])
  const basestation = await connectBasestation(server, token)
  await uploadReadings(server, [
    reading(basestation.unique_id, `${DAY}T21:30:00`),
    reading(basestation.unique_id, `${DAY}T22:30:00.5`),
  ])
  await server.post('/api/v1/beta/survey', {
    token,
    json: { real_user_id, attention_score: 1, impulsivity_score: 2, disorder_score: 3 },
  })
  // A plan begins at most a year before it is set.
  vi.useFakeTimers({ toFake: ['Date'], now: Date.parse(DAY) })
  for (const plan of [
    { nights_per_week: 5, minutes: 240, bedtime: '21:00', from: '2026-01-05' },
    { nights_per_week: 0, minutes: 240, from: DAY },
  ])
    await server.put('/api/v1/beta/plan', { token, json: { real_user_id, ...plan } })
  vi.useRealTimers()
  await saveNote('A first text')
  await saveNote('잘 잤어요 👶\nWoke "twice"', {
    medication: [{ medication_name: 'Methylphenidate', medication_dose: 10 }],
    hospital: ["Seoul Children's Hospital"],
  })
  return basestation
}

describe('as JSON', () => {
  test('the zip holds every record of the family', async () => {
    const basestation = await live()
    const member = await addMember(
      server,
      { token: parent.token },
      { real_user_id: child.real_user_id, role: 'viewer' },
    )
    await grantDirectly(server, { rootUserId: parent.id, child: child.real_user_id })
    const { headers, files } = await download(parent.token, {})
    expect(headers.get('content-type')).toBe('application/zip')
    expect(headers.get('content-disposition')).toMatch(
      /^attachment; filename=companion-json-\d{4}-\d\d-\d\d\.zip$/,
    )
    expect(headers.get('cache-control')).toBe('private, no-store')
    // Encrypted values begin with U+0002.
    expect(JSON.stringify(files)).not.toContain(String.raw`\u0002`)
    const { real_user_id } = child
    expect(files['account.json']).toMatchObject([{ id: parent.id, email: parent.email, phone: parent.phone }])
    expect(files['children.json']).toMatchObject([{ id: real_user_id, first_name: 'Mina' }])
    expect(files['devices.json']).toMatchObject([{ real_user_id, unique_id: child.unique_id }])
    expect(files['treatments.json']).toMatchObject([
      {
        real_user_id,
        treatment_date: `${DAY}T21:30:00.25`,
        treatment_time: 720,
        intensity_record: [0, 7, 3],
        movement: 12,
        finish_flag: 4,
        is_temp: false,
        log_file_id: 1,
        deleted_at: null,
      },
      { treatment_date: '2026-03-02T20:00:00', is_temp: true, intensity_record: [] },
    ])
    expect(files['notes.json']).toMatchObject([
      {
        real_user_id,
        event_date: DAY,
        memo: '잘 잤어요 👶\nWoke "twice"',
        event_data: { medication: [{ medication_dose: 10 }], hospital: ["Seoul Children's Hospital"] },
        version: 2,
        is_of_account: true,
      },
    ])
    expect(files['note_versions.json']).toMatchObject([{ memo: 'A first text', version: 1 }])
    expect(files['surveys.json']).toMatchObject([{ attention_score: 1, disorder_score: 3 }])
    expect(files['basestations.json']).toMatchObject([{ serial_code: basestation.serial_code }])
    expect(files['reading_days.json']).toMatchObject([{ date: DAY, readings: 2 }])
    expect(files['readings.json']).toMatchObject([
      { measured_at: `${DAY}T21:30:00`, temperature: expect.any(Number), noise: expect.any(Number) },
      { measured_at: `${DAY}T22:30:00.5` },
    ])
    expect(files['reading_days.json']).toMatchObject([
      { date: DAY, readings: 2, temperature: expect.any(Number), noise: expect.any(Number) },
    ])
    expect(files['shares.json']).toMatchObject([{ role: 'viewer', email: member.email }])
    expect(files['grants.json']).toMatchObject([{ children: [real_user_id], scopes: expect.any(Array) }])
    expect(files['security_record.json']).toContainEqual(expect.objectContaining({ action: 'sign_up' }))
  })

  test('the dictionary says what each field of each file means, and no secret is in any', async () => {
    await live()
    const { files } = await download(parent.token, {})
    const { 'dictionary.json': dictionary, ...data } = files
    expect(Object.keys(dictionary.files).toSorted()).toEqual(Object.keys(data).toSorted())
    for (const [name, rows] of Object.entries(data))
      for (const row of rows)
        expect([name, Object.keys(row)]).toEqual([name, Object.keys(dictionary.files[name].fields)])
    expect(JSON.stringify(files)).not.toMatch(/_hash"|password_hash|\$scrypt|"token"/)
  })

  test('with a child it is about that child alone', async () => {
    await live()
    const other = await addChild(server, parent.token)
    await upload(server, [devlogItem(other.unique_id, `${DAY}T19:00:00`)])
    const { files } = await download(parent.token, { real_user_id: other.real_user_id })
    expect(files['children.json']).toMatchObject([{ id: other.real_user_id }])
    expect(files['treatments.json']).toMatchObject([{ treatment_date: `${DAY}T19:00:00` }])
    expect(files['notes.json']).toEqual([])
    expect(Object.keys(files)).not.toEqual(expect.arrayContaining(['account.json']))
    expect(Object.keys(files)).not.toEqual(expect.arrayContaining(['readings.json']))
  })

  test('a family without children or records gets empty files', async () => {
    const { token } = await signUp(server)
    const { files } = await download(token, {})
    expect(files['children.json']).toEqual([])
    expect(files['treatments.json']).toEqual([])
  })

  test('a device that another child wears now is named, and of that child nothing is told', async () => {
    await upload(server, [devlogItem(child.unique_id, `${DAY}T21:00:00`)])
    const [{ device_id }] = (await server.get('/api/v1/beta/device', { token: parent.token })).body
    await server.delete(`/api/v1/beta/device/${device_id}`, { token: parent.token })
    const next = await signUp(server)
    const spare = await addChild(server, next.token)
    await server.post('/api/v1/beta/device', {
      token: next.token,
      json: {
        real_user_id: spare.real_user_id,
        serial_code: child.serial_code,
        mac_id: child.mac_id,
        unique_id: child.unique_id,
      },
    })
    await upload(server, [devlogItem(child.unique_id, '2026-03-05T21:00:00', { log_file_id: 7 })])
    const { files } = await download(parent.token, {})
    expect(files['devices.json']).toMatchObject([
      { id: device_id, real_user_id: null, device_alias: null, connected_at: null, unique_id: null },
    ])
    expect(files['treatments.json']).toMatchObject([{ treatment_date: `${DAY}T21:00:00` }])
    expect(files['treatments.json']).toHaveLength(1)
  })

  test('every table about a family is shown, or is left out for a reason', async () => {
    const { rows } = await server.database.pool.query('SELECT export_family($1) AS family', [parent.id])
    const { members: _members, shared_children: _shared, ...tables } = rows[0].family
    const shown = new Set(Object.values(familyTables).flatMap(({ shows }) => shows))
    expect(Object.keys(tables).filter((name) => !shown.has(name) && !(name in tablesNotExported))).toEqual([])
    expect([...shown].filter((name) => name in tablesNotExported)).toEqual([])
  })
})

describe('as FHIR R4', () => {
  test('the bundle is valid, says what the records say, and refers to nothing that it has not', async () => {
    const basestation = await live()
    const { files } = await download(parent.token, { format: 'fhir' })
    expect(Object.keys(files).toSorted()).toEqual(['bundle.json', 'codes.json'])
    const { 'bundle.json': bundle, 'codes.json': codes } = files
    expect(fhirIssues(bundle)).toEqual([])
    expect(fhirIssues(codes)).toEqual([])
    const resources: any[] = bundle.entry.map(({ resource }: { resource: unknown }) => resource)
    for (const resource of resources) expect(fhirIssues(resource)).toEqual([])
    const count = Object.fromEntries(
      [...Map.groupBy(resources, ({ resourceType }) => resourceType)].map(([type, all]) => [
        type,
        all.length,
      ]),
    )
    expect(count).toEqual({
      CodeSystem: 1,
      Questionnaire: 1,
      Patient: 1,
      CarePlan: 2,
      Device: 2,
      // Two treatments, the air of a day, a note, a hospital.
      Observation: 5,
      QuestionnaireResponse: 1,
      MedicationStatement: 1,
    })

    // It is made to be handed on, and who knows these could read or write the records of the device.
    expect(JSON.stringify(bundle)).not.toContain(child.unique_id)
    expect(JSON.stringify(bundle)).not.toContain(basestation.unique_id)

    const named = new Set(bundle.entry.map(({ fullUrl }: { fullUrl: string }) => fullUrl))
    expect(named.size).toBe(resources.length)
    const references = JSON.stringify(bundle).matchAll(/"reference":"([^"]+)"/g)
    expect([...references].map(([, to]) => to).filter((to) => !named.has(to ?? ''))).toEqual([])
    const canonical = resources.map(({ url }) => url)
    const responses = resources.filter(({ resourceType }) => resourceType === 'QuestionnaireResponse')
    for (const { questionnaire } of responses) expect(canonical).toContain(questionnaire)
    expect(JSON.stringify(bundle)).not.toContain(server.url)
    const known = new Set(codes.concept.map(({ code }: { code: string }) => code))
    const used = JSON.stringify(bundle).matchAll(/"system":"[^"]+CodeSystem\/companion","code":"([^"]+)"/g)
    expect([...used].map(([, code]) => code).filter((code) => !known.has(code))).toEqual([])
  })

  test('a date has no time zone, and the time of day stands beside it', async () => {
    await live()
    const { files } = await download(parent.token, { format: 'fhir' })
    const observations: any[] = files['bundle.json'].entry
      .map(({ resource }: { resource: unknown }) => resource)
      .filter(({ resourceType }: { resourceType: string }) => resourceType === 'Observation')
    const of = (kind: string) =>
      observations.filter(({ identifier: [{ system }] }) => system === `${SYSTEM}/${kind}`)
    const uses = of('treatment')
    expect(uses.map(({ effectiveDateTime, status }) => [effectiveDateTime, status])).toEqual([
      [DAY, 'final'],
      ['2026-03-02', 'preliminary'],
    ])
    const values = Object.fromEntries(
      uses[0].component.map(({ code, ...value }: any) => [code.coding[0].code, value]),
    )
    expect(values).toEqual({
      'start-time': { valueTime: '21:30:00.25' },
      duration: {
        valueQuantity: { value: 720, unit: 's', system: 'http://unitsofmeasure.org', code: 's' },
      },
      'last-intensity': { valueInteger: 3 },
      movement: { valueInteger: 12 },
      'end-reason': {
        valueCodeableConcept: {
          coding: [
            {
              system: `${SYSTEM}/CodeSystem/companion`,
              code: 'end-4',
            },
          ],
          text: 'Faulty contacts shutdown',
        },
      },
      'log-number': { valueInteger: 1 },
      intensities: {
        valueSampledData: { origin: { value: 0 }, period: 360_000, dimensions: 1, data: '0 7 3' },
      },
    })
    const codesOf = ({ component }: any) => component.map(({ code }: any) => code.coding[0].code)
    expect(codesOf(uses[1])).not.toContain('end-reason')
    const [air] = of('air')
    const station = files['bundle.json'].entry.find(({ resource }: any) =>
      resource.type?.text?.startsWith('Base station'),
    )
    expect(air).toMatchObject({ effectiveDateTime: DAY, subject: { reference: station.fullUrl } })
    expect(air.component[1].code.coding).toEqual([
      { system: 'http://loinc.org', code: '60832-3', display: 'Room temperature' },
    ])
  })

  test('names and notes that FHIR has no room for, and no records at all, are still a valid bundle', async () => {
    const { pool } = server.database
    await pool.query(`UPDATE real_user SET first_name = ' ', last_name = '' WHERE id = $1`, [
      child.real_user_id,
    ])
    await saveNote('  ', { medication: [{ medication_name: ' ', medication_dose: 0 }], hospital: [''] })
    const { files } = await download(parent.token, { format: 'fhir' })
    expect(fhirIssues(files['bundle.json'])).toEqual([])
    const empty = await signUp(server)
    const nothing = await download(empty.token, { format: 'fhir' })
    expect(fhirIssues(nothing.files['bundle.json'])).toEqual([])
    const types = nothing.files['bundle.json'].entry.map(({ resource }: any) => resource.resourceType)
    expect(types).toEqual(['CodeSystem', 'Questionnaire'])
  })

  test('a server that takes in two exports has each record once, under its own ids, as the later one tells it', async () => {
    await live()
    const clinic = startFhirServer()
    const load = async () => {
      const { files } = await download(parent.token, { format: 'fhir' })
      const response = await clinic.executeBatch(files['bundle.json'])
      return {
        entries: files['bundle.json'].entry,
        statuses: response.entry?.map((each) => each.response?.status),
      }
    }
    const first = await load()
    expect(new Set(first.statuses)).toEqual(new Set(['201']))
    await saveNote('Another text', {
      medication: [{ medication_name: 'Methylphenidate', medication_dose: 20 }],
      hospital: ["Seoul Children's Hospital"],
    })
    const second = await load()
    expect(second.statuses).toHaveLength(first.entries.length)
    expect(new Set(second.statuses)).toEqual(new Set(['200']))

    const kinds = [...new Set<string>(first.entries.map(({ resource }: any) => resource.resourceType))]
    const kept: any[] = (
      await Promise.all(kinds.map((kind) => clinic.searchResources(kind as 'Patient', { _count: 1000 })))
    ).flat()
    expect(kept).toHaveLength(first.entries.length)
    for (const resource of kept) expect(fhirIssues(resource)).toEqual([])
    const patient = kept.find(({ resourceType }) => resourceType === 'Patient')
    const subjects = kept.filter(({ resourceType }) =>
      ['CarePlan', 'QuestionnaireResponse'].includes(resourceType),
    )
    expect(subjects.map(({ subject }) => subject.reference)).toEqual(
      Array.from({ length: 3 }, () => `Patient/${patient.id}`),
    )
    const doses = kept.filter(({ resourceType }) => resourceType === 'MedicationStatement')
    expect(doses.map(({ dosage }) => dosage[0].doseAndRate[0].doseQuantity.value)).toEqual([20])
    expect(JSON.stringify(kept)).toContain('Another text')
    expect(JSON.stringify(kept)).not.toContain('잘 잤어요')
  })

  test('a plan is a CarePlan, from its first evening to the one before the next', async () => {
    await live()
    const { files } = await download(parent.token, { format: 'fhir' })
    const plans = files['bundle.json'].entry
      .map(({ resource }: any) => resource)
      .filter(({ resourceType }: any) => resourceType === 'CarePlan')
    expect(plans).toMatchObject([
      {
        status: 'completed',
        intent: 'plan',
        period: { start: '2026-01-05', end: '2026-02-28' },
        author: { display: 'Parent' },
        activity: [
          {
            detail: {
              scheduledTiming: {
                repeat: { frequency: 5, period: 1, periodUnit: 'wk', duration: 240, durationUnit: 'min' },
              },
            },
          },
          { detail: { scheduledTiming: { repeat: { timeOfDay: ['21:00:00'] } } } },
        ],
      },
      { status: 'on-hold', period: { start: DAY }, activity: [{ detail: { status: 'on-hold' } }] },
    ])
    expect(plans[1].period).not.toHaveProperty('end')
    expect(plans[1].activity).toHaveLength(1)
    expect(plans[1].activity[0].detail).not.toHaveProperty('scheduledTiming')
  })

  test('a note that was written in the morning is beside the night before, and keeps its date', async () => {
    const { token } = parent
    await upload(server, [
      devlogItem(child.unique_id, `${DAY}T21:30:00`),
      devlogItem(child.unique_id, '2026-03-02T03:00:00', { log_file_id: 2 }),
      devlogItem(child.unique_id, '2026-03-02T22:00:00', { log_file_id: 3 }),
    ])
    const written = async (at: string) => {
      await server.database.pool.query(
        `UPDATE event SET saved_at = $1::timestamp AT TIME ZONE 'America/New_York' WHERE real_user_id = $2`,
        [at, child.real_user_id],
      )
      const { files } = await download(token, { format: 'fhir' })
      const entries: any[] = files['bundle.json'].entry
      const ofKind = (kind: string) =>
        entries.filter(({ resource }) => resource.identifier?.[0]?.system === `${SYSTEM}/${kind}`)
      const [note] = ofKind('note')
      const night = ofKind('treatment').find(({ fullUrl }) => fullUrl === note.resource.focus?.[0].reference)
      return [note.resource.effectiveDateTime, night?.resource.component[0].valueTime]
    }
    await saveNote('Woke often', {}, '2026-03-02')
    expect(await written('2026-03-02T08:00:00')).toEqual(['2026-03-02', '21:30:00'])
    expect(await written('2026-03-02T21:00:00')).toEqual(['2026-03-02', '22:00:00'])
    // What was changed in the evening is still about the night that it was first written about.
    expect(await written('2026-03-02T08:00:00')).toEqual(['2026-03-02', '21:30:00'])
    await saveNote('Woke often, and was tired', {}, '2026-03-02')
    expect(await written('2026-03-02T21:00:00')).toEqual(['2026-03-02', '21:30:00'])
    await saveNote('No use that night', {}, '2026-03-06')
    await server.database.pool.query(`DELETE FROM event WHERE event_date = '2026-03-02'`)
    expect(await written('2026-03-06T21:00:00')).toEqual(['2026-03-06', undefined])
  })

  test('says when each resource last changed, and nothing where that is not known', async () => {
    const { pool } = server.database
    await upload(server, [devlogItem(child.unique_id, `${DAY}T21:00:00`)])
    const changed = async () => {
      const { files } = await download(parent.token, { format: 'fhir' })
      return Object.fromEntries(
        files['bundle.json'].entry.map(({ resource }: any) => [
          resource.resourceType,
          resource.meta?.lastUpdated,
        ]),
      )
    }
    await pool.query(`UPDATE treatment SET updated_at = NULL WHERE real_user_id = $1`, [child.real_user_id])
    const before = await changed()
    expect(before.Observation).toBeUndefined()
    await server.patch(`/api/v1/beta/user/real-user/${child.real_user_id}`, {
      token: parent.token,
      json: { id: child.real_user_id, first_name: 'Sora' },
    })
    const after = await changed()
    expect(Date.parse(after.Patient)).toBeGreaterThan(Date.parse(before.Patient))
    expect(after.Device).toBe(before.Device)
  })

  test('a deleted treatment counts for nothing, as in charts', async () => {
    await upload(server, [devlogItem(child.unique_id, `${DAY}T21:00:00`)])
    await server.delete('/api/v1/gamma/device/devlog', { query: { unique_id: child.unique_id } })
    const { files } = await download(parent.token, { format: 'fhir' })
    expect(JSON.stringify(files['bundle.json'])).not.toContain(`${SYSTEM}/treatment`)
  })

  test('the validator finds what is wrong', () => {
    expect(fhirIssues({ resourceType: 'Patient', birthDate: '20180203' })).not.toEqual([])
    expect(
      fhirIssues({
        resourceType: 'Observation',
        status: 'final',
        code: { text: 'x' },
        effectiveDateTime: '2026-03-01T21:30:00',
      }),
    ).not.toEqual([])
  })
})

describe('is refused', () => {
  const wrong = { status: 400, body: { detail: 'Password is invalid' } }

  test('with a wrong password, or without any, and that is put on record', async () => {
    expect(await ask(parent.token, { password: 'guess' })).toMatchObject(wrong)
    const id_token = await provider.forge(socialClaims(provider))
    const social = await socialSignUp(server, id_token)
    expect(await ask(social.body.access_token, {})).toMatchObject(wrong)
    const { rows } = await server.database.pool.query(
      `SELECT action, reason FROM security_record WHERE root_user_id = $1 AND action LIKE 'account_export%'`,
      [parent.id],
    )
    expect(rows).toEqual([{ action: 'account_export_refused', reason: '400 Password is invalid' }])
  })

  test("a guess of the password is one of the account's ten", async () => {
    const { token } = await signUp(limited)
    for (let n = 0; n < 10; n += 1)
      expect(await ask(token, { password: 'guess' }, limited)).toMatchObject(wrong)
    expect(await ask(token, {}, limited)).toMatchObject({ status: 429 })
  })

  test('four times within an hour, also when all come at once; an error uses nothing up', async () => {
    const { token } = await signUp(limited)
    expect(await ask(token, { password: 'guess' }, limited)).toMatchObject(wrong)
    expect(await ask(token, { real_user_id: 2_000_000_000 }, limited)).toMatchObject({ status: 404 })
    const responses = await Promise.all([
      ask(token, {}, limited),
      ask(token, { format: 'fhir' }, limited),
      ask(token, {}, limited),
      ask(token, { format: 'fhir' }, limited),
      ask(token, {}, limited),
    ])
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(3)
    expect(responses.filter(({ status }) => status === 429)).toHaveLength(2)
    const late = await ask(token, {}, limited)
    expect(late).toMatchObject({ status: 429, body: { detail: 'Too many requests' } })
    expect(Number(late.headers.get('retry-after'))).toBeGreaterThan(3000)
    expect(Number(late.headers.get('retry-after'))).toBeLessThanOrEqual(3600)
  })

  test('but a download that broke does not count', async () => {
    const { token } = await signUp(limited)
    await addChild(limited, token)
    const client = await limited.database.pool.connect()
    const leaving = new AbortController()
    try {
      await client.query('BEGIN; LOCK TABLE survey IN ACCESS EXCLUSIVE MODE')
      const broken = fetch(`${limited.url}${PATH}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ format: 'json', password: PASSWORD }),
        signal: leaving.signal,
      })
      await somebodyWaits(limited.database)
      leaving.abort()
      await expect(broken).rejects.toMatchObject({ name: 'AbortError' })
    } finally {
      await client.query('ROLLBACK')
      client.release()
    }
    const points = `SELECT points FROM rate_limit WHERE key LIKE 'exportsPerAccount:%' ORDER BY expire DESC LIMIT 1`
    await until(async () => (await limited.database.pool.query(points)).rows[0]?.points === 0)
    const responses = await Promise.all([1, 2, 3].map(() => ask(token, {}, limited)))
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 200])
  })

  test('for the child of another, of whom the caller may be a member, or who is gone', async () => {
    const other = await signUp(server)
    const foreign = await addChild(server, other.token)
    const { real_user_id } = foreign
    const refused = { status: 401, body: { detail: 'Not authorized user' } }
    expect(await ask(parent.token, { real_user_id })).toMatchObject(refused)
    const member = await addMember(server, other, { real_user_id, role: 'guardian' })
    expect(await ask(member.token, { real_user_id })).toMatchObject(refused)
    expect(await ask(parent.token, { real_user_id: 2_000_000_000 })).toMatchObject({
      status: 404,
      body: { detail: 'Real user is not found' },
    })
    expect((await shares(server).list(other, real_user_id)).status).toBe(200)
  })

  test('without a format or with another one', async () => {
    expect(await ask(parent.token, { format: 'csv' })).toMatchObject({ status: 422 })
    expect(await ask(parent.token, { format: undefined })).toMatchObject({ status: 422 })
  })
})

test('an export that fails may be asked for again, counts, and leaves no file open', async () => {
  const { token } = await signUp(limited)
  const other = await signUp(limited)
  const { pool } = limited.database
  await pool.query('ALTER TABLE invitation RENAME TO invitation_away')
  try {
    expect(await ask(token, {}, limited)).toMatchObject({ status: 500 })
    for (const status of [500, 500, 500, 429])
      expect(await ask(other.token, {}, limited)).toMatchObject({ status })
  } finally {
    await pool.query('ALTER TABLE invitation_away RENAME TO invitation')
  }
  expect(await ask(token, {}, limited)).toMatchObject({ status: 200 })
  await until(() => openExports().length === 0)
})

describe('an export that takes longer than ten seconds', () => {
  /** Asks for an export that cannot go on until `release` is called, and waits for the beginning of the response. */
  async function askSlowly(token: string) {
    const client = await limited.database.pool.connect()
    await client.query('BEGIN; LOCK TABLE survey IN ACCESS EXCLUSIVE MODE')
    const release = async () => {
      await client.query('ROLLBACK')
      client.release()
    }
    const response = await fetch(`${limited.url}${PATH}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ format: 'json', password: PASSWORD }),
    }).catch(async (error: unknown) => {
      await release()
      throw error
    })
    return { response, release }
  }

  test('is sent while it is made, so that nobody takes the connection for dead', async () => {
    const { token } = await signUp(limited)
    await addChild(limited, token)
    const { response, release } = await askSlowly(token)
    await release()
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe('application/zip')
    expect(response.headers.get('content-length')).toBeNull()
    const files = unzipExport(new Uint8Array(await response.arrayBuffer()))
    expect(files['children.json']).toHaveLength(1)
    await until(() => openExports().length === 0)
  })

  test('breaks off where it fails, and counts', async () => {
    const { token } = await signUp(limited)
    await addChild(limited, token)
    const { response, release } = await askSlowly(token)
    await limited.database.pool.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE datname = current_database() AND wait_event_type = 'Lock'`,
    )
    await expect(response.arrayBuffer()).rejects.toThrow('terminated')
    await release()
    await until(() => openExports().length === 0)
    const more = await Promise.all([1, 2, 3].map(() => ask(token, {}, limited)))
    expect(more.filter(({ status }) => status === 200)).toHaveLength(2)
    expect(more.filter(({ status }) => status === 429)).toHaveLength(1)
  })
})
