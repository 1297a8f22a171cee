import { beforeEach, describe, expect, test } from 'vitest'
import { addChild, addDevice, devlogItem, signUp, upload } from '../../support/family.ts'
import type { Account, DeviceCodes } from '../../support/family.ts'
import { useServer } from '../../support/server.ts'

const server = useServer()
const PATH = '/api/v1/beta/device'

let parent: Account
let child: Awaited<ReturnType<typeof addChild>>
beforeEach(async () => {
  parent = await signUp(server)
  child = await addChild(server, parent.token)
})

const list = async (account = parent) => (await server.get(PATH, { token: account.token })).body
const connect = (device: object, real_user_id = child.real_user_id, account = parent) =>
  server.post(PATH, { token: account.token, json: { real_user_id, ...device } })
const disconnect = (device_id = child.device_id, account = parent) =>
  server.delete(`${PATH}/${device_id}`, { token: account.token })
const rename = (device_alias: unknown, device_id = child.device_id, account = parent) =>
  server.patch(`${PATH}/${device_id}`, { token: account.token, json: { device_alias } })
const codesOf = ({ serial_code, mac_id, unique_id }: DeviceCodes) => ({ serial_code, mac_id, unique_id })
const otherMac = (mac: string) => (mac === '0000' ? '0001' : '0000')

const notAuthorized = { status: 401, body: { detail: 'Not authorized user' } }
const notFound = { status: 404, body: { detail: 'Not Found Device' } }
const taken = { status: 409, body: { detail: 'Already Connected Device' } }

const listed = (device: DeviceCodes, real_user_id: number) => ({
  device_id: expect.any(Number),
  real_user_id,
  serial_code: device.serial_code,
  unique_id: device.unique_id,
  device_alias: device.serial_code,
  now_firmware_id: 1,
  last_log_file_id: 0,
  created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
})

describe('list', () => {
  test('every device of every child of the family, and of no other', async () => {
    const sibling = await addChild(server, parent.token)
    const spare = await addDevice(server)
    await connect(spare)
    await addChild(server, (await signUp(server)).token)
    const body = await list()
    expect(body).toHaveLength(3)
    expect(body).toEqual(
      expect.arrayContaining([
        listed(child, child.real_user_id),
        listed(sibling, sibling.real_user_id),
        listed(spare, child.real_user_id),
      ]),
    )
  })

  test('the highest log file received is shown', async () => {
    await upload(server, [devlogItem(child.unique_id, '2026-03-01T21:00:00', { log_file_id: 41 })])
    expect(await list()).toMatchObject([{ last_log_file_id: 41 }])
  })
})

describe('connect', () => {
  test('a second device is worn by the child, and answers as the listing shows it', async () => {
    const device = await addDevice(server)
    const { status, body } = await connect({ ...device, unique_id: device.unique_id.toUpperCase() })
    expect(status).toBe(200)
    expect(body).toEqual(listed(device, child.real_user_id))
    expect(await list()).toContainEqual(body)
  })

  test.each(['short', 'lower-case-1', 'CMP 000123', 'A'.repeat(33), ''])(
    'serial code %j is 400',
    async (serial_code) => {
      const device = await addDevice(server)
      expect(await connect({ ...device, serial_code })).toMatchObject({
        status: 400,
        body: { detail: 'Serial code is not valid' },
      })
    },
  )

  test('a known serial code with another MAC is 400', async () => {
    const device = await addDevice(server)
    expect(await connect({ ...device, mac_id: otherMac(device.mac_id) })).toMatchObject({
      status: 400,
      body: { detail: 'Serial code is not valid' },
    })
  })

  test('codes that belong to no device, or to two, are 404', async () => {
    const [one, two] = [await addDevice(server), await addDevice(server)]
    expect(await connect({ ...one, serial_code: 'CMP-NOWHERE' })).toMatchObject(notFound)
    expect(await connect({ ...one, unique_id: two.unique_id })).toMatchObject(notFound)
  })

  test('a device that anyone wears is 409, also the own child', async () => {
    const other = await addChild(server, (await signUp(server)).token)
    expect(await connect(codesOf(other))).toMatchObject(taken)
    expect(await connect(codesOf(child))).toMatchObject(taken)
  })

  test("a child that is another's, deleted or absent is 401, and the device stays free", async () => {
    const other = await addChild(server, (await signUp(server)).token)
    const gone = await addChild(server, parent.token)
    await server.delete('/api/v1/beta/user/delete-real-user', {
      token: parent.token,
      json: { real_user_id: gone.real_user_id, unique_id: gone.unique_id },
    })
    const device = await addDevice(server)
    for (const id of [other.real_user_id, gone.real_user_id, 999_999]) {
      expect(await connect(device, id)).toMatchObject(notAuthorized)
    }
    expect((await connect(device)).status).toBe(200)
  })

  test.each([
    { mac_id: '1a2b' },
    { mac_id: '1A2' },
    { unique_id: 'x' },
    { real_user_id: null },
    { serial_code: 7 },
  ])('%j is 422', async (wrong) => {
    expect((await connect({ ...(await addDevice(server)), ...wrong })).status).toBe(422)
  })
})

describe('rename', () => {
  test('the alias is what it is called', async () => {
    const before = await list()
    const { status, body } = await rename('미나의 기기 🌙')
    expect(status).toBe(200)
    expect(body).toEqual({ ...before[0], device_alias: '미나의 기기 🌙' })
    expect(await list()).toEqual([body])
  })

  test.each(['', 'x'.repeat(101), null, 5, undefined, 'a\0b'])('%j is 422', async (alias) => {
    expect((await rename(alias)).status).toBe(422)
  })

  test("absent or worn by nobody is 404, another family's 401", async () => {
    const other = await signUp(server)
    expect(await rename('x', 999_999)).toMatchObject(notFound)
    expect(await rename('Stolen', child.device_id, other)).toMatchObject(notAuthorized)
    expect(await list()).toMatchObject([{ device_alias: child.serial_code }])
    await disconnect()
    expect(await rename('x')).toMatchObject(notFound)
  })

  test('the name does not follow the device to the next child', async () => {
    await rename('Mina')
    await disconnect()
    const other = await signUp(server)
    const { real_user_id } = await addChild(server, other.token)
    expect((await connect(codesOf(child), real_user_id, other)).body.device_alias).toBe(child.serial_code)
  })
})

describe('disconnect', () => {
  test('the device is free, and refused until it is worn again', async () => {
    expect(await disconnect()).toMatchObject({
      status: 200,
      body: { statusCode: 200, message: expect.any(String) },
    })
    expect(await list()).toEqual([])
    expect((await upload(server, [devlogItem(child.unique_id, '2026-03-01T21:00:00')])).status).toBe(409)
    expect(await disconnect()).toMatchObject(notFound)
    expect((await connect(codesOf(child))).status).toBe(200)
  })

  test("absent is 404, another family's 401", async () => {
    const other = await signUp(server)
    expect(await disconnect(999_999)).toMatchObject(notFound)
    expect(await disconnect(child.device_id, other)).toMatchObject(notAuthorized)
    expect(await list()).toHaveLength(1)
  })
})

describe('history stays with the child who wore the device', () => {
  const chart = async (real_user_id: number, account = parent) =>
    (
      await server.get('/api/v1/beta/chart/recent', {
        token: account.token,
        query: { real_user_id, select_mode: 1, current_date: '2026-03-30' },
      })
    ).body.treatment_time_data
  const night = (day: number) =>
    devlogItem(child.unique_id, `2026-03-${String(day).padStart(2, '0')}T21:00:00`, { log_file_id: day })
  const dates = async (...query: Parameters<typeof chart>) =>
    (await chart(...query)).map((each: { treatment_date: string }) => each.treatment_date)

  test('when a broken device is replaced', async () => {
    await upload(server, [night(1)])
    await disconnect()
    const replacement = await addDevice(server)
    await connect(replacement)
    await upload(server, [devlogItem(replacement.unique_id, '2026-03-02T21:00:00')])
    expect(await dates(child.real_user_id)).toEqual(['2026-03-01', '2026-03-02'])
  })

  test('when it is handed to a sibling, and to another family', async () => {
    const sibling = await addChild(server, parent.token)
    await upload(server, [night(1)])
    await disconnect()
    await connect(codesOf(child), sibling.real_user_id)
    await upload(server, [night(1), night(2)])
    await disconnect()
    const other = await signUp(server)
    const theirs = await addChild(server, other.token)
    await connect(codesOf(child), theirs.real_user_id, other)
    await upload(server, [night(1), night(2), night(3)])
    expect(await dates(child.real_user_id)).toEqual(['2026-03-01'])
    expect(await dates(sibling.real_user_id)).toEqual(['2026-03-02'])
    expect(await dates(theirs.real_user_id, other)).toEqual(['2026-03-03'])
  })
})

describe('at the same time', () => {
  const owners = async (unique_id: string) =>
    (
      await server.database.pool.query(
        'SELECT d.id, r.deleted_at FROM device d JOIN real_user r ON r.id = d.real_user_id WHERE d.unique_id = $1',
        [unique_id],
      )
    ).rows

  test('of many families that connect one device, one gets it', async () => {
    const device = await addDevice(server)
    const families = await Promise.all(
      Array.from({ length: 10 }, async () => {
        const account = await signUp(server)
        return { account, id: (await addChild(server, account.token)).real_user_id }
      }),
    )
    const answers = await Promise.all(families.map(({ account, id }) => connect(device, id, account)))
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([
      200,
      ...Array(9).fill(409),
    ])
    const lists = await Promise.all(families.map(({ account }) => list(account)))
    expect(lists.flat().filter(({ unique_id }) => unique_id === device.unique_id)).toHaveLength(1)
  })

  test('of many disconnects, one is the one', async () => {
    const answers = await Promise.all(Array.from({ length: 10 }, () => disconnect()))
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([
      200,
      ...Array(9).fill(404),
    ])
  })

  test('connects, disconnects and deletions mixed: each device has one owner who lists it, or none', async () => {
    const other = await signUp(server)
    const theirs = await addChild(server, other.token)
    const codes = codesOf(child)
    for (let round = 0; round < 12; round += 1) {
      const doomed = await addChild(server, parent.token)
      await disconnect()
      const answers = await Promise.all([
        connect(codes),
        connect(codes, theirs.real_user_id, other),
        connect(codes, doomed.real_user_id),
        disconnect(),
        disconnect(child.device_id, other),
        server.delete('/api/v1/beta/user/delete-real-user', {
          token: parent.token,
          json: { real_user_id: doomed.real_user_id, unique_id: doomed.unique_id },
        }),
        upload(server, [devlogItem(child.unique_id, `2026-03-${round + 10}T21:00:00`)]),
      ])
      for (const { status } of answers) expect(status).toBeLessThan(500)
      const found = await owners(child.unique_id)
      const lists = [...(await list()), ...(await list(other))]
      const listing = lists.filter(({ unique_id }) => unique_id === child.unique_id)
      expect(found.every(({ deleted_at }) => deleted_at === null)).toBe(true)
      expect(listing).toHaveLength(found.length)
      await disconnect()
      await disconnect(child.device_id, other)
    }
  })

  test('an account deleted while it connects a device keeps none', async () => {
    for (let round = 0; round < 6; round += 1) {
      const account = await signUp(server)
      const { real_user_id } = await addChild(server, account.token)
      const device = await addDevice(server)
      await Promise.all([
        connect(device, real_user_id, account),
        server.delete('/api/v1/beta/user/root-user', { token: account.token }),
      ])
      expect(await owners(device.unique_id)).toEqual([])
    }
  })
})
