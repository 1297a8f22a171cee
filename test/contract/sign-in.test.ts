import { expect, test } from 'vitest'
import { signIn, signUp } from '../support/family.ts'
import { useServer } from '../support/server.ts'

const server = useServer()

test('a signed-up parent signs in, however the e-mail is written', async () => {
  const account = await signUp(server)
  const { status, body } = await signIn(server, account.email.toUpperCase())
  expect(status).toBe(200)
  expect(body).toMatchObject({
    id: account.id,
    expires_in: 900,
    refresh_expires_in: 1_209_600,
    token_type: 'bearer',
  })
})
