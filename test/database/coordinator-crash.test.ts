import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { openDatabase } from '@companion/server/database/database.ts'
import { installedCitus } from '../support/machines/citus.ts'
import { addChild, devlogItem, signUp, upload } from '../support/family.ts'
import { useCitus } from '../support/machines/own-citus.ts'
import { startServer } from '../support/server.ts'
import type { TestServer } from '../support/server.ts'
import { addMember } from '../support/shares.ts'
import { until } from '../support/until.ts'

/*
 * The coordinator dies while it commits an upload that one worker stores: the record and what follows from it on the coordinator are
 * all there afterwards, or none is, and then the device's repeat makes them.
 */

const NOTHING = { records: 0, alerts: 0, changes: 0, last_log_file_id: 0 }
const ALL = { records: 1, alerts: 1, changes: 1, last_log_file_id: 7 }

describe.skipIf(!installedCitus())('a coordinator that dies', () => {
  const citus = useCitus({ workers: 2, lagging: true })
  let server: TestServer & { stop: () => Promise<void> }
  let drop: () => Promise<void>
  beforeAll(async () => {
    const own = await citus.cloneDatabase()
    drop = own.drop
    // What a coordinator has committed must survive it, as it does without the settings of tests.
    const database = await openDatabase(own.url, { pool: 1 })
    await database.pool.query(
      `DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET synchronous_commit = on', current_database()); END $$`,
    )
    await database.close()
    server = await startServer({}, own.url)
  })
  afterEach(() => {
    citus.lagging?.deafen(false)
    citus.lagging?.lag(0)
  })
  afterAll(async () => {
    await server.stop()
    await drop()
  })

  /** A device whose records lie where commits are held, of a child that somebody watches. */
  async function deviceOfWatched() {
    const owner = await signUp(server)
    const { pool } = server.database
    const child = await until(async () => {
      const added = await addChild(server, owner.token)
      const { rows } = await pool.query(
        `SELECT nodeport FROM pg_dist_shard_placement
         WHERE shardid = get_shard_id_for_distribution_column('treatment', $1::int)`,
        [added.device_id],
      )
      return rows[0]?.nodeport === citus.lagging?.port ? added : undefined
    })
    await pool.query('UPDATE root_user SET is_device_alim_talk_enabled = true WHERE id = $1', [owner.id])
    await addMember(server, owner, { real_user_id: child.real_user_id, role: 'viewer' })
    return child
  }

  const send = (unique_id: string) =>
    upload(server, [devlogItem(unique_id, '2026-03-01T21:30:00', { log_file_id: 7, finish_flag: '4' })])

  async function stored(child: Awaited<ReturnType<typeof deviceOfWatched>>) {
    const { rows } = await server.database.pool.query(
      `SELECT (SELECT count(*)::int FROM treatment WHERE device_id = $1) AS records,
         (SELECT count(*)::int FROM alert WHERE device_id = $1) AS alerts,
         (SELECT count(*)::int FROM change WHERE real_user_id = $2 AND kind = 'treatment.stored') AS changes,
         (SELECT last_log_file_id FROM device WHERE id = $1) AS last_log_file_id`,
      [child.device_id, child.real_user_id],
    )
    return rows[0]
  }

  /** The coordinator dies and comes back; then all nodes agree. */
  async function crash() {
    await citus.coordinator.stop('SIGQUIT')
    await citus.coordinator.start()
    citus.lagging?.deafen(false)
    citus.lagging?.lag(0)
    await server.database.pool.query('SELECT recover_prepared_transactions()')
  }

  test('before it commits has stored nothing, and all when the device has repeated it', async () => {
    const child = await deviceOfWatched()
    citus.lagging?.deafen(true)
    const sent = send(child.unique_id)
    await until(() => citus.lagging?.unheard())
    await crash()
    expect((await sent).status).not.toBe(200)
    expect(await stored(child)).toEqual(NOTHING)
    expect((await send(child.unique_id)).status).toBe(200)
    expect(await stored(child)).toEqual(ALL)
  })

  test('after it has committed has stored all, and no more when the device has repeated it', async () => {
    const child = await deviceOfWatched()
    citus.lagging?.lag(Infinity)
    let isOver = false
    const sent = send(child.unique_id).finally(() => (isOver = true))
    await until(() => isOver || citus.lagging?.held())
    await crash()
    expect((await sent).status).not.toBe(200)
    expect(await stored(child)).toEqual(ALL)
    expect((await send(child.unique_id)).status).toBe(200)
    expect(await stored(child)).toEqual(ALL)
  })

  // The promise holds the device until Citus finds that nobody committed it, which it looks for every minute.
  test('of a worker that is lost while it promises, nothing is stored, and all when the device has repeated it', async () => {
    const child = await deviceOfWatched()
    const before = citus.lagging?.unheard() ?? 0
    citus.lagging?.deafen(true)
    const sent = send(child.unique_id)
    await until(() => (citus.lagging?.unheard() ?? 0) > before)
    citus.lagging?.deafen(false)
    citus.lagging?.lose()
    expect((await sent).status).toBe(503)
    await server.database.pool.query('SELECT recover_prepared_transactions()')
    expect(await stored(child)).toEqual(NOTHING)
    await until(async () => (await send(child.unique_id)).status === 200)
    expect(await stored(child)).toEqual(ALL)
  })
})
