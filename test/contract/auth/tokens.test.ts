import { decodeJwt } from 'jose'
import { afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { operations } from '@companion/server/http/operations.ts'
import { appRouter } from '@companion/server/router.ts'
import { claimsFor, foreignKeys, ourKeys, signedWith, unsigned } from '../../support/forged-tokens.ts'
import { anyPhone, signIn, signUp, validToken } from '../../support/family.ts'
import type { Account } from '../../support/family.ts'
import { anyInput, call } from '../../support/any-input.ts'
import { raw } from '../../support/raw-http.ts'
import { useServer } from '../../support/server.ts'

const server = useServer()

const me = (token: string) => server.get('/api/v1/beta/user/me', { token })
const error = (status: number, detail: string) => ({ status, body: { detail } })
const notValidated = error(401, 'Could not validate credentials')

afterEach(() => {
  vi.useRealTimers()
})

describe('the account behind an access token', () => {
  let [gone, deleted, blocked, active]: (Account | undefined)[] = []

  beforeAll(async () => {
    ;[gone, deleted, blocked, active] = [
      await signUp(server),
      await signUp(server),
      await signUp(server),
      await signUp(server),
    ]
    await server.database.sql.deleteFrom('root_user').where('id', '=', gone.id).execute()
    await server.delete('/api/v1/beta/user/root-user', { token: deleted.token })
    const block = { blocked_at: new Date() }
    await server.database.sql.updateTable('root_user').set(block).where('id', '=', blocked.id).execute()
  })

  const served = operations(appRouter).filter(({ operation }) => operation.token?.endsWith('access'))
  const demanding = served.filter(({ operation }) => operation.token === 'access')

  test.each(demanding.map((each) => [each.path, each] as const))(
    'is asked for by %s',
    async (_path, each) => {
      expect(await call(server, each, anyInput(each))).toMatchObject(notValidated)
    },
  )

  test.each(served.map((each) => [each.path, each] as const))('is judged by %s', async (_path, each) => {
    const answer = (token: string | undefined) => call(server, each, anyInput(each), token)
    expect(await answer('garbage')).toMatchObject(notValidated)
    expect(await answer(active?.refreshToken)).toMatchObject(notValidated)
    const expired = await signedWith(ourKeys.access, claimsFor(active?.id ?? 0, -1))
    expect(await answer(expired)).toMatchObject(error(401, 'Token is expired'))
    // One of the kind that the operation is for.
    const kind = each.operation.accounts === 'clinicians' ? { clinician: true } : {}
    const tokenOf = (account: Account | undefined) =>
      signedWith(ourKeys.access, { ...claimsFor(account?.id ?? 0), ...kind })
    expect(await answer(await tokenOf(gone))).toMatchObject(error(401, 'User is None'))
    expect(await answer(await tokenOf(deleted))).toMatchObject(error(401, 'User is Deleted'))
    expect(await answer(await tokenOf(blocked))).toMatchObject(error(423, 'Access denied. Account blocked'))
  })

  // Reading a body costs more than looking at a token: nobody gets that for nothing.
  test('is judged before the body is read', async () => {
    const expired = await signedWith(ourKeys.access, claimsFor(active?.id ?? 0, -1))
    const read: string[] = []
    for (const { operation } of demanding.filter((each) => each.operation.method !== 'GET'))
      for (const token of ['made-up', expired]) {
        const headers = {
          authorization: `Bearer ${token}`,
          'content-type': 'application/json',
          'content-length': '1',
        }
        const path = operation.path.replaceAll(/\{\w+\}/g, '1')
        const { status } = await raw(server.url, operation.method, path, { headers, body: ['{'] })
        if (status !== 401) read.push(`${operation.method} ${path} by ${token.slice(0, 7)}: ${status}`)
      }
    expect(read).toEqual([])
  })
})

test('two sign-ins of one second give tokens that can be told apart', async () => {
  const { email } = await signUp(server)
  vi.useFakeTimers({ toFake: ['Date'] })
  const [one, other] = [await signIn(server, email), await signIn(server, email)]
  const claims = [one, other].map(({ body }) => decodeJwt(body.access_token))
  expect(claims[0]?.iat).toBe(claims[1]?.iat)
  expect(claims.map(({ jti }) => jti)).toEqual([expect.any(String), expect.any(String)])
  expect(claims[0]?.jti).not.toBe(claims[1]?.jti)
})

test.each<[string, (account: Account) => Promise<string> | string]>([
  ['of garbage', () => 'a.b.c'],
  ['without signature', ({ id }) => unsigned(claimsFor(id))],
  ['with the signature cut off', ({ token }) => token.slice(0, token.lastIndexOf('.') + 1)],
  ['signed with another secret', ({ id }) => signedWith(foreignKeys.access, claimsFor(id))],
  ['signed with another secret, and expired', ({ id }) => signedWith(foreignKeys.access, claimsFor(id, -1))],
  ['signed as a refresh token', ({ id }) => signedWith(ourKeys.refresh, claimsFor(id))],
  ['that is a refresh token', ({ refreshToken }) => refreshToken],
  ['that is a valid_token', () => validToken(server, anyPhone())],
  ['that never expires', ({ id }) => signedWith(ourKeys.access, { ...claimsFor(id), exp: undefined })],
  ['without subject', ({ id }) => signedWith(ourKeys.access, { ...claimsFor(id), sub: undefined })],
  ['without epoch', ({ id }) => signedWith(ourKeys.access, { ...claimsFor(id), epoch: undefined })],
  ['of another issuer', ({ id }) => signedWith(ourKeys.access, { ...claimsFor(id), iss: 'other' })],
  ['of an earlier epoch', ({ id }) => signedWith(ourKeys.access, { ...claimsFor(id), epoch: -1 })],
])('a token %s is not accepted, and ends no session', async (_name, make) => {
  const account = await signUp(server)
  expect((await me(await signedWith(ourKeys.access, claimsFor(account.id)))).status).toBe(200)
  expect(await me(await make(account))).toMatchObject(notValidated)
  const json = { refresh_token: account.refreshToken }
  expect((await server.post('/api/v1/alpha/auth/refresh-token', { json })).status).toBe(200)
})

test('the scheme is written as one likes, but it is Bearer', async () => {
  const { token } = await signUp(server)
  const get = (authorization: string) => server.get('/api/v1/beta/user/me', { headers: { authorization } })
  for (const scheme of ['bearer', 'BEARER', 'Bearer ']) {
    expect((await get(`${scheme} ${token}`)).status).toBe(200)
  }
  for (const header of [
    token,
    `Token ${token}`,
    `Bearer${token}`,
    `Bearer ${token},x`,
    `Bearer "${token}"`,
  ]) {
    expect(await get(header)).toMatchObject(notValidated)
  }
})

test('an error names the scheme (RFC 6750)', async () => {
  expect((await me('garbage')).headers.get('www-authenticate')).toBe('Bearer error="invalid_token"')
  const account = await signUp(server)
  const expired = await signedWith(ourKeys.access, claimsFor(account.id, -1))
  expect((await me(expired)).headers.get('www-authenticate')).toBe('Bearer error="invalid_token"')
  // No token was shown; or it is good, and another one would not help.
  const unshown = await server.get('/api/v1/beta/user/me')
  const refused = await server.get('/api/v1/beta/treatment?real_user_id=2000000000', { token: account.token })
  expect(refused).toMatchObject(error(401, 'Not authorized user'))
  for (const { headers } of [unshown, refused]) expect(headers.get('www-authenticate')).toBe('Bearer')
})

test('an access token lives 900 seconds, used before or not', async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: Math.ceil(Date.now() / 1000) * 1000 })
  const used = await signUp(server)
  const unused = await signUp(server)
  vi.setSystemTime(Date.now() + 899_000)
  expect((await me(used.token)).status).toBe(200)
  vi.setSystemTime(Date.now() + 1000)
  for (const { token } of [used, unused])
    expect(await me(token)).toMatchObject(error(401, 'Token is expired'))
})

test('an access token dies with the epoch of its account, a later one lives', async () => {
  const account = await signUp(server)
  expect((await me(account.token)).status).toBe(200)
  await server.database.sql
    .updateTable('root_user')
    .set((column) => ({ token_epoch: column('token_epoch', '+', 1) }))
    .where('id', '=', account.id)
    .execute()
  expect(await me(account.token)).toMatchObject(notValidated)
  const { body } = await signIn(server, account.email)
  expect((await me(body.access_token)).status).toBe(200)
})

test('a block that is lifted leaves tokens of the same epoch alive', async () => {
  const account = await signUp(server)
  const set = (blocked_at: Date | null) =>
    server.database.sql.updateTable('root_user').set({ blocked_at }).where('id', '=', account.id).execute()
  await set(new Date())
  expect((await me(account.token)).status).toBe(423)
  await set(null)
  expect((await me(account.token)).status).toBe(200)
})
