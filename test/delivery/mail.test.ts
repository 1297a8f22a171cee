import { emailColumns } from '@companion/server/encrypted-columns/lookup.ts'
import type { Readable } from 'node:stream'
import { SMTPServer } from 'smtp-server'
import type { SMTPServerOptions } from 'smtp-server'
import { createServer } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { signUp } from '../support/family.ts'
import { closedPort } from '../support/outside/local-server.ts'
import { confirmReset } from '../support/outside/mailbox.ts'
import { startServer } from '../support/server.ts'
import type { TestServer } from '../support/server.ts'
import { holdTimeouts } from '../support/timeouts.ts'
import { until } from '../support/until.ts'

const PATH = '/api/v1/alpha/auth/email/password-reset'
const failed = { status: 500, body: { detail: 'Email send failed' } }

interface Delivered {
  from: string
  to: string[]
  user: string | undefined
  source: string
}

/** A real SMTP server that keeps what it accepts. */
async function startSmtp(options: SMTPServerOptions = {}) {
  const delivered: Delivered[] = []
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onAuth: ({ username, password }, _session, done) =>
      password === 'mail password' ? done(null, { user: username }) : done(new Error('wrong')),
    onData(stream: Readable, { envelope, user }, done) {
      let source = ''
      stream.on('data', (chunk) => (source += String(chunk)))
      stream.on('end', () => {
        const from = envelope.mailFrom ? envelope.mailFrom.address : ''
        delivered.push({ from, to: envelope.rcptTo.map(({ address }) => address), user, source })
        done()
      })
    },
    ...options,
  })
  server.on('error', () => undefined)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => new Promise<void>((resolve) => server.close(resolve)))
  const address = server.server.address()
  return { port: typeof address === 'object' ? (address?.port ?? 0) : 0, delivered }
}

async function start(port: number, more: Record<string, string> = {}): Promise<TestServer> {
  const server = await startServer({
    SMTP_URL: `smtp://127.0.0.1:${port}`,
    MAIL_FROM: 'Companion <no-reply@companion.example.com>',
    PUBLIC_URL: 'https://companion.example.com',
    ...more,
  })
  onTestFinished(() => server.stop())
  return server
}

const ask = (server: TestServer, email: string, headers: Record<string, string> = {}) =>
  server.post(PATH, { json: { email }, headers })
const tokens = (server: TestServer) => server.database.sql.selectFrom('reset_token').selectAll().execute()

/** The text of a mail in any transfer encoding. */
function textOf(source: string): string {
  const [head = '', ...body] = source.split('\r\n\r\n')
  const content = body.join('\r\n\r\n')
  if (/^content-transfer-encoding: base64/im.test(head)) return Buffer.from(content, 'base64').toString()
  const bytes = content
    .replaceAll('=\r\n', '')
    .replaceAll(/=([0-9A-F]{2})/g, (_match, hex: string) => String.fromCodePoint(Number.parseInt(hex, 16)))
  return Buffer.from(bytes, 'latin1').toString()
}

test.each([
  ['ko', '비밀번호를 새로 설정하려면'],
  ['en', 'To choose a new password'],
])('the mail in %s reaches the account holder, and its link works', async (language, words) => {
  const smtp = await startSmtp()
  const server = await start(smtp.port)
  const { id, email } = await signUp(server)
  await server.database.pool.query('UPDATE root_user SET email_confirmed_at = now() WHERE id = $1', [id])
  expect((await ask(server, email, { 'accept-language': language })).status).toBe(200)
  const mail = smtp.delivered.at(-1)
  expect(mail).toMatchObject({ from: 'no-reply@companion.example.com', to: [email] })
  expect(textOf(mail?.source ?? '')).toContain(words)
  expect(mail?.source).toContain('Auto-Submitted: auto-generated')
  const [, token = ''] =
    /https:\/\/companion\.example\.com\/reset-password\?token=([\w-]+)/.exec(textOf(mail?.source ?? '')) ?? []
  expect((await confirmReset(server, token, 'a brand new password')).status).toBe(200)
  expect((await server.outbox()).filter(({ channel }) => channel === 'email')).toEqual([])
})

test('an address that could be read as two receivers reaches neither', async () => {
  const smtp = await startSmtp()
  const server = await start(smtp.port)
  const { id } = await signUp(server)
  // What follows is about the mail after that of the sign-up.
  smtp.delivered.length = 0
  const email = '"a,b@example.net"@example.com'
  const { sql, keyRing } = server.database
  await sql.updateTable('root_user').set(emailColumns(keyRing, email)).where('id', '=', id).execute()
  expect(await ask(server, email)).toMatchObject(failed)
  expect(smtp.delivered).toEqual([])
})

test('the service signs in to the mail server when told how', async () => {
  const smtp = await startSmtp({ authOptional: false, allowInsecureAuth: true })
  const right = await start(smtp.port, { SMTP_URL: `smtp://postman:mail%20password@127.0.0.1:${smtp.port}` })
  expect((await ask(right, (await signUp(right)).email)).status).toBe(200)
  expect(smtp.delivered[0]).toMatchObject({ user: 'postman' })
  const wrong = await start(smtp.port, { SMTP_URL: `smtp://postman:another@127.0.0.1:${smtp.port}` })
  expect(await ask(wrong, (await signUp(wrong)).email)).toMatchObject(failed)
  expect(wrong.log()).not.toContain('another')
})

/** With the code of the reply (RFC 5321, 4.2.3). */
const answering = (responseCode: number, text: string) => Object.assign(new Error(text), { responseCode })

test.each([
  ['550 EENVELOPE', { onRcptTo: (to, _session, done) => done(answering(550, `no ${to.address}`)) }],
  ['451 EENVELOPE', { onRcptTo: (to, _session, done) => done(answering(451, `later ${to.address}`)) }],
  ['421 EPROTOCOL', { onConnect: (_session, done) => done(answering(421, 'Too many')) }],
] satisfies [string, SMTPServerOptions][])(
  "the log has the mail server's own code, and not its words: %s",
  async (codes, options) => {
    const server = await start((await startSmtp(options)).port)
    const { email } = await signUp(server)
    expect(await ask(server, email)).toMatchObject(failed)
    expect(server.log()).toContain(`Mail was not accepted: ${codes}`)
    expect(server.log()).not.toContain(email)
  },
)

test.each<[string, SMTPServerOptions]>([
  ['greets nobody', { onConnect: (_session, done) => done(new Error('No service')) }],
  ['knows no such mailbox', { onRcptTo: ({ address }, _session, done) => done(new Error(`550 ${address}`)) }],
  [
    'does not take the message',
    {
      onData: (stream, _session, done) => {
        stream.resume()
        stream.on('end', () => done(new Error('Full')))
      },
    },
  ],
])('a mail server that %s: no live token is left behind', async (_what, options) => {
  const smtp = await startSmtp(options)
  const server = await start(smtp.port, { RATE_LIMITS: 'on' })
  const { email } = await signUp(server)
  // More often than mails may be sent: what was not sent is not counted.
  for (let time = 0; time < 4; time += 1) expect(await ask(server, email)).toMatchObject(failed)
  expect(await tokens(server)).toEqual([])
  expect(server.log()).not.toContain(email)
})

test('a mail server out of reach has failed', async () => {
  const server = await start(await closedPort())
  expect(await ask(server, (await signUp(server)).email)).toMatchObject(failed)
  expect(await tokens(server)).toEqual([])
})

test.each<[string, (say: (line: string) => void) => NodeJS.Timeout | undefined]>([
  ['says nothing', () => undefined],
  [
    'greets and then says letter after letter',
    (say) => {
      say('220 mail.example.com\r\n')
      return setInterval(() => say('2'), 100)
    },
  ],
])('a mail server that %s is given 5 seconds, and no database connection', async (_what, behave) => {
  const slow = createServer((socket) => {
    const timer = behave((line) => socket.write(line))
    socket.on('error', () => undefined).on('close', () => clearInterval(timer))
  })
  await new Promise<void>((resolve) => slow.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => new Promise<void>((resolve) => void slow.close(() => resolve())))
  const address = slow.address()
  const server = await start(typeof address === 'object' ? (address?.port ?? 0) : 0, { DATABASE_POOL: '2' })
  const accounts = [await signUp(server), await signUp(server), await signUp(server), await signUp(server)]
  const timeouts = holdTimeouts()
  const waiting = Promise.all(accounts.map(({ email }) => ask(server, email)))
  await until(() => timeouts.milliseconds.length === 4)
  const me = await server.get('/api/v1/beta/user/me', { token: accounts[0]?.token ?? '' })
  expect(me.status).toBe(200)
  expect(timeouts.milliseconds).toEqual([5000, 5000, 5000, 5000])
  timeouts.expire()
  for (const response of await waiting) expect(response).toMatchObject(failed)
  expect(await tokens(server)).toEqual([])
})
