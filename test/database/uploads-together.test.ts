import { beforeAll, expect, test } from 'vitest'
import { addChild, devlogItem, signUp, upload } from '../support/family.ts'
import { useServer } from '../support/server.ts'
import { liveRecords } from '../support/treatments.ts'

/* Uploads that arrive at the same moment are stored by one statement; each must fare as if it were alone. */

const server = useServer()
const NIGHT = '2026-03-01T21:30:00'

let devices: string[]
beforeAll(async () => {
  const { token } = await signUp(server)
  devices = []
  for (let n = 0; n < 6; n++) devices.push((await addChild(server, token)).unique_id)
})

const device = (n: number) => devices[n] ?? ''
const saved = { status: 200 }

test('a device that somebody holds makes its own uploads wait, and no others', async () => {
  const holder = await server.database.pool.connect()
  try {
    await holder.query('BEGIN')
    await holder.query('SELECT FROM device WHERE unique_id = $1 FOR UPDATE', [device(0)])
    let isHeld = true
    const held = upload(server, [devlogItem(device(0), NIGHT)]).then((response) => ({ response, isHeld }))
    const others = devices.slice(1).map((unique_id) => upload(server, [devlogItem(unique_id, NIGHT)]))
    for (const response of await Promise.all(others)) expect(response).toMatchObject(saved)
    for (let n = 0; n < 20; n++)
      expect(await upload(server, [devlogItem(device(1), NIGHT)])).toMatchObject(saved)
    expect(await liveRecords(server, device(0))).toEqual([])
    isHeld = false
    await holder.query('COMMIT')
    expect(await held).toMatchObject({ response: saved, isHeld: false })
    expect(await liveRecords(server, device(0))).toHaveLength(1)
  } finally {
    holder.release(true)
  }
})

test('a temporary record is replaced in the midst of others, which are stored', async () => {
  const start = '2026-03-02T21:30:00'
  await upload(server, [devlogItem(device(2), start, { is_temp: true, log_file_id: 7 })])
  const responses = await Promise.all(
    devices.map((unique_id) => upload(server, [devlogItem(unique_id, start, { log_file_id: 8 })])),
  )
  for (const response of responses) expect(response).toMatchObject(saved)
  for (const unique_id of devices) {
    expect(await liveRecords(server, unique_id)).toContainEqual(
      expect.stringMatching(/^2026-03-02T21:30:00 #8 \d+s$/),
    )
    expect(await liveRecords(server, unique_id)).not.toContainEqual(expect.stringContaining('#7'))
  }
})

test.each([
  ['stored for the first time', '2026-03-03'],
  ['stored beside one that was sent before', '2026-03-04'],
])('every record keeps its own intensities, %s', async (how, day) => {
  const records = [[], [5], [1, 2, 3], Array.from({ length: 240 }, (_, n) => n), [], [32_767, 0]]
  const items = records.map((intensities, n) =>
    devlogItem(device(n), `${day}T21:30:00`, { log_file_id: 9, intensities }),
  )
  const [first] = items
  if (first && how.includes('before')) expect(await upload(server, [first])).toMatchObject(saved)
  // All in one upload, and cut in three that arrive at once.
  const later = items.map((item) => ({ ...item, log_file_id: 10 }))
  const uploads = [items, later.slice(0, 1), later.slice(1, 3), later.slice(3)]
  for (const response of await Promise.all(uploads.map((each) => upload(server, each)))) {
    expect(response).toMatchObject(saved)
  }
  const { rows } = await server.database.pool.query(
    `SELECT log_file_id, intensity_record FROM treatment t JOIN device d ON d.id = t.device_id
     WHERE treatment_date::date = $1::date ORDER BY log_file_id, array_position($2::uuid[], unique_id)`,
    [day, devices],
  )
  expect(rows).toEqual(
    [9, 10].flatMap((log_file_id) => records.map((intensity_record) => ({ log_file_id, intensity_record }))),
  )
})

test('the same record in two uploads of one moment is stored once', async () => {
  const item = devlogItem(device(3), '2026-03-05T21:30:00')
  const responses = await Promise.all(Array.from({ length: 12 }, () => upload(server, [item, item])))
  for (const response of responses) expect(response).toMatchObject(saved)
  expect((await liveRecords(server, device(3))).filter((each) => each.startsWith('2026-03-05'))).toHaveLength(
    1,
  )
})

test('of several uploads the database takes all but the one that it refuses', async () => {
  const { pool } = server.database
  await pool.query('ALTER TABLE treatment ADD CONSTRAINT refuse CHECK (log_file_id <> 666)')
  try {
    const sendFrom = (n: number) =>
      upload(server, [devlogItem(device(n), '2026-03-06T21:30:00', { log_file_id: n === 2 ? 666 : n })])
    const responses = await Promise.all(devices.map((_, n) => sendFrom(n)))
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 500, 200, 200, 200])
    for (const [n, unique_id] of devices.entries()) {
      const stored = (await liveRecords(server, unique_id)).filter((each) => each.startsWith('2026-03-06'))
      expect(stored).toHaveLength(n === 2 ? 0 : 1)
    }
  } finally {
    await pool.query('ALTER TABLE treatment DROP CONSTRAINT refuse')
  }
})
