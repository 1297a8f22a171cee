import { expect, test } from 'vitest'
import { anyPhone, signUp } from '../support/family.ts'
import { useServer } from '../support/server.ts'

const server = useServer()
const sent_at = expect.stringMatching(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/)

test('an SMS is one line with number, text, code and time', async () => {
  const to = anyPhone()
  await server.post('/api/v1/alpha/auth/send-sms-auth', { json: { phone: to } })
  const code = expect.stringMatching(/^\d{6}$/)
  expect((await server.outbox()).filter((line) => line['to'] === to)).toEqual([
    { channel: 'sms', to, text: expect.any(String), code, sent_at },
  ])
})

test('a mail is one line with address, subject, text, link and time', async () => {
  const { email: to } = await signUp(server)
  await server.post('/api/v1/alpha/auth/email/password-reset', { json: { email: to } })
  const mails = (await server.outbox()).filter(
    (line) => line['to'] === to && line['link']?.includes('/reset-password'),
  )
  expect(mails).toEqual([
    {
      channel: 'email',
      to,
      subject: expect.any(String),
      text: expect.any(String),
      link: expect.stringMatching(/^http/),
      sent_at,
    },
  ])
})
