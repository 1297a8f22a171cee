import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { errorsByState, stateErrors } from '../../support/account-states.ts'
import { addChild, signUp } from '../../support/family.ts'
import type { Account } from '../../support/family.ts'
import { inBetween } from '../../support/lock-waits.ts'
import { useServer } from '../../support/server.ts'
import { storedRows } from '../../support/stored-rows.ts'

const server = useServer()
const PATH = '/api/v1/beta/event'
const DAY = '2026-03-20'
const OTHER_DAY = '2026-03-21'
const NO_DATA = { medication: [], hospital: [] }
const CONTENT = {
  memo: 'slept well',
  event_data: { medication: [{ medication_name: 'M', medication_dose: 5 }], hospital: ['Seoul'] },
}

let parent: Account
let child: number
beforeEach(async () => {
  parent = await signUp(server)
  child = (await addChild(server, parent.token)).real_user_id
})
afterEach(() => void vi.useRealTimers())

const save = (
  content: object,
  { token = parent.token, ifMatch }: { token?: string; ifMatch?: string } = {},
) =>
  server.post(PATH, {
    token,
    json: { real_user_id: child, created_at: DAY, ...content },
    headers: ifMatch === undefined ? {} : { 'if-match': ifMatch },
  })
const read = async (event_date = DAY) =>
  (await server.get(PATH, { token: parent.token, query: { real_user_id: child, event_date } })).body
const tag = (response: { headers: Headers }) => response.headers.get('etag') ?? ''
const versions = (event_id: number) =>
  storedRows(
    server.database,
    'event_version',
    `SELECT version, event_date::text, memo, event_data FROM event_version WHERE event_id = $1 ORDER BY version`,
    [event_id],
  )
const rows = async () => {
  const { rowCount } = await server.database.pool.query('SELECT FROM event WHERE real_user_id = $1', [child])
  return rowCount
}

test('an event is created, answered and read', async () => {
  const { status, body } = await save(CONTENT)
  expect(status).toBe(200)
  expect(body).toEqual({ event_id: expect.any(Number), real_user_id: child, ...CONTENT })
  expect(await read()).toMatchObject({ event_id: body.event_id, ...CONTENT })
})

test('the child may be named by a string of digits', async () => {
  const { body } = await save({ ...CONTENT, real_user_id: String(child) })
  expect(body).toMatchObject({ real_user_id: child, ...CONTENT })
})

test.each([
  [{}, { memo: '', event_data: NO_DATA }],
  [{ memo: 'x' }, { memo: 'x', event_data: NO_DATA }],
  [{ event_data: {} }, { memo: '', event_data: NO_DATA }],
  [{ event_data: { hospital: ['h'] } }, { memo: '', event_data: { medication: [], hospital: ['h'] } }],
  [
    { event_data: NO_DATA, memo: '' },
    { memo: '', event_data: NO_DATA },
  ],
])(
  'without event_id, %j replaces the event of the date whole and keeps its id',
  async (content, expected) => {
    const { event_id } = (await save(CONTENT)).body
    const { status, body } = await save(content)
    expect(status).toBe(200)
    expect(body).toEqual({ event_id, real_user_id: child, ...expected })
    expect(await read()).toMatchObject({ event_id, ...expected })
    expect(await rows()).toBe(1)
  },
)

describe('with event_id', () => {
  test.each([
    [{}, CONTENT],
    [{ memo: 'new' }, { ...CONTENT, memo: 'new' }],
    [{ memo: '' }, { ...CONTENT, memo: '' }],
    [{ event_data: { hospital: ['h'] } }, { ...CONTENT, event_data: { medication: [], hospital: ['h'] } }],
    [{ event_data: {} }, { ...CONTENT, event_data: NO_DATA }],
  ])('%j changes that alone', async (content, expected) => {
    const { event_id } = (await save(CONTENT)).body
    expect((await save({ ...content, event_id })).body).toEqual({
      event_id,
      real_user_id: child,
      ...expected,
    })
    expect(await read()).toMatchObject({ event_id, ...expected })
  })

  test('the event moves to created_at', async () => {
    const { event_id } = (await save(CONTENT)).body
    expect((await save({ event_id, created_at: OTHER_DAY })).body).toMatchObject({ event_id, ...CONTENT })
    expect(await read(DAY)).toMatchObject({ event_id: null, memo: '' })
    expect(await read(OTHER_DAY)).toMatchObject({ event_id, ...CONTENT })
  })

  test('a date that another event has taken is refused, and nothing changes', async () => {
    const { event_id } = (await save(CONTENT)).body
    const other = (await save({ memo: 'other', created_at: OTHER_DAY })).body.event_id
    expect(await save({ event_id, created_at: OTHER_DAY, memo: 'x' })).toMatchObject({
      status: 400,
      body: { detail: 'Failed to store user event' },
    })
    expect(await read(DAY)).toMatchObject({ event_id, ...CONTENT })
    expect(await read(OTHER_DAY)).toMatchObject({ event_id: other, memo: 'other' })
    expect(await versions(event_id)).toEqual([])
  })

  test('an event that is not there, or of a sibling, or of another family', async () => {
    const notFound = { status: 404, body: { detail: 'Event not found' } }
    const { event_id } = (await save(CONTENT)).body
    const sibling = (await addChild(server, parent.token)).real_user_id
    const stranger = await signUp(server)
    const foreign = (await addChild(server, stranger.token)).real_user_id
    for (const none of [2 ** 31 - 1, 0, -1]) expect(await save({ event_id: none })).toMatchObject(notFound)
    expect(await save({ event_id, real_user_id: sibling })).toMatchObject(notFound)
    expect(await save({ event_id, real_user_id: foreign }, { token: stranger.token })).toMatchObject(notFound)
    expect(await read()).toMatchObject({ event_id, ...CONTENT })
  })
})

describe('texts', () => {
  test('a memo has at most 1000 code points', async () => {
    // A mother and a daughter joined are three code points, and five units of UTF-16.
    const memo = `${'👩‍👧'.repeat(333)}!`
    expect(memo).toHaveLength(5 * 333 + 1)
    expect((await save({ memo })).body.memo).toBe(memo)
    expect(await save({ memo: `${memo}!` })).toMatchObject({
      status: 422,
      body: { detail: [{ loc: ['body', 'memo'], msg: 'must have at most 1000 characters' }] },
    })
    expect((await read()).memo).toBe(memo)
  })

  test('everything comes back as it was written', async () => {
    const odd = `"'\\ \r\n\t\r {} [] 한국어 ✓ e\u0301 \u2028`
    const content = {
      memo: odd,
      event_data: { medication: [{ medication_name: odd, medication_dose: 0 }], hospital: [odd, odd] },
    }
    expect((await save(content)).body).toMatchObject(content)
    expect(await read()).toMatchObject(content)
  })

  test('texts stored when such characters were still taken come back too', async () => {
    const { event_id } = (await save({ memo: 'old', event_data: { hospital: ['old'] } })).body
    await server.database.pool.query(
      `UPDATE event SET memo = E'\\x1b[2J', event_data = '{"medication": [], "hospital": ["\\u001b[2J"]}'
       WHERE id = $1`,
      [event_id],
    )
    expect(await read()).toMatchObject({ memo: '\u001b[2J', event_data: { hospital: ['\u001b[2J'] } })
  })

  test('keys that are not known are ignored', async () => {
    const { body } = await save({ memo: 'x', event_data: { hospital: [], doctor: 'y' }, extra: 1 })
    expect(body.event_data).toEqual(NO_DATA)
  })

  const names = (count: number) => Array.from({ length: count }, () => 'h')

  test('lists have at most 100 items, names at most 200 characters', async () => {
    const event_data = { hospital: [...names(99), 'h'.repeat(200)] }
    expect(await save({ event_data })).toMatchObject({ status: 200 })
  })

  test.each([
    [{ memo: 5 }, ['memo']],
    [{ memo: 'a\0b' }, ['memo']],
    [{ memo: '\ud800' }, ['memo']],
    [{ event_data: { hospital: 'h' } }, ['event_data', 'hospital']],
    [{ event_data: { hospital: [5] } }, ['event_data', 'hospital', '0']],
    [{ event_data: { hospital: ['h'.repeat(201)] } }, ['event_data', 'hospital', '0']],
    [{ event_data: { hospital: names(101) } }, ['event_data', 'hospital']],
    [
      { event_data: { medication: [{ medication_name: 'm' }] } },
      ['event_data', 'medication', '0', 'medication_dose'],
    ],
    [
      { event_data: { medication: [{ medication_name: 'm', medication_dose: 0.5 }] } },
      ['event_data', 'medication', '0', 'medication_dose'],
    ],
    [
      { event_data: { medication: [{ medication_name: 'm', medication_dose: '5' }] } },
      ['event_data', 'medication', '0', 'medication_dose'],
    ],
    [
      { event_data: { medication: [{ medication_name: 'm', medication_dose: -1 }] } },
      ['event_data', 'medication', '0', 'medication_dose'],
    ],
    [{ created_at: undefined }, ['created_at']],
    [{ created_at: '2026-02-29' }, ['created_at']],
    [{ created_at: '2026-03-20T00:00:00Z' }, ['created_at']],
    [{ event_id: '5' }, ['event_id']],
    [{ real_user_id: '' }, ['real_user_id']],
    [{ real_user_id: '1.5' }, ['real_user_id']],
    [{ real_user_id: '2147483648' }, ['real_user_id']],
    [{ real_user_id: null }, ['real_user_id']],
    [{ real_user_id: true }, ['real_user_id']],
    [{ real_user_id: undefined }, ['real_user_id']],
  ])('%j is not valid', async (change, path) => {
    expect(await save(change)).toMatchObject({ status: 422, body: { detail: [{ loc: ['body', ...path] }] } })
    expect(await rows()).toBe(0)
  })
})

describe('the replaced version is kept', () => {
  test('of each change one version, and none of a repetition', async () => {
    const { event_id } = (await save(CONTENT)).body
    await save(CONTENT)
    await save({ memo: 'overwritten by the other parent' })
    await save({ memo: 'overwritten by the other parent', event_id, created_at: OTHER_DAY })
    await save({ created_at: OTHER_DAY })
    expect(await versions(event_id)).toEqual([
      { version: 1, event_date: DAY, ...CONTENT },
      { version: 2, event_date: DAY, memo: 'overwritten by the other parent', event_data: NO_DATA },
      { version: 3, event_date: OTHER_DAY, memo: 'overwritten by the other parent', event_data: NO_DATA },
    ])
  })

  const deletions = {
    child: () => server.database.pool.query('UPDATE real_user SET deleted_at = now() WHERE id = $1', [child]),
    account: () => server.delete('/api/v1/beta/user/root-user', { token: parent.token }),
  }

  test.each(['child', 'account'] as const)('until the %s is deleted', async (what) => {
    const { event_id } = (await save(CONTENT)).body
    await save({ memo: 'x' })
    await deletions[what]()
    expect(await versions(event_id)).toEqual([])
    expect(await rows()).toBe(0)
  })
})

describe('an emptied event', () => {
  const empty = { memo: '', event_data: NO_DATA }

  test('gives way to one that moves onto its date, and leaves its versions to it', async () => {
    const moving = (await save({ memo: 'moving', created_at: OTHER_DAY })).body.event_id
    const emptied = (await save(CONTENT)).body.event_id
    await save({ memo: 'second' })
    await save(empty)
    const response = await save({ event_id: moving })
    expect(response).toMatchObject({ status: 200, body: { event_id: moving, memo: 'moving' } })
    expect(await read()).toMatchObject({ event_id: moving, memo: 'moving' })
    expect(await read(OTHER_DAY)).toMatchObject({ event_id: null, memo: '' })
    expect(await versions(emptied)).toEqual([])
    expect((await versions(moving)).map(({ memo }) => String(memo)).toSorted()).toEqual([
      '',
      'moving',
      'second',
      'slept well',
    ])
    // It is an event like any other from here on.
    expect(await save({ memo: 'later' }, { ifMatch: tag(response) })).toMatchObject({ status: 200 })
    expect(await save({ event_id: emptied, memo: 'x' })).toMatchObject({ status: 404 })
  })

  test('stays when the event that moves is refused, and any other event does not give way', async () => {
    const moving = await save({ memo: 'moving', created_at: OTHER_DAY })
    const { event_id } = moving.body
    const held = await save(empty)
    expect(await save({ event_id }, { ifMatch: '"1-1"' })).toMatchObject({ status: 412 })
    expect(await read()).toMatchObject({ event_id: held.body.event_id })
    await save({ event_data: { hospital: ['Seoul'] } })
    expect(await save({ event_id })).toMatchObject({
      status: 400,
      body: { detail: 'Failed to store user event' },
    })
    expect(await read(OTHER_DAY)).toMatchObject({ event_id, memo: 'moving' })
  })
})

describe('If-Match', () => {
  const changed = { status: 412, body: { detail: 'Event was changed meanwhile' } }

  test('saves over the version that was read', async () => {
    const first = await save(CONTENT)
    const { headers } = await server.get(PATH, {
      token: parent.token,
      query: { real_user_id: child, event_date: DAY },
    })
    expect(headers.get('etag')).toBe(tag(first))
    const second = await save({ memo: 'second' }, { ifMatch: tag(first) })
    expect(second).toMatchObject({ status: 200, body: { memo: 'second' } })
    expect(tag(second)).not.toBe(tag(first))
    expect(await save({ memo: 'third' }, { ifMatch: `"other", ${tag(second)}` })).toMatchObject({
      status: 200,
    })
    expect(await save({ memo: 'fourth' }, { ifMatch: '*' })).toMatchObject({ status: 200 })
  })

  test.each([
    ['weak', (version: string) => `W/"${version}"`],
    ["as Apache's mod_deflate writes it", (version: string) => `"${version}-gzip"`],
    ['as Jetty writes it', (version: string) => `W/"${version}--gzip"`],
    ['with another coding', (version: string) => `"${version};br"`],
    ['without quotes', (version: string) => version],
  ])('takes the version in a tag that a proxy has dressed: %s', async (_how, dress) => {
    const first = await save(CONTENT)
    const dressed = dress(tag(first).slice(1, -1))
    expect(await save({ memo: 'second' }, { ifMatch: `"7-7", ${dressed}` })).toMatchObject({ status: 200 })
    expect(await save({ memo: 'third' }, { ifMatch: dressed })).toMatchObject(changed)
  })

  test('refuses any other version, with and without event_id', async () => {
    const first = await save(CONTENT)
    const { event_id } = first.body
    await save({ memo: 'by the other parent' })
    for (const ifMatch of [tag(first), '"x"', '', `W/${tag(first)}`]) {
      expect(await save({ memo: 'lost' }, { ifMatch })).toMatchObject(changed)
      expect(await save({ memo: 'lost', event_id }, { ifMatch })).toMatchObject(changed)
    }
    expect((await read()).memo).toBe('by the other parent')
    expect(await save({ memo: 'overwrites' })).toMatchObject({ status: 200 })
  })

  test('goes by `version` over tRPC, which shows no headers; over REST it is not in the answer', async () => {
    const call = async (version?: string) => {
      const json = { real_user_id: child, created_at: DAY, memo: `after ${version}`, version }
      const { body } = await server.post('/trpc/calendar.saveEvent', { token: parent.token, json })
      return body.result?.data ?? body.error.data
    }
    const first = await call()
    expect(first.version).toBe(tag(await save({ memo: first.memo })))
    const input = JSON.stringify({ real_user_id: child, event_date: DAY })
    const { body } = await server.get('/trpc/calendar.readDay', { token: parent.token, query: { input } })
    expect(body.result.data.version).toBe(first.version)
    const second = await call(first.version)
    expect(second.version).not.toBe(first.version)
    expect(await call(first.version)).toMatchObject({ status: 412, detail: 'Event was changed meanwhile' })
    expect(await save({ version: first.version })).toMatchObject(changed)
    expect(Object.keys((await save({ version: second.version })).body).toSorted()).toEqual([
      'event_data',
      'event_id',
      'memo',
      'real_user_id',
    ])
  })

  test('a repeated save changes no version', async () => {
    const first = await save(CONTENT)
    expect(tag(await save(CONTENT))).toBe(tag(first))
  })

  test('refuses a date without an event, and the version of another event', async () => {
    expect(await save(CONTENT, { ifMatch: '*' })).toMatchObject(changed)
    expect(await rows()).toBe(0)
    const other = await save({ memo: 'x', created_at: OTHER_DAY })
    await save({ memo: 'y' })
    expect(await save(CONTENT, { ifMatch: tag(other) })).toMatchObject(changed)
  })

  test('lets one of two saves at the same time win', async () => {
    const ifMatch = tag(await save(CONTENT))
    const responses = await Promise.all(['a', 'b', 'c', 'd'].map((memo) => save({ memo }, { ifMatch })))
    expect(responses.filter((response) => response.status === 412)).toHaveLength(3)
    const winner = responses.find(({ status }) => status === 200)
    expect((await read()).memo).toBe(winner?.body.memo)
  })
})

describe('calls that meet', () => {
  test('make one event of a date', async () => {
    const responses = await Promise.all(Array.from({ length: 8 }, (_, n) => save({ memo: `${n}` })))
    expect(new Set(responses.map(({ status, body }) => `${status} ${body.event_id}`)).size).toBe(1)
    expect(responses[0]?.status).toBe(200)
    expect(await rows()).toBe(1)
  })

  test('a save that meets the deletion of its child is refused, not left behind', async () => {
    const response = await inBetween(server, {
      lock: `SELECT FROM real_user WHERE id = ${child} FOR UPDATE`,
      change: `UPDATE real_user SET deleted_at = now() WHERE id = ${child}`,
      call: () => save(CONTENT),
    })
    expect(response).toMatchObject({ status: 404, body: { detail: 'Real User id is not valid' } })
    expect(await rows()).toBe(0)
  })

  test('a save that meets the move of the event away makes a new one', async () => {
    const { event_id } = (await save(CONTENT)).body
    const response = await inBetween(server, {
      lock: `SELECT FROM event WHERE real_user_id = ${child} AND id = ${event_id} FOR UPDATE`,
      change: `UPDATE event SET event_date = '${OTHER_DAY}' WHERE real_user_id = ${child} AND id = ${event_id}`,
      call: () => save({ memo: 'new' }),
    })
    expect(response).toMatchObject({ status: 200, body: { memo: 'new' } })
    expect(response.body.event_id).not.toBe(event_id)
    expect(await read(OTHER_DAY)).toMatchObject({ event_id, ...CONTENT })
  })
})

describe('errors', () => {
  test('an absent child and a deleted one', async () => {
    const notValid = { status: 404, body: { detail: 'Real User id is not valid' } }
    expect(await save({ real_user_id: 2 ** 31 - 1 })).toMatchObject(notValid)
    expect(await save({ real_user_id: 2 ** 31 - 1, event_id: 1 })).toMatchObject(notValid)
    await server.database.pool.query('UPDATE real_user SET deleted_at = now() WHERE id = $1', [child])
    expect(await save(CONTENT)).toMatchObject(notValid)
  })

  test("another family's child", async () => {
    const { event_id } = (await save(CONTENT)).body
    const { token } = await signUp(server)
    const notOwn = { status: 401, body: { detail: 'Not authorized user' } }
    expect(await save({ memo: 'x' }, { token })).toMatchObject(notOwn)
    expect(await save({ memo: 'x', event_id }, { token })).toMatchObject(notOwn)
    expect(await read()).toMatchObject(CONTENT)
  })

  test('by the database, without a word of the event in the log', async () => {
    await server.database.pool.query(
      `ALTER TABLE event ADD CONSTRAINT error CHECK (length(memo) < 70) NOT VALID`,
    )
    const failed = { status: 400, body: { detail: 'Failed to store user event' } }
    expect(await save({ memo: 'a secret of the family' })).toMatchObject(failed)
    const { event_id } = (await save(CONTENT)).body
    expect(await save({ memo: 'a secret of the family', event_id })).toMatchObject(failed)
    await server.database.pool.query('ALTER TABLE event DROP CONSTRAINT error')
    expect(await read()).toMatchObject(CONTENT)
    expect(server.log()).toContain('event not stored')
    expect(server.log()).not.toContain('a secret of the family')
  })

  test('tokens and accounts', async () => {
    const said = await errorsByState(server, parent, (token) =>
      save(CONTENT, token === undefined ? {} : { token }),
    )
    expect(said).toEqual(stateErrors)
  })
})
