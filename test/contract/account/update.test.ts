import { beforeAll, expect, test } from 'vitest'
import { signUp } from '../../support/family.ts'
import type { Account } from '../../support/family.ts'
import { inBetween } from '../../support/lock-waits.ts'
import { useServer } from '../../support/server.ts'

const server = useServer()
const PATH = '/api/v1/beta/user/root-user'

let parent: Account
beforeAll(async () => {
  parent = await signUp(server)
})

test('the profile changes in the fields that are sent, and nowhere else', async () => {
  const before = await server.get('/api/v1/beta/user/me', { token: parent.token })
  const one = await server.patch(PATH, { token: parent.token, json: { last_name: '김', gender: 'N' } })
  expect(one.status).toBe(200)
  expect(one.body).toEqual({
    id: parent.id,
    first_name: before.body.first_name,
    last_name: '김',
    birthdate: before.body.birthdate,
    gender: 'N',
    phone: parent.phone,
    is_phone_number_checked: true,
    register_type: 'E',
  })
  const two = await server.patch(PATH, {
    token: parent.token,
    json: { first_name: 'Kim Minji', birthdate: '19900228', phone: '+15550100', id: 1 },
  })
  expect(two.body).toEqual({ ...one.body, first_name: 'Kim Minji', birthdate: '19900228' })
  const me = await server.get('/api/v1/beta/user/me', { token: parent.token })
  expect(me.body).toMatchObject({ first_name: 'Kim Minji', last_name: '김', phone: parent.phone })
})

test('an update of the profile meets the demand for one', async () => {
  await server.database.pool.query('UPDATE root_user SET need_personal_info_update = true WHERE id = $1', [
    parent.id,
  ])
  await server.patch(PATH, { token: parent.token, json: { gender: 'F' } })
  const { body } = await server.get('/api/v1/beta/user/me', { token: parent.token })
  expect(body.need_personal_info_update).toBe(false)
})

test.each([
  { first_name: '' },
  { last_name: 'x'.repeat(101) },
  { birthdate: '20230229' },
  { birthdate: '1985-04-01' },
  { gender: 'X' },
])('%j is 422 and changes nothing', async (json) => {
  const before = await server.get('/api/v1/beta/user/me', { token: parent.token })
  const { status, body } = await server.patch(PATH, { token: parent.token, json })
  expect(status).toBe(422)
  expect(body.detail[0].loc).toEqual(['body', Object.keys(json)[0]])
  expect((await server.get('/api/v1/beta/user/me', { token: parent.token })).body).toEqual(before.body)
})

test('an account that is deleted in between is 401', async () => {
  const gone = await signUp(server)
  const response = await inBetween(server, {
    lock: `SELECT FROM root_user WHERE id = ${gone.id} FOR UPDATE`,
    change: `UPDATE root_user SET deleted_at = now() WHERE id = ${gone.id}`,
    call: () => server.patch(PATH, { token: gone.token, json: { gender: 'M' } }),
  })
  expect(response).toMatchObject({ status: 401, body: { detail: 'User is Deleted' } })
})
