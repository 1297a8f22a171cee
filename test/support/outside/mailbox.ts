import type { TestServer } from '../server.ts'

/** The link of the last mail to an address that opens `page`. */
export async function lastLink(server: TestServer, email: string, page: string): Promise<URL> {
  const links = (await server.outbox()).flatMap(({ channel, to, link }) =>
    channel === 'email' && to === email && link ? [new URL(link)] : [],
  )
  const link = links.findLast(({ pathname }) => pathname.endsWith(page))
  if (!link) throw new Error(`No mail to ${email} with a link to ${page}`)
  return link
}

/** The token of the last mail that asks whether an address is the reader's. */
export const confirmationToken = async (server: TestServer, email: string): Promise<string> =>
  (await lastLink(server, email, '/confirm-email')).searchParams.get('token') ?? ''

export const answerConfirmation = (server: TestServer, token: string, is_mine: boolean) =>
  server.post('/api/v1/alpha/auth/email/confirm', { json: { token, is_mine } })

/** Proves the address of an account that has just signed up, as its holder does. */
export async function confirmAddress(server: TestServer, email: string): Promise<void> {
  const done = await answerConfirmation(server, await confirmationToken(server, email), true)
  if (done.status !== 200) throw new Error(`Not confirmed: ${JSON.stringify(done.body)}`)
}

/** Requests a reset mail and reads its link from the outbox. The mail alone is enough: the address is confirmed first. */
export async function resetLink(server: TestServer, email: string): Promise<URL> {
  const confirmation = await confirmationToken(server, email).catch(() => undefined)
  if (confirmation !== undefined) await answerConfirmation(server, confirmation, true)
  const sent = await server.post('/api/v1/alpha/auth/email/password-reset', { json: { email } })
  if (sent.status !== 200) throw new Error(`No mail sent: ${JSON.stringify(sent.body)}`)
  return lastLink(server, email, '/reset-password')
}

/** The token of the next reset mail. */
export const resetToken = async (server: TestServer, email: string): Promise<string> =>
  (await resetLink(server, email)).searchParams.get('token') ?? ''

export const confirmReset = (server: TestServer, token: string, password: string, validnum?: string) =>
  server.post('/api/v1/alpha/auth/email/password-reset/confirm', {
    json: { token, password, ...(validnum === undefined ? {} : { validnum }) },
  })
