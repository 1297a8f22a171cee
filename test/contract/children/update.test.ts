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

const patch = (id: number, json: object, token = parent.token) =>
  server.patch(`/api/v1/beta/user/real-user/${id}`, { token, json: { id, ...json } })
const read = async (id = child) =>
  (await server.get(`/api/v1/beta/user/real-user/${id}`, { token: parent.token })).body

test('the profile changes in the fields that are sent, and nowhere else', async () => {
  const one = await patch(child, { last_name: '이', root_user_id: 1 })
  expect(one.status).toBe(200)
  expect(one.body).toEqual({ id: child, root_user_id: parent.id, ...childProfile, last_name: '이' })
  const two = await patch(child, { first_name: 'Yuna', birthdate: '20200229', gender: 'P' })
  expect(two.body).toEqual({ ...one.body, first_name: 'Yuna', birthdate: '20200229', gender: 'P' })
  expect(await patch(child, { last_name: '' })).toMatchObject({ status: 200, body: { last_name: '' } })
  expect(await patch(child, {})).toMatchObject({ status: 200, body: await read() })
})

test('`id` must repeat the id of the path', async () => {
  for (const id of [child + 1, undefined, null, true, 1.5, '1e3', '']) {
    const { status, body } = await patch(child, { id, first_name: 'Wrong' })
    expect(status).toBe(422)
    expect(body.detail[0].loc).toEqual(['body', 'id'])
  }
  expect((await read()).first_name).not.toBe('Wrong')
})

test.each([{ first_name: '' }, { birthdate: '20990101' }, { gender: 'f' }])('%j is 422', async (json) => {
  const before = await read()
  expect((await patch(child, json)).status).toBe(422)
  expect(await read()).toEqual(before)
})

test("another family's child is 401 and stays as it is", async () => {
  const other = await signUp(server)
  const before = await read()
  expect(await patch(child, { first_name: 'Stolen' }, other.token)).toMatchObject({
    status: 401,
    body: { detail: 'Not authorized user' },
  })
  expect(await read()).toEqual(before)
})

test('a child that does not exist is 404', async () => {
  expect(await patch(999_999, {})).toMatchObject({ status: 404, body: { detail: 'Real user is not found' } })
})
