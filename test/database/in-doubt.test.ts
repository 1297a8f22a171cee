import { describe, expect, test } from 'vitest'
import { openDatabase } from '@companion/server/database/database.ts'
import type { Database } from '@companion/server/database/database.ts'
import { installedCitus } from '../support/machines/citus.ts'
import { companion } from '../support/command.ts'
import { addChild, devlogItem, signUp, upload } from '../support/family.ts'
import { useCitus } from '../support/machines/own-citus.ts'
import { startServer } from '../support/server.ts'
import { until } from '../support/until.ts'

/* Transactions that a dead coordinator has left on a node: they are seen, and end as it has decided. */

test('a database on one machine has none, and its command says so', async () => {
  const server = await startServer()
  try {
    const nothing = 'The database lies on one machine: nothing can be in doubt\n'
    expect(await companion(server, 'nodes', 'in-doubt')).toMatchObject({ code: 0, out: nothing, said: '' })
    await expect.poll(() => measured(server)).toEqual({ in_doubt: 0, oldest: 0, silent: 0 })
  } finally {
    await server.stop()
  }
})

type Server = Awaited<ReturnType<typeof startServer>>

/** What a server tells of its nodes, asked in the background. */
async function measured(server: Server) {
  const { body } = await server.get('/metrics')
  const value = (name: string) => Number(new RegExp(`^companion_${name} (.*)$`, 'm').exec(String(body))?.[1])
  return {
    in_doubt: value('transactions_in_doubt'),
    oldest: value('oldest_prepared_seconds'),
    silent: value('database_nodes_silent'),
  }
}

describe.skipIf(!installedCitus())('on Citus', () => {
  const citus = useCitus({ workers: 2, lagging: true })

  /** Two devices whose records lie on different nodes: that of the second is the one to which commits come late. */
  async function devicesOfBoth(server: Server) {
    const { token } = await signUp(server)
    const lagging = String(citus.lagging?.port)
    const found = new Map<boolean, Awaited<ReturnType<typeof addChild>>>()
    while (found.size < 2) {
      const child = await addChild(server, token)
      const { rows } = await server.database.pool.query(
        `SELECT nodeport FROM citus_shards WHERE shardid = get_shard_id_for_distribution_column('treatment', $1::int)`,
        [child.device_id],
      )
      found.set(String(rows[0]?.nodeport) === lagging, child)
    }
    return [false, true].map((isLagging) => found.get(isLagging)?.unique_id ?? '')
  }

  const stored = async ({ pool }: Database) =>
    (await pool.query('SELECT FROM treatment WHERE log_file_id = 7')).rowCount

  /** From now on a transaction of the last worker gets as far as this, and no further. */
  const hold = {
    commit: () => citus.lagging?.lag(Infinity),
    rollback: () => citus.lagging?.deafen(true),
  }

  test.each([
    ['commit', 2],
    ['rollback', 0],
  ] as const)('what was to %s does, and what is under way is left alone', async (decision, records) => {
    const { url, drop } = await citus.cloneDatabase()
    // The coordinator would otherwise end it by itself within a minute.
    const admin = await openDatabase(url, { pool: 1 })
    await admin.pool.query('ALTER SYSTEM SET citus.recover_2pc_interval = -1')
    await admin.pool.query('SELECT pg_reload_conf()')
    await admin.close()
    const first = await startServer({}, url)
    const unique_ids = await devicesOfBoth(first)
    hold[decision]()
    const sent = upload(
      first,
      unique_ids.map((unique_id) => devlogItem(unique_id, '2026-03-01T21:00:00', { log_file_id: 7 })),
    )
    await until(() => citus.lagging?.held() || citus.lagging?.unheard())
    citus.lagging?.deafen(false)

    const alive = await companion(first, 'nodes', 'in-doubt', '--resolve', '--json')
    expect(alive).toMatchObject({ code: 0, result: { ended: 0, silent: [] } })
    expect(alive.result.transactions.length).toBeGreaterThan(0)
    for (const each of alive.result.transactions) expect(each.decision).toBe('under way')

    await citus.coordinator.stop('SIGQUIT')
    expect((await sent).status).not.toBe(200)
    citus.lagging?.lag(0)
    await citus.coordinator.start()
    const left = await companion(first, 'nodes', 'in-doubt', '--json')
    expect(left).toMatchObject({ code: 0, result: { silent: [] } })
    const count = left.result.transactions.length
    expect(count).toBeGreaterThan(0)
    for (const each of left.result.transactions)
      expect(each).toEqual({
        node: expect.any(String),
        gid: expect.stringMatching(/^citus_0_/),
        seconds: expect.any(Number),
        decision,
      })
    expect((await companion(first, 'nodes', 'in-doubt')).out).toContain(decision)

    const resolved = await companion(first, 'nodes', 'in-doubt', '--resolve', '--json')
    expect(resolved).toMatchObject({ code: 0, result: { ended: count, transactions: [] } })
    expect(await stored(first.database)).toBe(records)
    // The devices have no response, and send again.
    const again = await upload(
      first,
      unique_ids.map((unique_id) => devlogItem(unique_id, '2026-03-01T21:00:00', { log_file_id: 7 })),
    )
    expect(again.status).toBe(200)
    expect(await stored(first.database)).toBe(2)
    await first.stop()
    await drop()
  })

  test('who waits in vain for what a node has promised is told to come again, and others are not', async () => {
    const { url, drop } = await citus.cloneDatabase()
    const admin = await openDatabase(url, { pool: 1 })
    await admin.pool.query('ALTER SYSTEM SET citus.recover_2pc_interval = -1')
    await admin.pool.query('SELECT pg_reload_conf()')
    await admin.close()
    const server = await startServer({ DATABASE_STATEMENT_TIMEOUT: '1' }, url)
    const [other = '', lagging = ''] = await devicesOfBoth(server)
    const item = (unique_id: string) => devlogItem(unique_id, '2026-03-01T21:00:00', { log_file_id: 7 })
    const before = citus.lagging?.unheard() ?? 0
    hold.rollback()
    const sent = upload(server, [item(other), item(lagging)])
    await until(() => (citus.lagging?.unheard() ?? 0) > before)
    citus.lagging?.deafen(false)
    citus.lagging?.lose()
    const responses = [await sent, await upload(server, [item(lagging)])]
    for (const response of responses) {
      expect(response.status).toBe(503)
      expect(response.headers.get('retry-after')).toBe('10')
      expect(response.headers.get('x-error')).toBe('busy')
    }
    const free = devlogItem(other, '2026-03-02T21:00:00', { log_file_id: 8 })
    expect((await upload(server, [free])).status).toBe(200)
    // Nothing is promised: it is the failure of the service that somebody waits too long.
    expect((await companion(server, 'nodes', 'in-doubt', '--resolve')).code).toBe(0)
    const holder = await server.database.pool.connect()
    await holder.query('BEGIN')
    await holder.query('SELECT FROM device WHERE unique_id = $1 FOR UPDATE', [lagging])
    expect((await upload(server, [item(lagging)])).status).toBe(500)
    await holder.query('ROLLBACK')
    holder.release()
    expect((await upload(server, [item(lagging)])).status).toBe(200)
    await server.stop()
    await drop()
  })

  test('what somebody has prepared by hand is left to them, and a node that does not answer is named', async () => {
    const { url, drop } = await citus.cloneDatabase()
    const server = await startServer({}, url)
    const { pool } = server.database
    await pool.query('CREATE TABLE mark (id int)')
    await pool.query(`BEGIN; INSERT INTO mark VALUES (1); PREPARE TRANSACTION 'by hand'`)
    const listed = await companion(server, 'nodes', 'in-doubt', '--resolve', '--json')
    expect(listed).toMatchObject({
      code: 1,
      result: { ended: 0, transactions: [{ gid: 'by hand', decision: 'unknown' }] },
    })
    // Young ones are not in doubt: each transaction on two nodes is prepared for a moment.
    await expect
      .poll(() => measured(server))
      .toEqual({ in_doubt: 0, oldest: expect.closeTo(0, -3), silent: 0 })
    expect((await measured(server)).oldest).toBeGreaterThan(0)
    await pool.query(`ROLLBACK PREPARED 'by hand'`)

    await citus.workers[0]?.stop('SIGQUIT')
    const silent = await companion(server, 'nodes', 'in-doubt')
    const other = await startServer({}, url)
    await expect.poll(() => measured(other)).toEqual({ in_doubt: 0, oldest: 0, silent: 1 })
    await other.stop()
    await citus.workers[0]?.start()
    expect(silent.code).toBe(1)
    expect(silent.out).toContain(`No answer from 127.0.0.1:${new URL(citus.workers[0]?.url ?? '').port}: `)
    await server.stop()
    await drop()
  })
})
