import { beforeEach, expect, test } from 'vitest'
import { newClinic } from '../../support/clinics.ts'
import {
  acceptInvitation,
  addClinician,
  authenticatorOf,
  clinicOf,
  INVITATION,
  invitationTo,
} from '../../support/clinicians.ts'
import type { Clinician } from '../../support/clinicians.ts'
import { signUp } from '../../support/family.ts'
import { tally } from '../../support/response-tally.ts'
import { useServer } from '../../support/server.ts'

const server = useServer()

let clinic_id: number
let admin: Clinician
let doctor: Clinician
beforeEach(async () => {
  ;({ clinic_id } = await newClinic(server))
  admin = await addClinician(server, clinic_id, { role: 'admin' })
  doctor = await addClinician(server, clinic_id)
})

const idOf = async ({ email }: Clinician, by = admin): Promise<number> =>
  (await clinicOf(server, clinic_id).members(by)).body.members.find(
    (each: { email: string }) => each.email === email,
  )?.member_id

test('an admin ends somebody’s work, and the next request of that person is refused', async () => {
  const { removeMember, memberships, members } = clinicOf(server, clinic_id)
  const member_id = await idOf(doctor)
  expect(await removeMember(admin, member_id)).toMatchObject({
    status: 200,
    body: { message: 'Member removed' },
  })
  expect((await memberships(doctor)).body).toEqual([])
  expect(await members(doctor)).toMatchObject({ status: 404, body: { detail: 'Clinic not found' } })
  expect(await removeMember(admin, member_id)).toMatchObject({
    status: 404,
    body: { detail: 'Member not found' },
  })
})

test('the last admin stays', async () => {
  const { removeMember } = clinicOf(server, clinic_id)
  const own = await idOf(admin)
  expect(await removeMember(admin, own)).toMatchObject({ status: 409, body: { detail: 'Last admin' } })
  const second = await addClinician(server, clinic_id, { role: 'admin' })
  const calls = [removeMember(admin, await idOf(second)), removeMember(second, own)]
  expect(tally(await Promise.all(calls))).toEqual({ 200: 1, '404 Clinic not found': 1 })
})

test('an invitation that is still open does not let the person in again', async () => {
  const { invite, removeMember, memberships } = clinicOf(server, clinic_id)
  const elsewhere = await newClinic(server)
  const [here, there] = [
    await invitationTo(server, clinic_id, { email: doctor.email, role: 'admin' }),
    await invitationTo(server, elsewhere.clinic_id, { email: doctor.email }),
  ]
  const other = await invitationTo(server, clinic_id)
  expect((await removeMember(admin, await idOf(doctor))).status).toBe(200)
  expect(await server.post(INVITATION, { json: { token: here } })).toMatchObject({
    status: 400,
    body: { detail: 'Invitation is invalid' },
  })
  expect((await memberships(doctor)).body).toEqual([])
  for (const token of [there, other])
    expect((await acceptInvitation(server, token, authenticatorOf(server))).status).toBe(200)
  // An admin may think otherwise.
  expect((await invite(admin, { email: doctor.email, role: 'clinician' })).status).toBe(200)
})

test('an admin whose account is blocked does not count', async () => {
  const { removeMember } = clinicOf(server, clinic_id)
  const second = await addClinician(server, clinic_id, { role: 'admin' })
  await server.database.pool.query('UPDATE root_user SET blocked_at = now() WHERE id = $1', [second.id])
  expect(await removeMember(admin, await idOf(admin))).toMatchObject({
    status: 409,
    body: { detail: 'Last admin' },
  })
  expect((await removeMember(admin, await idOf(second))).status).toBe(200)
})

test('nobody else ends it', async () => {
  const { removeMember } = clinicOf(server, clinic_id)
  const member_id = await idOf(admin)
  expect(await removeMember(doctor, member_id)).toMatchObject({
    status: 401,
    body: { detail: 'Not authorized user' },
  })
  const other = await newClinic(server)
  const chief = await addClinician(server, other.clinic_id, { role: 'admin' })
  for (const stranger of [chief, await signUp(server)])
    expect(await removeMember(stranger, member_id)).toMatchObject({
      status: 404,
      body: { detail: 'Clinic not found' },
    })
  // Nor by way of another clinic.
  expect(await clinicOf(server, other.clinic_id).removeMember(chief, member_id)).toMatchObject({
    status: 404,
    body: { detail: 'Member not found' },
  })
})
