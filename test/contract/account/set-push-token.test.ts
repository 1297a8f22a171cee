import { beforeEach, expect, test } from 'vitest'
import { signUp } from '../../support/family.ts'
import type { Account } from '../../support/family.ts'
import { useServer } from '../../support/server.ts'
import { storedRows } from '../../support/stored-rows.ts'

const server = useServer()
let tokens = 0
const anyToken = () => `fcm-token:${String(++tokens).padStart(20, '0')}`

let parent: Account
beforeEach(async () => {
  parent = await signUp(server)
})

const set = (token: unknown, account = parent) =>
  server.post('/api/v1/beta/user/push/set-token', { token: account.token, json: { token } })

const agree = (account = parent, push_token = anyToken()) =>
  server.patch('/api/v1/beta/user/policy', {
    token: account.token,
    json: { is_push_agree: true, push_token },
  })

async function stored({ id }: Account): Promise<string | undefined> {
  const rows = await storedRows(
    server.database,
    'push_token',
    'SELECT token FROM push_token WHERE root_user_id = $1',
    [id],
  )
  return rows[0]?.token
}

test('a parent who has agreed sets the token and replaces it', async () => {
  await agree()
  for (const token of [anyToken(), '~'.repeat(16), 'x'.repeat(4096)]) {
    const { status, body } = await set(token)
    expect(status).toBe(200)
    expect(typeof body).toBe('string')
    expect(body).not.toContain(token)
    expect(await stored(parent)).toBe(token)
  }
})

test('who has not agreed, or no longer does, is refused', async () => {
  const refused = { status: 400, body: { detail: 'Push permisson denied' } }
  expect(await set(anyToken())).toMatchObject(refused)
  const token = anyToken()
  await agree(parent, token)
  await server.patch('/api/v1/beta/user/policy', { token: parent.token, json: { is_push_agree: false } })
  expect(await set(anyToken())).toMatchObject(refused)
  expect(await stored(parent)).toBe(token)
})

test.each([
  '',
  'x'.repeat(15),
  'x'.repeat(4097),
  'a token with spaces in it',
  'line\nbreak-0123456789',
  '토큰'.repeat(10),
  'nul\0-0123456789abc',
])('the token %j is 409', async (token) => {
  await agree()
  expect(await set(token)).toMatchObject({
    status: 409,
    body: { detail: 'User push token update failed' },
  })
})

test.each([undefined, null, 7, ['x'.repeat(20)]])('%j is no text: 422, never echoed', async (token) => {
  await agree()
  const { status, body } = await set(token)
  expect(status).toBe(422)
  expect(body.detail[0]).toMatchObject({ loc: ['body', 'token'], input: null })
})

test('a phone that changes hands takes its token along', async () => {
  const other = await signUp(server)
  const token = anyToken()
  await agree(parent, token)
  await agree(other)
  expect((await set(token, other)).status).toBe(200)
  expect(await stored(other)).toBe(token)
  expect(await stored(parent)).toBeUndefined()
})

test('of many accounts that claim one token at once, one has it in the end', async () => {
  const family = await Promise.all(Array.from({ length: 8 }, () => signUp(server)))
  await Promise.all(family.map((account) => agree(account)))
  const token = anyToken()
  const responses = await Promise.all(family.map((account) => set(token, account)))
  expect(responses.map(({ status }) => status)).toEqual(family.map(() => 200))
  const holders = await Promise.all(family.map(stored))
  expect(holders.filter((held) => held === token)).toHaveLength(1)
})

test("two accounts that exchange their phones do not get in each other's way", async () => {
  const other = await signUp(server)
  const [one, two] = [anyToken(), anyToken()]
  await agree(parent, one)
  await agree(other, two)
  for (let round = 0; round < 10; round += 1) {
    const responses = await Promise.all(
      round % 2 === 0 ? [set(two), set(one, other)] : [set(one), set(two, other)],
    )
    expect(responses.map(({ status }) => status)).toEqual([200, 200])
  }
  // The second caller took the token that the first had just given up; nobody holds two, no token is held twice.
  const held = [await stored(parent), await stored(other)].filter(Boolean)
  expect(new Set(held).size).toBe(held.length)
})

test('it goes with sign-out', async () => {
  await agree()
  await server.post('/api/v1/alpha/auth/signout', { token: parent.token, json: {} })
  expect(await stored(parent)).toBeUndefined()
})

test('it goes with the account', async () => {
  await agree()
  await server.delete('/api/v1/beta/user/root-user', { token: parent.token })
  expect(await stored(parent)).toBeUndefined()
})
