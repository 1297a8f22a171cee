import { gzipSync } from 'node:zlib'
import { createHash, randomUUID } from 'node:crypto'
import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { addChild, addDevice, devlogItem, signUp, upload } from '../../support/family.ts'
import { isInLab, startServer, useServer } from '../../support/server.ts'

const server = useServer()
const PATH = '/api/v1/gamma/device/devlog'

let parent: Awaited<ReturnType<typeof signUp>>
let child: Awaited<ReturnType<typeof addChild>>
let device: string
beforeAll(async () => {
  parent = await signUp(server)
})
beforeEach(async () => {
  child = await addChild(server, parent.token)
  device = child.unique_id
})
afterEach(() => void vi.useRealTimers())

const NIGHT = '2026-03-01T21:30:00'
const saved = { status: 200, body: { statusCode: 200, message: 'Devlog saved successfully' } }

interface Stored {
  log_file_id: number
  treatment_date: string
  treatment_time: number
  last_intensity: number
  finish_flag: number
  movement: number
  is_temp: boolean
  intensity_record: number[]
  real_user_id: number
}

/** The live treatments of a device, oldest first. */
async function treatmentsOf(unique_id = device): Promise<Stored[]> {
  const { rows } = await server.database.pool.query(
    `SELECT log_file_id, treatment_date::text, treatment_time, last_intensity, finish_flag, movement, is_temp,
       intensity_record, t.real_user_id
     FROM treatment t JOIN device d ON d.id = t.device_id
     WHERE d.unique_id = $1 AND deleted_at IS NULL ORDER BY treatment_date, log_file_id`,
    [unique_id],
  )
  return rows
}

async function lastLogFileId(unique_id = device): Promise<number> {
  const { rows } = await server.database.pool.query(
    'SELECT last_log_file_id FROM device WHERE unique_id = $1',
    [unique_id],
  )
  return rows[0].last_log_file_id
}

const move = (unique_id: string, real_user_id: number | null) =>
  server.database.pool.query('UPDATE device SET real_user_id = $2 WHERE unique_id = $1', [
    unique_id,
    real_user_id,
  ])

describe('one upload', () => {
  test('stores what the device says, as it says it', async () => {
    const item = devlogItem(device, NIGHT, {
      log_file_id: 12,
      intensities: [0, 7, 32_767],
      treatment_time: 1080,
      last_intensity: 7,
      finish_flag: '4',
      movement: 3,
    })
    expect(await upload(server, [item])).toMatchObject(saved)
    expect(await treatmentsOf()).toEqual([
      {
        log_file_id: 12,
        treatment_date: '2026-03-01 21:30:00',
        treatment_time: 1080,
        last_intensity: 7,
        finish_flag: 4,
        movement: 3,
        is_temp: false,
        intensity_record: [0, 7, 32_767],
        real_user_id: child.real_user_id,
      },
    ])
    expect(await lastLogFileId()).toBe(12)
  })

  test('may leave out what is optional, bring what nobody asked for, and write the id in upper case', async () => {
    const item = {
      ...devlogItem(device.toUpperCase(), NIGHT, { intensities: [] }),
      firmware: '1.2',
      real_user_id: 1,
    }
    expect(await upload(server, [item])).toMatchObject(saved)
    expect(await treatmentsOf()).toMatchObject([
      { movement: 0, is_temp: false, intensity_record: [], real_user_id: child.real_user_id },
    ])
  })

  test('may be empty', async () => {
    expect(await upload(server, [])).toMatchObject(saved)
  })

  test('may be compressed', async () => {
    const body = gzipSync(JSON.stringify([devlogItem(device, NIGHT)]))
    const headers = { 'content-type': 'application/json; charset=utf-8', 'content-encoding': 'gzip' }
    expect(await server.post(PATH, { body, headers })).toMatchObject(saved)
    expect(await treatmentsOf()).toHaveLength(1)
  })

  test('is refused when it is too large, unpacked too', async () => {
    const large = JSON.stringify([{ ...devlogItem(device, NIGHT), padding: 'x'.repeat(5_000_000) }])
    const headers = { 'content-type': 'application/json' }
    const tooLarge = { status: 413, body: { detail: 'Request body is too large' } }
    expect(await server.post(PATH, { body: large, headers })).toMatchObject(tooLarge)
    const packed = { body: gzipSync(large), headers: { ...headers, 'content-encoding': 'gzip' } }
    expect(await server.post(PATH, packed)).toMatchObject(tooLarge)
    expect(await treatmentsOf()).toEqual([])
  })

  test('of 1000 items is stored, of 1001 refused', async () => {
    const items = Array.from({ length: 1001 }, (_, n) =>
      devlogItem(device, NIGHT, { log_file_id: n, intensities: [n] }),
    )
    const { status, body } = await upload(server, items)
    expect(status).toBe(422)
    expect(body.detail).toMatchObject([{ type: 'too_big', loc: ['body'] }])
    expect(await treatmentsOf()).toEqual([])
    expect(await upload(server, items.slice(1))).toMatchObject(saved)
    const stored = await treatmentsOf()
    expect(stored.map(({ log_file_id, intensity_record }) => [log_file_id, ...intensity_record])).toEqual(
      items.slice(1).map((_, n) => [n + 1, n + 1]),
    )
  })
})

describe('an upload that is refused stores nothing', () => {
  const good = () => devlogItem(device, NIGHT)

  test.each([
    [404, 'Not Found Device', async () => randomUUID()],
    [409, 'Not Connected Device', async () => (await addDevice(server)).unique_id],
  ])('%i %s', async (status, detail, other) => {
    const bad = devlogItem(await other(), NIGHT)
    for (const items of [[bad], [good(), bad, good()], [bad, good()]]) {
      expect(await upload(server, items)).toMatchObject({ status, body: { detail } })
    }
    expect(await treatmentsOf()).toEqual([])
    expect(await lastLogFileId()).toBe(0)
  })

  test('an unknown device weighs more than one that is not connected', async () => {
    const unconnected = devlogItem((await addDevice(server)).unique_id, NIGHT)
    for (const items of [
      [unconnected, devlogItem(randomUUID(), NIGHT)],
      [devlogItem(randomUUID(), NIGHT), unconnected],
    ]) {
      expect(await upload(server, items)).toMatchObject({ status: 404, body: { detail: 'Not Found Device' } })
    }
  })

  test('a batch of 3 with one that is not valid', async () => {
    const items = [good(), devlogItem(device, NIGHT, { log_file_id: 2, treatment_time: -1 }), good()]
    const { status, body } = await upload(server, items)
    expect(status).toBe(422)
    expect(body.detail).toEqual([
      {
        type: 'too_small',
        loc: ['body', '1', 'detail_data', 'treatment_time'],
        msg: expect.any(String),
        input: -1,
        ctx: { error: body.detail[0].msg },
        url: expect.stringContaining('/docs/errors#too_small'),
      },
    ])
    expect(await treatmentsOf()).toEqual([])
  })

  test('a body that is not an array of items', async () => {
    for (const json of [{}, { items: [] }, 'x', 1, null, true, [1], [null], [[good()]]]) {
      expect(await server.post(PATH, { json })).toMatchObject({ status: 422 })
    }
    expect(await server.post(PATH)).toMatchObject({ status: 422 })
    const headers = { 'content-type': 'application/json' }
    for (const body of ['[', '[{}', '{"a":1}}', '[\ud800', Buffer.from('["\xff"]', 'latin1')]) {
      expect(await server.post(PATH, { body, headers })).toMatchObject({
        status: 400,
        body: { detail: 'Request body is not valid JSON' },
      })
    }
    expect(
      await server.post(PATH, { body: JSON.stringify([good()]), headers: { 'content-type': 'text/plain' } }),
    ).toMatchObject({ status: 415 })
    expect(await treatmentsOf()).toEqual([])
  })
})

describe('the fields of an item', () => {
  /** Sends one item with `value` at `field`; undefined leaves the field out. */
  async function send(field: string, value: unknown) {
    const item = devlogItem(device, NIGHT)
    const isDetail = field === 'movement' || field in item.detail_data
    return upload(server, [
      isDetail
        ? { ...item, detail_data: { ...item.detail_data, [field]: value } }
        : { ...item, [field]: value },
    ])
  }

  const LONG_LIST = Array.from({ length: 240 }, () => ({ intensity: 1 }))
  test.each<[string, unknown]>([
    ['treatment_time', 0],
    ['treatment_time', 86_400],
    ['last_intensity', 0],
    ['last_intensity', 32_767],
    ['movement', 0],
    ['movement', 2 ** 31 - 1],
    ['log_file_id', 0],
    ['log_file_id', 2 ** 31 - 1],
    ['intensity_record', []],
    ['intensity_record', [{ intensity: 0 }, { intensity: 32_767, at: 6 }]],
    ['intensity_record', LONG_LIST],
    ['is_temp', 1],
    ['is_temp', false],
    ['treatment_date', '2015-01-01T00:00:00'],
    ['treatment_date', '2024-02-29T23:59:59'],
  ])('%s may be %j', async (field, value) => {
    expect(await send(field, value)).toMatchObject(saved)
    const [stored] = await treatmentsOf()
    const expected =
      field === 'is_temp'
        ? Boolean(value)
        : field === 'treatment_date'
          ? String(value).replace('T', ' ')
          : Array.isArray(value)
            ? value.map(({ intensity }) => intensity)
            : value
    expect(stored).toMatchObject({ [field]: expected })
  })

  const noInteger = [undefined, null, '', '1', '0x10', '1e3', 1.5, true, [1], {}, 2 ** 31, -1]
  const noDate = [
    undefined,
    null,
    '',
    20_260_301,
    '2026-03-01',
    '2026-03-01 21:30:00',
    '2026-03-01T21:30:00Z',
    '2026-03-01T21:30:00z',
    '2026-03-01T21:30:00+09:00',
    '2026-03-01T21:30:00-05',
    '2026-03-01T21:30:00.000Z',
    '2026-03-01T24:00:00',
    '2026-03-01T21:60:00',
    '2026-03-01T21:30:60',
    '2026-03-01T21',
    '2026-02-29T21:30:00',
    '2026-13-01T21:30:00',
    '2026-03-01T21:30:00.',
    '2026-03-01T21:30:00.1234567',
    '2026-03-01T21:30:00\0',
    '2026-03-01T21:30:00\n',
    '٢٠٢٦-03-01T21:30:00',
    '+02026-03-01T21:30:00',
    '2014-12-31T23:59:59.999999',
    '1970-01-01T00:00:00',
    '0000-01-01T00:00:00',
    '9999-12-31T00:00:00',
    'infinity',
    'now',
  ]
  test.each<[string, unknown]>([
    ...['treatment_time', 'last_intensity', 'log_file_id'].flatMap((field) =>
      noInteger.map((value): [string, unknown] => [field, value]),
    ),
    ...noInteger.slice(2).map((value): [string, unknown] => ['movement', value]),
    ['treatment_time', 86_401],
    ['last_intensity', 32_768],
    ...noDate.map((value): [string, unknown] => ['treatment_date', value]),
    ...[undefined, null, '', '0', '7', '01', ' 1', '1\0', 0, 7, 1.5, true, ['1']].map(
      (value): [string, unknown] => ['finish_flag', value],
    ),
    ...['false', 'true', 'no', null, '', 2, -1, '1'].map((value): [string, unknown] => ['is_temp', value]),
    ...[undefined, null, '', 'x', 1, `${randomUUID()}0`, `\0`, '\ud800', `{${randomUUID()}}`].map(
      (value): [string, unknown] => ['unique_id', value],
    ),
    ...[undefined, null, '', 'x', []].map((value): [string, unknown] => ['detail_data', value]),
    ...[
      undefined,
      null,
      {},
      'x',
      [1],
      [null],
      [{}],
      [{ intensity: '1' }],
      [{ intensity: -1 }],
      [{ intensity: 32_768 }],
      [{ intensity: 1.5 }],
      [...LONG_LIST, { intensity: 1 }],
    ].map((value): [string, unknown] => ['intensity_record', value]),
  ])('%s may not be %j', async (field, value) => {
    const { status, body } = await send(field, value)
    expect(status).toBe(422)
    for (const issue of body.detail) {
      expect(issue.loc.slice(0, 2)).toEqual(['body', '0'])
      expect(issue.loc).toContain(field)
    }
    expect(await treatmentsOf()).toEqual([])
  })

  test('finish_flag may be a text or an integer', async () => {
    const flags = ['1', '2', '3', '4', '5', '6', 1, 2, 3, 4, 5, 6]
    const items = flags.map((finish_flag, n) =>
      devlogItem(device, NIGHT, { log_file_id: n + 1, finish_flag }),
    )
    expect(await upload(server, items)).toMatchObject(saved)
    expect((await treatmentsOf()).map(({ finish_flag }) => finish_flag)).toEqual(flags.map(Number))
  })

  test.each([
    ['2026-03-01T21:30', '2026-03-01 21:30:00'],
    ['2026-03-01T21:30:05', '2026-03-01 21:30:05'],
    ['2026-03-01T21:30:05.5', '2026-03-01 21:30:05.5'],
    ['2026-03-01T21:30:05.123', '2026-03-01 21:30:05.123'],
    ['2026-03-01T21:30:05.123456', '2026-03-01 21:30:05.123456'],
    ['2026-03-01T00:00:00', '2026-03-01 00:00:00'],
    ['2026-03-01T23:59:59.999999', '2026-03-01 23:59:59.999999'],
    // An hour that New York skips, and one that it has twice.
    ['2026-03-08T02:30:00', '2026-03-08 02:30:00'],
    ['2025-11-02T01:30:00', '2025-11-02 01:30:00'],
  ])('the wall clock %s is kept as it is', async (sent, stored) => {
    expect(await upload(server, [devlogItem(device, sent)])).toMatchObject(saved)
    expect(await treatmentsOf()).toMatchObject([{ treatment_date: stored }])
    const { body } = await server.get('/api/v1/beta/chart/recent', {
      token: parent.token,
      query: { real_user_id: child.real_user_id, current_date: sent.slice(0, 10) },
    })
    expect(body.treatment_time_data).toEqual([{ treatment_date: sent.slice(0, 10), treatment_time: 720 }])
  })

  test('a device may be 48 hours ahead, and no more', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: new Date('2026-11-20T10:00:00.000Z') })
    const last = [
      '2026-11-22T10:00',
      '2026-11-22T10:00:00',
      '2026-11-22T10:00:00.000',
      '2026-11-22T10:00:00.000000',
    ]
    for (const date of last) {
      expect(await upload(server, [devlogItem(device, date)])).toMatchObject(saved)
    }
    expect(await treatmentsOf()).toHaveLength(1)
    for (const date of [
      '2026-11-22T10:00:00.001',
      '2026-11-22T10:00:01',
      '2026-11-22T10:01',
      '2027-01-01T00:00',
    ]) {
      expect(await upload(server, [devlogItem(device, date)])).toMatchObject({ status: 422 })
    }
    vi.setSystemTime(new Date('2026-11-20T10:00:01Z'))
    expect(await upload(server, [devlogItem(device, '2026-11-22T10:00:01')])).toMatchObject(saved)
  })
})

describe('the same record again', () => {
  test('changes nothing, even when it says something else', async () => {
    await upload(server, [devlogItem(device, NIGHT)])
    const before = await treatmentsOf()
    expect(await upload(server, [devlogItem(device, NIGHT)])).toMatchObject(saved)
    const other = devlogItem(device.toUpperCase(), '2026-03-01T21:30', {
      treatment_time: 9999,
      intensities: [1, 1, 1],
      finish_flag: 6,
    })
    expect(await upload(server, [other, other])).toMatchObject(saved)
    expect(await treatmentsOf()).toEqual(before)
  })

  test('counts once within one upload too', async () => {
    const item = devlogItem(device, NIGHT)
    expect(await upload(server, [item, item, devlogItem(device, '2026-03-01T21:30:00.0')])).toMatchObject(
      saved,
    )
    expect(await treatmentsOf()).toHaveLength(1)
  })

  test('is another one on another device, with another start, or with another log_file_id', async () => {
    const sibling = await addChild(server, parent.token)
    const items = [
      devlogItem(device, NIGHT),
      devlogItem(sibling.unique_id, NIGHT),
      devlogItem(device, '2026-03-01T21:30:01'),
      devlogItem(device, NIGHT, { log_file_id: 2 }),
    ]
    expect(await upload(server, items)).toMatchObject(saved)
    expect(await treatmentsOf()).toHaveLength(3)
    expect(await treatmentsOf(sibling.unique_id)).toHaveLength(1)
  })

  test('is stored again after a delete', async () => {
    await upload(server, [devlogItem(device, NIGHT, { is_temp: true })])
    await server.database.pool.query('UPDATE treatment SET deleted_at = now() WHERE device_id = $1', [
      child.device_id,
    ])
    const sibling = await addChild(server, parent.token)
    await move(device, null)
    await move(sibling.unique_id, null)
    await move(device, sibling.real_user_id)
    expect(await upload(server, [devlogItem(device, NIGHT)])).toMatchObject(saved)
    expect(await treatmentsOf()).toMatchObject([{ is_temp: false, real_user_id: sibling.real_user_id }])
    await server.database.pool.query('UPDATE treatment SET deleted_at = now() WHERE device_id = $1', [
      child.device_id,
    ])
    expect(await upload(server, [devlogItem(device, NIGHT, { is_temp: true })])).toMatchObject(saved)
    expect(await treatmentsOf()).toMatchObject([{ is_temp: true }])
  })
})

describe('temporary and complete', () => {
  const temporary = (log_file_id = 1) =>
    devlogItem(device, NIGHT, { log_file_id, is_temp: true, treatment_time: 60 })
  const complete = (log_file_id = 1) => devlogItem(device, NIGHT, { log_file_id, treatment_time: 3600 })
  const result = (log_file_id = 1) => [{ log_file_id, is_temp: false, treatment_time: 3600 }]

  test.each([
    ['the same log_file_id', 1],
    ['another log_file_id', 2],
  ])('a complete record with %s replaces the temporary one', async (_name, id) => {
    await upload(server, [temporary()])
    expect(await treatmentsOf()).toMatchObject([{ is_temp: true, treatment_time: 60 }])
    expect(await upload(server, [complete(id)])).toMatchObject(saved)
    expect(await treatmentsOf()).toMatchObject(result(id))
    for (const late of [temporary(), temporary(id), temporary(3)])
      expect(await upload(server, [late])).toMatchObject(saved)
    expect(await treatmentsOf()).toMatchObject(result(id))
    expect(await lastLogFileId()).toBe(id)
  })

  test.each([
    ['before', (id: number) => [temporary(), complete(id)]],
    ['after', (id: number) => [complete(id), temporary()]],
    ['around', (id: number) => [temporary(), complete(id), temporary(3), complete(id)]],
  ])('in one upload, the temporary one %s', async (_name, items) => {
    for (const id of [1, 2]) {
      await server.database.pool.query('DELETE FROM treatment WHERE device_id = $1', [child.device_id])
      expect(await upload(server, items(id))).toMatchObject(saved)
      expect(await treatmentsOf()).toMatchObject(result(id))
    }
  })

  test('a temporary record sent again changes nothing', async () => {
    await upload(server, [temporary()])
    await upload(server, [{ ...temporary(), log_file_id: 1, intensity_record: [] }])
    expect(await treatmentsOf()).toMatchObject([{ is_temp: true, intensity_record: [3, 9] }])
  })

  test('a temporary record with the highest number takes it along when it yields', async () => {
    await upload(server, [devlogItem(device, '2026-02-27T21:30:00', { log_file_id: 5 }), temporary(9)])
    expect(await lastLogFileId()).toBe(9)
    await upload(server, [complete(3)])
    expect(await lastLogFileId()).toBe(5)
  })

  const growing = (treatment_time: number, log_file_id = 1) =>
    devlogItem(device, NIGHT, {
      log_file_id,
      is_temp: true,
      treatment_time,
      last_intensity: Math.floor(treatment_time / 60),
    })
  const statusOf = async (...items: object[]) => {
    const { body } = await upload(server, items, { prefer: 'handling=lenient' })
    return body.results.map(({ status }: { status: string }) => status)
  }

  test.each([
    ['the same log_file_id', 1],
    ['a higher log_file_id', 2],
  ])(
    'a longer temporary record with %s replaces the temporary one, a shorter or equal one does not',
    async (_, id) => {
      expect(await statusOf(growing(360, 1))).toEqual(['stored'])
      expect(await statusOf(growing(720, id))).toEqual(['completed'])
      const [record] = await treatmentsOf()
      expect(record).toMatchObject({
        log_file_id: id,
        is_temp: true,
        treatment_time: 720,
        last_intensity: 12,
      })
      for (const each of [growing(720, id), growing(720, 3), growing(719, 4)])
        expect(await statusOf(each)).toEqual(['duplicate'])
      expect(await treatmentsOf()).toEqual([record])
      expect(await lastLogFileId()).toBe(id)
      expect(await statusOf(complete(id))).toEqual(['completed'])
      expect(await treatmentsOf()).toMatchObject(result(id))
    },
  )

  test('of the temporary records of one upload, the longest counts', async () => {
    const items = [growing(360, 1), growing(1080, 2), growing(1080, 3), growing(720, 4)]
    expect(await statusOf(...items)).toEqual(['duplicate', 'stored', 'duplicate', 'duplicate'])
    expect(await treatmentsOf()).toMatchObject([{ log_file_id: 2, treatment_time: 1080 }])
    expect(await statusOf(growing(1080, 5), growing(1440, 1))).toEqual(['duplicate', 'completed'])
    expect(await treatmentsOf()).toMatchObject([{ log_file_id: 1, treatment_time: 1440 }])
    expect(await lastLogFileId()).toBe(1)
  })

  test('a temporary record that grows stays with the child who wore the device when it began', async () => {
    await upload(server, [growing(360)])
    const sibling = await addChild(server, parent.token)
    await move(device, null)
    await move(sibling.unique_id, null)
    await move(device, sibling.real_user_id)
    await upload(server, [growing(720, 2)])
    expect(await treatmentsOf()).toMatchObject([{ treatment_time: 720, real_user_id: child.real_user_id }])
    expect(await lastLogFileId()).toBe(0)
  })

  test('several temporary records of one use, as older versions stored them, yield to one', async () => {
    // Where the database knows of the last temporary record, it knows these too.
    await upload(server, [devlogItem(device, '2026-03-05T21:30:00', { is_temp: true })])
    const store = () =>
      server.database.pool.query(
        `INSERT INTO treatment (id, device_id, real_user_id, treatment_date, treatment_time, log_file_id, last_intensity,
           finish_flag, is_temp, intensity_record)
         SELECT nextval('treatment_id_seq'), $1, $2, $3, 360 * n, n, 1, 1, true, '{}' FROM generate_series(1, 3) n`,
        [child.device_id, child.real_user_id, NIGHT],
      )
    for (const sent of [complete(2), complete(4), growing(1440, 2), growing(1440, 4)]) {
      await server.database.pool.query('DELETE FROM treatment WHERE device_id = $1 AND treatment_date = $2', [
        child.device_id,
        NIGHT,
      ])
      await store()
      expect(await statusOf(sent)).toEqual(['completed'])
      expect(await treatmentsOf()).toMatchObject([
        { log_file_id: sent.log_file_id, treatment_time: sent.detail_data.treatment_time },
        { treatment_date: '2026-03-05 21:30:00' },
      ])
    }
  })

  test('two complete records of one start both stay, and the temporary one goes', async () => {
    await upload(server, [temporary(1)])
    await upload(server, [complete(1), complete(3), complete(4)])
    expect(await treatmentsOf()).toMatchObject([...result(1), ...result(3), ...result(4)])
  })

  test('a complete record leaves the temporary ones of other starts and devices alone', async () => {
    const sibling = await addChild(server, parent.token)
    await upload(server, [
      devlogItem(device, '2026-03-01T21:30:01', { is_temp: true }),
      devlogItem(sibling.unique_id, NIGHT, { is_temp: true }),
    ])
    await upload(server, [complete()])
    expect(await treatmentsOf()).toMatchObject([{ is_temp: false }, { is_temp: true }])
    expect(await treatmentsOf(sibling.unique_id)).toMatchObject([{ is_temp: true }])
  })
})

describe('a device that moves on', () => {
  test('leaves its treatments with the child who wore it, and completed ones too', async () => {
    const [first, second] = [
      child.real_user_id,
      (await addChild(server, (await signUp(server)).token)).real_user_id,
    ]
    const later = '2026-03-02T21:30:00'
    await upload(server, [
      devlogItem(device, NIGHT, { log_file_id: 1 }),
      devlogItem(device, later, { log_file_id: 2, is_temp: true }),
      devlogItem(device, '2026-03-03T21:30:00', { log_file_id: 3, is_temp: true }),
    ])
    await move(device, second)
    expect(
      await upload(server, [
        devlogItem(device, NIGHT, { log_file_id: 1 }),
        devlogItem(device, later, { log_file_id: 2 }),
        devlogItem(device, '2026-03-03T21:30:00', { log_file_id: 4 }),
        devlogItem(device, '2026-03-04T21:30:00', { log_file_id: 5 }),
      ]),
    ).toMatchObject(saved)
    expect(await treatmentsOf()).toMatchObject([
      { log_file_id: 1, real_user_id: first },
      { log_file_id: 2, real_user_id: first, is_temp: false },
      { log_file_id: 4, real_user_id: first, is_temp: false },
      { log_file_id: 5, real_user_id: second },
    ])
    await move(device, null)
    expect(await upload(server, [devlogItem(device, NIGHT)])).toMatchObject({
      status: 409,
      body: { detail: 'Not Connected Device' },
    })
  })
})

test('last_log_file_id is the highest received, even if lower ones come later', async () => {
  for (const [log_file_id, highest] of [
    [5, 5],
    [9, 9],
    [7, 9],
    [9, 9],
    [2 ** 31 - 1, 2 ** 31 - 1],
  ] as const) {
    await upload(server, [
      devlogItem(device, NIGHT, { log_file_id }),
      devlogItem(device, NIGHT, { log_file_id: 1 }),
    ])
    expect(await lastLogFileId()).toBe(highest)
  }
})

describe('with an access token', () => {
  const withToken = (token: string, items: unknown[]) => server.post(PATH, { token, json: items })

  test("the caller's own devices upload, another family's do not", async () => {
    const stranger = await signUp(server)
    const theirs = (await addChild(server, stranger.token)).unique_id
    const refused = { status: 401, body: { detail: 'Not authorized user' } }
    expect(await withToken(stranger.token, [devlogItem(device, NIGHT)])).toMatchObject(refused)
    expect(
      await withToken(stranger.token, [devlogItem(theirs, NIGHT), devlogItem(device, NIGHT)]),
    ).toMatchObject(refused)
    expect(await treatmentsOf()).toEqual([])
    expect(await treatmentsOf(theirs)).toEqual([])
    expect(await withToken(parent.token, [devlogItem(device, NIGHT)])).toMatchObject(saved)
    expect(await withToken(parent.token, [])).toMatchObject(saved)
  })

  test('an unknown device is not found, an unconnected one is not connected', async () => {
    expect(await withToken(parent.token, [devlogItem(randomUUID(), NIGHT)])).toMatchObject({
      status: 404,
      body: { detail: 'Not Found Device' },
    })
    const { unique_id } = await addDevice(server)
    expect(await withToken(parent.token, [devlogItem(unique_id, NIGHT)])).toMatchObject({
      status: 409,
      body: { detail: 'Not Connected Device' },
    })
  })

  test('a token that is not valid is not overlooked', async () => {
    const invalid = { status: 401, body: { detail: 'Could not validate credentials' } }
    for (const token of ['x', parent.refreshToken, `${parent.token}A`, 'not a token', '']) {
      expect(await server.post(PATH, { token, json: [devlogItem(device, NIGHT)] })).toMatchObject(invalid)
    }
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 901_000 })
    expect(await withToken(parent.token, [devlogItem(device, NIGHT)])).toMatchObject({
      status: 401,
      body: { detail: 'Token is expired' },
    })
    expect(await treatmentsOf()).toEqual([])
  })

  test('an account that may not act is told why', async () => {
    const account = await signUp(server)
    const change = (columns: string) =>
      server.database.pool.query(`UPDATE root_user SET ${columns} WHERE id = $1`, [account.id])
    const refused = [
      ['blocked_at = now()', 423, 'Access denied. Account blocked'],
      ['deleted_at = now()', 401, 'User is Deleted'],
    ] as const
    for (const [columns, status, detail] of refused) {
      await change(columns)
      expect(await withToken(account.token, [])).toMatchObject({ status, body: { detail } })
    }
    const gone = await signUp(server)
    await server.database.pool.query('DELETE FROM root_user WHERE id = $1', [gone.id])
    expect(await withToken(gone.token, [])).toMatchObject({ status: 401, body: { detail: 'User is None' } })
  })
})

test('an address may try 20 unknown devices in 10 minutes; known ones are not affected', async () => {
  const limited = await startServer({ RATE_LIMITS: 'on' })
  try {
    const { unique_id } = await addChild(limited, (await signUp(limited)).token)
    for (let attempts = 0; attempts < 10; attempts += 1) {
      const unknown = [randomUUID(), randomUUID()]
      const items = [...unknown, ...unknown].map((id, n) => devlogItem(id, NIGHT, { log_file_id: n }))
      expect(await upload(limited, items)).toMatchObject({ status: 404 })
    }
    const refused = await upload(limited, [devlogItem(randomUUID(), NIGHT)])
    expect(refused).toMatchObject({ status: 429, body: { detail: 'Too many requests' } })
    const seconds = Number(refused.headers.get('retry-after'))
    expect(seconds).toBeGreaterThan(500)
    expect(seconds).toBeLessThanOrEqual(600)
    expect(
      await upload(limited, [devlogItem(unique_id, NIGHT), devlogItem(randomUUID(), NIGHT)]),
    ).toMatchObject({ status: 429 })
    expect(
      await upload(limited, [devlogItem(randomUUID(), NIGHT)], { prefer: 'handling=lenient' }),
    ).toMatchObject({ status: 429 })
    expect(await upload(limited, [devlogItem(unique_id, NIGHT)])).toMatchObject(saved)
    expect(
      await upload(limited, [devlogItem(unique_id, NIGHT), devlogItem(randomUUID(), NIGHT)], {
        prefer: 'handling=lenient',
      }),
    ).toMatchObject({ status: 200, body: { results: [{ status: 'duplicate' }, { status: 'rejected' }] } })
    await limited.database.pool.query('UPDATE rate_limit SET expire = 0')
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 600_000 })
    expect(await upload(limited, [devlogItem(randomUUID(), NIGHT)])).toMatchObject({ status: 404 })
  } finally {
    await limited.stop()
  }
})

test('behind IPv6 that is a /64', async () => {
  const limited = await startServer({ RATE_LIMITS: 'on', TRUST_PROXY: '1' }, server.databaseUrl)
  try {
    const from = async (address: string) =>
      (await upload(limited, [devlogItem(randomUUID(), NIGHT)], { 'x-forwarded-for': address })).status
    for (let n = 0; n < 20; n += 1) expect(await from(`2001:db8:1:2::${n}`)).toBe(404)
    expect(await from('2001:db8:1:2:ffff::')).toBe(429)
    expect(await from('2001:db8:1:3::')).toBe(404)
  } finally {
    await limited.stop()
  }
})

test('the log says of each upload, as hashes, which body came from where', async () => {
  const body = JSON.stringify([devlogItem(device, NIGHT)])
  const headers = { 'content-type': 'application/json', 'x-request-id': 'recorded-upload' }
  await server.post(PATH, { body: gzipSync(body), headers: { ...headers, 'content-encoding': 'gzip' } })
  const logged = () =>
    server
      .log()
      .split('\n')
      .find((line) => line.includes('recorded-upload'))
  await expect.poll(logged).toBeTruthy()
  expect(JSON.parse(logged() ?? '')).toMatchObject({
    status: 200,
    body_sha256: createHash('sha256').update(body).digest('hex'),
    source: expect.stringMatching(/^[\w-]{43}$/),
  })
})

// Each process counts for itself.
test.skipIf(isInLab)('a device that sends without pause is told to wait, others are not', async () => {
  const strict = await startServer({ RATE_LIMITS: 'on' }, server.databaseUrl)
  try {
    const items = [devlogItem(device, NIGHT)]
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() })
    const responses = await Promise.all(Array.from({ length: 130 }, () => upload(strict, items)))
    const refused = responses.filter(({ status }) => status === 429)
    expect(refused).toHaveLength(10)
    expect(refused[0]?.body).toEqual({ detail: 'Too many requests' })
    expect(Number(refused[0]?.headers.get('retry-after'))).toBeGreaterThan(0)
    const other = await addChild(server, parent.token)
    expect((await upload(strict, [devlogItem(other.unique_id, NIGHT)])).status).toBe(200)
  } finally {
    await strict.stop()
  }
})
