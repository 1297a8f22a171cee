import { connect } from '@companion/server/database/database.ts'
import { watchIndexBuilds } from '@companion/server/database/watch-index-builds.ts'
import { expect, onTestFinished, test } from 'vitest'
import { useServer } from '../support/server.ts'
import { until } from '../support/until.ts'

const server = useServer()

test('an index that takes long is told of: the blocks read and the share of all', async () => {
  const { pool } = server.database
  const orm = await connect(server.databaseUrl, 1)
  const [builder, holder] = [await pool.connect(), await pool.connect()]
  onTestFinished(async () => {
    builder.release()
    holder.release()
    await orm.close()
  })
  await pool.query(`
    CREATE TABLE watched AS SELECT n, repeat('x', 2000) AS filling FROM generate_series(1, 100) n;
    -- Waits at a row of the last block.
    CREATE FUNCTION waits_once(n int) RETURNS int IMMUTABLE LANGUAGE plpgsql AS $$ BEGIN
      IF n = 100 THEN PERFORM pg_advisory_lock(1), pg_advisory_unlock(1); END IF;
      RETURN n;
    END $$`)
  const { rows } = await builder.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')
  await holder.query('SELECT pg_advisory_lock(1)')
  const told: [string, number, number][] = []
  const watching = watchIndexBuilds(orm, rows[0]?.pid ?? 0, (...step) => told.push(step), 10)
  // Scanned once per index, without workers, which could not wait for a lock.
  const built = builder.query(
    `SET max_parallel_maintenance_workers = 0; CREATE INDEX ON watched (waits_once(n))`,
  )
  await until(() => told.length)
  await holder.query('SELECT pg_advisory_unlock(1)')
  await built
  await watching.stop()
  const [first] = told
  expect(first?.[0]).toBe('blocks of watched read for an index')
  expect(first?.[1]).toBeGreaterThan(0)
  expect(first?.[2]).toBeGreaterThan(0)
  expect(first?.[2]).toBeLessThanOrEqual(1)
  const count = told.length
  // Nobody asks any more.
  await builder.query('CREATE INDEX ON watched (n)')
  expect(told).toHaveLength(count)
})
