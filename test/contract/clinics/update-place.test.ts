import { randomUUID } from 'node:crypto'
import { beforeAll, expect, onTestFinished, test } from 'vitest'
import { addDays, today } from '@companion/server/time/wall-clock.ts'
import { CLINIC, clinics, connectClinic, newClinic } from '../../support/clinics.ts'
import { addClinician, clinicOf } from '../../support/clinicians.ts'
import type { Clinician } from '../../support/clinicians.ts'
import { addChild, devlogItem, signUp, upload } from '../../support/family.ts'
import type { Account } from '../../support/family.ts'
import { somebodyWaits } from '../../support/lock-waits.ts'
import { useServer } from '../../support/server.ts'

const server = useServer()

let owner: Account
let real_user_id: number
let connection_id: number
let clinic_id: number
let code: string
let doctor: Clinician
beforeAll(async () => {
  owner = await signUp(server)
  ;({ real_user_id } = await addChild(server, owner.token))
  ;({ clinic_id, code } = await newClinic(server))
  ;({ connection_id } = await connectClinic(server, owner, { code, real_user_id }))
  doctor = await addClinician(server, clinic_id, { first_name: 'Dr. Seo' })
})

test('a clinic notes its own number, and who has seen the child', async () => {
  const { updatePlace, children } = clinicOf(server, clinic_id)
  const numbered = await updatePlace(doctor, real_user_id, { record_number: 'SNU-20817' })
  expect(numbered).toMatchObject({
    status: 200,
    body: { real_user_id, record_number: 'SNU-20817', seen_at: null, seen_by: null },
  })
  const seen = (await updatePlace(doctor, real_user_id, { is_seen: true })).body
  expect(seen).toMatchObject({
    record_number: 'SNU-20817',
    seen_at: expect.stringMatching(/Z$/),
    seen_by: 'Dr. Seo',
  })
  expect((await children(doctor)).body.items).toEqual([seen])
  expect((await updatePlace(doctor, real_user_id, { record_number: null, is_seen: 0 })).body).toMatchObject({
    record_number: null,
    seen_at: null,
    seen_by: null,
  })
  expect((await updatePlace(doctor, real_user_id, {})).status).toBe(200)
})

test('the trail keeps what was noted before', async () => {
  const { updatePlace } = clinicOf(server, clinic_id)
  await updatePlace(doctor, real_user_id, { record_number: 'A-1', is_seen: true })
  await updatePlace(doctor, real_user_id, { record_number: 'A-2', is_seen: false })
  await server.trailWritten()
  const { rows } = await server.database.pool.query(
    `SELECT old_value FROM trail WHERE real_user_id = $1 AND operation = 'clinics.updatePlace' ORDER BY id DESC LIMIT 1`,
    [real_user_id],
  )
  const old = JSON.parse(server.database.keyRing.decrypt('trail.old_value', rows[0].old_value))
  expect(old).toEqual({ record_number: 'A-1', seen_at: expect.stringMatching(/Z$/), seen_by: doctor.id })
})

test.each([
  { record_number: '' },
  { record_number: 'a\u0007b' },
  { record_number: 'x'.repeat(101) },
  { is_seen: 'yes' },
])('%j is 422', async (fields) => {
  expect((await clinicOf(server, clinic_id).updatePlace(doctor, real_user_id, fields)).status).toBe(422)
})

test('another clinic notes nothing, nor this one of a child that is not connected', async () => {
  const other = await newClinic(server)
  const stranger = await addClinician(server, other.clinic_id, { role: 'admin' })
  for (const nobody of [stranger, owner])
    expect(
      await clinicOf(server, clinic_id).updatePlace(nobody, real_user_id, { is_seen: true }),
    ).toMatchObject({
      status: 404,
      body: { detail: 'Clinic not found' },
    })
  const refused = { status: 401, body: { detail: 'Not authorized user' } }
  expect(
    await clinicOf(server, other.clinic_id).updatePlace(stranger, real_user_id, { is_seen: true }),
  ).toMatchObject(refused)
  expect(await clinicOf(server, clinic_id).updatePlace(doctor, 2 ** 31 - 1, { is_seen: true })).toMatchObject(
    refused,
  )
  await clinics(server).disconnect(owner, connection_id)
  expect(
    await clinicOf(server, clinic_id).updatePlace(doctor, real_user_id, { is_seen: true }),
  ).toMatchObject(refused)
  // A new connection begins without notes.
  await connectClinic(server, owner, { code, real_user_id })
  expect((await clinicOf(server, clinic_id).children(doctor)).body.items).toMatchObject([
    { record_number: null },
  ])
})

test('uploads of other children do not wait for it', async () => {
  const child = await addChild(server, owner.token)
  const other = await addChild(server, owner.token)
  for (const each of [child, other])
    await connectClinic(server, owner, { code, real_user_id: each.real_user_id })
  const send = (day: number) =>
    upload(server, [devlogItem(other.unique_id, `2026-03-0${day}T21:00:00`, { log_file_id: day })])
  await send(1)
  const holder = await server.database.pool.connect()
  onTestFinished(() => holder.release())
  // Its transaction ends by keeping the response.
  await holder.query('BEGIN; LOCK TABLE kept_response IN SHARE MODE')
  const changing = server.patch(`${CLINIC}/${clinic_id}/child/${child.real_user_id}`, {
    token: doctor.token,
    json: { record_number: 'A-2' },
    headers: { 'Idempotency-Key': randomUUID() },
  })
  await somebodyWaits(server.database)
  expect((await send(2)).status).toBe(200)
  await holder.query('ROLLBACK')
  expect(await changing).toMatchObject({ status: 200, body: { record_number: 'A-2', flags: [] } })
})

test('it says the figures of what was uploaded last', async () => {
  const { real_user_id: id, unique_id } = await addChild(server, owner.token)
  await connectClinic(server, owner, { code, real_user_id: id })
  const evening = addDays(today(server.config.timeZone), -1)
  await clinicOf(server, clinic_id).children(doctor)
  await upload(server, [devlogItem(unique_id, `${evening}T21:00:00`, { treatment_time: 3600 })])
  const { body } = await clinicOf(server, clinic_id).updatePlace(doctor, id, {})
  expect(body).toMatchObject({ used_28: 1, last_night: evening, median_minutes_28: 60 })
  const { items } = (await clinicOf(server, clinic_id).children(doctor)).body
  expect(items).toContainEqual(body)
})
