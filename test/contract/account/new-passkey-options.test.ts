import { expect, test } from 'vitest'
import { newClinic } from '../../support/clinics.ts'
import { addClinician, OWN_PASSKEYS } from '../../support/clinicians.ts'
import { useServer } from '../../support/server.ts'

const server = useServer()

test('an authenticator is not asked for a passkey that it has', async () => {
  const doctor = await addClinician(server, (await newClinic(server)).clinic_id)
  const { status, body } = await server.post(`${OWN_PASSKEYS}/options`, { token: doctor.token, json: {} })
  expect({ status, body }).toMatchObject({
    status: 200,
    body: {
      challenge_id: expect.any(String),
      options: { user: { name: doctor.email }, rp: { id: 'localhost' }, attestation: 'none' },
    },
  })
  const { rows } = await server.database.pool.query(
    'SELECT credential_id FROM passkey WHERE root_user_id = $1',
    [doctor.id],
  )
  expect(body.options.excludeCredentials).toEqual([
    { id: rows[0].credential_id.toString('base64url'), type: 'public-key' },
  ])
})
