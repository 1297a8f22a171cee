import { beforeAll, expect, test } from 'vitest'
import { addChild, devlogItem, signUp, upload } from './support/family.ts'
import { useServer } from './support/server.ts'
import { liveRecords } from './support/treatments.ts'

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
    const held = upload(server, [devlogItem(device(0), NIGHT)]).then((answer) => ({ answer, isHeld }))
    const others = devices.slice(1).map((unique_id) => upload(server, [devlogItem(unique_id, NIGHT)]))
    for (const answer of await Promise.all(others)) expect(answer).toMatchObject(saved)
    for (let n = 0; n < 20; n++)
      expect(await upload(server, [devlogItem(device(1), NIGHT)])).toMatchObject(saved)
    expect(await liveRecords(server, device(0))).toEqual([])
    isHeld = false
    await holder.query('COMMIT')
    expect(await held).toMatchObject({ answer: saved, isHeld: false })
    expect(await liveRecords(server, device(0))).toHaveLength(1)
  } finally {
    holder.release()
  }
})

test('a temporary record is replaced in the midst of others, which are stored', async () => {
  const start = '2026-03-02T21:30:00'
  await upload(server, [devlogItem(device(2), start, { is_temp: true, log_file_id: 7 })])
  const answers = await Promise.all(
    devices.map((unique_id) => upload(server, [devlogItem(unique_id, start, { log_file_id: 8 })])),
  )
  for (const answer of answers) expect(answer).toMatchObject(saved)
  for (const unique_id of devices) {
    expect(await liveRecords(server, unique_id)).toContainEqual(
      expect.stringMatching(/^2026-03-02T21:30:00 #8 \d+s$/),
    )
    expect(await liveRecords(server, unique_id)).not.toContainEqual(expect.stringContaining('#7'))
  }
})
