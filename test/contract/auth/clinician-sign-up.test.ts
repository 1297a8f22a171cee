import { afterEach, expect, test, vi } from 'vitest'
import { newClinic } from '../../support/clinics.ts'
import {
  acceptInvitation,
  addClinician,
  anyDoctor,
  authenticatorOf,
  CLINICIAN_SIGN_UP,
  clinicOf,
  INVITATION,
  invitationTo,
  passkeySignIn,
} from '../../support/clinicians.ts'
import { companion } from '../../support/command.ts'
import { signIn, signUp } from '../../support/family.ts'
import { inBetween } from '../../support/lock-waits.ts'
import { tally } from '../../support/response-tally.ts'
import { useServer } from '../../support/server.ts'
import { mailTo } from '../../support/shares.ts'
import { until } from '../../support/until.ts'

const server = useServer()
afterEach(() => void vi.useRealTimers())

const notValid = { status: 400, body: { detail: 'Passkey is not valid' } }

/** What the page sends, with what is wrong with it. */
async function prepared(token: string) {
  const { challenge_id, options } = (await server.post(INVITATION, { json: { token } })).body
  const authenticator = authenticatorOf(server)
  const send = (credential: object, id = challenge_id, more: object = {}) =>
    server.post(CLINICIAN_SIGN_UP, {
      json: { token, challenge_id: id, first_name: 'Dr. Han', credential, ...more },
    })
  return { options, authenticator, send, challenge_id }
}

test('the holder of an invitation makes a passkey, and is signed in to an account of their own kind', async () => {
  const { clinic_id, name } = await newClinic(server)
  const doctor = await addClinician(server, clinic_id, { role: 'admin', first_name: '한지민' })
  const { token, email } = doctor
  const me = await server.get('/api/v1/beta/user/me', { token })
  expect(me).toMatchObject({
    status: 200,
    body: {
      root_user_id: doctor.id,
      register_type: 'P',
      first_name: '한지민',
      last_name: '',
      birthdate: '',
      phone: '',
      email,
      is_email_confirmed: true,
      is_phone_number_checked: false,
      need_personal_info_update: false,
      need_to_pwd_change: false,
    },
  })
  expect((await clinicOf(server, clinic_id).memberships(doctor)).body).toEqual([
    { clinic_id, name, role: 'admin' },
  ])
  const refreshed = await server.post('/api/v1/alpha/auth/refresh-token', {
    json: { refresh_token: doctor.refreshToken },
  })
  expect(refreshed.status).toBe(200)
  const renewed = { token: refreshed.body.access_token }
  expect((await clinicOf(server, clinic_id).memberships(renewed)).status).toBe(200)
  expect((await passkeySignIn(server, doctor.authenticator)).body).toMatchObject({ id: doctor.id })
})

test('an address that is a parent’s is free for a clinician: the two never meet', async () => {
  const parent = await signUp(server)
  const { clinic_id } = await newClinic(server)
  const doctor = await addClinician(server, clinic_id, { email: parent.email.toUpperCase() })
  expect(doctor.id).not.toBe(parent.id)
  expect((await signIn(server, parent.email)).body.id).toBe(parent.id)
  // The other way round.
  const email = anyDoctor()
  const other = await addClinician(server, clinic_id, { email })
  const late = await signUp(server, { email })
  expect(late.id).not.toBe(other.id)
  expect((await signIn(server, email)).body.id).toBe(late.id)
  await server.post('/api/v1/alpha/auth/email/password-reset', { json: { email } })
  expect((await passkeySignIn(server, other.authenticator)).body.id).toBe(other.id)
})

test('an invitation to a clinician adds the work in the clinic and another passkey, and is told by mail', async () => {
  const [one, two] = [await newClinic(server, 'One'), await newClinic(server, 'Two')]
  const email = anyDoctor()
  const doctor = await addClinician(server, one.clinic_id, { email, role: 'admin' })
  const authenticator = authenticatorOf(server)
  const token = await invitationTo(server, two.clinic_id, { email: email.toUpperCase() })
  const accepted = await acceptInvitation(server, token, authenticator, 'Somebody else')
  expect(accepted).toMatchObject({ status: 200, body: { id: doctor.id } })
  const mail = await until(async () => {
    const found = await mailTo(server, email)
    return (found['subject'] ?? '').includes('passkey') ? found : undefined
  })
  expect(mail['text']).not.toContain('Somebody else')
  for (const each of [doctor.authenticator, authenticator])
    expect((await passkeySignIn(server, each)).body.id).toBe(doctor.id)
  const signedIn = { token: (await passkeySignIn(server, authenticator)).body.access_token }
  expect((await clinicOf(server, 0).memberships(signedIn)).body).toMatchObject([
    { name: 'One', role: 'admin' },
    { name: 'Two', role: 'clinician' },
  ])
  // A lost passkey is mended, and the role stays.
  const again = await invitationTo(server, two.clinic_id, { email, role: 'admin' })
  expect((await acceptInvitation(server, again, authenticatorOf(server))).status).toBe(200)
  expect((await clinicOf(server, 0).memberships(signedIn)).body).toMatchObject([
    { role: 'admin' },
    { role: 'clinician' },
  ])
  const { rows } = await server.database.pool.query(
    `SELECT reason FROM security_record WHERE root_user_id = $1 AND action = 'clinician_sign_up' ORDER BY id`,
    [doctor.id],
  )
  expect(rows.map(({ reason }) => reason)).toEqual([
    `admin of clinic ${one.clinic_id}`,
    `clinician of clinic ${two.clinic_id}`,
    `another passkey for a member of clinic ${two.clinic_id}`,
  ])
})

test('a passkey that does not verify leaves the invitation good', async () => {
  const { clinic_id } = await newClinic(server)
  const token = await invitationTo(server, clinic_id)
  const { options, authenticator, send, challenge_id } = await prepared(token)
  const foreign = await prepared(await invitationTo(server, clinic_id))
  for (const credential of [
    authenticator.create(options, { origin: 'https://evil.example' }),
    authenticator.create(options, { challenge: 'b3RoZXI' }),
    authenticator.create(options, { isVerified: false }),
    authenticator.create({ ...options, rp: { id: 'evil.example' } }),
    authenticator.create(options, { idBytes: 1024 }),
    authenticator.create(options, { idBytes: 5000 }),
    { ...authenticator.create(options), id: 'AAAA' },
    { id: 'AA', rawId: 'AA', type: 'public-key', response: { clientDataJSON: 'x', attestationObject: 'y' } },
  ])
    expect(await send(credential)).toMatchObject(notValid)
  expect(await send(authenticator.create(options), foreign.challenge_id)).toMatchObject(notValid)
  expect(await send(authenticator.create(options), 'no challenge')).toMatchObject(notValid)
  const good = authenticator.create(options)
  expect(await send(good, challenge_id, { token: 'unknown' })).toMatchObject({
    status: 400,
    body: { detail: 'Invitation is invalid' },
  })
  expect((await send(good)).status).toBe(200)
})

test('who vouches for an authenticator is not read, nor asked at an address in their certificates', async () => {
  const { options, authenticator, send } = await prepared(
    await invitationTo(server, (await newClinic(server)).clinic_id),
  )
  const attestation = {
    fmt: 'android-key',
    attStmt: { alg: -7, sig: new Uint8Array(1), x5c: [new Uint8Array(1)] },
  }
  expect((await send(authenticator.create(options, { attestation, idBytes: 1023 }))).status).toBe(200)
})

test('a passkey that somebody has is not taken, nor a challenge that is five minutes old', async () => {
  const { clinic_id } = await newClinic(server)
  const token = await invitationTo(server, clinic_id)
  const { options, authenticator, send } = await prepared(token)
  const credential = authenticator.create(options)
  await server.database.pool.query(
    `INSERT INTO passkey (root_user_id, credential_id, public_key, sign_count, transports, created_at)
     VALUES ($1, $2, '', 0, '{}', now())`,
    [(await signUp(server)).id, Buffer.from(credential.id, 'base64url')],
  )
  expect(await send(credential)).toMatchObject(notValid)
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 301_000 })
  expect(await send(authenticator.create(options))).toMatchObject(notValid)
  expect((await acceptInvitation(server, token, authenticatorOf(server))).status).toBe(200)
})

test('of 20 calls at once for one invitation one succeeds', async () => {
  const { clinic_id } = await newClinic(server)
  const token = await invitationTo(server, clinic_id)
  const pages = await Promise.all(Array.from({ length: 20 }, () => prepared(token)))
  const calls = pages.map(({ options, authenticator, send }) => send(authenticator.create(options)))
  expect(tally(await Promise.all(calls))).toEqual({ 200: 1, '400 Invitation is invalid': 19 })
})

test('while the clinic is removed, an invitation waits, and is invalid then', async () => {
  const { clinic_id } = await newClinic(server)
  const token = await invitationTo(server, clinic_id)
  const response = await inBetween(server, {
    lock: `SELECT FROM clinic WHERE id = ${clinic_id} FOR UPDATE`,
    change: `DELETE FROM clinic_invitation WHERE clinic_id = ${clinic_id}`,
    call: () => acceptInvitation(server, token, authenticatorOf(server)),
  })
  expect(response).toMatchObject({ status: 400, body: { detail: 'Invitation is invalid' } })
})

test('a blocked clinician is not let in, and the invitation stays good', async () => {
  const { clinic_id } = await newClinic(server)
  const email = anyDoctor()
  const doctor = await addClinician(server, clinic_id, { email })
  await companion(server, 'account', 'block', String(doctor.id))
  const token = await invitationTo(server, clinic_id, { email })
  expect(await acceptInvitation(server, token, authenticatorOf(server))).toMatchObject({
    status: 423,
    body: { detail: 'Access denied. Account blocked' },
  })
  await companion(server, 'account', 'unblock', String(doctor.id), '--approved-by', 'Ben', '--as', 'Ann')
  expect((await acceptInvitation(server, token, authenticatorOf(server))).status).toBe(200)
})
