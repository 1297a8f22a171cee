import { expect, test } from 'vitest'
import { addClinician } from '../../support/clinicians.ts'
import { newClinic } from '../../support/clinics.ts'
import { companion } from '../../support/command.ts'
import { anyEmail, anyPhone, PASSWORD, signIn, signUp, signUpBody, validToken } from '../../support/family.ts'
import { answerConfirmation, confirmationToken } from '../../support/outside/mailbox.ts'
import { useOpenIdProvider } from '../../support/outside/openid.ts'
import { startServer, useServer } from '../../support/server.ts'
import { SOCIAL_SIGN_UP, socialClaims, socialSignIn, socialSignUp } from '../../support/outside/social.ts'

const provider = useOpenIdProvider()
const server = useServer(() => ({
  SOCIAL_PROVIDERS: JSON.stringify([
    ...JSON.parse(provider.configuration),
    { name: 'away', issuer: 'http://127.0.0.1:1', client_ids: ['any'] },
  ]),
}))

const change = (token: string, json: object, at = server) =>
  at.post('/api/v1/beta/user/change-email', { token, json })
const me = async (token: string) => (await server.get('/api/v1/beta/user/me', { token })).body
const mailsTo = async (address: string) => (await server.outbox()).filter(({ to }) => to === address)

test('the address changes when the page of the new one is confirmed; the old one is told, and sessions stay', async () => {
  const account = await signUp(server)
  const email = anyEmail()
  expect(await change(account.token, { email, password: PASSWORD })).toMatchObject({
    status: 200,
    body: { statusCode: 200, message: 'Confirmation email sent to the new address' },
  })
  expect((await mailsTo(account.email)).at(-1)?.['subject']).toBe(
    'Companion 계정의 이메일 주소 변경이 요청되었습니다',
  )
  expect((await signIn(server, email)).status).toBe(404)
  await answerConfirmation(server, await confirmationToken(server, email), true)
  expect((await signIn(server, email)).body.id).toBe(account.id)
  expect((await signIn(server, account.email)).status).toBe(404)
  expect(await me(account.token)).toMatchObject({ is_email_confirmed: true })
})

test('a stranger who got the link for a change by mistake changes nothing by refusing it', async () => {
  const account = await signUp(server)
  const email = anyEmail()
  await change(account.token, { email, password: PASSWORD })
  await answerConfirmation(server, await confirmationToken(server, email), false)
  expect((await signIn(server, account.email)).body.id).toBe(account.id)
})

test('each way to ask wrongly is refused, and sends nothing', async () => {
  const account = await signUp(server)
  const other = await signUp(server)
  const gone = await signUp(server)
  await server.delete('/api/v1/beta/user/root-user', { token: gone.token })
  const before = (await server.outbox()).length
  const cases = [
    [{ email: anyEmail(), password: 'not the password' }, 400, 'Password is invalid'],
    [{ email: 'mum@gmail', password: PASSWORD }, 400, 'Email is not valid'],
    [{ email: other.email.toUpperCase(), password: PASSWORD }, 409, 'Same email is already registered'],
    [{ email: gone.email, password: PASSWORD }, 409, 'Same email is already registered'],
    [{ email: account.email, password: PASSWORD }, 409, 'Same email is already registered'],
  ] as const
  for (const [json, status, detail] of cases)
    expect({ json, ...(await change(account.token, json)) }).toMatchObject({ status, body: { detail } })
  expect(await change(account.token, { email: anyEmail() })).toMatchObject({
    status: 422,
    body: { detail: [{ loc: ['body', 'password'] }] },
  })
  expect((await server.outbox()).length).toBe(before)
})

test('limits: 10 wrong passwords in 15 minutes, 3 mails an hour; a mail that fails is told', async () => {
  const limited = await startServer({ RATE_LIMITS: 'on' })
  const { token } = await signUp(limited)
  const statuses: number[] = []
  for (let n = 0; n < 4; n++)
    statuses.push((await change(token, { email: anyEmail(), password: PASSWORD }, limited)).status)
  expect(statuses).toEqual([200, 200, 200, 429])
  const guesser = await signUp(limited)
  for (let n = 0; n < 10; n++) await change(guesser.token, { email: anyEmail(), password: 'x' }, limited)
  expect((await change(guesser.token, { email: anyEmail(), password: PASSWORD }, limited)).status).toBe(429)
  const silent = await startServer({
    SMTP_URL: 'smtp://127.0.0.1:1',
    MAIL_FROM: 'a@example.com',
    PUBLIC_URL: 'https://companion.example',
  })
  const account = await signUp(silent)
  expect(await change(account.token, { email: anyEmail(), password: PASSWORD }, silent)).toMatchObject({
    status: 500,
    body: { detail: 'Email send failed' },
  })
})

test('an account without a password proves itself by a fresh ID token of its own identity', async () => {
  const claims = socialClaims(provider)
  const { body } = await socialSignUp(server, await provider.forge(claims))
  const token = body.access_token
  const email = anyEmail()
  const forged = (more: object) => provider.forge({ ...claims, ...more })
  const hourAgo = Math.floor(Date.now() / 1000) - 3600
  const proofs = {
    stranger: await forged({ sub: 'somebody else' }),
    old: await forged({ iat: hourAgo, exp: hourAgo + 7200 }),
    wrong: 'no token',
  }
  for (const [name, id_token] of Object.entries(proofs))
    expect({ name, ...(await change(token, { email, provider: 'example', id_token })) }).toMatchObject({
      status: 401,
      body: { detail: 'Could not validate credentials' },
    })
  expect(await change(token, { email, provider: 'away', id_token: await forged({}) })).toMatchObject({
    status: 503,
    body: { detail: 'Sign-in provider is not available' },
  })
  for (const json of [{ email }, { email, provider: 'example' }, { email, password: PASSWORD }])
    expect((await change(token, json)).status).toBe(422)
  expect(await change(token, { email, provider: 'example', id_token: await forged({}) })).toMatchObject({
    status: 200,
  })
  await answerConfirmation(server, await confirmationToken(server, email), true)
  expect(await me(token)).toMatchObject({ is_email_confirmed: true })
})

test('what a provider has not verified is a contact address: it reserves nothing, and nobody is found by it', async () => {
  for (const claims of [
    {},
    { email: anyEmail(), email_verified: true },
    { email: 'x', email_verified: false },
  ]) {
    const person = anyEmail()
    const made = await socialSignUp(server, await provider.forge(socialClaims(provider, claims)), {
      email: person,
    })
    expect(made.status).toBe(200)
    expect(await me(made.body.access_token)).toMatchObject({ is_email_confirmed: false })
    expect(
      await server.post('/api/v1/alpha/auth/email/password-reset', { json: { email: person } }),
    ).toMatchObject({ status: 404 })
    expect((await signUp(server, { email: person })).id).not.toBe(made.body.id)
  }
})

test('a social sign-up takes a phone number in one spelling too', async () => {
  const spelling = `+820${anyPhone().slice(3)}`
  const token = await validToken(server, anyPhone())
  const { password: _password, ...body } = signUpBody(spelling)
  const id_token = await provider.forge(socialClaims(provider))
  expect(
    await server.post(SOCIAL_SIGN_UP, {
      token,
      json: { ...body, register_type: 'S', provider: 'example', id_token },
    }),
  ).toMatchObject({ status: 400, body: { detail: 'Phone number is invalid' } })
})

test('what a provider has verified is proven at once', async () => {
  const email = anyEmail()
  const claims = socialClaims(provider, { email: email.toUpperCase(), email_verified: true })
  const made = await socialSignUp(server, await provider.forge(claims), { email })
  expect(await me(made.body.access_token)).toMatchObject({ is_email_confirmed: true })
  expect(await mailsTo(email)).toEqual([])
  expect(await server.post('/api/v1/alpha/auth/email/password-reset', { json: { email } })).toMatchObject({
    status: 400,
    body: { detail: 'User signed up using a social account' },
  })
  expect((await socialSignIn(server, await provider.forge(claims))).body.id).toBe(made.body.id)
})

test('an operator sets another address, which nobody has proven; both addresses are told', async () => {
  const account = await signUp(server)
  const other = await signUp(server)
  const email = anyEmail()
  // The reader of the mail has said that the address is not theirs.
  await answerConfirmation(server, await confirmationToken(server, account.email), false)
  expect(await me(account.token)).toMatchObject({ need_personal_info_update: true })
  const run = (id: number, address: string) =>
    companion(server, 'account', 'change-email', String(id), '--email', address, '--as', 'Kim')
  expect(await run(account.id, email)).toMatchObject({ code: 0 })
  expect((await signIn(server, email)).body.id).toBe(account.id)
  expect(await me(account.token)).toMatchObject({
    email,
    is_email_confirmed: false,
    need_personal_info_update: false,
  })
  const { rows } = await server.database.pool.query(
    `SELECT operator FROM security_record WHERE root_user_id = $1 AND action = 'email_change'`,
    [account.id],
  )
  expect(rows).toEqual([{ operator: 'Kim' }])
  const clinician = await addClinician(server, (await newClinic(server)).clinic_id)
  for (const [id, address, said] of [
    [clinician.id, anyEmail(), 'There is no account of a parent with this id'],
    [account.id, 'mum@gmail', 'This is not an e-mail address'],
    [account.id, other.email, 'Another account has this e-mail address'],
    [2_000_000_000, anyEmail(), 'There is no account of a parent with this id'],
  ] as const)
    expect(await run(id, address)).toMatchObject({ code: 1, said: expect.stringContaining(said) })
})
