import { beforeAll, describe, expect, test } from 'vitest'
import { addChild, addDevice, childProfile, signUp } from '../../support/family.ts'
import type { Account, DeviceCodes } from '../../support/family.ts'
import { inBetween } from '../../support/lock-waits.ts'
import { useServer } from '../../support/server.ts'

const server = useServer()

let parent: Account
beforeAll(async () => {
  parent = await signUp(server)
})

const create = (device: Partial<DeviceCodes>, profile: object = {}, token = parent.token) =>
  server.post('/api/v2/beta/user/create-real-user', {
    token,
    json: { ...childProfile, ...device, ...profile },
  })

async function childrenOf({ id }: Account): Promise<number> {
  const { rows } = await server.database.pool.query('SELECT 1 FROM real_user WHERE root_user_id = $1', [id])
  return rows.length
}

async function ownerOf({ unique_id }: DeviceCodes): Promise<number | null> {
  const { rows } = await server.database.pool.query('SELECT real_user_id FROM device WHERE unique_id = $1', [
    unique_id,
  ])
  return rows[0].real_user_id
}

/** A MAC end that is not the given one. */
const otherMac = (mac: string) => (mac === '0000' ? '0001' : '0000')

test('a child is created and its device connected, in one call', async () => {
  const device = await addDevice(server)
  const { status, body } = await create(device, { last_name: 'Kim', gender: 'N' })
  expect(status).toBe(200)
  expect(body).toEqual({
    real_user_id: expect.any(Number),
    first_name: 'Mina',
    last_name: 'Kim',
    birthdate: '20180203',
    gender: 'N',
    device_id: expect.any(Number),
    now_firmware_id: 1,
    unique_id: device.unique_id,
    serial_code: device.serial_code,
    device_alias: device.serial_code,
    last_log_file_id: 0,
    created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
  })
  expect(await ownerOf(device)).toBe(body.real_user_id)
})

test('the device may be named in upper case, as it may print its id', async () => {
  const device = await addDevice(server)
  const { status, body } = await create({ ...device, unique_id: device.unique_id.toUpperCase() })
  expect(status).toBe(200)
  expect(body.unique_id).toBe(device.unique_id)
})

test('names may hold any script, and keys that mean nothing are ignored', async () => {
  const first_name = '👧🏽'.repeat(50)
  const { status, body } = await create(await addDevice(server), {
    first_name,
    last_name: '김',
    id: 7,
    root_user_id: 1,
  })
  expect(status).toBe(200)
  expect(body).toMatchObject({ first_name, last_name: '김' })
  const read = await server.get(`/api/v1/beta/user/real-user/${body.real_user_id}`, { token: parent.token })
  expect(read.body).toMatchObject({ root_user_id: parent.id, first_name })
})

describe('codes that do not fit together connect nothing and leave no child behind', () => {
  let device: DeviceCodes
  let other: DeviceCodes
  let taken: DeviceCodes
  let before: number

  beforeAll(async () => {
    device = await addDevice(server)
    other = { ...(await addDevice(server)), mac_id: otherMac(device.mac_id) }
    await server.database.sql
      .updateTable('device')
      .set({ mac_id: other.mac_id })
      .where('unique_id', '=', other.unique_id)
      .execute()
    taken = await addChild(server, (await signUp(server)).token)
    before = await childrenOf(parent)
  })

  const unknownSerial = 'CMP-NOT-THERE'
  const unknownId = '00000000-0000-4000-8000-000000000000'
  const cases: [name: string, codes: () => Partial<DeviceCodes>, status: number, detail: string][] = [
    ['a serial code too short', () => ({ ...device, serial_code: 'CMP-1' }), 400, 'Serial code is not valid'],
    [
      'a serial code too long',
      () => ({ ...device, serial_code: 'A'.repeat(33) }),
      400,
      'Serial code is not valid',
    ],
    [
      'a serial code in lower case',
      () => ({ ...device, serial_code: device.serial_code.toLowerCase() }),
      400,
      'Serial code is not valid',
    ],
    ['an empty serial code', () => ({ ...device, serial_code: '' }), 400, 'Serial code is not valid'],
    [
      'a serial code with a space',
      () => ({ ...device, serial_code: `${device.serial_code} ` }),
      400,
      'Serial code is not valid',
    ],
    [
      'a serial code with a line break',
      () => ({ ...device, serial_code: `${device.serial_code}\n` }),
      400,
      'Serial code is not valid',
    ],
    [
      'a serial code with NUL',
      () => ({ ...device, serial_code: 'CMP-\u0000123' }),
      400,
      'Serial code is not valid',
    ],
    [
      'a known serial code with another MAC',
      () => ({ ...device, mac_id: other.mac_id }),
      400,
      'Serial code is not valid',
    ],
    [
      'the same with an unknown unique_id',
      () => ({ ...device, mac_id: other.mac_id, unique_id: unknownId }),
      400,
      'Serial code is not valid',
    ],
    [
      'MAC and unique_id of another device',
      () => ({ ...other, serial_code: device.serial_code }),
      400,
      'Serial code is not valid',
    ],
    [
      'a connected device with another MAC',
      () => ({ ...taken, mac_id: otherMac(taken.mac_id) }),
      400,
      'Serial code is not valid',
    ],
    [
      'an unknown serial code of 6 characters',
      () => ({ ...device, serial_code: 'A0-Z99' }),
      404,
      'Not Found Device',
    ],
    [
      'an unknown serial code of 32 characters',
      () => ({ ...device, serial_code: 'A'.repeat(32) }),
      404,
      'Not Found Device',
    ],
    [
      'an unknown serial code and unique_id',
      () => ({ ...device, serial_code: unknownSerial, unique_id: unknownId }),
      404,
      'Not Found Device',
    ],
    ['an unknown unique_id', () => ({ ...device, unique_id: unknownId }), 404, 'Not Found Device'],
    [
      'the serial code of one device and the unique_id of another',
      () => ({ ...device, unique_id: other.unique_id }),
      404,
      'Not Found Device',
    ],
    [
      'a free serial code and the unique_id of a connected device',
      () => ({ ...device, unique_id: taken.unique_id }),
      404,
      'Not Found Device',
    ],
    [
      'a connected serial code and the unique_id of a free device',
      () => ({ ...taken, unique_id: device.unique_id }),
      404,
      'Not Found Device',
    ],
    ["another family's device", () => taken, 409, 'Already Connected Device'],
  ]
  test.each(cases)('%s', async (_name, codes, status, detail) => {
    const response = await create(codes())
    expect(response).toMatchObject({ status, body: { detail } })
    expect(Object.keys(response.body)).toEqual(['detail'])
    expect(await childrenOf(parent)).toBe(before)
    expect(await ownerOf(device)).toBeNull()
    expect(await ownerOf(other)).toBeNull()
  })

  test('a device of the same family is connected too', async () => {
    const own = await addChild(server, parent.token)
    const count = await childrenOf(parent)
    expect(await create(own)).toMatchObject({ status: 409, body: { detail: 'Already Connected Device' } })
    expect(await childrenOf(parent)).toBe(count)
    expect(await ownerOf(own)).toBe(own.real_user_id)
    before = count
  })

  const invalid: [field: string, value: unknown][] = [
    ...['12', '1A2', '1A2BC', '1a2b', '1A:2', 'GGGG', ' 1A2B', '1A2B\n', '', 1234, null, undefined].map(
      (value): [string, unknown] => ['mac_id', value],
    ),
    ...['not-a-uuid', '', 'ffff', 7, null, undefined, '0000\u00000000-0000-4000-8000-000000000000'].map(
      (value): [string, unknown] => ['unique_id', value],
    ),
    ...[7, null, undefined, ['CMP-000123']].map((value): [string, unknown] => ['serial_code', value]),
    ...['', 'a'.repeat(101), 'Mi\0na', 'Mi\ud800na', 7, null, undefined].map((value): [string, unknown] => [
      'first_name',
      value,
    ]),
    ...['a'.repeat(101), '\0', '\udc00', null, undefined].map((value): [string, unknown] => [
      'last_name',
      value,
    ]),
    ...[
      '2018-02-03',
      '20180230',
      '20190229',
      '18991231',
      '29990101',
      '2018020',
      '',
      20180203,
      null,
      undefined,
    ].map((value): [string, unknown] => ['birthdate', value]),
    ...['X', 'm', '', null, 1, undefined].map((value): [string, unknown] => ['gender', value]),
  ]
  test.each(invalid)('%s %j is not valid', async (field, value) => {
    const { status, body } = await create(device, { [field]: value })
    expect(status).toBe(422)
    expect(body.detail).toEqual([
      {
        type: expect.any(String),
        loc: ['body', field],
        msg: expect.any(String),
        input: typeof value === 'string' ? value.toWellFormed() : typeof value === 'number' ? value : null,
        ctx: { error: body.detail[0].msg },
        url: expect.stringContaining('/docs/errors#'),
      },
    ])
    expect(await childrenOf(parent)).toBe(before)
    expect(await ownerOf(device)).toBeNull()
  })

  test('after all of that the device can still be connected', async () => {
    expect(await create(device)).toMatchObject({ status: 200 })
  })
})

test('an account deleted while its child is being created gets none', async () => {
  const deleted = await signUp(server)
  const device = await addDevice(server)
  const response = await inBetween(server, {
    lock: `SELECT FROM root_user WHERE id = ${deleted.id} FOR UPDATE`,
    change: `UPDATE root_user SET deleted_at = now() WHERE id = ${deleted.id}`,
    call: () => create(device, {}, deleted.token),
  })
  expect(response).toMatchObject({ status: 401, body: { detail: 'Not authorized user' } })
  expect(await childrenOf(deleted)).toBe(0)
  expect(await ownerOf(device)).toBeNull()
})

test('an error of the database is told as such, without a word of its cause', async () => {
  const device = await addDevice(server)
  const before = await childrenOf(parent)
  await server.database.pool.query(`
    CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'disk of doom is full'; END $$;
    CREATE TRIGGER refuse BEFORE INSERT ON real_user FOR EACH ROW EXECUTE FUNCTION refuse()`)
  try {
    const response = await create(device)
    expect(response).toMatchObject({ status: 409, body: { detail: 'Real user create failed' } })
    expect(JSON.stringify(response.body)).not.toContain('doom')
  } finally {
    await server.database.pool.query('DROP FUNCTION refuse CASCADE')
  }
  expect(server.log()).toContain('disk of doom is full')
  expect(await childrenOf(parent)).toBe(before)
  expect(await create(device)).toMatchObject({ status: 200 })
})

test('without a token nothing happens', async () => {
  const device = await addDevice(server)
  const { status, body } = await server.post('/api/v2/beta/user/create-real-user', {
    json: { ...childProfile, ...device },
  })
  expect({ status, body }).toEqual({ status: 401, body: { detail: 'Could not validate credentials' } })
  expect(await create(device, {}, parent.refreshToken)).toMatchObject({
    status: 401,
    body: { detail: 'Could not validate credentials' },
  })
  expect(await ownerOf(device)).toBeNull()
})
