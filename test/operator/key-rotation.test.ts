import { randomBytes } from 'node:crypto'
import { expect, onTestFinished, test } from 'vitest'
import { cloneDatabase } from '../support/database.ts'
import { addChild, anyPhone, signIn, signUp, signUpBody, smsCode, validToken } from '../support/family.ts'
import { startServer } from '../support/server.ts'
import type { TestServer } from '../support/server.ts'

const OLD = 'the secret that the service was started with'
const NEW = 'the secret that takes its place when the time has come'
const old = { TOKEN_SECRET: OLD }
/** The steps of a change, see docs/operations/secrets.md; processes of neighbouring steps run side by side. */
const prepared = { TOKEN_SECRET: OLD, TOKEN_SECRET_PREVIOUS: NEW, HASH_SECRET: OLD }
const changed = { TOKEN_SECRET: NEW, TOKEN_SECRET_PREVIOUS: OLD, HASH_SECRET: OLD }
const done = { TOKEN_SECRET: NEW, HASH_SECRET: OLD }

/** Servers of two configurations on one database. */
async function servers(one: Record<string, string>, other: Record<string, string>) {
  const cloned = await cloneDatabase()
  const running = await Promise.all([startServer(one, cloned.url), startServer(other, cloned.url)])
  onTestFinished(async () => {
    await Promise.all(running.map((each) => each.stop()))
    await cloned.drop()
  })
  return running
}

const me = (server: TestServer, token: string) => server.get('/api/v1/beta/user/me', { token })
const refresh = (server: TestServer, refresh_token: string, key: string = crypto.randomUUID()) =>
  server.post('/api/v1/alpha/auth/refresh-token', {
    json: { refresh_token },
    headers: { 'idempotency-key': key },
  })

test.each([
  ['old', old, 'prepared', prepared],
  ['prepared', prepared, 'changed', changed],
  ['changed', changed, 'done', done],
])(
  'what a service gives that is %s, one accepts that is %s, and the other way round',
  async (_a, one, _b, next) => {
    const [first, second] = await servers(one, next)
    for (const [giver, taker] of [
      [first, second],
      [second, first],
    ] as const) {
      const parent = await signUp(giver)
      expect((await me(taker, parent.token)).status).toBe(200)
      const refreshed = await refresh(taker, parent.refreshToken)
      expect(refreshed.status).toBe(200)
      expect((await refresh(giver, refreshed.body.refresh_token)).status).toBe(200)
      const phone = anyPhone()
      const json = signUpBody(phone)
      const token = await validToken(giver, phone)
      expect((await taker.post('/api/v1/alpha/auth/email/signup', { token, json })).status).toBe(200)
    }
  },
)

test('an answer that was lost in between is repeated as it was, and its tokens work', async () => {
  const [before, after] = await servers(prepared, changed)
  for (const [one, other] of [
    [before, after],
    [after, before],
  ] as const) {
    const parent = await signUp(before)
    const key = crypto.randomUUID()
    const first = await refresh(one, parent.refreshToken, key)
    const again = await refresh(other, parent.refreshToken, key)
    expect(again.body.refresh_token).toBe(first.body.refresh_token)
    expect((await refresh(other, again.body.refresh_token)).status).toBe(200)
  }
})

test('codes, deleted accounts and known addresses outlive the change', async () => {
  const [before, after] = await servers(old, done)
  const phone = anyPhone()
  const validnum = await smsCode(before, phone)
  const verified = await after.post('/api/v1/alpha/auth/phone-number-validation', {
    json: { phone, validnum },
  })
  expect(verified.status).toBe(200)
  const parent = await signUp(before)
  await addChild(before, parent.token)
  expect((await before.delete('/api/v1/beta/user/root-user', { token: parent.token })).status).toBe(200)
  expect((await signIn(after, parent.email)).status).toBe(410)
  const again = await after.post('/api/v1/alpha/auth/phone-number-validation', {
    json: { phone: parent.phone, validnum: await smsCode(after, parent.phone) },
  })
  expect(again).toMatchObject({ status: 403, body: { detail: 'User previously deleted' } })
  const { email } = await signUp(before)
  expect((await signIn(after, email)).status).toBe(200)
  const { rows } = await after.database.pool.query(
    'SELECT count(*)::int FROM known_ip_address GROUP BY root_user_id',
  )
  expect(new Set(rows.map(({ count }) => count))).toEqual(new Set([1]))
})

test('a start with another secret of the hashes is refused by its name', async () => {
  const DATA_KEYS = `key1:${randomBytes(32).toString('base64')}`
  const [before] = await servers({ ...old, DATA_KEYS }, { ...old, DATA_KEYS })
  const other = { TOKEN_SECRET: OLD, HASH_SECRET: NEW, DATA_KEYS }
  await expect(startServer(other, before?.databaseUrl)).rejects.toThrow(
    'HASH_SECRET: e-mail addresses and phone numbers in the database are looked up by hashes that were made with another one',
  )
})

test('once the change is done the old secret opens nothing', async () => {
  const [before, after] = await servers(old, done)
  const parent = await signUp(before)
  expect(await me(after, parent.token)).toMatchObject({
    status: 401,
    body: { detail: 'Could not validate credentials' },
  })
  expect(await refresh(after, parent.refreshToken)).toMatchObject({ status: 401 })
  expect((await signIn(after, parent.email)).status).toBe(200)
})
