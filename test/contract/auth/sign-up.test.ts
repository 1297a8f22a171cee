import { decryptRow } from '@companion/server/encrypted-columns/encrypted-tables.ts'
import { emailConditionSql, phoneConditionSql } from '@companion/server/encrypted-columns/lookup.ts'
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { anyEmail, anyPhone, PASSWORD, signIn, signUp, signUpBody, validToken } from '../../support/family.ts'
import { claimsFor, foreignKeys, ourKeys, signedWith, unsigned } from '../../support/forged-tokens.ts'
import { useServer } from '../../support/server.ts'
import { tally } from '../../support/response-tally.ts'

const server = useServer()

const submit = (token: string | undefined, json: Record<string, unknown>) =>
  server.post('/api/v1/alpha/auth/email/signup', { ...(token === undefined ? {} : { token }), json })

async function rowOf(email: string) {
  const { sql, keyRing } = server.database
  const account = sql.selectFrom('root_user').selectAll().where(emailConditionSql(keyRing, email))
  const row = await account.executeTakeFirst()
  return row && decryptRow(keyRing, 'root_user', row)
}

const error = (status: number, detail: string) => ({ status, body: { detail } })
const tokenIsInvalid = error(401, 'Token is invalid')
const sameEmail = error(409, 'Same email is already registered')

afterEach(() => {
  vi.useRealTimers()
})
const wait = (milliseconds: number) => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + milliseconds })
}

test('makes an active account and signs it in', async () => {
  const [phone, email] = [anyPhone(), anyEmail()]
  const { status, body } = await submit(await validToken(server, phone), {
    ...signUpBody(phone, email),
    is_push_agree: true,
    is_marketing_agree: 0,
  })
  expect(status).toBe(200)
  expect(body).toEqual({
    access_token: expect.any(String),
    refresh_token: expect.any(String),
    expires_in: 900,
    refresh_expires_in: 1_209_600,
    token_type: 'bearer',
    id: expect.any(Number),
  })
  expect(await rowOf(email)).toMatchObject({
    id: body.id,
    phone,
    first_name: 'Kim Jiyoung',
    last_name: '',
    birthdate: '19850401',
    gender: 'F',
    register_type: 'E',
    national_code: 'KR',
    is_phone_number_checked: true,
    is_signup_completed: true,
  })
  const policy = server.database.sql.selectFrom('policy').selectAll().where('root_user_id', '=', body.id)
  expect(await policy.executeTakeFirst()).toMatchObject({ is_push_agree: true, is_marketing_agree: false })
  const me = await server.get('/api/v1/beta/user/me', { token: body.access_token })
  expect(me).toMatchObject({ status: 200, body: { root_user_id: body.id, need_to_pwd_change: false } })
  expect((await signIn(server, email)).status).toBe(200)
})

describe('the valid_token', () => {
  test('is accepted as this test forges it, so that the cases below fail for their reason', async () => {
    const phone = anyPhone()
    expect((await submit(await signedWith(ourKeys.valid, claimsFor(phone)), signUpBody(phone))).status).toBe(
      200,
    )
  })

  test.each<[string, (phone: string) => Promise<string | undefined> | string | undefined]>([
    ['is missing', () => undefined],
    ['is empty', () => ''],
    ['is garbage', () => 'garbage'],
    ['is garbage of three parts', () => 'a.b.c'],
    ['has a NUL-like escape', () => '%00'],
    ['has no signature', (phone) => unsigned(claimsFor(phone))],
    ['is signed with another secret', (phone) => signedWith(foreignKeys.valid, claimsFor(phone))],
    ['is signed as an access token', (phone) => signedWith(ourKeys.access, claimsFor(phone))],
    ['is signed as a refresh token', (phone) => signedWith(ourKeys.refresh, claimsFor(phone))],
    ['is expired', (phone) => signedWith(ourKeys.valid, claimsFor(phone, -1))],
    ['never expires', (phone) => signedWith(ourKeys.valid, { ...claimsFor(phone), exp: undefined })],
    ['has no id', (phone) => signedWith(ourKeys.valid, { ...claimsFor(phone), jti: undefined })],
    ['names no phone', (phone) => signedWith(ourKeys.valid, { ...claimsFor(phone), sub: undefined })],
    ['is of another issuer', (phone) => signedWith(ourKeys.valid, { ...claimsFor(phone), iss: 'other' })],
    [
      'has a changed phone',
      async (phone) => {
        const [head, , signature] = (await signedWith(ourKeys.valid, claimsFor(anyPhone()))).split('.')
        return `${head}.${Buffer.from(JSON.stringify(claimsFor(phone))).toString('base64url')}.${signature}`
      },
    ],
    ['is for another phone', () => signedWith(ourKeys.valid, claimsFor(anyPhone()))],
    ['is an access token', async () => (await signUp(server)).token],
    ['is a refresh token', async () => (await signUp(server)).refreshToken],
  ])('%s', async (_name, make) => {
    const [phone, email] = [anyPhone(), anyEmail()]
    expect(await submit(await make(phone), signUpBody(phone, email))).toMatchObject(tokenIsInvalid)
    expect(await rowOf(email)).toBeUndefined()
  })

  test.each(['Basic dTpw', 'Token abc', 'Bearer', 'Bearer a b', ''])(
    'Authorization: %j',
    async (authorization) => {
      const response = await server.post('/api/v1/alpha/auth/email/signup', {
        headers: { authorization },
        json: signUpBody(anyPhone()),
      })
      expect(response).toMatchObject(tokenIsInvalid)
    },
  )

  test('is looked at before the body', async () => {
    expect(await submit(undefined, {})).toMatchObject(tokenIsInvalid)
  })

  test('lives 600 seconds', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: Math.ceil(Date.now() / 1000) * 1000 })
    const [inTime, late] = [anyPhone(), anyPhone()]
    const tokens = [await validToken(server, inTime), await validToken(server, late)]
    wait(599_000)
    expect((await submit(tokens[0], signUpBody(inTime))).status).toBe(200)
    wait(1000)
    expect(await submit(tokens[1], signUpBody(late))).toMatchObject(tokenIsInvalid)
  })

  test('is used up by a success, and by nothing else', async () => {
    const taken = await signUp(server)
    const phone = anyPhone()
    const token = await validToken(server, phone)
    expect(await submit(token, signUpBody(anyPhone()))).toMatchObject(tokenIsInvalid)
    expect((await submit(token, { ...signUpBody(phone), password: 'short' })).status).toBe(422)
    expect((await submit(token, { ...signUpBody(phone), email: 'nobody' })).status).toBe(400)
    expect(await submit(token, signUpBody(phone, taken.email))).toMatchObject(sameEmail)
    const email = anyEmail()
    expect((await submit(token, signUpBody(phone, email))).status).toBe(200)
    expect(await submit(token, signUpBody(phone, email))).toMatchObject(tokenIsInvalid)
    expect(await submit(token, signUpBody(phone))).toMatchObject(tokenIsInvalid)
  })

  test('used by 20 sign-ups at once makes one account', async () => {
    const phone = anyPhone()
    const token = await validToken(server, phone)
    const responses = await Promise.all(Array.from({ length: 20 }, () => submit(token, signUpBody(phone))))
    expect(tally(responses)).toEqual({ 200: 1, '401 Token is invalid': 19 })
  })

  test('is worth nothing once its phone has an account by another token', async () => {
    const phone = anyPhone()
    const [one, two] = [await validToken(server, phone), await validToken(server, phone)]
    const { body } = await submit(one, signUpBody(phone))
    expect(await submit(two, signUpBody(phone))).toMatchObject(tokenIsInvalid)
    await server.delete('/api/v1/beta/user/root-user', { token: body.access_token })
    expect(await submit(two, signUpBody(phone))).toMatchObject(tokenIsInvalid)
  })
})

describe('the e-mail', () => {
  test.each([
    '',
    'parent',
    'parent@',
    '@example.com',
    'a b@example.com',
    'a@b@example.com',
    'parent@example..com',
    'parent@-example.com',
    'parent@example.com ',
    'parent@example.com\0',
    'par\uD800ent@example.com',
    'Kim <parent@example.com>',
    `${'a'.repeat(250)}@example.com`,
    'a'.repeat(1000),
  ])('malformed: %j', async (email) => {
    const phone = anyPhone()
    expect(await submit(await validToken(server, phone), signUpBody(phone, email))).toMatchObject(
      error(400, 'Email is not valid'),
    )
  })

  test('is unique, in upper and lower case', async () => {
    const { email } = await signUp(server)
    const phone = anyPhone()
    const response = await submit(await validToken(server, phone), signUpBody(phone, email.toUpperCase()))
    expect(response).toMatchObject(sameEmail)
  })

  test('goes to one of 20 sign-ups at once', async () => {
    const email = anyEmail()
    const phones = Array.from({ length: 20 }, anyPhone)
    const tokens = await Promise.all(phones.map((phone) => validToken(server, phone)))
    const responses = await Promise.all(phones.map((phone, n) => submit(tokens[n], signUpBody(phone, email))))
    expect(tally(responses)).toEqual({ 200: 1, '409 Same email is already registered': 19 })
  })

  test('and the phone of a deleted account are free again after TOMBSTONE_DAYS', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    const { email, phone, token } = await signUp(server)
    await server.delete('/api/v1/beta/user/root-user', { token })
    const other = anyPhone()
    const early = await submit(await validToken(server, other), signUpBody(other, email.toUpperCase()))
    expect(early).toMatchObject(sameEmail)
    wait(365 * 86_400_000)
    const again = await signUp(server, { email, phone })
    expect((await signIn(server, email)).body.id).toBe(again.id)
  })
})

describe('the body', () => {
  const refused = async (fields: Record<string, unknown>) => {
    const phone = anyPhone()
    const json = { ...signUpBody(phone), ...fields }
    const { status, body } = await submit(await validToken(server, phone), json)
    expect({ status, places: body.detail?.map?.(({ loc }: { loc: string[] }) => loc.join('.')) }).toEqual({
      status: 422,
      places: Object.keys(fields).map((field) => `body.${field}`),
    })
    const holder = server.database.sql
      .selectFrom('root_user')
      .select('id')
      .where(phoneConditionSql(server.database.keyRing, phone))
    expect(await holder.executeTakeFirst()).toBeUndefined()
    return body.detail
  }

  test('needs every field', async () => {
    const phone = anyPhone()
    const fields = Object.keys(signUpBody(phone))
    const { status, body } = await submit(await validToken(server, phone), {})
    expect(status).toBe(422)
    const issues = body.detail.map(
      ({ type, loc }: { type: string; loc: string[] }) => `${type} ${loc.join('.')}`,
    )
    expect(new Set(issues)).toEqual(new Set(fields.map((field) => `missing body.${field}`)))
  })

  test.each([
    { first_name: '' },
    { first_name: null },
    { first_name: 'a\0b' },
    { first_name: '\uD800' },
    { first_name: '👶'.repeat(101) },
    { first_name: 'Kim\uFFFE' },
    // Nothing that a reader sees: spaces, zero-width characters, fillers, a mark alone.
    ...[' ', '\u00A0', '\u200B', '\u200D', '\u3164', '\u115F', '\u2800', '\u0301'].map((first_name) => ({
      first_name,
    })),
    { last_name: 'x'.repeat(101) },
    { last_name: null },
    { birthdate: '19850229' },
    { birthdate: '1985-04-01' },
    { birthdate: 19850401 },
    { birthdate: '29990101' },
    { gender: 'N' },
    { gender: 'f' },
    { register_type: 'X' },
    { national_code: 'kr' },
    { national_code: 'KOR' },
    // Reserved, withdrawn or left to users.
    ...['XX', 'UK', 'EU', 'XK', 'EZ', 'AN', 'SU', 'ZZ', 'QM'].map((national_code) => ({ national_code })),
    { is_push_agree: 'true', is_marketing_agree: 'false' },
    { email: 5 },
    { email: null },
  ])('with %j is refused', async (fields) => {
    expect(await refused(fields)).toHaveLength(Object.keys(fields).length)
  })

  test.each([
    '1234567',
    '비밀번호'.normalize('NFD'),
    'passwor\0',
    'passwor\uD83D',
    'x'.repeat(129),
    '🔑'.repeat(7),
    12345678,
    null,
  ])('with the password %j is refused, which is not said again', async (password) => {
    const issues = await refused({ password })
    expect(issues[0].input).toBeNull()
  })

  test.each([
    '🔑'.repeat(8),
    '밝은비밀번호열쇠'.normalize('NFD'),
    '한'.repeat(128).normalize('NFD'),
    '🔑'.repeat(128),
    ' 2345678',
    '" OR 1=1;--',
  ])('may have the password %j', async (password) => {
    const [phone, email] = [anyPhone(), anyEmail()]
    const response = await submit(await validToken(server, phone), { ...signUpBody(phone, email), password })
    expect(response.status).toBe(200)
    expect((await signIn(server, email, password)).status).toBe(200)
    expect((await signIn(server, email, `${password} `)).status).toBe(400)
  })

  test('keeps names as they are, counted in code points', async () => {
    const [phone, email] = [anyPhone(), anyEmail()]
    const names = { first_name: '👩‍👧'.repeat(33), last_name: "O'Brien <b>\\ \u200F" }
    await submit(await validToken(server, phone), { ...signUpBody(phone, email), ...names })
    expect(await rowOf(email)).toMatchObject(names)
  })
})

test('an error of the database is 500 with the documented text, and the token stays good', async () => {
  const run = (sql: string) => server.database.pool.query(sql)
  await run(`CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN RAISE EXCEPTION 'the cause nobody may see'; END $$`)
  await run('CREATE TRIGGER refuse BEFORE INSERT ON session FOR EACH ROW EXECUTE FUNCTION refuse()')
  onTestFinished(async () => {
    await run('DROP TRIGGER IF EXISTS refuse ON session')
  })
  const [phone, email] = [anyPhone(), anyEmail()]
  const token = await validToken(server, phone)
  expect(await submit(token, signUpBody(phone, email))).toMatchObject(error(500, 'Failed to sign up user'))
  expect(await rowOf(email)).toBeUndefined()
  expect(server.log()).toContain('the cause nobody may see')
  for (const secret of [email, phone, PASSWORD]) expect(server.log()).not.toContain(secret)
  await run('DROP TRIGGER refuse ON session')
  expect((await submit(token, signUpBody(phone, email))).status).toBe(200)
})
