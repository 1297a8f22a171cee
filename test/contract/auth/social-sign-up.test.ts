import { expect, test } from 'vitest'
import { useOpenIdProvider } from '../../support/outside/openid.ts'
import { useServer } from '../../support/server.ts'
import { SOCIAL_SIGN_UP, socialClaims, socialSignUp } from '../../support/outside/social.ts'
import { tally } from '../../support/response-tally.ts'

const provider = useOpenIdProvider()
const server = useServer(() => ({ SOCIAL_PROVIDERS: provider.configuration }))
const claims = (more: object = {}) => socialClaims(provider, more)
const signUp = (id_token: string, more?: Parameters<typeof socialSignUp>[2]) =>
  socialSignUp(server, id_token, more)

test('one identity has one account, also when many try at once', async () => {
  const token = await provider.forge(claims())
  const first = await Promise.all(Array.from({ length: 5 }, () => signUp(token)))
  expect(tally(first)).toEqual({ 200: 1, '409 Same email is already registered': 4 })
  expect(await signUp(token)).toMatchObject({
    status: 409,
    body: { detail: 'Same email is already registered' },
  })
})

test('takes a verified phone, once, and says what is wrong with the e-mail', async () => {
  const id_token = await provider.forge(claims())
  const { json, token } = await signUp(id_token)
  const post = (options: { token?: string; json: object }) => server.post(SOCIAL_SIGN_UP, options)
  for (const options of [{ json }, { json, token }, { json, token: 'forged' }]) {
    expect(await post(options)).toMatchObject({ status: 401, body: { detail: 'Token is invalid' } })
  }
  expect(await signUp(id_token, { email: 'no address' })).toMatchObject({
    status: 400,
    body: { detail: 'Email is not valid' },
  })
})

test('a bad ID token uses up nothing', async () => {
  const id_token = await provider.forge(claims())
  const bad = await signUp('not a token')
  expect(bad).toMatchObject({ status: 401, body: { detail: 'Could not validate credentials' } })
  const again = { token: bad.token, json: { ...bad.json, id_token } }
  expect((await server.post(SOCIAL_SIGN_UP, again)).status).toBe(200)
})

test('a sign-up that the database refuses fails', async () => {
  const { sql, pool } = server.database
  await pool.query(`ALTER TABLE social_identity ADD CONSTRAINT error CHECK (subject <> 'refused') NOT VALID`)
  expect(await signUp(await provider.forge(claims({ sub: 'refused' })))).toMatchObject({
    status: 500,
    body: { detail: 'Failed to sign up user' },
  })
  expect(
    await sql.selectFrom('social_identity').select('subject').where('subject', '=', 'refused').execute(),
  ).toEqual([])
})
