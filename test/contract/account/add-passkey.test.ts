import { beforeEach, expect, test } from 'vitest'
import { newClinic } from '../../support/clinics.ts'
import { addClinician, authenticatorOf, OWN_PASSKEYS, passkeySignIn } from '../../support/clinicians.ts'
import type { Clinician } from '../../support/clinicians.ts'
import { useServer } from '../../support/server.ts'
import { mailTo } from '../../support/shares.ts'
import { until } from '../../support/until.ts'

const server = useServer()

let doctor: Clinician
beforeEach(async () => {
  doctor = await addClinician(server, (await newClinic(server)).clinic_id)
})

async function begin({ token }: Clinician) {
  const { challenge_id, options } = (await server.post(`${OWN_PASSKEYS}/options`, { token, json: {} })).body
  return {
    options,
    send: (credential: object, more: object = {}) =>
      server.post(OWN_PASSKEYS, { token, json: { challenge_id, credential, ...more } }),
  }
}

test('a clinician adds another passkey, signs in by each, and is told by mail', async () => {
  const authenticator = authenticatorOf(server)
  const { options, send } = await begin(doctor)
  const credential = authenticator.create(options)
  const { status, body } = await send(credential, { name: 'Office laptop' })
  expect({ status, body }).toEqual({
    status: 200,
    body: {
      passkey_id: expect.any(Number),
      name: 'Office laptop',
      created_at: expect.stringMatching(/Z$/),
      last_used_at: null,
    },
  })
  const listed = (await server.get(OWN_PASSKEYS, { token: doctor.token })).body
  expect(listed).toMatchObject([{ name: null }, { name: 'Office laptop' }])
  await until(async () => ((await mailTo(server, doctor.email))['subject'] ?? '').includes('passkey'))
  for (const each of [doctor.authenticator, authenticator])
    expect((await passkeySignIn(server, each)).body.id).toBe(doctor.id)
  // The challenge is used up, and the passkey known.
  expect(await send(credential)).toMatchObject({ status: 400, body: { detail: 'Passkey is not valid' } })
})

test('a passkey for another account, or another service, is not valid', async () => {
  const other = await addClinician(server, (await newClinic(server)).clinic_id)
  const { options, send } = await begin(doctor)
  const theirs = await begin(other)
  const authenticator = authenticatorOf(server)
  for (const credential of [
    authenticator.create(theirs.options),
    authenticator.create(options, { origin: 'https://evil.example' }),
    authenticator.create(options, { isVerified: false }),
  ])
    expect(await send(credential)).toMatchObject({ status: 400, body: { detail: 'Passkey is not valid' } })
})
