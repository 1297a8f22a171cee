import { tokenHash } from '@companion/server/auth/tokens/tokens.ts'
import { expect, test } from 'vitest'
import { PASSWORD, signIn, signUp } from '../../support/family.ts'
import { claimsFor, ourKeys, signedWith } from '../../support/forged-tokens.ts'
import { useServer } from '../../support/server.ts'

const server = useServer()
const signOut = (token?: string) =>
  server.post('/api/v1/alpha/auth/signout', token === undefined ? {} : { token })
const me = (token: string) => server.get('/api/v1/beta/user/me', { token })

test('signing out ends the session, access token and all', async () => {
  const { token, refreshToken } = await signUp(server)
  expect(await signOut(token)).toMatchObject({
    status: 200,
    body: { statusCode: 200, message: 'Signed out' },
  })
  for (const response of [await me(token), await signOut(token)]) {
    expect(response).toMatchObject({ status: 401, body: { detail: 'Could not validate credentials' } })
  }
  expect(
    await server.post('/api/v1/alpha/auth/refresh-token', { json: { refresh_token: refreshToken } }),
  ).toMatchObject({ status: 401, body: { detail: 'Refresh token is not valid' } })
})

test('so does a session of which the refresh token says no epoch, as those of older releases do', async () => {
  const { id, token } = await signUp(server)
  const old = await signedWith(ourKeys.refresh, { ...claimsFor(id), epoch: undefined })
  await server.database.sql
    .updateTable('session')
    .set({ refresh_hash: tokenHash(old) })
    .where('root_user_id', '=', id)
    .execute()
  await signOut(token)
  expect(
    await server.post('/api/v1/alpha/auth/refresh-token', { json: { refresh_token: old } }),
  ).toMatchObject({ status: 401, body: { detail: 'Refresh token is not valid' } })
})

test('one can sign in again', async () => {
  const { token, email } = await signUp(server)
  await signOut(token)
  const { body } = await signIn(server, email, PASSWORD)
  expect((await me(body.access_token)).status).toBe(200)
})

test('the push token goes with it', async () => {
  const { id, token } = await signUp(server)
  const json = { is_push_agree: true, push_token: 'a-push-token-of-some-length' }
  expect((await server.patch('/api/v1/beta/user/policy', { token, json })).status).toBe(200)
  const stored = () =>
    server.database.sql.selectFrom('push_token').select('token').where('root_user_id', '=', id).execute()
  expect(await stored()).toHaveLength(1)
  await signOut(token)
  expect(await stored()).toHaveLength(0)
})

test('signing out takes a token', async () => {
  expect(await signOut()).toMatchObject({ status: 401, body: { detail: 'Could not validate credentials' } })
})
