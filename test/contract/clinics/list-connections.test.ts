import { expect, test } from 'vitest'
import { clinics, connectClinic, newClinic } from '../../support/clinics.ts'
import { addChild, signUp } from '../../support/family.ts'
import { useServer } from '../../support/server.ts'
import { addMember } from '../../support/shares.ts'

const server = useServer()
const { connect, listConnections, disconnect } = clinics(server)

test('parents see the clinics of a child in the order of their beginning', async () => {
  const owner = await signUp(server)
  const { real_user_id } = await addChild(server, owner.token)
  expect((await listConnections(owner, real_user_id)).body).toEqual([])
  const [one, two, three] = [
    await newClinic(server, 'One'),
    await newClinic(server, 'Two', null),
    await newClinic(server, 'Three'),
  ]
  const made = []
  for (const { code } of [one, two, three]) made.push((await connect(owner, { code, real_user_id })).body)
  await disconnect(owner, made[0].connection_id)
  const guardian = await addMember(server, owner, { real_user_id, role: 'guardian' })
  for (const parent of [owner, guardian])
    expect(await listConnections(parent, real_user_id)).toMatchObject({ status: 200, body: made.slice(1) })
  expect(made[1].clinic).toEqual({ clinic_id: two.clinic_id, name: 'Two', url: null })
})

test('nobody else does', async () => {
  const owner = await signUp(server)
  const { real_user_id } = await addChild(server, owner.token)
  await connectClinic(server, owner, { real_user_id, code: (await newClinic(server)).code })
  const viewer = await addMember(server, owner, { real_user_id, role: 'viewer' })
  for (const other of [viewer, await signUp(server)])
    expect(await listConnections(other, real_user_id)).toMatchObject({
      status: 401,
      body: { detail: 'Not authorized user' },
    })
  expect((await listConnections(owner, 2 ** 31 - 1)).status).toBe(401)
})
