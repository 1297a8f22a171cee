import { expect, test } from 'vitest'
import { addChild, anyEmail, signUp } from '../../support/family.ts'
import { addMember, invitationToken, shares } from '../../support/shares.ts'
import { useServer } from '../../support/server.ts'

const server = useServer()
const { invite, accept, list, withdraw } = shares(server)

const missing = { status: 404, body: { detail: 'Invitation not found' } }

test('a withdrawn invitation is gone, and its link is void', async () => {
  const owner = await signUp(server)
  const { real_user_id } = await addChild(server, owner.token)
  const email = anyEmail()
  const { invitation_id } = (await invite(owner, { real_user_id, email })).body
  expect(await withdraw(owner, invitation_id)).toMatchObject({
    status: 200,
    body: { statusCode: 200, message: 'Invitation withdrawn' },
  })
  expect((await list(owner, real_user_id)).body.invitations).toEqual([])
  expect((await accept(await signUp(server), await invitationToken(server, email))).status).toBe(400)
  expect(await withdraw(owner, invitation_id)).toMatchObject(missing)
})

test('nobody but the owner withdraws, and an accepted one is not there any more', async () => {
  const owner = await signUp(server)
  const { real_user_id } = await addChild(server, owner.token)
  const email = anyEmail()
  const { invitation_id } = (await invite(owner, { real_user_id, email })).body
  const guardian = await addMember(server, owner, { real_user_id, role: 'guardian' })
  for (const other of [guardian, await signUp(server)])
    expect(await withdraw(other, invitation_id)).toMatchObject(missing)
  expect((await accept(await signUp(server), await invitationToken(server, email))).status).toBe(200)
  expect(await withdraw(owner, invitation_id)).toMatchObject(missing)
})
