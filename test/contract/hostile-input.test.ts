import { emailConditionSql } from '@companion/server/encrypted-columns/lookup.ts'
import * as fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import { operations } from '@companion/server/http/operations.ts'
import { appRouter } from '@companion/server/router.ts'
import { anyInput, call } from '../support/any-input.ts'
import type { TestResponse } from '../support/client.ts'
import {
  addChild,
  addDevice,
  anyEmail,
  anyPhone,
  childProfile,
  devlogItem,
  signUp,
  signUpBody,
  upload,
  validToken,
} from '../support/family.ts'
import { useServer } from '../support/server.ts'
import { storedRows } from '../support/stored-rows.ts'

const server = useServer()

const SEND = '/api/v1/alpha/auth/send-sms-auth'
const CHART = '/api/v1/beta/chart/recent'
const json = { 'content-type': 'application/json' }

const hostile: unknown[] = [
  'false',
  'no',
  null,
  '',
  ' ',
  '0x10',
  '1e3',
  ' 1',
  '+1',
  1.5,
  -1,
  1e308,
  2_147_483_648,
  -2_147_483_649,
  Number.MAX_SAFE_INTEGER,
  true,
  'a\0b',
  '\uD800',
  'x\uDC00x',
  '\u202E\u0000\uFFFF',
  'x'.repeat(3000),
  '🔑'.repeat(600),
  "' OR 1=1; --",
  '%00%ff',
  '__proto__',
  '2026-02-30',
  '9999-12-31',
  '0000-00-00',
  '2026-03-01T10:00:00Z',
  [],
  {},
  [[null]],
  { __proto: 1, length: 5, toString: 'x' },
]

describe('no value of any field is more than an operation can answer:', () => {
  const served = operations(appRouter).filter(({ input }) => Object.keys(input.shape).length > 0)

  test.each(served.map((each) => [each.path, each] as const))('%s', async (_path, each) => {
    const { token } = await signUp(server)
    const declared = new Set(each.errors.map(([status]) => status).filter((status) => status >= 500))
    for (const field of Object.keys(each.input.shape)) {
      const responses = await Promise.all(
        hostile.map((value) => call(server, each, { ...anyInput(each), [field]: value }, token)),
      )
      const failed = responses.map(({ status }, n) => ({ status, field, value: hostile[n] }))
      expect(failed.filter(({ status }) => status >= 500 && !declared.has(status))).toEqual([])
    }
  })
})

describe('a consent', () => {
  test.each(['false', 'true', 'no', 'on', '', null, '0', '1', 2, -1, 0.5, [], [true], {}])(
    'is never given by %j',
    async (value) => {
      for (const field of ['is_push_agree', 'is_marketing_agree']) {
        const [phone, email] = [anyPhone(), anyEmail()]
        const { status, body } = await server.post('/api/v1/alpha/auth/email/signup', {
          token: await validToken(server, phone),
          json: { ...signUpBody(phone, email), [field]: value },
        })
        expect(status).toBe(422)
        expect(body.detail).toMatchObject([{ loc: ['body', field] }])
        const row = server.database.sql
          .selectFrom('root_user')
          .select('id')
          .where(emailConditionSql(server.database.keyRing, email))
        expect(await row.executeTakeFirst()).toBeUndefined()
      }
    },
  )

  test.each([
    [true, true],
    [1, true],
    [false, false],
    [0, false],
  ])('%j means %s', async (value, meant) => {
    const phone = anyPhone()
    const { body } = await server.post('/api/v1/alpha/auth/email/signup', {
      token: await validToken(server, phone),
      json: { ...signUpBody(phone), is_push_agree: value, is_marketing_agree: value },
    })
    const policy = server.database.sql.selectFrom('policy').selectAll().where('root_user_id', '=', body.id)
    expect(await policy.executeTakeFirst()).toMatchObject({ is_push_agree: meant, is_marketing_agree: meant })
  })
})

describe('an integer', () => {
  let token = ''
  let child: Awaited<ReturnType<typeof addChild>> | undefined
  const childId = () => child?.real_user_id ?? 0

  beforeAll(async () => {
    ;({ token } = await signUp(server))
    child = await addChild(server, token)
  })

  const texts = [' 1', '1 ', '+1', '0x10', '1e3', '1.5', '1.0', '2147483648', '-2147483649', '9'.repeat(30)]
  const moreTexts = ['true', 'null', 'NaN', 'Infinity', '１', '٣', '1,2', '1_000', '1\0', '0b1', 'x']

  test.each([...texts, ...moreTexts])('is not %j in a path or query', async (text) => {
    const inQuery = await server.get(CHART, { token, query: { real_user_id: text } })
    expect(inQuery).toMatchObject({ status: 422, body: { detail: [{ loc: ['query', 'real_user_id'] }] } })
    const inPath = await server.get(`/api/v1/beta/user/real-user/${encodeURIComponent(text)}`, { token })
    expect(inPath).toMatchObject({ status: 422, body: { detail: [{ loc: ['path', 'real_user_id'] }] } })
  })

  test('is not nothing, not several, not nested in a query', async () => {
    const id = childId()
    for (const search of [
      '',
      'real_user_id',
      'real_user_id=',
      `real_user_id=${id}&real_user_id=${id}`,
      `real_user_id[]=${id}`,
      `real_user_id[a]=${id}`,
      `__proto__[real_user_id]=${id}`,
      'real_user_id=%E0%A4%A',
      'real_user_id=%',
    ]) {
      const response = await server.get(`${CHART}?${search}`, { token })
      expect([search, response.status]).toEqual([search, 422])
      expect(response.body.detail).toMatchObject([{ loc: ['query', 'real_user_id'] }])
    }
    expect(
      (await server.get(`${CHART}?real_user_id=${id}&__proto__=1&constructor=2&%=3`, { token })).status,
    ).toBe(200)
  })

  test.each(['1', '', '0x10', '1e3', ' 1', '+1', null, true, 1.5, -1, 2_147_483_648, 1e21, [1], {}])(
    'is not %j in a body',
    async (value) => {
      const item = devlogItem(child?.unique_id ?? '', '2026-03-01T21:00:00')
      for (const broken of [
        { ...item, log_file_id: value },
        { ...item, detail_data: { ...item.detail_data, treatment_time: value } },
        { ...item, detail_data: { ...item.detail_data, last_intensity: value } },
        { ...item, intensity_record: [{ intensity: value }] },
      ]) {
        expect((await upload(server, [broken])).status).toBe(422)
      }
      const { rows } = await server.database.pool.query('SELECT count(*)::int AS count FROM treatment')
      expect(rows).toEqual([{ count: 0 }])
    },
  )
})

const NONCHARACTER = /\p{Noncharacter_Code_Point}/u
/** What a name must have one of. */
const VISIBLE = /(?![\p{Default_Ignorable_Code_Point}\u2800])[\p{L}\p{N}\p{P}\p{S}]/u
const CONTROL = /[\p{Cc}\u202A-\u202E\u2066-\u2069]/u

describe('a text', () => {
  test('is stored as it was sent, or refused', async () => {
    const { token } = await signUp(server)
    const unit = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 1, minLength: 1 }),
      fc.constantFrom(
        '\0',
        '\uD800',
        '\uDFFF',
        '👩‍👧',
        '\uFFFE',
        '\u202E',
        "'",
        '"',
        '\\',
        '%',
        '\u0301',
        '\r\n',
      ),
    )
    const words = fc.oneof(
      { weight: 3, arbitrary: fc.array(unit, { maxLength: 12 }).map((parts) => parts.join('')) },
      { weight: 1, arbitrary: fc.integer({ min: 98, max: 102 }).map((count) => '🔑'.repeat(count)) },
    )
    await fc.assert(
      fc.asyncProperty(words, async (first_name) => {
        const device = await addDevice(server)
        const { status, body } = await server.post('/api/v2/beta/user/create-real-user', {
          token,
          json: { ...childProfile, first_name, ...device },
        })
        const points = Array.from(first_name).length
        const isPlain = first_name.isWellFormed() && !CONTROL.test(first_name)
        const isFine =
          isPlain &&
          !NONCHARACTER.test(first_name) &&
          VISIBLE.test(first_name) &&
          points >= 1 &&
          points <= 100
        expect(status).toBe(isFine ? 200 : 422)
        const children = await storedRows(
          server.database,
          'real_user',
          'SELECT first_name FROM real_user WHERE id = $1',
          [body.real_user_id ?? 0],
        )
        expect(children).toEqual(isFine ? [{ first_name }] : [])
      }),
      { numRuns: 80, endOnFailure: true },
    )
  })

  test('that people write is refused with a control character or a turn of direction, wherever it is taken', async () => {
    const { token } = await signUp(server)
    const { real_user_id, device_id } = await addChild(server, token)
    const phone = anyPhone()
    const upToken = await validToken(server, phone)
    const event = { real_user_id, created_at: '2026-03-01' }
    const post = (path: string, json: object, as = token) => server.post(path, { token: as, json })
    const takers: Record<string, (text: string) => Promise<TestResponse>> = {
      ...Object.fromEntries(
        ['first_name', 'last_name'].flatMap((field) => [
          [
            `sign-up ${field}`,
            (text: string) =>
              post('/api/v1/alpha/auth/email/signup', { ...signUpBody(phone), [field]: text }, upToken),
          ],
          [
            `social sign-up ${field}`,
            (text: string) =>
              post(
                '/api/v1/alpha/auth/social/signup',
                { ...signUpBody(phone), provider: 'example', id_token: 'x', [field]: text },
                upToken,
              ),
          ],
          [
            `account ${field}`,
            (text: string) => server.patch('/api/v1/beta/user/root-user', { token, json: { [field]: text } }),
          ],
          [
            `child ${field}`,
            async (text: string) =>
              post('/api/v2/beta/user/create-real-user', {
                ...childProfile,
                ...(await addDevice(server)),
                [field]: text,
              }),
          ],
          [
            `child ${field} changed`,
            (text: string) =>
              server.patch(`/api/v1/beta/user/real-user/${real_user_id}`, {
                token,
                json: { id: real_user_id, [field]: text },
              }),
          ],
        ]),
      ),
      alias: (text) =>
        server.patch(`/api/v1/beta/device/${device_id}`, { token, json: { device_alias: text } }),
      memo: (text) => post('/api/v1/beta/event', { ...event, memo: text }),
      medication: (text) =>
        post('/api/v1/beta/event', {
          ...event,
          event_data: { medication: [{ medication_name: text, medication_dose: 1 }] },
        }),
      hospital: (text) => post('/api/v1/beta/event', { ...event, event_data: { hospital: [text] } }),
    }
    for (const [taker, take] of Object.entries(takers)) {
      for (const bad of ['\u0001', '\u001b[2J', '\r', '\u009b', '\u202e', '\u2066']) {
        const { status } = await take(`Mina${bad}`)
        // Notes are of several lines, on Windows too.
        const isLine = bad === '\r' && ['memo', 'medication', 'hospital'].includes(taker)
        expect([taker, bad, status]).toEqual([taker, bad, isLine ? 200 : 422])
      }
    }
    expect((await takers['memo']?.('one\n\ttwo'))?.status).toBe(200)
  })
})

describe('a body', () => {
  const post = (path: string, body: string) => server.post(path, { body, headers: json })

  test.each([
    ['brackets', '['.repeat(49_000) + ']'.repeat(49_000)],
    ['braces', '{"a":'.repeat(16_000) + '1' + '}'.repeat(16_000)],
  ])('of bottomless %s is refused, and nothing breaks', async (_name, deep) => {
    expect((await post(SEND, deep)).status).toBe(422)
    expect((await post(SEND, `{"phone":${deep}}`)).status).toBe(422)
    expect((await post(SEND, `{"phone":"${anyPhone()}","x":${deep}}`)).status).toBe(422)
    expect((await post('/api/v1/gamma/device/devlog', `[${deep}]`)).status).toBe(422)
    expect((await post('/trpc/auth.sendSmsCode', deep)).status).toBe(422)
    expect((await server.get('/healthz')).status).toBe(200)
  })

  test('of 50,000 open brackets is broken', async () => {
    expect((await post('/api/v1/gamma/device/devlog', '['.repeat(50_000))).status).toBe(400)
  })

  test('with keys of the prototype inherits nothing and pollutes nothing', async () => {
    const phone = anyPhone()
    for (const body of [
      `{"__proto__":{"phone":"${phone}"}}`,
      `{"constructor":{"prototype":{"phone":"${phone}"}}}`,
      `{"prototype":{"phone":"${phone}"}}`,
    ]) {
      const response = await server.post(SEND, { body, headers: json })
      expect(response).toMatchObject({
        status: 422,
        body: { detail: [{ type: 'missing', loc: ['body', 'phone'] }] },
      })
    }
    const body = `{"phone":"${phone}","__proto__":{"purpose":"x"},"constructor":1,"toString":null,"hasOwnProperty":5}`
    expect((await server.post(SEND, { body, headers: json })).status).toBe(200)
    expect(Reflect.get({}, 'phone')).toBeUndefined()
    expect(Reflect.get({}, 'purpose')).toBeUndefined()
  })

  test('may have keys that nobody knows', async () => {
    const response = await server.post(SEND, {
      json: { phone: anyPhone(), is_admin: true, '': 1, 'a.b': [{}] },
    })
    expect(response).toMatchObject({ status: 200, body: true })
  })
})
