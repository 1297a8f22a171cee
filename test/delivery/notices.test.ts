import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { anyPhone, PASSWORD, signUp, smsCode } from '../support/family.ts'
import type { Account } from '../support/family.ts'
import { confirmReset, resetToken } from '../support/outside/mailbox.ts'
import { startServer, useServer } from '../support/server.ts'
import type { TestServer } from '../support/server.ts'
import { temporaryFile } from '../support/temporary-file.ts'

const server = useServer()
const NEW = 'a brand new password'

/** A thief's phone speaks another language than the parent. */
const headers = { 'accept-language': 'en' }

const changePhone = async ({ token }: Account, phone = anyPhone(), at: TestServer = server) => {
  const json = { phone, validnum: await smsCode(server, phone) }
  return at.post('/api/v1/beta/user/change-phone', { token, json, headers })
}
const changePassword = ({ token }: Account, at: TestServer = server) =>
  at.post('/api/v1/beta/user/change-password', {
    token,
    json: { current_password: PASSWORD, new_password: NEW },
    headers,
  })

/** The messages that `act` has sent to the phone and the e-mail of the account. */
async function sentTo({ email, phone }: Account, act: () => Promise<unknown>) {
  const before = (await server.outbox()).length
  await act()
  return (await server.outbox())
    .slice(before)
    .filter(({ to }) => to === email || to === phone)
    .toSorted(byChannel)
}

const byChannel = (one: Record<string, string>, other: Record<string, string>) =>
  (one['channel'] ?? '').localeCompare(other['channel'] ?? '')

const words = { ko: '변경', en: 'was changed' }

test.each([
  ['KR', words.ko],
  ['US', words.en],
])(
  'a change of phone is told to the e-mail and to the old number, in the language of %s',
  async (national_code, told) => {
    const account = await signUp(server)
    await server.database.sql
      .updateTable('root_user')
      .set({ national_code })
      .where('id', '=', account.id)
      .execute()
    const phone = anyPhone()
    const sent = await sentTo(account, async () => {
      expect((await changePhone(account, phone)).status).toBe(200)
    })
    expect(sent).toMatchObject([
      { channel: 'email', to: account.email, subject: expect.stringContaining(told) },
      { channel: 'sms', to: account.phone, text: expect.stringContaining(told) },
    ])
    // The new number may be a thief's, and belongs in no notice.
    expect(JSON.stringify(sent)).not.toContain(phone)
    expect(Object.keys(sent[1] ?? {})).not.toContain('code')
  },
)

test.each([
  ['KR', 'EN', words.en],
  ['US', 'KR', words.ko],
] as const)(
  'of an account in %s, whose holder has chosen %s, a notice is in that language',
  async (national_code, language, told) => {
    const account = await signUp(server)
    await server.database.sql
      .updateTable('root_user')
      .set({ national_code, language })
      .where('id', '=', account.id)
      .execute()
    const sent = await sentTo(account, () => changePhone(account))
    expect(sent).toMatchObject([
      { channel: 'email', subject: expect.stringContaining(told) },
      { channel: 'sms', text: expect.stringContaining(told) },
    ])
  },
)

test('a reset mail and the mail that asks for an address are in the language that the holder has chosen, whoever asks', async () => {
  const account = await signUp(server)
  await server.database.sql
    .updateTable('root_user')
    .set({ language: 'KR' })
    .where('id', '=', account.id)
    .execute()
  const sent = await sentTo(account, async () => {
    const json = { email: account.email }
    await server.post('/api/v1/alpha/auth/email/password-reset', { json, headers })
    await server.post('/api/v1/beta/user/email/confirmation', { token: account.token, headers })
  })
  expect(sent.map(({ subject }) => subject)).toEqual([
    'Companion 비밀번호 재설정',
    'Companion 이메일 주소 확인',
  ])
})

test('a changed password and a completed reset are told to the e-mail', async () => {
  const account = await signUp(server)
  const notice = { channel: 'email', to: account.email, subject: expect.stringContaining(words.ko) }
  const changed = await sentTo(account, async () => {
    expect((await changePassword(account)).status).toBe(200)
  })
  expect(changed).toMatchObject([notice])
  const token = await resetToken(server, account.email)
  expect(await sentTo(account, () => confirmReset(server, token, PASSWORD))).toMatchObject([notice])
  const again = await resetToken(server, account.email)
  const form = { token: again, password: NEW, repeated: NEW }
  expect(await sentTo(account, () => server.post('/reset-password', { form }))).toMatchObject([notice])
})

test('what changes nothing is told to nobody', async () => {
  const account = await signUp(server)
  const sent = await sentTo(account, async () => {
    const code = await smsCode(server, account.phone, 'recovery')
    const json = { phone: account.phone, validnum: code }
    const same = await server.post('/api/v1/beta/user/change-phone', { token: account.token, json })
    expect(same.status).toBe(200)
    const wrong = { current_password: 'wrong password', new_password: NEW }
    await server.post('/api/v1/beta/user/change-password', { token: account.token, json: wrong })
    await confirmReset(server, 'no token', NEW)
    await server.post('/api/v1/beta/user/change-phone', {
      token: account.token,
      json: { phone: anyPhone(), validnum: '000000' },
    })
  })
  expect(sent.map(({ code }) => code)).toEqual([expect.stringMatching(/^\d{6}$/)])
})

test('a notice that cannot be delivered fails no call, and is logged without address or number', async () => {
  const file = await temporaryFile('file', '')
  const broken = await startServer({ OUTBOX_FILE: join(file, 'outbox.jsonl') }, server.databaseUrl)
  onTestFinished(() => broken.stop())
  const [one, other] = [await signUp(server), await signUp(server)]
  const phone = anyPhone()
  expect((await changePhone(one, phone, broken)).status).toBe(200)
  expect((await server.get('/api/v1/beta/user/me', { token: one.token })).body.phone).toBe(phone)
  expect((await changePassword(other, broken)).status).toBe(200)
  expect(broken.log().match(/notice not sent/g)).toHaveLength(3)
  for (const personal of [one.email, one.phone, other.email]) expect(broken.log()).not.toContain(personal)
})

test('SMS_DAILY_CAP counts notices too; beyond it the mail alone goes out', async () => {
  const capped = await startServer({ RATE_LIMITS: 'on', SMS_DAILY_CAP: '3' })
  onTestFinished(() => capped.stop())
  const account = await signUp(capped)
  const sent = async () => {
    const channels = (await capped.outbox()).map(({ channel }) => channel)
    return ['email', 'sms'].map((each) => channels.filter((channel) => channel === each).length)
  }
  const change = async () => {
    const phone = anyPhone()
    const json = { phone, validnum: await smsCode(capped, phone) }
    return capped.post('/api/v1/beta/user/change-phone', { token: account.token, json })
  }
  expect((await change()).status).toBe(200)
  // The first mail asks whether the address is the holder's.
  expect(await sent()).toEqual([2, 3])
  await capped.database.pool.query(`UPDATE rate_limit SET points = 2 WHERE key LIKE 'smsPerDay:%'`)
  expect((await change()).status).toBe(200)
  expect(await sent()).toEqual([3, 4])
  expect(capped.log()).toContain('notice not sent')
})
