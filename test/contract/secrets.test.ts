import { decryptRow } from '@companion/server/encrypted-columns/encrypted-tables.ts'
import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { beforeAll, describe, expect, test } from 'vitest'
import { addChild, anyPhone, signIn, signUpBody, smsCode } from '../support/family.ts'
import type { TestResponse } from '../support/client.ts'
import { answerConfirmation, confirmationToken } from '../support/outside/mailbox.ts'
import { useServer } from '../support/server.ts'

const server = useServer({ RATE_LIMITS: 'on', TRUST_PROXY: '1' })

const canary = (name: string) => `${name}-${randomUUID()}`

/** Values that must neither be logged nor kept. */
const secrets: Record<string, string> = {
  password: canary('Pass'),
  'a later password': canary('Later'),
  'a reset password': canary('Reset'),
  'a wrong password': canary('Wrong'),
  'an idempotency key': canary('Key'),
  'a foreign refresh token': canary('Foreign'),
  'a foreign access token': canary('Access'),
}
/** Values that may be kept, but not logged; after deletion neither. */
const personal: Record<string, string> = {
  email: `${canary('parent')}@example.com`,
  phone: anyPhone(),
  name: canary('Jiyoung'),
  child: canary('Mina'),
  push: canary('push-token'),
}
const ADDRESS = '203.0.113.99'

const keep = (name: string, value: unknown): string => {
  if (typeof value !== 'string' || value.length < 6) throw new Error(`${name} is ${JSON.stringify(value)}`)
  secrets[name] = value
  return value
}

const succeed = (response: TestResponse): any => {
  if (response.status !== 200) throw new Error(`${response.status} ${JSON.stringify(response.body)}`)
  return response.body
}

/** Every row of every table as text; binary columns as PostgreSQL prints them, in hex. */
/** All that is stored, decrypted. */
async function dump(): Promise<string> {
  const { pool, keyRing } = server.database
  const { rows: tables } = await pool.query(
    `SELECT relname AS name FROM pg_class
     WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition`,
  )
  const contents = await Promise.all(
    tables.map(async ({ name }) => {
      const { rows } = await pool.query(`SELECT to_jsonb(t) AS row FROM ${name} t`)
      return rows.map(({ row }) => JSON.stringify(decryptRow(keyRing, name, row)))
    }),
  )
  return contents.flat().join('\n')
}

const forms = (secret: string) => [
  secret,
  Buffer.from(secret).toString('hex'),
  Buffer.from(secret).toString('base64').replace(/=+$/, ''),
  encodeURIComponent(secret),
]

/** The names of those values that stand in `text` in any form. */
const found = (values: Record<string, string>, text: string) =>
  Object.entries(values).flatMap(([name, value]) =>
    forms(value).some((form) => text.includes(form)) ? [name] : [],
  )

let refused = ''

beforeAll(async () => {
  const { email = '', phone = '', name = '', child = '', push = '' } = personal
  const { password = '' } = secrets
  const headers = { 'x-forwarded-for': ADDRESS }
  const post = (path: string, json: unknown, token?: string) =>
    server.post(path, { json, headers, ...(token === undefined ? {} : { token }) })

  const validnum = keep('the SMS code', await smsCode(server, phone))
  const verification = succeed(await post('/api/v1/alpha/auth/phone-number-validation', { phone, validnum }))
  const validToken = keep('the valid_token', verification.valid_token)
  const account = { ...signUpBody(phone, email), first_name: name, password }

  // An error of PostgreSQL names the row in its details.
  await server.database.pool.query(
    'ALTER TABLE root_user ADD CONSTRAINT refuse CHECK (first_name = lower(email))',
  )
  const failed = await post('/api/v1/alpha/auth/email/signup', account, validToken)
  refused = failed.body.detail
  await server.database.pool.query('ALTER TABLE root_user DROP CONSTRAINT refuse')

  const session = succeed(await post('/api/v1/alpha/auth/email/signup', account, validToken))
  keep('the first access token', session.access_token)
  keep('the first refresh token', session.refresh_token)
  await signIn(server, email, secrets['a wrong password'])
  const second = succeed(await signIn(server, email, password))
  keep('the second refresh token', second.refresh_token)
  const third = succeed(
    await server.post('/api/v1/alpha/auth/refresh-token', {
      json: { refresh_token: second.refresh_token },
      headers: { ...headers, 'idempotency-key': secrets['an idempotency key'] ?? '' },
    }),
  )
  keep('the third access token', third.access_token)
  keep('the third refresh token', third.refresh_token)
  await post('/api/v1/alpha/auth/refresh-token', { refresh_token: secrets['a foreign refresh token'] })
  await server.get('/api/v1/beta/user/me', { token: secrets['a foreign access token'] ?? '', headers })

  // Where a careless log would pick secrets up: query, unknown path, broken and invalid bodies, tRPC.
  await server.get('/api/v1/beta/user/me', { query: { token: third.access_token, password, email }, headers })
  await server.get(`/reset/${encodeURIComponent(password)}/${encodeURIComponent(email)}`, { headers })
  await server.post('/api/v1/alpha/auth/email/signup', {
    token: third.access_token,
    body: `{"email":"${email}","password":"${password}`,
    headers: { ...headers, 'content-type': 'application/json' },
  })
  await post('/api/v1/alpha/auth/email/signup', { ...account, password: [password], phone: name }, validToken)
  await post('/trpc/auth.signIn', { username: email, password })
  await post('/trpc/auth.signIn', { username: email, password: [password] })

  const other = succeed(await signIn(server, email, password))
  const changed = succeed(
    await post(
      '/api/v1/beta/user/change-password',
      { current_password: password, new_password: secrets['a later password'] },
      other.access_token,
    ),
  )
  keep('the access token after the change', changed.access_token)
  const confirmation = keep('the confirmation token', await confirmationToken(server, email))
  succeed(await answerConfirmation(server, confirmation, true))
  succeed(await post('/api/v1/alpha/auth/email/password-reset', { email }))
  const mail = (await server.outbox()).findLast(({ channel, to }) => channel === 'email' && to === email)
  const resetToken = keep('the reset token', /[\w.-]{20,}$/.exec(mail?.['link'] ?? '')?.[0])
  succeed(
    await post('/api/v1/alpha/auth/email/password-reset/confirm', {
      token: resetToken,
      password: secrets['a reset password'],
    }),
  )
  const last = succeed(await signIn(server, email, secrets['a reset password']))
  keep('the last access token', last.access_token)
  const { real_user_id } = await addChild(server, last.access_token)
  await server.patch(`/api/v1/beta/user/real-user/${real_user_id}`, {
    token: last.access_token,
    json: { id: real_user_id, first_name: child },
  })
  await server.patch('/api/v1/beta/user/policy', {
    token: last.access_token,
    json: { is_push_agree: true, push_token: push },
  })
})

test('the story has run', () => {
  expect(refused).toBe('Failed to sign up user')
  expect(Object.keys(secrets).length).toBeGreaterThan(15)
})

describe('secrets', () => {
  test('stand in no table', async () => {
    const text = await dump()
    // It is a dump indeed.
    expect(found(personal, text)).toEqual(Object.keys(personal))
    expect(found(secrets, text)).toEqual([])
  })

  test('stand in no log', () => {
    expect(server.log().split('\n').length).toBeGreaterThan(20)
    expect(found(secrets, server.log())).toEqual([])
  })
})

describe('personal data', () => {
  test('stands in no log, nor does the address of the caller', () => {
    expect(found({ ...personal, address: ADDRESS }, server.log())).toEqual([])
  })

  test('stands in no log of PostgreSQL, which names the constraint that refused a row', async () => {
    const { rows } = await server.database.pool.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')
    const written = await readFile(`/proc/${rows[0]?.pid}/fd/2`, 'utf8')
    expect(written).toContain('violates check constraint "refuse"')
    expect(found({ ...personal, ...secrets }, written)).toEqual([])
  })

  test('is gone with the account', async () => {
    const { body } = await signIn(server, personal['email'] ?? '', secrets['a reset password'])
    const { status } = await server.delete('/api/v1/beta/user/root-user', { token: body.access_token })
    expect(status).toBe(200)
    expect(found(personal, await dump())).toEqual([])
  })
})
