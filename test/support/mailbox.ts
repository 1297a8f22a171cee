import type { TestServer } from './server.ts'

/** Requests a reset mail and reads its link from the outbox. */
export async function resetLink(server: TestServer, email: string): Promise<URL> {
  const sent = await server.post('/api/v1/alpha/auth/email/password-reset', { json: { email } })
  if (sent.status !== 200) throw new Error(`No mail sent: ${JSON.stringify(sent.body)}`)
  const mail = (await server.outbox()).findLast(({ channel, to }) => channel === 'email' && to === email)
  return new URL(mail?.['link'] ?? '')
}

/** The token of the next reset mail. */
export const resetToken = async (server: TestServer, email: string): Promise<string> =>
  (await resetLink(server, email)).searchParams.get('token') ?? ''

export const confirmReset = (server: TestServer, token: string, password: string) =>
  server.post('/api/v1/alpha/auth/email/password-reset/confirm', { json: { token, password } })
