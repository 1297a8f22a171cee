import { beforeAll, expect, test } from 'vitest'
import { familyTables, notesWithNights } from '@companion/server/account/export/family-tables.ts'
import { rowsOf } from '@companion/server/account/export/family-table.ts'
import { addChild, PASSWORD, signUp } from '../support/family.ts'
import type { Account } from '../support/family.ts'
import { expectFrugal, PLANNINGS, useOneConnection } from '../support/query-plans.ts'
import { unzipExport } from '../support/files/zip.ts'

/*
 * The export of a family with many records, in a database that has many of others and whose statistics are behind, as they are
 * after days of uploads: no statement looks at records for anything else than to write them out, each child by its index.
 */

const CHILDREN = 100
const NIGHTS = 500

const server = useOneConnection()

let parent: Account
let children: number[]
beforeAll(async () => {
  parent = await signUp(server)
  const other = await signUp(server)
  const first = await addChild(server, parent.token)
  const { pool } = server.database
  // The other account has as many children again, with devices of their own.
  await pool.query(
    `INSERT INTO real_user (id, root_user_id, first_name, last_name, birthdate, gender)
     SELECT $1 + n, CASE WHEN n < $4 THEN $2::int ELSE $3 END, '', '', '20180101', 'P' FROM generate_series(1, 2 * $4 - 1) n`,
    [first.real_user_id, parent.id, other.id, CHILDREN],
  )
  await pool.query(
    `INSERT INTO device (id, unique_id, serial_code, mac_id, device_alias, real_user_id, connected_at)
     SELECT $1 + n, gen_random_uuid(), 'MANY-' || n, '0000', '', $2 + n, now() FROM generate_series(1, 2 * $3 - 1) n`,
    [first.device_id, first.real_user_id, CHILDREN],
  )
  await pool.query(
    `INSERT INTO treatment (device_id, real_user_id, treatment_date, treatment_time, log_file_id, last_intensity,
       finish_flag, intensity_record, deleted_at)
     SELECT $1 + child, $2 + child, timestamp '2024-03-01' + night * interval '1 day', 3600, night, 20, 1, '{1,2,3}',
       CASE WHEN night % 50 = 0 THEN now() END
     FROM generate_series(0, $4 - 1) night, generate_series(0, 2 * $3 - 1) child`,
    [first.device_id, first.real_user_id, CHILDREN, NIGHTS],
  )
  // The device that a child had before is of nobody now.
  await pool.query('UPDATE device SET real_user_id = NULL, connected_at = NULL WHERE id = $1', [
    first.device_id + 1,
  ])
  children = Array.from({ length: CHILDREN }, (_, n) => first.real_user_id + n)
}, 120_000)

const tables = { ...familyTables, notes_with_nights: notesWithNights }

/** Has a table read as an export does. */
const read = (name: keyof typeof tables) =>
  server.database.offload((snapshot) =>
    snapshot(async (query) => {
      const family = {
        keyRing: server.database.keyRing,
        rootUserId: parent.id,
        children,
        timeZone: 'America/New_York',
      }
      await rowsOf<object>(query, tables[name], family).next()
    }),
  )

test.each(PLANNINGS)('the devices are found without a look at the records, %s', async (planning) => {
  await read('devices')
  const plan = await expectFrugal(
    server.database,
    {
      statement: 'family_devices-open',
      values: [parent.id, `{${children.join()}}`, 'America/New_York'],
      planning,
      form: 'alone',
    },
    { buffers: 1000, tables: ['treatment'] },
  )
  expect(plan).not.toContain('treatment')
})

test.each(
  PLANNINGS.flatMap((planning) =>
    (['treatments', 'notes', 'notes_with_nights', 'note_versions', 'surveys', 'accesses'] as const).map(
      (name) => [name, planning] as const,
    ),
  ),
)('the %s of a child are read by its index, %s', async (name, planning) => {
  await read(name)
  const plan = await expectFrugal(
    server.database,
    {
      statement: `family_${name}-open`,
      values: [parent.id, `{${children[7]}}`, 'America/New_York'],
      planning,
      form: 'alone',
    },
    { buffers: 2 * NIGHTS, tables: ['treatment', 'event', 'event_version', 'survey'] },
  )
  expect(plan).toMatch(/Index Cond: \(+real_user_id = /)
})

test('every record is in the file once, child by child, the oldest first', async () => {
  const response = await fetch(`${server.url}/api/v1/beta/user/export`, {
    method: 'POST',
    headers: { authorization: `Bearer ${parent.token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ format: 'json', password: PASSWORD }),
  })
  expect(response.status).toBe(200)
  const files = unzipExport(new Uint8Array(await response.arrayBuffer()))
  expect(files['devices.json']).toHaveLength(CHILDREN)
  const dates = files['treatments.json'].map(
    (row: { real_user_id: number; treatment_date: string }) =>
      `${String(row.real_user_id).padStart(10, '0')} ${row.treatment_date}`,
  )
  expect(new Set(dates).size).toBe(CHILDREN * NIGHTS)
  expect(dates).toEqual(dates.toSorted())
})
