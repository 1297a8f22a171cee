import { beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest'
import { deriveKeys } from '@companion/server/auth/keys.ts'
import { openDatabase } from '@companion/server/database/database.ts'
import type { Database } from '@companion/server/database/database.ts'
import { createLogger } from '@companion/server/telemetry/log.ts'
import { trailChain } from '@companion/server/trail/chain.ts'
import { closeBlocks } from '@companion/server/trail/close-blocks.ts'
import { createTrail } from '@companion/server/trail/trail.ts'
import { countUploads } from '@companion/server/trail/uploads.ts'
import { verifyChain } from '@companion/server/trail/verify-chain.ts'
import { companion } from '../support/command.ts'
import { addChild, devlogItem, signUp, upload } from '../support/family.ts'
import type { Account } from '../support/family.ts'
import { TEST_SECRET, useServer } from '../support/server.ts'

/* Uploads wait in lists for the end of their minute, and then are rows of the trail with their place in the chain. */

const server = useServer()
const keys = deriveKeys(TEST_SECRET)
const MANY = 2500

let owner: Account
let child: Awaited<ReturnType<typeof addChild>>
beforeAll(async () => {
  owner = await signUp(server)
})
beforeEach(async () => {
  child = await addChild(server, owner.token)
  await server.trailWritten()
  await closeBlocks(server.database, keys, { even: true })
})

/** As many processes leave them: uploads of `count` devices of the child from `first` on, so many minutes ago, twice each. */
const leaveLists = (database: Database, count: number, { first = 1, minutes = 2 } = {}) =>
  database.pool.query(
    `INSERT INTO trail_upload (at, operation, accounts, devices, children, outcomes, times, address_hashes, request_ids)
     SELECT date_trunc('minute', now()) - $4 * interval '1 minute', 'devlogs.upload', array_agg(NULL::int), array_agg(n),
       array_agg($1::int), array_agg('ok'::text), array_agg(list), array_agg('\\x01'::bytea), array_agg('request ' || n)
     FROM generate_series($2::int, $2 + $3 - 1) n, generate_series(1, 2) list GROUP BY list`,
    [child.real_user_id, first, count, minutes],
  )

const verified = () =>
  server.database.transaction((tx) =>
    verifyChain(tx, trailChain, keys, { keyRing: server.database.keyRing, erasedBefore: new Date() }),
  )

/** What the trail tells of uploads for a child. */
async function told(realUserId = child.real_user_id) {
  const { rows } = await server.database.pool.query(
    `SELECT count(*)::int AS rows, count(block)::int AS closed, coalesce(sum(times), 0)::int AS times, max(place) AS place
     FROM trail WHERE real_user_id = $1 AND operation = 'devlogs.upload'`,
    [realUserId],
  )
  return rows[0]
}

test('those of a minute that is over are closed, each device once, and the chain is whole', async () => {
  await leaveLists(server.database, MANY)
  const { blocks } = await verified()
  await closeBlocks(server.database, keys)
  expect(await told()).toEqual({ rows: MANY, closed: MANY, times: 3 * MANY, place: 1000 })
  expect(await verified()).toMatchObject({ fault: null, open: 0, blocks: blocks + 3 })
  const { rows } = await server.database.pool.query('SELECT FROM trail_upload')
  expect(rows).toEqual([])
})

test('those of this minute go on counting, and can be read', async () => {
  await leaveLists(server.database, 3, { minutes: 0 })
  await closeBlocks(server.database, keys)
  expect(await told()).toMatchObject({ rows: 0 })
  const { out } = await companion(server, 'trail', 'export', '--child', String(child.real_user_id))
  expect(out.match(/,device,\d,devlogs.upload,\d+,ok,3,01,request \d,\n/g)).toHaveLength(3)
  // A list that comes afterwards is counted there too, if somebody reads again.
  await leaveLists(server.database, 3, { minutes: 0 })
  await companion(server, 'trail', 'export', '--child', String(child.real_user_id))
  expect(await told()).toMatchObject({ rows: 3, closed: 0, times: 18 })
  await closeBlocks(server.database, keys, { even: true })
  expect(await told()).toMatchObject({ rows: 3, closed: 3 })
  expect((await verified()).fault).toBe(null)
})

test('processes that write, count and close at once lose none and double none', async () => {
  const others: Database[] = []
  onTestFinished(async () => void (await Promise.all(others.map((each) => each.close()))))
  for (let n = 0; n < 4; n += 1) others.push(await openDatabase(server.databaseUrl, { pool: 2 }))
  await Promise.all(
    others.map(async (database, process) => {
      for (let n = 0; n < 10; n += 1) {
        await leaveLists(database, 50, { first: 1000 * process })
        if (n % 3 === 0) await database.query(countUploads, [])
        await closeBlocks(database, keys)
      }
    }),
  )
  await closeBlocks(server.database, keys, { even: true })
  expect((await told()).times).toBe(4 * 10 * 50 * 3)
  expect(await verified()).toMatchObject({ fault: null, open: 0 })
})

test('an upload belongs to who wore the device then, also when another child wears it before it is told', async () => {
  const { database } = server
  const next = await addChild(server, owner.token)
  const { device_id, serial_code, mac_id, unique_id } = child
  const longAgo = () =>
    database.pool.query(`UPDATE device SET connected_at = now() - interval '1 day' WHERE id = $1`, [
      device_id,
    ])
  const night = devlogItem(unique_id, '2026-03-01T21:00:00')
  await longAgo()
  await upload(server, [night])
  const { token } = owner
  await server.delete(`/api/v1/beta/device/${device_id}`, { token })
  const json = { real_user_id: next.real_user_id, serial_code, mac_id, unique_id }
  expect((await server.post('/api/v1/beta/device', { token, json })).status).toBe(200)
  await server.trailWritten()
  expect(await told()).toMatchObject({ rows: 1 })
  expect(await told(next.real_user_id)).toMatchObject({ rows: 0 })

  // The same record again is that of the first child, however long the other one has worn the device.
  await longAgo()
  await upload(server, [night])
  await server.trailWritten()
  expect(await told(next.real_user_id)).toMatchObject({ rows: 0 })
  await upload(server, [devlogItem(unique_id, '2026-03-02T21:00:00', { log_file_id: 2 })])
  await server.trailWritten()
  expect(await told(next.real_user_id)).toMatchObject({ rows: 1, times: 1 })
  expect(await told()).toMatchObject({ times: 2 })
})

test('how often each came again is told, also when so many wait as may', async () => {
  const { database } = server
  const lines: unknown[] = []
  const log = createLogger('info', { write: (line: string) => void lines.push(JSON.parse(line)) })
  const trail = createTrail(database, log, { delayMs: 3_600_000, mostRows: 2, minuteMs: 3_600_000 })
  const origin = { keys, request: { address: '192.0.2.7', id: 'a-request' } }
  const other = await addChild(server, owner.token)
  for (let n = 0; n < 3; n += 1)
    for (const { unique_id: uniqueId } of [child, other]) {
      const record = { date: '2026-03-01T21:00:00', logFileId: 1, isNew: true }
      const access = { uniqueId, operation: 'devlogs.upload', outcome: 'ok', accountId: undefined }
      trail.noteUpload(origin, { ...access, ...record })
    }
  await trail.stop()
  await server.trailWritten()
  for (const { real_user_id } of [child, other])
    expect(await told(real_user_id)).toMatchObject({ rows: 1, times: 3 })
  expect(lines).toEqual([])
})
