import { expect, test } from 'vitest'
import { canonicalizePhones } from '@companion/server/auth/phone/canonical-phones.ts'
import { phoneColumns } from '@companion/server/encrypted-columns/lookup.ts'
import { companion } from '../support/command.ts'
import { anyEmail, anyPhone, PASSWORD, signUp, signUpBody, smsCode, validToken } from '../support/family.ts'
import { useServer } from '../support/server.ts'
import { temporaryFile } from '../support/temporary-file.ts'

/* One number has one spelling, so that it is one identity at every door. */

const server = useServer()
const invalid = { status: 400, body: { detail: 'Phone number is invalid' } }

/** Spellings that libphonenumber reads as the same number, and the number in the plan of its country or not. */
const others = (phone: string) => [
  phone.replace('+82', '+820'),
  phone.replace('+82', '+8282'),
  phone.replace('+82', '0'),
  `${phone} `,
  `${phone};ext=1`,
  `tel:${phone}`,
]
const impossible = [
  '+11077770001',
  '+820811012345678',
  '+4407911123456',
  '+112125550123',
  '+15550100',
  '+8210123',
]

test('no door takes a number in another spelling, or one that no country assigns', async () => {
  const { phone, token } = await signUp(server)
  const validnum = await smsCode(server, phone, 'recovery')
  const wrong = [...others(phone), ...impossible]
  for (const spelling of wrong) {
    const doors = {
      send: server.post('/api/v1/alpha/auth/send-sms-auth', { json: { phone: spelling } }),
      recovery: server.post('/api/v1/alpha/auth/send-sms-auth', {
        json: { phone: spelling, purpose: 'recovery' },
      }),
      verify: server.post('/api/v1/alpha/auth/phone-number-validation', {
        json: { phone: spelling, validnum },
      }),
      find: server.post('/api/v1/alpha/auth/find-account', { json: { phone: spelling, validnum } }),
      change: server.post('/api/v1/beta/user/change-phone', { token, json: { phone: spelling, validnum } }),
      signUp: server.post('/api/v1/alpha/auth/email/signup', {
        token: await validToken(server, anyPhone()),
        json: signUpBody(spelling),
      }),
    }
    for (const [door, response] of Object.entries(doors))
      expect({ door, spelling, ...(await response) }).toMatchObject(invalid)
  }
  // None of the wrong calls has used the code up.
  expect(await server.post('/api/v1/alpha/auth/find-account', { json: { phone, validnum } })).toMatchObject({
    status: 200,
  })
})

test('an import refuses the line of another spelling, and says so', async () => {
  const phone = anyPhone()
  const file = await temporaryFile(
    'accounts.csv',
    `email,phone\n${anyEmail()},${phone.replace('+82', '+820')}\n${anyEmail()},${phone}\n`,
  )
  const { code, out } = await companion(server, 'account', 'import', file, '--json')
  expect({ code, ...JSON.parse(out) }).toEqual({
    code: 1,
    added: 1,
    existing: 0,
    bad_lines: [
      { line: 2, reason: 'phone must be a phone number in its E.164 spelling, such as +821012345678' },
    ],
  })
})

test('an account that was stored in another spelling is found under the right one after a migration', async () => {
  const { sql, keyRing } = server.database
  const stored = async (phone: string) => {
    const account = await signUp(server)
    await sql
      .updateTable('root_user')
      .set({ ...phoneColumns(keyRing, phone), is_phone_canonical: false })
      .where('id', '=', account.id)
      .execute()
    return account
  }
  const phone = anyPhone()
  const old = await stored(phone.replace('+82', '+820'))
  const fine = await stored(anyPhone())
  const odd = await stored('+11077770001')
  const taken = await signUp(server)
  const second = await stored(taken.phone.replace('+82', '+820'))

  expect(await canonicalizePhones(server.database)).toEqual([
    { root_user_id: second.id, other_root_user_id: taken.id },
  ])
  const found = await server.post('/api/v1/alpha/auth/find-account', {
    json: { phone, validnum: await smsCode(server, phone, 'recovery') },
  })
  expect(found).toMatchObject({ status: 200, body: { email: old.email } })
  expect(await server.post('/api/v1/alpha/auth/send-sms-auth', { json: { phone } })).toMatchObject({
    status: 409,
  })
  const left = await sql
    .selectFrom('root_user')
    .select('id')
    .where('is_phone_canonical', '=', false)
    .execute()
  expect(left).toEqual([{ id: second.id }])

  // Both stay, and each start names them, until the operator has decided.
  const { said } = await companion(server, 'migrate')
  expect(said).toContain(`Accounts ${second.id} and ${taken.id} hold the same phone number in two spellings`)
  for (const { email, id } of [fine, odd, second, taken])
    expect(
      await server.post('/api/v1/alpha/auth/email/signin', {
        form: { username: email, password: PASSWORD },
      }),
    ).toMatchObject({ status: 200, body: { id } })
  await server.delete('/api/v1/beta/user/root-user', { token: taken.token })
  expect(await canonicalizePhones(server.database)).toEqual([])
})
