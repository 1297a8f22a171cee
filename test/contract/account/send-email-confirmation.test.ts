import { expect, test } from 'vitest'
import { signUp } from '../../support/family.ts'
import { confirmAddress } from '../../support/outside/mailbox.ts'
import { startServer, useServer } from '../../support/server.ts'

const server = useServer()
const PATH = '/api/v1/beta/user/email/confirmation'

test('an address that is confirmed gets no mail', async () => {
  const { email, token } = await signUp(server)
  await confirmAddress(server, email)
  const before = (await server.outbox()).length
  expect(await server.post(PATH, { token })).toMatchObject({
    status: 200,
    body: { statusCode: 200, message: 'Email address is confirmed already' },
  })
  expect((await server.outbox()).length).toBe(before)
})

test('three mails an hour, then 429', async () => {
  const limited = await startServer({ RATE_LIMITS: 'on' })
  const { token } = await signUp(limited)
  const statuses: number[] = []
  for (let n = 0; n < 4; n++) statuses.push((await limited.post(PATH, { token })).status)
  expect(statuses).toEqual([200, 200, 200, 429])
})

test('a mail that cannot be sent is told, and may be asked for again at once', async () => {
  const limited = await startServer({
    RATE_LIMITS: 'on',
    SMTP_URL: 'smtp://127.0.0.1:1',
    MAIL_FROM: 'a@example.com',
    PUBLIC_URL: 'https://companion.example',
  })
  const { token } = await signUp(limited)
  for (let n = 0; n < 5; n++)
    expect(await limited.post(PATH, { token })).toMatchObject({
      status: 500,
      body: { detail: 'Email send failed' },
    })
})
