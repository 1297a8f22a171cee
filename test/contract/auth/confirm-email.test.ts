import { expect, onTestFinished, test, vi } from 'vitest'
import {
  anyEmail,
  anyPhone,
  PASSWORD,
  signIn,
  signUp,
  signUpBody,
  smsCode,
  validToken,
} from '../../support/family.ts'
import {
  answerConfirmation,
  confirmationToken,
  confirmReset,
  lastLink,
} from '../../support/outside/mailbox.ts'
import { startServer, useServer } from '../../support/server.ts'
import { tally } from '../../support/response-tally.ts'

const server = useServer()
const NEW = 'a brand new password'
const invalid = { status: 400, body: { detail: 'Confirmation token is invalid' } }
const wrongCode = { status: 400, body: { detail: 'Validation code is invalid' } }

const me = async (token: string) => (await server.get('/api/v1/beta/user/me', { token })).body

/** A reset mail for an account whose address is as it is; the token in it. */
async function mailedReset(email: string): Promise<string> {
  expect(await server.post('/api/v1/alpha/auth/email/password-reset', { json: { email } })).toMatchObject({
    status: 200,
  })
  return (await lastLink(server, email, '/reset-password')).searchParams.get('token') ?? ''
}

test('sign-up sends a link, and its button proves the address; it works once', async () => {
  const { email, token } = await signUp(server)
  expect(await me(token)).toMatchObject({ is_email_confirmed: false, need_personal_info_update: false })
  const link = await confirmationToken(server, email)
  expect(await answerConfirmation(server, link, true)).toMatchObject({
    status: 200,
    body: { statusCode: 200, message: 'Email address confirmed' },
  })
  expect(await me(token)).toMatchObject({ is_email_confirmed: true })
  expect(await answerConfirmation(server, link, true)).toMatchObject(invalid)
  expect(await answerConfirmation(server, link, false)).toMatchObject(invalid)
  expect(await answerConfirmation(server, 'none', true)).toMatchObject(invalid)
})

test('a scanner that opens the link proves nothing', async () => {
  const { email, token } = await signUp(server)
  const { pathname, search } = await lastLink(server, email, '/confirm-email')
  for (const method of ['GET', 'HEAD', 'GET'])
    expect((await fetch(`${server.url}${pathname}${search}`, { method })).status).toBe(200)
  expect(await me(token)).toMatchObject({ is_email_confirmed: false })
})

test('the page asks in both languages, and does what its buttons say', async () => {
  const [kept, rejected] = [await signUp(server), await signUp(server)]
  const page = async (email: string) => {
    const { pathname, search, searchParams } = await lastLink(server, email, '/confirm-email')
    const press = (is_mine: string) =>
      server.post(pathname, { form: { token: searchParams.get('token') ?? '', is_mine } })
    return { path: `${pathname}${search}`, press }
  }
  const first = await page(kept.email)
  expect((await server.get(first.path, { headers: { 'accept-language': 'ko' } })).body).toContain(
    '본인의 이메일 주소가 맞나요?',
  )
  expect((await server.get(first.path)).body).toContain('Is this address yours?')
  expect(await first.press('perhaps')).toMatchObject({ status: 200 })
  expect((await first.press('true')).body).toContain('Your address is confirmed')
  // A second click is answered as the first; another answer comes too late.
  expect((await first.press('true')).body).toContain('Your address is confirmed')
  expect(await first.press('false')).toMatchObject({ status: 410 })
  expect(await me(kept.token)).toMatchObject({ is_email_confirmed: true })

  const second = await page(rejected.email)
  expect((await second.press('false')).body).toContain('The address is not used')
  expect(await me(rejected.token)).toMatchObject({ is_email_confirmed: false })
  expect((await signIn(server, rejected.email)).status).toBe(404)
  expect(await server.put('/confirm-email')).toMatchObject({ status: 405 })
})

test('a stranger whose address was given frees it; the account lives on and sets another', async () => {
  const account = await signUp(server)
  expect(
    await answerConfirmation(server, await confirmationToken(server, account.email), false),
  ).toMatchObject({ status: 200, body: { message: 'Email address removed from the account' } })
  expect(await signIn(server, account.email)).toMatchObject({ status: 404 })
  const freed = { email: null, is_email_confirmed: false, need_personal_info_update: true }
  expect(await me(account.token)).toMatchObject(freed)
  // Another name is no address.
  await server.patch('/api/v1/beta/user/root-user', { token: account.token, json: { first_name: 'Kim' } })
  expect(await me(account.token)).toMatchObject(freed)
  // The address is the stranger's again.
  const stranger = await signUp(server, { email: account.email })
  expect(stranger.id).not.toBe(account.id)

  const email = anyEmail()
  expect(
    await server.post('/api/v1/beta/user/change-email', {
      token: account.token,
      json: { email, password: PASSWORD },
    }),
  ).toMatchObject({ status: 200 })
  expect(await answerConfirmation(server, await confirmationToken(server, email), true)).toMatchObject({
    status: 200,
  })
  expect(await me(account.token)).toMatchObject({
    email,
    is_email_confirmed: true,
    need_personal_info_update: false,
  })
  expect((await signIn(server, email)).body.id).toBe(account.id)
})

test('a reset for an unproven address also needs the code of the phone; a refused code leaves the mail good', async () => {
  const { email, phone } = await signUp(server)
  const token = await mailedReset(email)
  expect(await confirmReset(server, token, NEW)).toMatchObject(wrongCode)
  expect(await confirmReset(server, token, NEW, '000000')).toMatchObject(wrongCode)
  // A code that was sent to another phone is none.
  const other = await smsCode(server, anyPhone())
  expect(await confirmReset(server, token, NEW, other)).toMatchObject(wrongCode)
  expect((await signIn(server, email)).status).toBe(200)
  const code = await smsCode(server, phone, 'recovery')
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 181_000 })
  expect(await confirmReset(server, token, NEW, code)).toMatchObject({
    status: 400,
    body: { detail: 'Validation code is expired' },
  })
  vi.useRealTimers()
  const right = await smsCode(server, phone, 'recovery')
  expect(await confirmReset(server, 'unknown', NEW, right)).toMatchObject({
    body: { detail: 'Reset token is invalid' },
  })
  expect(await confirmReset(server, token, NEW, right)).toMatchObject({ status: 200 })
  const session = await signIn(server, email, NEW)
  // The person who completed it reads the mailbox and holds the phone.
  expect(await me(session.body.access_token)).toMatchObject({ is_email_confirmed: true })
  expect(await confirmReset(server, await mailedReset(email), PASSWORD)).toMatchObject({ status: 200 })
})

test('of 20 resets at once with one code, one succeeds', async () => {
  const { email, phone } = await signUp(server)
  const token = await mailedReset(email)
  const code = await smsCode(server, phone, 'recovery')
  const responses = await Promise.all(
    Array.from({ length: 5 }, (_, n) => confirmReset(server, token, `new password ${n}`, code)),
  )
  expect(responses.filter(({ status }) => status === 200)).toHaveLength(1)
})

test('an account from before the question gets the mail at its next sign-in, once', async () => {
  const { id, email } = await signUp(server)
  await server.database.pool.query('DELETE FROM email_confirmation WHERE root_user_id = $1', [id])
  await server.database.pool.query('UPDATE root_user SET confirmation_mailed_at = NULL WHERE id = $1', [id])
  const mails = async () =>
    (await server.outbox()).filter(({ to, link }) => to === email && link?.includes('/confirm-email')).length
  const before = await mails()
  await Promise.all(Array.from({ length: 5 }, () => signIn(server, email)))
  expect(await mails()).toBe(before + 1)
})

test('a link of before is void when the address changes, and a newer mail replaces an older', async () => {
  const account = await signUp(server)
  const first = await confirmationToken(server, account.email)
  const again = await server.post('/api/v1/beta/user/email/confirmation', { token: account.token })
  expect(again).toMatchObject({ status: 200, body: { message: 'Confirmation email sent' } })
  expect(await answerConfirmation(server, first, true)).toMatchObject(invalid)
  const reset = await mailedReset(account.email)
  const email = anyEmail()
  await server.post('/api/v1/beta/user/change-email', {
    token: account.token,
    json: { email, password: PASSWORD },
  })
  const current = await confirmationToken(server, account.email)
  await answerConfirmation(server, await confirmationToken(server, email), true)
  expect(await answerConfirmation(server, current, true)).toMatchObject(invalid)
  expect(await confirmReset(server, reset, NEW, '000000')).toMatchObject({
    body: { detail: 'Reset token is invalid' },
  })
})

test('an address that was taken meanwhile is refused, and of 20 answers at once one counts', async () => {
  const account = await signUp(server)
  const email = anyEmail()
  await server.post('/api/v1/beta/user/change-email', {
    token: account.token,
    json: { email, password: PASSWORD },
  })
  const link = await confirmationToken(server, email)
  await signUp(server, { email })
  expect(await answerConfirmation(server, link, true)).toMatchObject({
    status: 409,
    body: { detail: 'Same email is already registered' },
  })
  const other = await signUp(server)
  const token = await confirmationToken(server, other.email)
  expect(
    tally(await Promise.all(Array.from({ length: 20 }, () => answerConfirmation(server, token, true)))),
  ).toEqual({ 200: 1, '400 Confirmation token is invalid': 19 })
})

test.each(['mum@gmail', 'p@192.0.2.1', 'p@[192.0.2.1]', 'p@host.', 'p@a.1'])(
  'an address at no domain of the internet is refused: %s',
  async (email) => {
    const phone = anyPhone()
    expect(
      await server.post('/api/v1/alpha/auth/email/signup', {
        token: await validToken(server, phone),
        json: signUpBody(phone, email),
      }),
    ).toMatchObject({ status: 400, body: { detail: 'Email is not valid' } })
  },
)

test('10 wrong codes for a number within an hour end resets by its code', async () => {
  const limited = await startServer({ RATE_LIMITS: 'on' })
  onTestFinished(() => limited.stop())
  const { email, phone } = await signUp(limited)
  await limited.post('/api/v1/alpha/auth/email/password-reset', { json: { email } })
  const token = (await lastLink(limited, email, '/reset-password')).searchParams.get('token') ?? ''
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 61_000 })
  onTestFinished(() => void vi.useRealTimers())
  const statuses: number[] = []
  for (let codes = 0; codes < 3; codes += 1) {
    await smsCode(limited, phone, 'recovery')
    for (let n = 0; n < 5; n += 1) statuses.push((await confirmReset(limited, token, NEW, 'not it')).status)
    vi.setSystemTime(Date.now() + 61_000)
  }
  expect(statuses.slice(0, 10)).toEqual(Array.from({ length: 10 }, () => 400))
  expect(statuses).toContain(429)
})
