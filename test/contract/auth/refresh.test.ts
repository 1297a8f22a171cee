import { afterEach, describe, expect, test, vi } from 'vitest'
import { tokenHash } from '@companion/server/auth/tokens/tokens.ts'
import { signIn, signUp, validToken, anyPhone, PASSWORD } from '../../support/family.ts'
import type { Account } from '../../support/family.ts'
import type { TestResponse } from '../../support/client.ts'
import { claimsFor, foreignKeys, ourKeys, signedWith, unsigned } from '../../support/forged-tokens.ts'
import { blockAccount, unblockAccount } from '@companion/server/auth/block.ts'
import { confirmReset, resetToken } from '../../support/outside/mailbox.ts'
import { OPERATOR } from '../../support/operator.ts'
import { useServer } from '../../support/server.ts'
import { tally } from '../../support/response-tally.ts'

const server = useServer()

const refresh = (refresh_token: unknown, key?: string) =>
  server.post('/api/v1/alpha/auth/refresh-token', {
    json: { refresh_token },
    headers: key === undefined ? {} : { 'idempotency-key': key },
  })

const error = (detail: string) => ({ status: 401, body: { detail } })
const notValid = error('Refresh token is not valid')
const anyKey = () => crypto.randomUUID()
const tokensOf = ({ body }: TestResponse) => [body.access_token, body.refresh_token]

afterEach(() => {
  vi.useRealTimers()
})
const wait = (milliseconds: number) => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + milliseconds })
}

test('exchanges the stored token for a new pair, each once', async () => {
  const account = await signUp(server)
  const first = await refresh(account.refreshToken)
  expect(first.status).toBe(200)
  expect(first.body).toEqual({
    access_token: expect.any(String),
    refresh_token: expect.any(String),
    expires_in: 900,
    refresh_expires_in: 1_209_600,
    token_type: 'bearer',
    id: expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/),
  })
  const { uuid } = await server.database.sql
    .selectFrom('root_user')
    .select('uuid')
    .where('id', '=', account.id)
    .executeTakeFirstOrThrow()
  expect(first.body.id).toBe(uuid)
  const second = await refresh(first.body.refresh_token)
  expect(second.status).toBe(200)
  expect((await server.get('/api/v1/beta/user/me', { token: second.body.access_token })).status).toBe(200)
})

test('a superseded token ends the session (duplicate login)', async () => {
  const account = await signUp(server)
  const { body } = await refresh(account.refreshToken)
  expect(await refresh(account.refreshToken)).toMatchObject(notValid)
  expect(await refresh(body.refresh_token)).toMatchObject(notValid)
  expect((await signIn(server, account.email)).status).toBe(200)
})

test('the token of an earlier sign-in ends the session of the later one', async () => {
  const first = await signUp(server)
  const { body: second } = await signIn(server, first.email)
  expect(await refresh(first.refreshToken)).toMatchObject(notValid)
  expect(await refresh(second.refresh_token)).toMatchObject(notValid)
})

test('of 20 refreshes at once with one token exactly one succeeds', async () => {
  for (let round = 0; round < 3; round++) {
    const { refreshToken } = await signUp(server)
    const responses = await Promise.all(Array.from({ length: 20 }, () => refresh(refreshToken)))
    expect(tally(responses)).toEqual({ 200: 1, '401 Refresh token is not valid': 19 })
  }
})

test('a token lives 1,209,600 seconds', async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: Math.ceil(Date.now() / 1000) * 1000 })
  const [inTime, late] = [await signUp(server), await signUp(server)]
  wait(1_209_599_000)
  expect((await refresh(inTime.refreshToken)).status).toBe(200)
  wait(1000)
  expect(await refresh(late.refreshToken)).toMatchObject(error('Token is expired'))
})

describe('a token that this service never gave as a refresh token', () => {
  const invalid = 'Could not validate credentials'

  test.each<[string, string, (account: { id: number; token: string }) => Promise<string> | string]>([
    ['is empty', invalid, () => ''],
    ['is garbage', invalid, () => 'garbage'],
    ['holds a NUL', invalid, () => 'a.b.\0'],
    ['has no signature', invalid, ({ id }) => unsigned(claimsFor(id))],
    ['is signed with another secret', invalid, ({ id }) => signedWith(foreignKeys.refresh, claimsFor(id))],
    ['is an access token', invalid, ({ token }) => token],
    ['is a valid_token', invalid, () => validToken(server, anyPhone())],
    ['is signed as an access token', invalid, ({ id }) => signedWith(ourKeys.access, claimsFor(id))],
    ['has no end', invalid, ({ id }) => signedWith(ourKeys.refresh, { ...claimsFor(id), exp: undefined })],
    [
      'is signed with another secret and expired',
      invalid,
      ({ id }) => signedWith(foreignKeys.refresh, claimsFor(id, -1)),
    ],
    ['is expired', 'Token is expired', ({ id }) => signedWith(ourKeys.refresh, claimsFor(id, -1))],
    [
      'names an account that is none',
      'Refresh token is not valid',
      () => signedWith(ourKeys.refresh, claimsFor(2 ** 31 - 1)),
    ],
  ])('%s: the stored one is not touched', async (_name, detail, make) => {
    const account = await signUp(server)
    expect(await refresh(await make(account))).toMatchObject(error(detail))
    expect((await refresh(account.refreshToken)).status).toBe(200)
  })

  test('but bears our signature ends the session', async () => {
    const account = await signUp(server)
    expect(await refresh(await signedWith(ourKeys.refresh, claimsFor(account.id)))).toMatchObject(notValid)
    expect(await refresh(account.refreshToken)).toMatchObject(notValid)
  })
})

test.each([undefined, null, 5, true, ['a'], {}])('refresh_token %j is a validation error', async (value) => {
  const { status, body } = await refresh(value)
  expect(status).toBe(422)
  expect(body.detail).toMatchObject([{ loc: ['body', 'refresh_token'], input: null }])
})

test('a deleted account has no session', async () => {
  const account = await signUp(server)
  await server.delete('/api/v1/beta/user/root-user', { token: account.token })
  expect(await refresh(account.refreshToken)).toMatchObject(notValid)
})

describe('a token from before everything older had to die', () => {
  const NEW = 'a brand new password'
  test.each<[string, (account: Account) => Promise<unknown>]>([
    [
      'a change of password',
      ({ token }) =>
        server.post('/api/v1/beta/user/change-password', {
          token,
          json: { current_password: PASSWORD, new_password: NEW },
        }),
    ],
    ['a reset', async ({ email }) => confirmReset(server, await resetToken(server, email), NEW)],
    ['a sign-out', ({ token }) => server.post('/api/v1/alpha/auth/signout', { token })],
    [
      'a block',
      async ({ email }) => {
        await blockAccount(server.database.sql, server.database.keyRing, email, OPERATOR)
        await unblockAccount(server.database.sql, server.database.keyRing, email, OPERATOR)
      },
    ],
  ])('by %s is refused and touches nothing', async (_name, end) => {
    const account = await signUp(server)
    // Used up as well, as that which a thief has may be.
    const { body: used } = await refresh(account.refreshToken)
    await end({ ...account, token: used.access_token })
    const signedIn = [await signIn(server, account.email), await signIn(server, account.email, NEW)]
    const again = signedIn.find(({ status }) => status === 200)
    for (const old of [account.refreshToken, used.refresh_token, account.refreshToken]) {
      expect(await refresh(old)).toMatchObject(notValid)
    }
    expect((await refresh(again?.body.refresh_token)).status).toBe(200)
  })

  test('but one of the present epoch still ends the session', async () => {
    const first = await signUp(server)
    await server.post('/api/v1/alpha/auth/signout', { token: first.token })
    const { body: second } = await signIn(server, first.email)
    const { body: third } = await signIn(server, first.email)
    expect(await refresh(second.refresh_token)).toMatchObject(notValid)
    expect(await refresh(third.refresh_token)).toMatchObject(notValid)
  })

  test('and one that says no epoch, as tokens of older releases do, is taken for one of the present', async () => {
    const { id, refreshToken } = await signUp(server)
    const old = await signedWith(ourKeys.refresh, { ...claimsFor(id), epoch: undefined })
    await server.database.sql
      .updateTable('session')
      .set({ refresh_hash: tokenHash(old) })
      .where('root_user_id', '=', id)
      .execute()
    expect((await refresh(old)).status).toBe(200)
    expect(await refresh(refreshToken)).toMatchObject(notValid)
  })
})

describe('with an Idempotency-Key', () => {
  test('the same call within 60 seconds gets the same pair, which works', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: Math.ceil(Date.now() / 1000) * 1000 })
    const { refreshToken } = await signUp(server)
    const key = anyKey()
    const first = await refresh(refreshToken, key)
    expect(first.status).toBe(200)
    wait(60_000)
    const again = await refresh(refreshToken, key)
    expect(tokensOf(again)).toEqual(tokensOf(first))
    expect(again.body).toMatchObject({ id: first.body.id, expires_in: 840, refresh_expires_in: 1_209_540 })
    expect((await server.get('/api/v1/beta/user/me', { token: again.body.access_token })).status).toBe(200)
    expect((await refresh(again.body.refresh_token)).status).toBe(200)
  })

  test('it is not repeated after 60 seconds', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: Math.ceil(Date.now() / 1000) * 1000 })
    const { refreshToken } = await signUp(server)
    const key = anyKey()
    const first = await refresh(refreshToken, key)
    wait(61_000)
    expect(await refresh(refreshToken, key)).toMatchObject(notValid)
    expect(await refresh(first.body.refresh_token)).toMatchObject(notValid)
  })

  test.each<[string, (key: string) => string | undefined]>([
    ['another key', anyKey],
    ['no key', () => undefined],
    ['the key in another case', (key) => key.toUpperCase()],
  ])('%s does not repeat it', async (_name, other) => {
    const { refreshToken } = await signUp(server)
    const key = `key-${anyKey()}`
    expect((await refresh(refreshToken, key)).status).toBe(200)
    expect(await refresh(refreshToken, other(key))).toMatchObject(notValid)
    expect(await refresh(refreshToken, key)).toMatchObject(notValid)
  })

  test('a call without key cannot be repeated with one', async () => {
    const { refreshToken } = await signUp(server)
    expect((await refresh(refreshToken)).status).toBe(200)
    expect(await refresh(refreshToken, anyKey())).toMatchObject(notValid)
  })

  test('another old token does not repeat it, nor one that is two refreshes old', async () => {
    const { email, refreshToken } = await signUp(server)
    const { body } = await signIn(server, email)
    const key = anyKey()
    const next = await refresh(body.refresh_token, key)
    expect(next.status).toBe(200)
    expect(await refresh(refreshToken, key)).toMatchObject(notValid)

    const { body: third } = await signIn(server, email)
    const { body: fourth } = await refresh(third.refresh_token, key)
    expect((await refresh(fourth.refresh_token, key)).status).toBe(200)
    expect(await refresh(third.refresh_token, key)).toMatchObject(notValid)
  })

  test('the same key with another account means nothing', async () => {
    const [one, two] = [await signUp(server), await signUp(server)]
    const key = anyKey()
    const [first, second] = [await refresh(one.refreshToken, key), await refresh(two.refreshToken, key)]
    expect([first.status, second.status]).toEqual([200, 200])
    expect(first.body.id).not.toBe(second.body.id)
  })

  test('20 calls at once all get the same pair', async () => {
    const { refreshToken } = await signUp(server)
    const key = anyKey()
    const responses = await Promise.all(Array.from({ length: 20 }, () => refresh(refreshToken, key)))
    expect(tally(responses)).toEqual({ 200: 20 })
    expect(new Set(responses.map((response) => tokensOf(response).join())).size).toBe(1)
    expect((await refresh(responses[0]?.body.refresh_token)).status).toBe(200)
  })

  test('a repeated answer is gone with the session', async () => {
    const { email, refreshToken } = await signUp(server)
    const key = anyKey()
    const { body } = await refresh(refreshToken, key)
    await signIn(server, email)
    expect(await refresh(refreshToken, key)).toMatchObject(notValid)
    await signIn(server, email)
    await server.delete('/api/v1/beta/user/root-user', { token: body.access_token })
    expect(await refresh(refreshToken, key)).toMatchObject(notValid)
  })

  test.each(['short', 'x'.repeat(15), 'x'.repeat(256)])('the key %j is a validation error', async (key) => {
    const { refreshToken } = await signUp(server)
    const { status, body } = await refresh(refreshToken, key)
    expect(status).toBe(422)
    expect(body.detail).toMatchObject([{ loc: ['header', 'Idempotency-Key'], input: null }])
    // Nothing has been used up.
    expect((await refresh(refreshToken, 'x'.repeat(16))).status).toBe(200)
  })

  test('the longest key works', async () => {
    const { refreshToken } = await signUp(server)
    expect((await refresh(refreshToken, 'x'.repeat(255))).status).toBe(200)
  })
})

test('neither tokens nor keys are kept or logged', async () => {
  const { refreshToken } = await signUp(server)
  const key = anyKey()
  const { body } = await refresh(refreshToken, key)
  await refresh('not-a-token-but-secret', key)
  const { rows } = await server.database.pool.query('SELECT s::text AS line FROM session s')
  const seen = JSON.stringify(rows) + server.log()
  for (const secret of [refreshToken, body.refresh_token, body.access_token, key, 'not-a-token-but-secret']) {
    expect(seen).not.toContain(secret)
  }
})
