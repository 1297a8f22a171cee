import { beforeEach, expect, test } from 'vitest'
import { newClinic } from '../../support/clinics.ts'
import {
  acceptInvitation,
  addClinician,
  anyDoctor,
  authenticatorOf,
  CLINICIAN_SIGN_UP,
  clinicOf,
  INVITATION,
} from '../../support/clinicians.ts'
import type { Clinician } from '../../support/clinicians.ts'
import { signUp } from '../../support/family.ts'
import { tally } from '../../support/response-tally.ts'
import { recorded } from '../../support/security-record.ts'
import { useServer } from '../../support/server.ts'
import { invitationToken } from '../../support/shares.ts'

const server = useServer()

let clinic_id: number
let admin: Clinician
beforeEach(async () => {
  ;({ clinic_id } = await newClinic(server))
  admin = await addClinician(server, clinic_id, { role: 'admin' })
})

const withdraw = (by: Pick<Clinician, 'token'>, invitation_id: number, at = clinic_id) =>
  clinicOf(server, at).withdrawInvitation(by, invitation_id)

/** Invites somebody; with the token of the link that they got. */
async function invite(email = anyDoctor()): Promise<{ invitation_id: number; token: string }> {
  const { body } = await clinicOf(server, clinic_id).invite(admin, { email, role: 'clinician' })
  return { invitation_id: body.invitation_id, token: await invitationToken(server, email) }
}

const notFound = { status: 404, body: { detail: 'Invitation not found' } }
const invalid = { status: 400, body: { detail: 'Invitation is invalid' } }

test('an admin withdraws an invitation, and its link is void, also for a page that is open', async () => {
  const { invitation_id, token } = await invite()
  const page = authenticatorOf(server)
  const { challenge_id, options } = (await server.post(INVITATION, { json: { token } })).body
  expect(await withdraw(admin, invitation_id)).toMatchObject({
    status: 200,
    body: { statusCode: 200, message: 'Invitation withdrawn' },
  })
  expect((await clinicOf(server, clinic_id).members(admin)).body.invitations).toEqual([])
  expect(await server.post(INVITATION, { json: { token } })).toMatchObject(invalid)
  const credential = page.create(options)
  const json = { token, challenge_id, first_name: 'Dr. Han', credential }
  expect(await server.post(CLINICIAN_SIGN_UP, { json })).toMatchObject(invalid)
  expect(await withdraw(admin, invitation_id)).toMatchObject(notFound)
  expect(await recorded(server, 'clinic_withdraw')).toEqual([
    { root_user_id: admin.id, reason: `clinician of clinic ${clinic_id}, invitation ${invitation_id}` },
  ])
})

test('one that was accepted, replaced or is too old is not there any more', async () => {
  const accepted = await invite()
  expect((await acceptInvitation(server, accepted.token, authenticatorOf(server))).status).toBe(200)
  const email = anyDoctor()
  const replaced = await invite(email)
  const newer = await invite(email)
  for (const { invitation_id } of [accepted, replaced])
    expect(await withdraw(admin, invitation_id)).toMatchObject(notFound)
  expect((await server.post(INVITATION, { json: { token: newer.token } })).status).toBe(200)
  await server.database.pool.query(`UPDATE clinic_invitation SET expires_at = now() WHERE id = $1`, [
    newer.invitation_id,
  ])
  expect(await withdraw(admin, newer.invitation_id)).toMatchObject(notFound)
})

test('of somebody who accepts and an admin who withdraws at once one succeeds', async () => {
  for (let round = 0; round < 5; round += 1) {
    const { invitation_id, token } = await invite()
    const { challenge_id, options } = (await server.post(INVITATION, { json: { token } })).body
    const credential = authenticatorOf(server).create(options)
    const json = { token, challenge_id, first_name: 'Dr. Han', credential }
    const [accepted, withdrawn] = await Promise.all([
      server.post(CLINICIAN_SIGN_UP, { json }),
      withdraw(admin, invitation_id),
    ])
    expect(tally([accepted, withdrawn])).toEqual(
      accepted.status === 200
        ? { 200: 1, '404 Invitation not found': 1 }
        : { 200: 1, '400 Invitation is invalid': 1 },
    )
  }
})

test('nobody else withdraws it', async () => {
  const { invitation_id, token } = await invite()
  const doctor = await addClinician(server, clinic_id)
  expect(await withdraw(doctor, invitation_id)).toMatchObject({
    status: 401,
    body: { detail: 'Not authorized user' },
  })
  const other = await newClinic(server)
  const chief = await addClinician(server, other.clinic_id, { role: 'admin' })
  for (const stranger of [chief, await signUp(server)])
    expect(await withdraw(stranger, invitation_id)).toMatchObject({
      status: 404,
      body: { detail: 'Clinic not found' },
    })
  // Nor by way of another clinic.
  expect(await withdraw(chief, invitation_id, other.clinic_id)).toMatchObject(notFound)
  expect((await server.post(INVITATION, { json: { token } })).status).toBe(200)
})
