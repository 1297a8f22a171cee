import { randomBytes } from 'node:crypto'
import { describe, expect, onTestFinished, test } from 'vitest'
import { decryptRow } from '@companion/server/encrypted-columns/encrypted-tables.ts'
import { reencrypt } from '@companion/server/encrypted-columns/reencrypt.ts'
import { installedCitus } from '../support/machines/citus.ts'
import { useCitus } from '../support/machines/own-citus.ts'
import { startServer } from '../support/server.ts'
import { until } from '../support/until.ts'

const NOTES = {
  event: `INSERT INTO event (real_user_id, id, event_date, memo, event_data)
    SELECT child, 1000 - 7 * child - day, date '2026-03-01' + day, 'note ' || child || ' ' || day, '{"hospital": ["Seoul"]}'
    FROM generate_series(1, 90) child, generate_series(1, 7) day`,
  event_version: `INSERT INTO event_version (child_id, event_id, version, event_date, memo, event_data, saved_at)
    SELECT child, child % 4, version, '2026-03-01', 'note ' || child || ' ' || version, '{"medication": [], "hospital": []}', now()
    FROM generate_series(1, 90) child, generate_series(1, 7) version`,
}

describe.skipIf(!installedCitus())('notes that lie on several nodes', () => {
  const citus = useCitus({ workers: 2 })

  test('are encrypted, those that somebody holds too, and none is changed', async () => {
    const key = () => randomBytes(32).toString('base64')
    const { url, drop } = await citus.cloneDatabase()
    const { database, stop } = await startServer({ DATA_KEYS: `2026:${key()}` }, url)
    onTestFinished(async () => {
      await stop()
      await drop()
    })
    const { pool } = database
    const opened = async (table: keyof typeof NOTES) =>
      (await pool.query(`SELECT * FROM ${table}`)).rows
        .map((row) => decryptRow(database.keyRing, table, row))
        .toSorted((a, b) => String(a['memo']).localeCompare(String(b['memo'])))
    for (const statement of Object.values(NOTES)) await pool.query(statement)
    const before = { event: await opened('event'), event_version: await opened('event_version') }
    expect(before.event).toHaveLength(630)

    const holder = await pool.connect()
    await holder.query('BEGIN')
    await holder.query('SELECT 1 FROM event WHERE real_user_id = 5 FOR UPDATE')
    const shares: number[] = []
    const done = reencrypt(database, (_values, share) => void shares.push(share))
    const left = `SELECT real_user_id AS child FROM event WHERE NOT starts_with(memo, E'\\x022026:')`
    const held = await until(async () => {
      const { rows } = await pool.query(left)
      return rows.length < 10 && rows
    })
    expect(held).toEqual(Array.from({ length: 7 }, () => ({ child: 5 })))
    await holder.query('COMMIT')
    holder.release()

    expect(await done).toEqual({ values: 630 * 3, unreadable: {}, stillUsed: [] })
    expect(shares.every((share) => share > 0 && share <= 1)).toBe(true)
    expect((await pool.query(left)).rows).toEqual([])
    expect({ event: await opened('event'), event_version: await opened('event_version') }).toEqual(before)
  })
})
