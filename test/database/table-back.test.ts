import { describe, expect, test } from 'vitest'
import { installedCitus } from '../support/machines/citus.ts'
import { addChild, signUp } from '../support/family.ts'
import { useCitus } from '../support/machines/own-citus.ts'
import { startServer } from '../support/server.ts'
import { until } from '../support/until.ts'

/* A distributed table that comes back to one machine is another table, empty for everybody with an older snapshot. */

const DAY = '2026-03-01'

describe.skipIf(!installedCitus())('while a table comes back to one machine', () => {
  const citus = useCitus({ workers: 2 })

  test('who waits for it sees its rows, and a transaction that is older is refused', async () => {
    const { url, drop } = await citus.cloneDatabase()
    const server = await startServer({}, url)
    const { pool } = server.database
    const clients = [await pool.connect(), await pool.connect()] as const
    try {
      const { token } = await signUp(server)
      const { real_user_id } = await addChild(server, token)
      const note = { real_user_id, created_at: DAY, memo: 'a note' }
      expect(await server.post('/api/v1/beta/event', { token, json: note })).toMatchObject({ status: 200 })
      const read = () => server.get('/api/v1/beta/event', { token, query: { real_user_id, event_date: DAY } })
      const seen = { status: 200, body: { memo: 'a note' } }
      expect(await read()).toMatchObject(seen)

      const [older, mover] = clients
      await older.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY')
      await older.query('SELECT 1')
      await mover.query('BEGIN')
      await mover.query('LOCK TABLE event IN ACCESS EXCLUSIVE MODE')
      const reading = read()
      await until(async () => {
        const { rows } = await mover.query(
          `SELECT 1 FROM pg_locks WHERE relation = 'event'::regclass AND NOT granted`,
        )
        return rows.length > 0
      })
      await mover.query(`SELECT undistribute_table('event')`)
      await mover.query('COMMIT')

      expect(await reading).toMatchObject(seen)
      await expect(
        older.query('SELECT * FROM events_of($1, $2, $2)', [real_user_id, DAY]),
      ).rejects.toMatchObject({ code: '40001' })
      await older.query('ROLLBACK')
      expect(await read()).toMatchObject(seen)
    } finally {
      for (const client of clients) client.release(true)
      await server.stop()
      await drop()
    }
  })
})
