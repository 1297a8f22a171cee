import { emailConditionSql } from '@companion/server/encrypted-columns/lookup.ts'
import { expect, test } from 'vitest'
import { companion } from '../../support/command.ts'
import { anyEmail, anyPhone, signIn, signUp, signUpBody, smsCode, validToken } from '../../support/family.ts'
import { confirmReset, resetToken } from '../../support/outside/mailbox.ts'
import { useServer } from '../../support/server.ts'
import { temporaryFile } from '../../support/temporary-file.ts'

const server = useServer()
const HEAD = 'email,phone,first_name,birthdate,gender,national_code'

/** Runs `companion account import` on a file of these lines. */
async function importLines(lines: string[], head = HEAD) {
  const file = await temporaryFile('accounts.csv', [head, ...lines].join('\n'))
  const { code, out, said } = await companion(server, 'account', 'import', file, '--json')
  return { code, said, result: out ? JSON.parse(out) : undefined }
}

const whole = (email: string, phone: string) => `${email},${phone},Kim Jiyoung,19850401,F,KR`
const bare = (email: string, phone = '') => `${email},${phone},,,,`

const signUpAs = async (phone: string, email: string) =>
  server.post('/api/v1/alpha/auth/email/signup', {
    token: await validToken(server, phone),
    json: signUpBody(phone, email),
  })

const NEW = 'a brand new password'

test('a whole account waits for its phone alone: a mail sets the password, a code lets it in', async () => {
  const [email, phone] = [anyEmail(), anyPhone()]
  expect(await importLines([whole(email, phone)])).toMatchObject({
    code: 0,
    result: { added: 1, bad_lines: [] },
  })
  expect(await signIn(server, email)).toMatchObject({ status: 400, body: { detail: 'Password is invalid' } })
  await confirmReset(server, await resetToken(server, email), NEW)
  expect(await signIn(server, email, NEW)).toMatchObject({
    status: 403,
    body: { detail: 'SMS verification required' },
  })
  await validToken(server, phone)
  const { status, body } = await signIn(server, email, NEW)
  expect(status).toBe(200)
  const me = () => server.get('/api/v1/beta/user/me', { token: body.access_token })
  expect((await me()).body).toMatchObject({
    phone,
    first_name: 'Kim Jiyoung',
    need_personal_info_update: true,
  })
  await server.patch('/api/v1/beta/user/root-user', {
    token: body.access_token,
    json: { birthdate: '19850402' },
  })
  expect((await me()).body).toMatchObject({ need_personal_info_update: false })
})

test('an account with something missing is completed by signing up', async () => {
  const [email, phone] = [anyEmail(), anyPhone()]
  await importLines([bare(email, phone)])
  await confirmReset(server, await resetToken(server, email), NEW)
  expect(await signIn(server, email, NEW)).toMatchObject({
    status: 401,
    body: { detail: 'Sign-up not completed' },
  })
  const { sql } = server.database
  const imported = await sql
    .selectFrom('root_user')
    .select('id')
    .where(emailConditionSql(server.database.keyRing, email))
    .executeTakeFirst()
  const { status, body } = await signUpAs(phone, email)
  expect({ status, id: body.id }).toEqual({ status: 200, id: imported?.id })
  expect((await signIn(server, email)).status).toBe(200)
  expect((await signIn(server, email, NEW)).status).toBe(400)
  const me = await server.get('/api/v1/beta/user/me', { token: body.access_token })
  expect(me.body.need_personal_info_update).toBe(false)
})

test('it belongs to the person who holds its phone, under any e-mail', async () => {
  const [old, email, phone] = [anyEmail(), anyEmail(), anyPhone()]
  await importLines([whole(old, phone)])
  expect((await signUpAs(phone, email)).status).toBe(200)
  expect((await signIn(server, email)).status).toBe(200)
  expect((await signIn(server, old)).status).toBe(404)
})

test('nobody gets it by its e-mail alone, unless no phone was known', async () => {
  const [known, unknown] = [anyEmail(), anyEmail()]
  await importLines([whole(known, anyPhone()), bare(unknown)])
  expect(await signUpAs(anyPhone(), known)).toMatchObject({
    status: 409,
    body: { detail: 'Same email is already registered' },
  })
  expect((await signUpAs(anyPhone(), unknown)).status).toBe(200)
})

test('10 sign-ups at once complete it once', async () => {
  const phone = anyPhone()
  await importLines([bare(anyEmail(), phone)])
  const tokens = []
  for (let n = 0; n < 10; n += 1) tokens.push(await validToken(server, phone))
  const responses = await Promise.all(
    tokens.map((token) => server.post('/api/v1/alpha/auth/email/signup', { token, json: signUpBody(phone) })),
  )
  expect(responses.filter(({ status }) => status === 200)).toHaveLength(1)
  expect(responses.filter(({ body }) => body.detail === 'Token is invalid')).toHaveLength(9)
})

test('completing by e-mail with a phone that has been taken is refused like any sign-up', async () => {
  const [email, phone] = [anyEmail(), anyPhone()]
  await importLines([bare(email)])
  const [token, other] = [await validToken(server, phone), await validToken(server, phone)]
  const post = (bearer: string, json: object) =>
    server.post('/api/v1/alpha/auth/email/signup', { token: bearer, json })
  expect((await post(other, signUpBody(phone))).status).toBe(200)
  expect(await post(token, signUpBody(phone, email))).toMatchObject({
    status: 401,
    body: { detail: 'Token is invalid' },
  })
})

test('with the phone of one and the e-mail of another account, nothing is mixed up', async () => {
  const other = await signUp(server)
  const phone = anyPhone()
  await importLines([bare(anyEmail(), phone)])
  expect(await signUpAs(phone, other.email)).toMatchObject({
    status: 409,
    body: { detail: 'Same email is already registered' },
  })
})

test('a blocked one stays blocked', async () => {
  const [email, phone] = [anyEmail(), anyPhone()]
  await importLines([bare(email, phone)])
  await companion(server, 'account', 'block', email)
  expect(await signUpAs(phone, email)).toMatchObject({ status: 401, body: { detail: 'Token is invalid' } })
})

test('once its phone is verified, the phone is registered', async () => {
  const [email, phone] = [anyEmail(), anyPhone()]
  await importLines([whole(email, phone)])
  await validToken(server, phone)
  expect(await server.post('/api/v1/alpha/auth/send-sms-auth', { json: { phone } })).toMatchObject({
    status: 409,
    body: { detail: 'Phone number is already registered' },
  })
  expect(await smsCode(server, phone, 'recovery')).toMatch(/^\d{6}$/)
})

test('importing again changes nothing, and bad lines are told and left out', async () => {
  const [email, phone] = [anyEmail(), anyPhone()]
  const existing = await signUp(server)
  const gone = await signUp(server)
  await server.delete('/api/v1/beta/user/root-user', { token: gone.token })
  const lines = [
    whole(email, phone),
    whole(existing.email, anyPhone()),
    whole(anyEmail(), existing.phone),
    whole(gone.email, anyPhone()),
    whole(anyEmail(), gone.phone),
    bare('no address'),
    bare(anyEmail(), '01012345678'),
  ]
  const reasons = [
    { line: 4, reason: 'another account has this phone' },
    { line: 5, reason: 'the account holder has deleted this account' },
    { line: 6, reason: 'the account holder has deleted this account' },
    { line: 7, reason: 'email must be an e-mail address' },
    { line: 8, reason: expect.stringContaining('phone must be a phone number') },
  ]
  expect(await importLines(lines)).toMatchObject({
    code: 1,
    result: { added: 1, existing: 1, bad_lines: reasons },
  })
  expect(await importLines(lines)).toMatchObject({
    code: 1,
    result: { added: 0, existing: 2, bad_lines: reasons },
  })
  expect((await signIn(server, existing.email)).status).toBe(200)
})

test('a file that is none is told in one line', async () => {
  expect(await companion(server, 'account', 'import', '/nowhere.csv')).toMatchObject({
    code: 1,
    said: '/nowhere.csv cannot be used: there is no such file or folder\n',
  })
  expect(await importLines([], 'name,phone')).toMatchObject({
    code: 1,
    said: expect.stringMatching(/accounts\.csv has no column email\n$/),
  })
})

test('a file that Korean Excel wrote in its own encoding is refused as a whole, and names the line', async () => {
  const name = Uint8Array.of(0xb1, 0xe8, 0xc3, 0xb6, 0xbc, 0xf6)
  const email = anyEmail()
  const bytes = Buffer.concat([Buffer.from(`email,first_name\n${email},Kim\n${anyEmail()},`), name])
  const file = await temporaryFile('accounts.csv', bytes)
  expect(await companion(server, 'account', 'import', file)).toMatchObject({
    code: 1,
    said: `${file} is not UTF-8 in line 3; nothing was taken\n`,
  })
  expect((await companion(server, 'account', 'show', email)).code).toBe(1)
})
