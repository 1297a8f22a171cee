import { globSync, readFileSync } from 'node:fs'
import type { Pool, PoolClient } from 'pg'
import { describe, expect, test } from 'vitest'
import { openDatabase } from '@companion/server/database/database.ts'
import { distributedTables } from '@companion/server/database/nodes/index.ts'
import { installedCitus } from '../support/machines/citus.ts'
import { addChild, devlogItem, signUp, upload } from '../support/family.ts'
import { useCitus } from '../support/machines/own-citus.ts'
import { startServer } from '../support/server.ts'
import { until } from '../support/until.ts'

/*
 * At the end of its way to several nodes a table takes no writes for a moment. A transaction that had come by then was to write to a shard that is
 * gone afterwards: Citus looks for the new one, and must know the values that tell it.
 */

const NIGHT = '2026-03-01T21:00:00'
const DAY = '2026-03-02'
/** Their like in `nodes/functions` takes their place. */
const ONLY_ON_ONE_MACHINE = new Set([
  'functions/remove-old.sql',
  'functions/store-devlogs.sql',
  'functions/store-uploads-together.sql',
  'functions/store-readings.sql',
])

test('every statement of the functions that changes rows of such a table has Citus look at its values', () => {
  const folder = new URL('../../server/src/database/', import.meta.url).pathname
  const changing = new RegExp(
    `\\b(UPDATE|DELETE FROM) (${distributedTables.map(({ table }) => table).join('|')}|sleep_reading_other) [^;]*;`,
    'g',
  )
  const statements = globSync('{functions,nodes/functions}/*.sql', { cwd: folder })
    .filter((file) => !ONLY_ON_ONE_MACHINE.has(file))
    .flatMap((file) => readFileSync(folder + file, 'utf8').match(changing) ?? [])
  expect(statements.length).toBeGreaterThan(20)
  expect(statements.filter((statement) => !statement.includes('AND now() IS NOT NULL'))).toEqual([])
})

describe.skipIf(!installedCitus())('who writes to a table when it is distributed', () => {
  const citus = useCitus({ workers: 2 }, prepared)

  test('changes what it was to change', async () => {
    const { url, drop } = await citus.cloneDatabase()
    const server = await startServer({}, url)
    const { pool } = server.database
    try {
      const { token } = await signUp(server)
      const [completed, deleted, left, kept] = [
        await addChild(server, token),
        await addChild(server, token),
        await addChild(server, token),
        await addChild(server, token),
      ]
      for (const { unique_id } of [deleted, left]) await upload(server, [devlogItem(unique_id, NIGHT)])
      await upload(server, [devlogItem(completed.unique_id, NIGHT, { is_temp: true, treatment_time: 60 })])
      const note = (real_user_id: number, memo: string) =>
        server.post('/api/v1/beta/event', { token, json: { real_user_id, created_at: DAY, memo } })
      for (const { real_user_id } of [kept, left]) await note(real_user_id, 'before')
      const leave = ({ real_user_id, unique_id }: typeof left) =>
        server.delete('/api/v1/beta/user/delete-real-user', { token, json: { real_user_id, unique_id } })

      const responses: Promise<{ status: number }>[] = []
      const sendOne = async (response: Promise<{ status: number }>) => {
        responses.push(response)
        const waiting = responses.length
        await until(async () => (await writersHeld(pool)) === waiting)
      }
      const distributing = distribute(pool)
      const go = await holdAtItsEnd(pool, 'treatment')
      await sendOne(upload(server, [devlogItem(completed.unique_id, NIGHT, { treatment_time: 1080 })]))
      await sendOne(server.delete(`/api/v1/gamma/device/devlog?unique_id=${deleted.unique_id}`))
      await sendOne(leave(left))
      await go()
      const statuses = (await Promise.all(responses.splice(0))).map(({ status }) => status)
      const goOn = await holdAtItsEnd(pool, 'event')
      await sendOne(note(kept.real_user_id, 'after'))
      await sendOne(leave(deleted))
      await goOn()
      await distributing
      statuses.push(...(await Promise.all(responses)).map(({ status }) => status))

      const { rows: records } = await pool.query(
        `SELECT device_id, treatment_time, is_temp, deleted_at IS NULL AS is_live FROM treatment ORDER BY 1`,
      )
      const { rows: notes } = await pool.query('SELECT real_user_id, version FROM event ORDER BY 1')
      expect({ statuses, records, notes }).toEqual({
        statuses: [200, 200, 200, 200, 200],
        records: [{ device_id: completed.device_id, treatment_time: 1080, is_temp: false, is_live: true }],
        notes: [{ real_user_id: kept.real_user_id, version: 2 }],
      })
    } finally {
      await server.stop()
      await drop()
    }
  })
})

/** As the command does, without the readings. */
async function distribute(pool: Pool): Promise<void> {
  for (const { table, column, beside } of distributedTables)
    if (beside !== 'basestation_lock' && table !== 'basestation_lock')
      await pool.query(
        'SELECT create_distributed_table_concurrently($1::regclass, $2, colocate_with => $3, shard_count => $4)',
        [table, column, beside ?? 'none', beside === null ? 2 : null],
      )
}

/** Lets a table come to the end of its way, where nobody can write to it any more. Resolves to what lets it go on. */
async function holdAtItsEnd(pool: Pool, table: string): Promise<() => Promise<void>> {
  await until(async () => {
    const { rows } = await pool.query(
      `SELECT FROM pg_dist_partition WHERE logicalrelid = to_regclass($1) AND partmethod = 'n'`,
      [table],
    )
    return rows.length > 0
  })
  const holder: PoolClient = await pool.connect()
  await holder.query('BEGIN')
  // It is changed only after that, and this is no transaction that has written, for which the copy would wait.
  await holder.query('LOCK TABLE pg_dist_shard IN SHARE MODE')
  await until(async () => {
    const { rows } = await pool.query(
      `SELECT FROM pg_locks WHERE relation = 'pg_dist_shard'::regclass AND NOT granted`,
    )
    return rows.length > 0
  })
  return async () => {
    await holder.query('ROLLBACK')
    holder.release()
  }
}

/** How many wait for the shard that they are to write to. */
async function writersHeld(pool: Pool): Promise<number> {
  const { rows } = await pool.query<{ writers: number }>(
    `SELECT count(*)::int AS writers FROM pg_stat_activity
     WHERE datname = current_database() AND wait_event_type = 'Lock' AND wait_event = 'advisory'`,
  )
  return rows[0]?.writers ?? 0
}

async function prepared(url: string): Promise<void> {
  const database = await openDatabase(url, { pool: 2 })
  await database.migrate()
  await database.distribution.prepare()
  await database.close()
}
