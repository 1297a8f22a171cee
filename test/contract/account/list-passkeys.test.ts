import { expect, test } from 'vitest'
import { newClinic } from '../../support/clinics.ts'
import { addClinician, OWN_PASSKEYS, passkeySignIn } from '../../support/clinicians.ts'
import { signUp } from '../../support/family.ts'
import { useServer } from '../../support/server.ts'

const server = useServer()

test('a clinician sees the own passkeys, and when each was used', async () => {
  const { clinic_id } = await newClinic(server)
  const [doctor] = [await addClinician(server, clinic_id), await addClinician(server, clinic_id)]
  const list = async () => (await server.get(OWN_PASSKEYS, { token: doctor.token })).body
  const passkey = { passkey_id: expect.any(Number), name: null, created_at: expect.stringMatching(/Z$/) }
  expect(await list()).toEqual([{ ...passkey, last_used_at: null }])
  await passkeySignIn(server, doctor.authenticator)
  expect(await list()).toEqual([{ ...passkey, last_used_at: expect.stringMatching(/Z$/) }])
})

test('a parent has none', async () => {
  const { token } = await signUp(server)
  expect(await server.get(OWN_PASSKEYS, { token })).toMatchObject({
    status: 401,
    body: { detail: 'Not authorized user' },
  })
})
