import { expect, test } from 'vitest'
import { newClinic } from '../../support/clinics.ts'
import {
  acceptInvitation,
  addClinician,
  authenticatorOf,
  invitationTo,
  OWN_PASSKEYS,
  passkeySignIn,
} from '../../support/clinicians.ts'
import { tally } from '../../support/response-tally.ts'
import { useServer } from '../../support/server.ts'

const server = useServer()

test('a clinician removes passkeys, but not the last one', async () => {
  const { clinic_id } = await newClinic(server)
  const [doctor, other] = [await addClinician(server, clinic_id), await addClinician(server, clinic_id)]
  const { email } = doctor
  const second = authenticatorOf(server)
  const { body } = await acceptInvitation(server, await invitationTo(server, clinic_id, { email }), second)
  const token: string = body.access_token
  const remove = (id: number) => server.delete(`${OWN_PASSKEYS}/${id}`, { token })
  const idsOf = async (whose: string): Promise<number[]> =>
    (await server.get(OWN_PASSKEYS, { token: whose })).body.map(
      (each: { passkey_id: number }) => each.passkey_id,
    )
  const [first = 0] = await idsOf(token)
  const [theirs = 0] = await idsOf(other.token)
  expect(await remove(theirs)).toMatchObject({ status: 404, body: { detail: 'Passkey not found' } })
  expect(await remove(first)).toMatchObject({ status: 200, body: { message: 'Passkey removed' } })
  expect((await passkeySignIn(server, doctor.authenticator)).status).toBe(401)
  const [last = 0] = await idsOf(token)
  expect(await remove(last)).toMatchObject({ status: 409, body: { detail: 'Last passkey' } })
  expect((await passkeySignIn(server, second)).status).toBe(200)
})

test('of calls at once that would remove all, one leaves the last', async () => {
  const { clinic_id } = await newClinic(server)
  const doctor = await addClinician(server, clinic_id)
  const token = await invitationTo(server, clinic_id, { email: doctor.email })
  const session = {
    token: (await acceptInvitation(server, token, authenticatorOf(server))).body.access_token,
  }
  const listed = (await server.get(OWN_PASSKEYS, session)).body
  const calls = listed.map(({ passkey_id }: { passkey_id: number }) =>
    server.delete(`${OWN_PASSKEYS}/${passkey_id}`, session),
  )
  expect(tally(await Promise.all(calls))).toEqual({ 200: 1, '409 Last passkey': 1 })
})
