import { z } from 'zod'
import { expect, test } from 'vitest'
import { isPushToken } from './account/push-token.ts'
import { isEmail } from './auth/email-address/email-address.ts'
import { isPhoneNumber } from './auth/phone/phone-number.ts'
import { operations } from './http/operations.ts'
import { appRouter } from './router.ts'

/*
 * Every field of the interface that takes text, by its rule. All keep out what no database, XML or page can hold: NUL, lone
 * surrogates, noncharacters. A new field is built on a rule of `http/fields.ts`, and is named here.
 */

const UNFIT = ['\0', '\uD800', '\uDC00', '\uFFFE', '\u{1FFFF}']
const BEGINNINGS = ['', 'a'.repeat(20), 'parent@example.com', '+821012345678']

const COMPARED = 'is hashed and compared, never stored'
const SIGNED = 'is verified as a signed token, never stored'
const CREDENTIAL = 'is decoded and verified, never stored as text'
const PLACE = 'is read as a place in a list, never stored'

type Rule = string | ((value: string) => boolean)

/** Of fields whose operations judge them later, because the contract demands another error or another order of errors. */
const JUDGED_LATER: Record<string, Rule> = {
  email: isEmail,
  phone: isPhoneNumber,
  push_token: isPushToken,
  'account.setPushToken.token': isPushToken,
  refresh_token: COMPARED,
  token: COMPARED,
  serial_code: COMPARED,
  id_token: SIGNED,
  after: PLACE,
  challenge_id: SIGNED,
  id: CREDENTIAL,
  rawId: CREDENTIAL,
  clientDataJSON: CREDENTIAL,
  attestationObject: CREDENTIAL,
  authenticatorData: CREDENTIAL,
  signature: CREDENTIAL,
  userHandle: CREDENTIAL,
}

interface Field {
  path: string
  name: string
  schema: z.core.$ZodType
}

/** The texts within `schema`, also in lists and optional parts. */
function textsIn(schema: z.core.$ZodType, path: string, name = ''): Field[] {
  if (schema instanceof z.ZodObject)
    return Object.entries(schema.shape).flatMap(([key, value]) => textsIn(value, `${path}.${key}`, key))
  if (schema instanceof z.ZodArray) return textsIn(schema.element, `${path}[]`, name)
  if (schema instanceof z.ZodUnion) return schema.options.flatMap((option) => textsIn(option, path, name))
  if (schema instanceof z.ZodPipe) return textsIn(schema.in, path, name)
  if (
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodNullable ||
    schema instanceof z.ZodDefault ||
    schema instanceof z.ZodPrefault
  )
    return textsIn(schema.def.innerType, path, name)
  return schema instanceof z.ZodString || schema instanceof z.ZodStringFormat ? [{ path, name, schema }] : []
}

const fields = operations(appRouter).flatMap(({ input, path }) => textsIn(input, path))

const takesUnfit = (accepts: (value: string) => boolean) =>
  BEGINNINGS.some((beginning) => UNFIT.some((unfit) => accepts(beginning + unfit)))

test('there are fields of text', () => {
  expect(fields.length).toBeGreaterThan(80)
  expect(fields.map(({ path }) => path)).toContain('calendar.saveEvent.memo')
})

/** Dates, codes and ids, which have one form. */
const SHAPED =
  `birthdate national_code mac_id unique_id treatment_date measured_at created_at start_date end_date
  current_date event_date until real_user_id url time_zone bedtime from
  missing_night_at quiet_from quiet_to`.split(/\s+/)

/*
 * What each field takes, measured: one line (no control character, no override of the direction of writing) or several;
 * something visible or also nothing; letters composed (NFC), which is for texts that are compared; how long. A field whose
 * name is not here, or which takes something else, fails below.
 */
const MEASURED: Record<string, string> = {
  first_name: 'one line, visible, 1 to 100',
  last_name: 'one line, 0 to 100',
  device_alias: 'one line, visible, 1 to 100',
  memo: 'lines, 0 to 1000',
  medication_name: 'lines, visible, 1 to 200',
  hospital: 'lines, visible, 1 to 200',
  new_password: 'any signs, composed, 8 to 128',
  'auth.signUp.password': 'any signs, composed, 8 to 128',
  'auth.confirmPasswordReset.password': 'any signs, composed, 8 to 128',
  // Compared with what is kept, by its hash or as it is.
  password: 'any signs, 0 to 1000',
  current_password: 'any signs, 0 to 1000',
  validnum: 'any signs, 0 to 200',
  code: 'any signs, 0 to 100',
  record_number: 'one line, visible, 1 to 100',
  search: 'any signs, 1 to 200',
  'clinics.inviteMember.email': 'any signs, 0 to 320',
  transports: 'one line, visible, 1 to 50',
  'account.addPasskey.name': 'one line, 0 to 100',
  username: 'any signs, 0 to 320',
  provider: 'any signs, 1 to 32',
  nonce: 'any signs, 0 to 200',
  'account.giveConsent.version': 'one line, 1 to 50',
  'calendar.saveEvent.version': 'any signs, 0 to 100',
  'auth.requestPasswordReset.email': 'any signs, 0 to 320',
  'shares.invite.email': 'any signs, 0 to 320',
  ...Object.fromEntries(
    ['report', 'reportAsDevice'].flatMap((name) =>
      ['stage', 'detail'].map((field) => [`firmware.${name}.${field}`, 'one line, 1 to 64']),
    ),
  ),
  ...Object.fromEntries(Object.keys(JUDGED_LATER).map((name) => [name, 'judged later'])),
  ...Object.fromEntries(SHAPED.map((name) => [name, 'no free text'])),
}

const takes = (schema: z.core.$ZodType, value: string) => z.safeParse(schema, value).success

/** The least and greatest length, of those from 0 to 2000, that is taken. */
function lengths(schema: z.core.$ZodType): string {
  const taken = Array.from({ length: 2001 }, (_, n) => n).filter((n) => takes(schema, 'a'.repeat(n)))
  return `${taken[0]} to ${taken.at(-1)}`
}

function measure(schema: z.core.$ZodType): string {
  const around = (sign: string) => takes(schema, `aaaaaaa${sign}a`)
  if (takesUnfit((value) => takes(schema, value))) return 'judged later'
  if (!around('a')) return 'no free text'
  const decomposed = z.safeParse(schema, 'éééééééé'.normalize('NFD'))
  return [
    // An override of the direction, an escape, a line feed.
    around('\u202E') || around('\u001B') ? 'any signs' : around('\n') ? 'lines' : 'one line',
    ...([' ', '\u200B', '\u3164', '\u0301'].some((blank) => takes(schema, blank.repeat(10)))
      ? []
      : ['visible']),
    ...(decomposed.success && decomposed.data === 'éééééééé' ? ['composed'] : []),
    lengths(schema),
  ].join(', ')
}

test.each(fields)('$path takes what is written here', ({ path, name, schema }) => {
  expect(measure(schema)).toBe(MEASURED[path] ?? MEASURED[name])
})

test('the rules that judge later keep it out too', () => {
  const open = Object.entries(JUDGED_LATER).filter(
    ([, rule]) => typeof rule === 'function' && takesUnfit(rule),
  )
  expect(open).toEqual([])
})
