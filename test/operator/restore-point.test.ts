import { describe, expect, test } from 'vitest'
import { ask } from '../support/own-connection.ts'
import { installedCitus } from '../support/machines/citus.ts'
import type { Node } from '../support/machines/citus.ts'
import { companion } from '../support/command.ts'
import { addChild, signIn, signUp } from '../support/family.ts'
import { useCitus } from '../support/machines/own-citus.ts'
import { startServer } from '../support/server.ts'
import { addMember } from '../support/shares.ts'
import { storedOn, uploadSteadily } from '../support/steady-uploads.ts'
import { until } from '../support/until.ts'

/*
 * The drill of docs/operations/distributed.md: base backups and log archives of all nodes, a restore point while devices send, a
 * disaster, and recovery of all nodes to that point.
 */

/** Waits until everything that a node has committed now lies in its archive. */
async function archiveAll({ url }: Node): Promise<void> {
  const [switched] = await ask(url, 'SELECT pg_walfile_name(pg_switch_wal()) AS file')
  const done = 'SELECT FROM pg_stat_archiver WHERE last_archived_wal >= $1'
  await until(async () => (await ask(url, done, [switched.file])).length > 0)
}

describe.skipIf(!installedCitus())('on Citus', () => {
  const citus = useCitus({
    workers: 2,
    // Each node runs this in the directory of its data.
    settings: {
      archive_mode: 'on',
      archive_command: 'mkdir -p "$PWD.archive" && cp %p "$PWD.archive/%f"',
    },
  })

  test('all nodes are recovered to one point: no record without what follows from it, and none of what follows without a record', async () => {
    const { url } = await citus.cloneDatabase()
    const server = await startServer({}, url)
    const parent = await signUp(server)
    const devices: Awaited<ReturnType<typeof addChild>>[] = []
    for (let n = 0; n < 4; n += 1) {
      const child = await addChild(server, parent.token)
      // Those who watch a child are told of each record.
      await addMember(server, parent, { real_user_id: child.real_user_id, role: 'viewer' })
      devices.push(child)
    }
    const uploads = devices.map(({ unique_id }) => uploadSteadily(server.url, unique_id))
    const more = async () => {
      const counts = uploads.map(({ acknowledged }) => acknowledged.length)
      await until(() => uploads.every(({ acknowledged }, n) => acknowledged.length > (counts[n] ?? 0) + 10))
    }
    const nodes = [citus.coordinator, ...citus.workers]
    await more()
    const copies = await Promise.all(nodes.map((node) => node.backUp()))
    await more()
    const before = uploads.map(({ acknowledged }) => [...acknowledged])
    await ask(url, `SELECT citus_create_restore_point('before the mistake')`)
    await more()
    await Promise.all(uploads.map((each) => each.finish()))
    await ask(url, 'DELETE FROM treatment')
    await Promise.all(nodes.map(archiveAll))
    await server.stop()
    for (const node of nodes) await node.stop('SIGQUIT')

    await Promise.all(
      nodes.map(async (node, n) => {
        const data = copies[n] ?? ''
        const archive = data.replace(/-\d+$/, '.archive')
        const settings = {
          restore_command: `cp ${archive}/%f "%p"`,
          recovery_target_name: 'before the mistake',
          recovery_target_action: 'promote',
        }
        await node.start({ data, signalFile: 'recovery.signal', settings })
        await until(async () => (await ask(node.url, 'SELECT WHERE NOT pg_is_in_recovery()')).length > 0)
      }),
    )
    const again = await startServer({}, url)
    const resolved = await companion(again, 'nodes', 'in-doubt', '--resolve', '--json')
    expect(resolved).toMatchObject({ code: 0, result: { transactions: [], silent: [] } })

    const { pool } = again.database
    for (const [n, { device_id, real_user_id }] of devices.entries()) {
      const stored = await storedOn(again.database, device_id)
      expect(stored).toEqual(expect.arrayContaining(before[n] ?? []))
      expect(new Set(stored).size).toBe(stored.length)
      const { rows: ids } = await pool.query('SELECT id FROM treatment WHERE device_id = $1 ORDER BY 1', [
        device_id,
      ])
      const { rows: fed } = await pool.query(
        `SELECT subject_id AS id FROM change WHERE real_user_id = $1 AND kind = 'treatment.stored' ORDER BY 1`,
        [real_user_id],
      )
      expect(fed).toEqual(ids)
      const { rows: last } = await pool.query('SELECT last_log_file_id FROM device WHERE id = $1', [
        device_id,
      ])
      expect(last[0]?.last_log_file_id).toBe(Math.max(...stored))
    }
    expect((await companion(again, 'devlog', 'check-stored', '--json')).code).toBe(0)
    expect((await signIn(again, parent.email)).status).toBe(200)
    await again.stop()
  })
})
