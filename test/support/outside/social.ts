import { randomUUID } from 'node:crypto'
import { anyEmail, anyPhone, signUpBody, validToken } from '../family.ts'
import { CLIENT_ID } from './openid.ts'
import type { OpenIdProvider } from './openid.ts'
import type { TestServer } from '../server.ts'

export const SOCIAL_SIGN_UP = '/api/v1/alpha/auth/social/signup'

const now = () => Math.floor(Date.now() / 1000)

/** Claims of an ID token of `provider` for this service, about a new person, valid for ten minutes. */
export const socialClaims = ({ issuer }: Pick<OpenIdProvider, 'issuer'>, more: object = {}) => ({
  iss: issuer,
  aud: CLIENT_ID,
  sub: randomUUID(),
  iat: now(),
  exp: now() + 600,
  ...more,
})

/** Signs in with an ID token; `more` holds further fields, such as a nonce. */
export const socialSignIn = (server: Pick<TestServer, 'post'>, id_token: unknown, more: object = {}) =>
  server.post('/api/v1/alpha/auth/social/signin', { json: { provider: 'example', id_token, ...more } })

/** Signs up with an ID token and a phone that this function verifies. Also returns the body that it sent. */
export async function socialSignUp(
  server: TestServer,
  id_token: string,
  {
    email = anyEmail(),
    phone = anyPhone(),
    ...more
  }: { email?: string; phone?: string; nonce?: string } = {},
) {
  const token = await validToken(server, phone)
  const { password: _password, ...body } = signUpBody(phone, email)
  const json = { ...body, register_type: 'S', provider: 'example', id_token, ...more }
  const response = await server.post(SOCIAL_SIGN_UP, { token, json })
  return { email, phone, token, json, ...response }
}
