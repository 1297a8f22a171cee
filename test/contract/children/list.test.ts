import { expect, test } from 'vitest'
import { addChild, childProfile, signUp } from '../../support/family.ts'
import { useServer } from '../../support/server.ts'

const server = useServer()
const list = (token: string) => server.get('/api/v1/beta/user/real-user', { token })

test('a family without children has an empty list', async () => {
  const parent = await signUp(server)
  expect(await list(parent.token)).toMatchObject({ status: 200, body: [] })
})

test("the family's own children are listed, with or without a device, deleted ones not", async () => {
  const [parent, other] = [await signUp(server), await signUp(server)]
  const first = await addChild(server, parent.token)
  await addChild(server, other.token)
  const second = await addChild(server, parent.token)
  const third = await addChild(server, parent.token)
  await server.delete(`/api/v1/beta/device/${second.device_id}`, { token: parent.token })
  await server.delete('/api/v1/beta/user/delete-real-user', {
    token: parent.token,
    json: { real_user_id: third.real_user_id, unique_id: third.unique_id },
  })
  const { status, body } = await list(parent.token)
  expect(status).toBe(200)
  expect(body).toEqual(
    [first, second].map(({ real_user_id }) => ({
      id: real_user_id,
      root_user_id: parent.id,
      ...childProfile,
      role: 'owner',
    })),
  )
})
