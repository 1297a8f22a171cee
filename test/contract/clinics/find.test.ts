import { expect, test } from 'vitest'
import { countedFailures } from '../../support/counted-failures.ts'
import { shownCode, typedCode } from '@companion/server/clinics/code.ts'
import { clinics, newClinic } from '../../support/clinics.ts'
import { companion } from '../../support/command.ts'
import { signIn, signUp } from '../../support/family.ts'
import { tally } from '../../support/response-tally.ts'
import { useServer } from '../../support/server.ts'

const server = useServer()
const { find } = clinics(server)

const missing = { status: 404, body: { detail: 'Clinic not found' } }

test('a parent finds the clinic by its code, however it is typed', async () => {
  const parent = await signUp(server)
  const { clinic_id, code } = await newClinic(server)
  expect(code).toMatch(/^([2-9A-HJKMNP-TV-Z]{4}-){2}[2-9A-HJKMNP-TV-Z]{4}$/)
  for (const typed of [
    code,
    code.toLowerCase(),
    code.replaceAll('-', ''),
    ` ${code.replaceAll('-', ' ')} `,
    code.replaceAll('-', '–'),
    code.replaceAll('-', '\u2010'),
    code.replaceAll('-', ' — '),
  ])
    expect(await find(parent, typed)).toEqual(
      expect.objectContaining({
        status: 200,
        body: { clinic_id, name: 'Seoul Sleep Clinic', url: 'https://clinic.example.org' },
      }),
    )
})

test.each(['', '7K3M-Q9RT', 'no code at all', '7K3M-Q9RT-2WXD'])(
  '%j is the code of no clinic',
  async (code) => {
    expect(await find(await signUp(server), code)).toMatchObject(missing)
  },
)

test('an old code, and that of a removed clinic, find nothing', async () => {
  const parent = await signUp(server)
  const { clinic_id, code } = await newClinic(server)
  const { result } = await companion(server, 'clinic', 'new-code', String(clinic_id), '--json')
  expect(await find(parent, code)).toMatchObject(missing)
  expect((await find(parent, result.code)).status).toBe(200)
  await companion(server, 'clinic', 'remove', String(clinic_id))
  expect(await find(parent, result.code)).toMatchObject(missing)
})

test('a code has one form', () => {
  expect(typedCode(shownCode('23456789ABCD'))).toBe('23456789ABCD')
  for (const text of ['023456789ABC', '23456789ABC', '23456789ABCDE', '23456789ABCU'])
    expect(typedCode(text)).toBe(undefined)
})

const limited = useServer({ RATE_LIMITS: 'on' })

test('of wrong codes an account has 10, of one address or of many; right ones do not count', async () => {
  const guess = clinics(limited)
  const parent = await signUp(limited)
  const { code } = await newClinic(limited)
  for (let n = 0; n < 12; n += 1) expect((await guess.find(parent, code)).status).toBe(200)
  const guesses = Array.from({ length: 14 }, (_, n) =>
    guess.find(parent, `2345-6789-ABC${'DEFGHJKMNPQRST'[n]}`),
  )
  expect(tally(await Promise.all(guesses))).toEqual({
    '404 Clinic not found': 10,
    '429 Too many requests': 4,
  })
  expect(await guess.find(parent, code)).toMatchObject({ status: 429 })
  expect(await guess.connect(parent, { code, real_user_id: 1 })).toMatchObject({ status: 429 })
  // Nobody else has guessed, and the password is another matter.
  expect((await guess.find(await signUp(limited), code)).status).toBe(200)
  expect((await signIn(limited, parent.email)).status).toBe(200)
})

test('who is refused for their own guesses takes nothing from others at the same address', async () => {
  const guess = clinics(limited)
  const parent = await signUp(limited)
  const before = await countedFailures(limited)
  for (let n = 0; n < 14; n += 1) await guess.find(parent, '7K3M-Q9RT-2WXD')
  expect((await countedFailures(limited)) - before).toBe(10)
})
