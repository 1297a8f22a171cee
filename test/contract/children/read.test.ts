import { beforeAll, expect, test } from 'vitest'
import { addChild, childProfile, signUp } from '../../support/family.ts'
import type { Account } from '../../support/family.ts'
import { useServer } from '../../support/server.ts'

const server = useServer()

let parent: Account
let child: number
beforeAll(async () => {
  parent = await signUp(server)
  child = (await addChild(server, parent.token)).real_user_id
})

const read = (id: number | string, token = parent.token) =>
  server.get(`/api/v1/beta/user/real-user/${id}`, { token })

test('a parent reads a child', async () => {
  const { status, body } = await read(child)
  expect(status).toBe(200)
  expect(body).toEqual({ id: child, root_user_id: parent.id, ...childProfile })
})

test("another family's child is refused", async () => {
  const stranger = await signUp(server)
  expect(await read(child, stranger.token)).toMatchObject({
    status: 401,
    body: { detail: 'Not authorized user' },
  })
})

test('nobody finds an absent child or a deleted one', async () => {
  for (const id of [2 ** 31 - 1, 0, -1]) {
    expect(await read(id)).toMatchObject({ status: 404, body: { detail: 'Real user is not found' } })
  }
  const { real_user_id } = await addChild(server, parent.token)
  await server.database.pool.query('UPDATE real_user SET deleted_at = now() WHERE id = $1', [real_user_id])
  expect(await read(real_user_id)).toMatchObject({ status: 404, body: { detail: 'Real user is not found' } })
})

test.each(['2147483648', '1.5', '1e3', '0x10', 'abc', '%20', 'null', '9'.repeat(30)])(
  'an id %j is not valid',
  async (id) => {
    const { status, body } = await read(id)
    expect(status).toBe(422)
    expect(body.detail[0]).toMatchObject({ loc: ['path', 'real_user_id'] })
  },
)

test('an id may be written with zeros in front', async () => {
  expect(await read(`000${child}`)).toMatchObject({ status: 200, body: { id: child } })
})

test('without a valid token the child is not shown', async () => {
  const path = `/api/v1/beta/user/real-user/${child}`
  expect(await server.get(path)).toMatchObject({
    status: 401,
    body: { detail: 'Could not validate credentials' },
  })
  expect(await read(child, `${parent.token}x`)).toMatchObject({
    status: 401,
    body: { detail: 'Could not validate credentials' },
  })
})
