import { beforeEach, expect, test } from 'vitest'
import { addChild, addDevice, childProfile, devlogItem, signUp, upload } from '../../support/family.ts'
import type { Account, DeviceCodes } from '../../support/family.ts'
import { useServer } from '../../support/server.ts'

const server = useServer()
const PATH = '/api/v1/beta/user/delete-real-user'

let parent: Account
let child: Awaited<ReturnType<typeof addChild>>
beforeEach(async () => {
  parent = await signUp(server)
  child = await addChild(server, parent.token)
})

const remove = (json: unknown, token = parent.token) => server.delete(PATH, { token, json })
const own = () => ({ real_user_id: child.real_user_id, unique_id: child.unique_id })
const read = () => server.get(`/api/v1/beta/user/real-user/${child.real_user_id}`, { token: parent.token })
const codes = ({ serial_code, mac_id, unique_id }: DeviceCodes) => ({ serial_code, mac_id, unique_id })

const done = { status: 200, body: { statusCode: 200, message: 'Real user deleted successfully' } }
const failed = { status: 409, body: { detail: 'Real user delete failed' } }

test('a child is deleted by a JSON body', async () => {
  expect(await remove(own())).toMatchObject(done)
  expect(await read()).toMatchObject({ status: 404, body: { detail: 'Real user is not found' } })
  expect(await remove(own())).toMatchObject({ status: 404, body: { detail: 'Real user is not found' } })
})

test('and by the query, with the device id in upper case', async () => {
  const query = { ...own(), unique_id: child.unique_id.toUpperCase() }
  expect(await server.delete(PATH, { token: parent.token, query })).toMatchObject(done)
})

test('nothing of it is left, and all its devices are free again', async () => {
  const spare = await addDevice(server)
  await server.post('/api/v1/beta/device', {
    token: parent.token,
    json: { real_user_id: child.real_user_id, ...spare },
  })
  await upload(server, [devlogItem(child.unique_id, '2026-03-01T21:00:00')])
  expect(await remove(own())).toMatchObject(done)
  const { rows } = await server.database.pool.query(
    `SELECT first_name || last_name || birthdate AS profile,
       (SELECT count(*)::int FROM treatment WHERE real_user_id = $1) AS treatments
     FROM real_user WHERE id = $1`,
    [child.real_user_id],
  )
  expect(rows).toEqual([{ profile: '', treatments: 0 }])
  const chart = await server.get('/api/v1/beta/chart/recent', {
    token: parent.token,
    query: { real_user_id: child.real_user_id },
  })
  expect(chart).toMatchObject({ status: 401, body: { detail: 'Not authorized user' } })
  const refused = await upload(server, [devlogItem(child.unique_id, '2026-03-02T21:00:00')])
  expect(refused).toMatchObject({ status: 409, body: { detail: 'Not Connected Device' } })
  for (const device of [codes(child), spare]) {
    const next = await server.post('/api/v2/beta/user/create-real-user', {
      token: (await signUp(server)).token,
      json: { ...childProfile, ...device },
    })
    expect(next).toMatchObject({ status: 200, body: { device_alias: device.serial_code } })
  }
})

test("a device that is not the child's deletes nothing", async () => {
  const sibling = await addChild(server, parent.token)
  const stranger = await addChild(server, (await signUp(server)).token)
  const free = await addDevice(server)
  for (const { unique_id } of [sibling, stranger, free]) {
    expect(await remove({ ...own(), unique_id })).toMatchObject(failed)
  }
  expect(await remove({ ...own(), unique_id: '00000000-0000-4000-8000-000000000000' })).toMatchObject(failed)
  expect((await read()).status).toBe(200)
  expect((await upload(server, [devlogItem(child.unique_id, '2026-03-01T21:00:00')])).status).toBe(200)
})

test("another family's child is 401, no matter which device is named", async () => {
  const other = await signUp(server)
  const theirs = await addChild(server, other.token)
  for (const { unique_id } of [child, theirs]) {
    expect(await remove({ ...own(), unique_id }, other.token)).toMatchObject({
      status: 401,
      body: { detail: 'Not authorized user' },
    })
  }
  expect((await read()).status).toBe(200)
})

test.each([
  { real_user_id: undefined },
  { unique_id: undefined },
  { unique_id: 'x' },
  { real_user_id: true },
])('%j is 422', async (wrong) => {
  expect((await remove({ ...own(), ...wrong })).status).toBe(422)
})

test('an issue is where the field came from: of body and query the body counts', async () => {
  const places = async (options: { query?: Record<string, string>; json?: unknown }) => {
    const { status, body } = await server.delete(PATH, { token: parent.token, ...options })
    expect(status).toBe(422)
    return body.detail.map(({ loc }: { loc: string[] }) => loc.join(' '))
  }
  const query = { real_user_id: 'x', unique_id: 'y' }
  expect(await places({ query })).toEqual(['query real_user_id', 'query unique_id'])
  expect(await places({ query, json: { unique_id: 'z' } })).toEqual(['query real_user_id', 'body unique_id'])
  expect(await places({ json: query })).toEqual(['body real_user_id', 'body unique_id'])
  expect(await places({})).toEqual(['body real_user_id', 'body unique_id'])
  expect(await places({ query: { ...query, '': 'x' }, json: [] })).toEqual(['body'])
})

test('a change that the database refuses is 409 and changes nothing', async () => {
  const { pool } = server.database
  await pool.query(`ALTER TABLE real_user ADD CONSTRAINT kept CHECK (deleted_at IS NULL) NOT VALID`)
  try {
    expect(await remove(own())).toMatchObject(failed)
  } finally {
    await pool.query('ALTER TABLE real_user DROP CONSTRAINT kept')
  }
  expect((await read()).status).toBe(200)
  expect((await upload(server, [devlogItem(child.unique_id, '2026-03-01T21:00:00')])).status).toBe(200)
})

test('of many deletions at once one succeeds', async () => {
  const responses = await Promise.all(Array.from({ length: 8 }, () => remove(own())))
  expect(responses.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([
    200,
    ...Array(7).fill(404),
  ])
})
