import { beforeAll, expect, test } from 'vitest'
import { clinics, connectClinic, newClinic } from '../../support/clinics.ts'
import { addClinician, clinicOf } from '../../support/clinicians.ts'
import type { Clinician } from '../../support/clinicians.ts'
import { addChild, signUp } from '../../support/family.ts'
import type { Account } from '../../support/family.ts'
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
