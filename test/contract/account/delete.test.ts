import { decryptRow } from '@companion/server/encrypted-columns/encrypted-tables.ts'
import { beforeEach, expect, test } from 'vitest'
import {
  addChild,
  anyPhone,
  childProfile,
  devlogItem,
  PASSWORD,
  signIn,
  signUp,
  signUpBody,
  smsCode,
  upload,
  validToken,
} from '../../support/family.ts'
import type { Account } from '../../support/family.ts'
import { inBetween } from '../../support/lock-waits.ts'
import { useServer } from '../../support/server.ts'
import { tally } from '../../support/response-tally.ts'

const server = useServer()
const PATH = '/api/v1/beta/user/root-user'
const NO_TYPE = { status: 404, body: { detail: 'Sign in type is not found' } }

let parent: Account
beforeEach(async () => {
  parent = await signUp(server)
})

const remove = (token = parent.token) => server.delete(PATH, { token })

test('an account goes with its children and its session, and its devices are free', async () => {
  const child = await addChild(server, parent.token)
  await upload(server, [devlogItem(child.unique_id, '2026-03-01T21:30:00')])
  const { status, body } = await remove()
  expect({ status, body }).toEqual({ status: 200, body: { statusCode: 200, message: 'Root user deleted' } })

  const gone = { status: 401, body: { detail: 'User is Deleted' } }
  expect(await server.get('/api/v1/beta/user/me', { token: parent.token })).toMatchObject(gone)
  expect(await remove()).toMatchObject(gone)
  expect(
    await server.post('/api/v1/alpha/auth/refresh-token', { json: { refresh_token: parent.refreshToken } }),
  ).toMatchObject({ status: 401, body: { detail: 'Refresh token is not valid' } })
  for (const password of [PASSWORD, 'another password']) {
    expect(await signIn(server, parent.email, password)).toMatchObject({
      status: 410,
      body: { detail: 'User is Deleted' },
    })
  }

  expect(await upload(server, [devlogItem(child.unique_id, '2026-03-02T21:30:00')])).toMatchObject({
    status: 409,
    body: { detail: 'Not Connected Device' },
  })
  const next = await signUp(server)
  const path = `/api/v1/beta/user/real-user/${child.real_user_id}`
  expect(await server.get(path, { token: next.token })).toMatchObject({ status: 404 })
  const { serial_code, mac_id, unique_id } = child
  const adopted = await server.post('/api/v2/beta/user/create-real-user', {
    token: next.token,
    json: { ...childProfile, serial_code, mac_id, unique_id },
  })
  expect(adopted).toMatchObject({ status: 200, body: { device_alias: serial_code } })
})

test('e-mail and phone stay taken', async () => {
  await remove()
  const phone = anyPhone()
  const token = await validToken(server, phone)
  const again = signUpBody(phone, parent.email.toUpperCase())
  expect(await server.post('/api/v1/alpha/auth/email/signup', { token, json: again })).toMatchObject({
    status: 409,
    body: { detail: 'Same email is already registered' },
  })
  const validnum = await smsCode(server, parent.phone)
  expect(
    await server.post('/api/v1/alpha/auth/phone-number-validation', {
      json: { phone: parent.phone, validnum },
    }),
  ).toMatchObject({ status: 403, body: { detail: 'User previously deleted' } })
})

test('nothing personal is left in any table', async () => {
  const child = await addChild(server, parent.token)
  await server.database.pool.query(`UPDATE root_user SET last_name = 'Tell-tale' WHERE id = $1`, [parent.id])
  await server.database.pool.query(`UPDATE real_user SET first_name = 'Tell-tale' WHERE id = $1`, [
    child.real_user_id,
  ])
  const traces = async () => {
    const { rows: tables } = await server.database.pool.query(
      `SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'`,
    )
    const secrets = [parent.email, parent.phone, 'Tell-tale']
    const told = []
    for (const { name } of tables) {
      const { rows } = await server.database.pool.query(`SELECT to_jsonb(t) AS row FROM ${name} t`)
      const content = JSON.stringify(rows.map(({ row }) => decryptRow(server.database.keyRing, name, row)))
      if (secrets.some((each) => content.includes(each))) told.push(name)
    }
    return told
  }
  expect(await traces()).toEqual(expect.arrayContaining(['root_user', 'real_user']))
  expect(await remove()).toMatchObject({ status: 200 })
  expect(await traces()).toEqual([])
})

test('other accounts are left alone', async () => {
  const other = await signUp(server)
  const child = await addChild(server, other.token)
  await remove()
  expect(await upload(server, [devlogItem(child.unique_id, '2026-03-01T21:30:00')])).toMatchObject({
    status: 200,
  })
  expect(await server.get('/api/v1/beta/user/me', { token: other.token })).toMatchObject({ status: 200 })
})

test('an account of no known sign-in type is not found', async () => {
  await server.database.pool.query(`UPDATE root_user SET register_type = 'X' WHERE id = $1`, [parent.id])
  expect(await remove()).toMatchObject(NO_TYPE)
})

test('an account that a parallel call deletes is deleted', async () => {
  const { id, token } = await signUp(server)
  const response = await inBetween(server, {
    lock: `SELECT FROM root_user WHERE id = ${id} FOR UPDATE`,
    change: `UPDATE root_user SET deleted_at = now() WHERE id = ${id}`,
    call: () => remove(token),
  })
  expect(response).toMatchObject({ status: 401, body: { detail: 'User is Deleted' } })
})

test('of several deletions at once one succeeds', async () => {
  const responses = await Promise.all(Array.from({ length: 10 }, () => remove()))
  expect(tally(responses)).toEqual({ 200: 1, '401 User is Deleted': 9 })
})

test('without a token nothing is deleted', async () => {
  expect(await server.delete(PATH)).toMatchObject({
    status: 401,
    body: { detail: 'Could not validate credentials' },
  })
  expect(await remove(parent.refreshToken)).toMatchObject({ status: 401 })
  expect(await server.get('/api/v1/beta/user/me', { token: parent.token })).toMatchObject({ status: 200 })
})
