import { randomUUID } from 'node:crypto'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { rejectedItemText } from '@companion/server/devlogs/rejected-item.ts'
import { retryRejected } from '@companion/server/devlogs/rejected-devlogs.ts'
import { addChild, addDevice, devlogItem, signUp, upload } from '../../support/family.ts'
import type { Account } from '../../support/family.ts'
import { startServer, useServer } from '../../support/server.ts'
import { storedRows } from '../../support/stored-rows.ts'

const server = useServer()
const PATH = '/api/v1/gamma/device/devlog'
const NIGHT = '2026-03-01T21:30:00'
const LENIENT = { prefer: 'handling=lenient' }
const lenient = (items: unknown[]) => upload(server, items, LENIENT)

let parent: Account
let device: string
beforeAll(async () => {
  parent = await signUp(server)
})
beforeEach(async () => {
  device = (await addChild(server, parent.token)).unique_id
  await server.database.pool.query('DELETE FROM rejected_devlog')
})

async function storedLogs(unique_id = device): Promise<number[]> {
  const { rows } = await server.database.pool.query(
    `SELECT log_file_id FROM treatment t JOIN device d ON d.id = t.device_id
     WHERE d.unique_id = $1 AND deleted_at IS NULL ORDER BY log_file_id`,
    [unique_id],
  )
  return rows.map(({ log_file_id }) => log_file_id)
}

const kept = (): Promise<{ content: string; reason: string; address: string }[]> =>
  storedRows(
    server.database,
    'rejected_devlog',
    'SELECT content, reason, address FROM rejected_devlog ORDER BY id',
  )

test('every item gets its verdict: the good are stored, the bad kept aside', async () => {
  const unconnected = (await addDevice(server)).unique_id
  const unknown = randomUUID()
  await upload(server, [
    devlogItem(device, NIGHT, { log_file_id: 1 }),
    devlogItem(device, '2026-03-02T21:30:00', { log_file_id: 2, is_temp: true }),
    devlogItem(device, '2026-03-03T21:30:00', { log_file_id: 3, is_temp: true }),
  ])
  const items = [
    devlogItem(device, '1970-01-01T00:00:10', { log_file_id: 9 }),
    devlogItem(device, NIGHT, { log_file_id: 1 }),
    devlogItem(device, '2026-03-02T21:30:00', { log_file_id: 2 }),
    devlogItem(unknown, NIGHT),
    devlogItem(device, '2026-03-04T21:30:00', { log_file_id: 4 }),
    { ...devlogItem(device, NIGHT), log_file_id: '10' },
    devlogItem(unconnected, NIGHT),
    devlogItem(device, '2026-03-04T21:30:00', { log_file_id: 4 }),
    devlogItem(device, '2026-03-03T21:30:00', { log_file_id: 5 }),
    devlogItem(device, '2026-03-03T21:30:00', { log_file_id: 6, is_temp: true }),
    null,
  ]
  const { status, body } = await lenient(items)
  expect(status).toBe(200)
  expect(body).toEqual({
    statusCode: 200,
    message: 'Devlog saved successfully',
    results: [
      { index: 0, status: 'rejected', detail: expect.stringContaining('detail_data.treatment_date') },
      { index: 1, status: 'duplicate' },
      { index: 2, status: 'completed' },
      { index: 3, status: 'rejected', detail: 'Not Found Device' },
      { index: 4, status: 'stored' },
      { index: 5, status: 'rejected', detail: expect.stringContaining('log_file_id') },
      { index: 6, status: 'rejected', detail: 'Not Connected Device' },
      { index: 7, status: 'duplicate' },
      { index: 8, status: 'completed' },
      { index: 9, status: 'duplicate' },
      { index: 10, status: 'rejected', detail: expect.stringContaining('item') },
    ],
  })
  expect(await storedLogs()).toEqual([1, 2, 4, 5])
  const rejections = await kept()
  // Nothing is kept of a device that nobody has registered, nor of what names none.
  const rejected = [0, 5, 6]
  expect(rejections.map(({ content }) => JSON.parse(content))).toHaveLength(rejected.length)
  for (const index of rejected) {
    expect(rejections).toContainEqual({
      content: rejectedItemText(items[index]),
      reason: body.results[index].detail,
      address: '127.0.0.1',
    })
  }
})

test('a repeated record is kept once, and a repeated upload changes nothing', async () => {
  const bad = devlogItem(device, NIGHT, { treatment_time: 86_401 })
  const items = [bad, devlogItem(device, NIGHT), bad]
  for (const status of ['stored', 'duplicate', 'duplicate']) {
    expect((await lenient(items)).body.results).toMatchObject([
      { status: 'rejected' },
      { index: 1, status },
      { status: 'rejected' },
    ])
  }
  expect(await kept()).toHaveLength(1)
  expect(await storedLogs()).toEqual([1])
})

test('a rejected item that is sent corrected is stored', async () => {
  const later = await addDevice(server)
  const item = devlogItem(later.unique_id, NIGHT)
  expect((await lenient([item])).body.results).toMatchObject([
    { status: 'rejected', detail: 'Not Connected Device' },
  ])
  const { status } = await server.post('/api/v2/beta/user/create-real-user', {
    token: parent.token,
    json: { ...later, first_name: 'Juno', last_name: '', birthdate: '20190101', gender: 'M' },
  })
  expect(status).toBe(200)
  expect((await lenient([item])).body.results).toMatchObject([{ status: 'stored' }])
})

const strange = [
  '"\\u0000"',
  '{"unique_id":"\\u0000","note":"\\u0000"}',
  '{"\\u0000":1}',
  '"\\ud800"',
  '{"unique_id":"\\udc00\\ud800","\\ud800":"\\udfff"}',
  '{"__proto__":{"unique_id":"x"},"constructor":1,"toString":null}',
  '1e400',
  '123456789012345678901234567890',
  '-0',
  'true',
  '[]',
  '[[1],{"a":[]}]',
  '""',
  `"${'x'.repeat(1_000_000)}"`,
  `${'['.repeat(29)}${']'.repeat(29)}`,
  `${'{"a":'.repeat(29)}1${'}'.repeat(29)}`,
]
test.each(strange.map((json) => [json.slice(0, 60), json]))(
  'strange JSON is kept safely: %s',
  async (_name, json) => {
    const good = JSON.stringify(devlogItem(device, NIGHT))
    const { status, body } = await server.post(PATH, {
      body: `[{"unique_id":"${device}","strange":${json}},${good}]`,
      headers: { ...LENIENT, 'content-type': 'application/json' },
    })
    expect(status).toBe(200)
    expect(body.results).toMatchObject([{ status: 'rejected' }, { status: 'stored' }])
    expect(await storedLogs()).toEqual([1])
    const [{ content } = { content: '' }] = await kept()
    expect(content.isWellFormed()).toBe(true)
    expect(() => JSON.parse(content)).not.toThrow()
  },
)

test('strange JSON comes out as it went in', async () => {
  const item = { unique_id: device, note: '\u0000 \ud800 👧🏽', at: 1 }
  await lenient([item])
  const [{ content } = { content: '' }] = await kept()
  expect(JSON.parse(content)).toEqual(item)
})

test.each([
  'handling=lenient',
  'Handling = Lenient',
  'handling="lenient"',
  'respond-async, handling=lenient',
  'wait=10,handling=lenient;foo',
])('Prefer: %s', async (prefer) => {
  const { status, body } = await upload(server, [{}, devlogItem(device, NIGHT)], { prefer })
  expect(status).toBe(200)
  expect(body.results).toMatchObject([{ status: 'rejected' }, { status: 'stored' }])
})

test.each(['handling=strict', 'handling=lenient-ish', 'xhandling=lenient', 'lenient', ''])(
  'not Prefer: %j',
  async (prefer) => {
    expect(await upload(server, [{}, devlogItem(device, NIGHT)], { prefer })).toMatchObject({ status: 422 })
    const response = await upload(server, [devlogItem(device, NIGHT)], { prefer })
    expect(response.body).toEqual({ statusCode: 200, message: 'Devlog saved successfully' })
  },
)

test('a body that is no list of at most 1000 items is refused whole', async () => {
  for (const json of [{}, null, 'x', { items: [] }]) {
    expect(await server.post(PATH, { json, headers: LENIENT })).toMatchObject({ status: 422 })
  }
  expect(await lenient(Array.from({ length: 1001 }, () => ({})))).toMatchObject({ status: 422 })
  expect(
    await server.post(PATH, { body: '[{]', headers: { ...LENIENT, 'content-type': 'application/json' } }),
  ).toMatchObject({
    status: 400,
    body: { detail: 'Request body is not valid JSON' },
  })
  expect(await kept()).toEqual([])
  expect((await lenient([])).body.results).toEqual([])
})

test('1000 items, every other one bad', async () => {
  const items = Array.from({ length: 1000 }, (_, n) =>
    n % 2 === 0 ? devlogItem(device, NIGHT, { log_file_id: n }) : { unique_id: device, bad: n },
  )
  const { status, body } = await lenient(items)
  expect(status).toBe(200)
  expect(body.results.map(({ status }: { status: string }) => status)).toEqual(
    items.map((_, n) => (n % 2 === 0 ? 'stored' : 'rejected')),
  )
  expect(await storedLogs()).toHaveLength(500)
  expect(await kept()).toHaveLength(500)
})

test("with an access token another family's items are rejected, one's own stored", async () => {
  const stranger = await signUp(server)
  const theirs = (await addChild(server, stranger.token)).unique_id
  const { status, body } = await server.post(PATH, {
    token: stranger.token,
    json: [devlogItem(device, NIGHT), devlogItem(theirs, NIGHT)],
    headers: LENIENT,
  })
  expect(status).toBe(200)
  expect(body.results).toEqual([
    { index: 0, status: 'rejected', detail: 'Not authorized user' },
    { index: 1, status: 'stored' },
  ])
  expect(await storedLogs()).toEqual([])
  expect(await server.post(PATH, { token: 'x', json: [{}], headers: LENIENT })).toMatchObject({ status: 401 })
})

test('the same bad items from several at once, in any order, are kept once each', async () => {
  // Slow, so that the uploads meet half-way.
  await server.database.pool.query(`
    CREATE FUNCTION dawdle() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_sleep(0.002); RETURN new; END $$;
    CREATE TRIGGER dawdle BEFORE INSERT ON rejected_devlog FOR EACH ROW EXECUTE FUNCTION dawdle()`)
  const items = Array.from({ length: 50 }, (_, n) => ({ unique_id: device, bad: n }))
  const responses = await Promise.all(
    [items, items.toReversed(), items, items.toReversed()].map((each) => lenient(each)),
  )
  await server.database.pool.query('DROP FUNCTION dawdle CASCADE')
  expect(responses.map(({ status }) => status)).toEqual([200, 200, 200, 200])
  expect(await kept()).toHaveLength(50)
})

describe('of what is kept', () => {
  const full = () => devlogItem(device, '1970-01-01T21:00', { intensities: Array(240).fill(32_767) })

  test('a whole night fits, and is stored once the rule that refused it has changed', async () => {
    await lenient([full()])
    const [{ content } = { content: '' }] = await kept()
    expect(Buffer.byteLength(content)).toBeLessThan(4096)
    await server.database.pool.query('UPDATE rejected_devlog SET content = $1', [
      server.database.keyRing.encrypt('rejected_devlog.content', content.replace('1970-01-01', '2026-03-01')),
    ])
    expect(await retryRejected(server.database)).toMatchObject([{ status: 'stored' }])
    const { rows } = await server.database.pool.query(
      `SELECT intensity_record FROM treatment t JOIN device d ON d.id = t.device_id WHERE unique_id = $1`,
      [device],
    )
    expect(rows).toEqual([{ intensity_record: Array(240).fill(32_767) }])
  })

  test('a larger item keeps its beginning for a person to read, and is never stored', async () => {
    const item = { ...full(), note: '\u0001"\\가'.repeat(50_000) }
    expect((await lenient([item])).body.results).toMatchObject([{ status: 'rejected' }])
    const [{ content } = { content: '' }] = await kept()
    expect(Buffer.byteLength(content)).toBeLessThanOrEqual(4096)
    expect(JSON.parse(content).beginning).toContain(device)
    expect(await retryRejected(server.database)).toMatchObject([
      { status: 'kept', detail: 'Only its beginning was kept' },
    ])
    expect(await kept()).toHaveLength(1)
  })

  test('one address fills no more than 1 MB a day, and nothing with what names no registered device', async () => {
    const limited = await startServer({ RATE_LIMITS: 'on' })
    const size = async () =>
      (
        await limited.database.pool.query(
          'SELECT coalesce(sum(octet_length(content)), 0)::int AS bytes, count(*)::int AS items FROM rejected_devlog',
        )
      ).rows[0]
    try {
      const { unique_id } = await addChild(limited, (await signUp(limited)).token)
      const bad = (from: number) =>
        Array.from({ length: 100 }, (_, n) => ({ unique_id, bad: from + n, note: 'x'.repeat(3900) }))
      await upload(
        limited,
        [{ x: 'x'.repeat(4_000_000) }, { unique_id: randomUUID(), x: 'x'.repeat(10_000) }],
        LENIENT,
      )
      expect(await size()).toEqual({ bytes: 0, items: 0 })
      for (let from = 0; from < 500; from += 100) {
        const { status, body } = await upload(limited, bad(from), LENIENT)
        expect(status).toBe(200)
        expect(body.results).toHaveLength(100)
      }
      const { bytes, items } = await size()
      expect(items).toBe(200)
      // Encrypted, which takes a third more.
      expect(bytes).toBeLessThanOrEqual(1_400_000)
      expect(limited.log()).toContain('rejected records not kept')
    } finally {
      await limited.stop()
    }
  })
})
