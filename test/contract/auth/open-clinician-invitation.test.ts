import { afterEach, expect, test, vi } from 'vitest'
import { newClinic } from '../../support/clinics.ts'
import {
  acceptInvitation,
  anyDoctor,
  authenticatorOf,
  INVITATION,
  invitationTo,
} from '../../support/clinicians.ts'
import { companion } from '../../support/command.ts'
import { useServer } from '../../support/server.ts'

const server = useServer()
afterEach(() => void vi.useRealTimers())

const open = (token: string) => server.post(INVITATION, { json: { token } })
const invalid = { status: 400, body: { detail: 'Invitation is invalid' } }

test('the page of the link learns who invites whom, and how to make a passkey', async () => {
  const { clinic_id, name } = await newClinic(server)
  const email = anyDoctor()
  const token = await invitationTo(server, clinic_id, { email })
  const { status, body } = await open(token)
  expect({ status, body }).toEqual({
    status: 200,
    body: {
      email,
      clinic: { clinic_id, name },
      challenge_id: expect.any(String),
      options: {
        rp: { id: 'localhost', name: 'Companion' },
        user: { id: expect.any(String), name: email, displayName: expect.any(String) },
        challenge: expect.stringMatching(/^[\w-]{43}$/),
        pubKeyCredParams: expect.arrayContaining([{ alg: -7, type: 'public-key' }]),
        timeout: expect.any(Number),
        excludeCredentials: [],
        authenticatorSelection: {
          residentKey: 'required',
          requireResidentKey: true,
          userVerification: 'required',
        },
        attestation: 'none',
      },
    },
  })
  // Opening it uses nothing up.
  const again = (await open(token)).body
  expect(again.options.user).toEqual(body.options.user)
  expect(again.options.challenge).not.toBe(body.options.challenge)
})

test('one that is unknown, used, replaced, of a removed clinic or older than seven days is invalid', async () => {
  const { clinic_id } = await newClinic(server)
  expect(await open('unknown')).toMatchObject(invalid)
  const used = await invitationTo(server, clinic_id)
  expect((await acceptInvitation(server, used, authenticatorOf(server))).status).toBe(200)
  expect(await open(used)).toMatchObject(invalid)
  const email = anyDoctor()
  const replaced = await invitationTo(server, clinic_id, { email })
  const other = await invitationTo(server, clinic_id, { email })
  expect(await open(replaced)).toMatchObject(invalid)
  expect((await open(other)).status).toBe(200)
  const removed = await newClinic(server)
  const ofRemoved = await invitationTo(server, removed.clinic_id)
  await companion(server, 'clinic', 'remove', String(removed.clinic_id))
  expect(await open(ofRemoved)).toMatchObject(invalid)
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 7 * 86_400_000 + 1000 })
  expect(await open(other)).toMatchObject(invalid)
})

const limited = useServer({ RATE_LIMITS: 'on' })

test('tokens are guessed 100 times from one address', async () => {
  const guess = () => limited.post(INVITATION, { json: { token: 'guessed' } })
  for (let n = 0; n < 100; n += 1) expect(await guess()).toMatchObject(invalid)
  expect((await guess()).status).toBe(429)
  for (const path of ['clinician/signup', 'passkey/signin']) {
    const credential = { id: 'AA', rawId: 'AA', type: 'public-key' }
    const response = { clientDataJSON: '', attestationObject: '', authenticatorData: '', signature: '' }
    const json = { token: 'x', challenge_id: 'x', first_name: 'A', credential: { ...credential, response } }
    expect((await limited.post(`/api/v1/alpha/auth/${path}`, { json })).status).toBe(429)
  }
})
