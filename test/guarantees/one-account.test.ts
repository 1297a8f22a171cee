import { emailConditionSql, phoneConditionSql } from '@companion/server/encrypted-columns/lookup.ts'
import { expect, test } from 'vitest'
import { anyEmail, anyPhone, signUpBody, validToken } from '../support/family.ts'
import { useOpenIdProvider } from '../support/outside/openid.ts'
import { useServer } from '../support/server.ts'
import { SOCIAL_SIGN_UP, socialClaims } from '../support/outside/social.ts'
import { tally } from '../support/response-tally.ts'

/* One person is one account, however many sign-ups arrive at once, by whatever spelling and door. */

const provider = useOpenIdProvider()
const server = useServer(() => ({ SOCIAL_PROVIDERS: provider.configuration }))

const TIMES = 50

interface Try {
  phone: string
  email: string
  /** Of the verified phone. */
  token: string
  /** The subject of the social identity; by e-mail and password without one. */
  sub?: string
  /** Another spelling than the verified one. */
  spelling?: string
}

/** Signs up. The provider has verified the address of a social sign-up, so that it counts as the person's own. */
async function signUp({ phone, email, token, sub, spelling = phone }: Try) {
  const { password, ...body } = signUpBody(spelling, email)
  if (sub === undefined)
    return server.post('/api/v1/alpha/auth/email/signup', { token, json: { ...body, password } })
  const id_token = await provider.forge(socialClaims(provider, { sub, email, email_verified: true }))
  const json = { ...body, register_type: 'S', provider: 'example', id_token }
  return server.post(SOCIAL_SIGN_UP, { token, json })
}

const accounts = async () =>
  (await server.database.pool.query('SELECT count(*)::int AS count FROM root_user')).rows[0].count

/** Sends all tries at once, and expects one account more, with everything that belongs to one. */
async function oneSucceeds(attempts: readonly Try[]) {
  expect(attempts).toHaveLength(TIMES)
  const before = await accounts()
  const responses = await Promise.all(attempts.map(signUp))
  expect(await accounts()).toBe(before + 1)
  const { 200: successes, ...refused } = tally(responses)
  expect(successes).toBe(1)
  const winner = responses.find(({ status }) => status === 200)?.body.id
  const { pool } = server.database
  for (const table of ['social_identity', 'consent', 'security_record']) {
    const { rows } = await pool.query(
      `SELECT count(DISTINCT root_user_id)::int AS count FROM ${table} WHERE root_user_id > $1`,
      [winner],
    )
    expect({ table, rows }).toEqual({ table, rows: [{ count: 0 }] })
  }
  return { winner, refused }
}

test('two spellings of a number, both cases of an address and one social identity: one account', async () => {
  const [phone, email, sub] = [anyPhone(), anyEmail(), 'one person']
  const tokens: string[] = []
  for (let n = 0; n < 5; n += 1) tokens.push(await validToken(server, phone))
  const { winner, refused } = await oneSucceeds(
    Array.from({ length: TIMES }, (_, n) => ({
      phone,
      email: n % 2 ? email : email.toUpperCase(),
      token: tokens[n % tokens.length] ?? '',
      ...(n % 3 ? {} : { sub }),
      ...(n % 5 ? {} : { spelling: phone.replace('+82', '+820') }),
    })),
  )
  expect(refused['400 Phone number is invalid']).toBe(10)
  expect(Object.keys(refused).toSorted()).toEqual(['400 Phone number is invalid', '401 Token is invalid'])
  const { sql, keyRing } = server.database
  for (const found of [phoneConditionSql(keyRing, phone), emailConditionSql(keyRing, email)])
    expect(await sql.selectFrom('root_user').select('id').where(found).execute()).toEqual([{ id: winner }])
})

/** A verified phone for each try. */
async function phones(): Promise<Pick<Try, 'phone' | 'token'>[]> {
  const verified: Pick<Try, 'phone' | 'token'>[] = []
  while (verified.length < TIMES) {
    const phone = anyPhone()
    verified.push({ phone, token: await validToken(server, phone) })
  }
  return verified
}

test('one address in both cases, by 50 phones and by two doors: one account', async () => {
  const email = anyEmail()
  const { refused } = await oneSucceeds(
    (await phones()).map((verified, n) => ({
      ...verified,
      email: n % 2 ? email : email.toUpperCase(),
      ...(n % 3 ? {} : { sub: `subject ${n}` }),
    })),
  )
  expect(refused).toEqual({ '409 Same email is already registered': TIMES - 1 })
})

test('one social identity, by 50 phones and addresses: one account', async () => {
  const { refused } = await oneSucceeds(
    (await phones()).map((verified) => ({ ...verified, email: anyEmail(), sub: 'one subject' })),
  )
  expect(refused).toEqual({ '409 Same email is already registered': TIMES - 1 })
})
