import { execFile } from 'node:child_process'
import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { openDatabase } from '@companion/server/database/database.ts'
import type { Database } from '@companion/server/database/database.ts'
import { openEmbeddedPostgres } from '@companion/server/embedded-postgres/open.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { contents } from '../support/database.ts'
import { addChild, devlogItem, signIn, signUp, upload } from '../support/family.ts'
import type { Account } from '../support/family.ts'
import { copyCluster, startCopy } from '../support/machines/second-cluster.ts'
import { startServer } from '../support/server.ts'
import { until } from '../support/until.ts'

/* The drill of docs/operations/backup.md: base backup, log archive, disaster, recovery into a new cluster. */

const run = promisify(execFile)
let base: string
let archive: string

beforeAll(async () => {
  base = await mkdtemp(join(tmpdir(), 'companion-backup-'))
  archive = join(base, 'archive')
  await mkdir(archive)
  // PostgreSQL runs under an account of its own when the tests run as root.
  await chmod(base, 0o755)
  await chmod(archive, 0o777)
})
afterAll(() => rm(base, { recursive: true, force: true }))

/** Waits until everything that is committed now lies in the archive. */
async function archiveAll({ pool }: Database): Promise<void> {
  const { rows } = await pool.query<{ file: string }>('SELECT pg_walfile_name(pg_switch_wal()) AS file')
  const done = 'SELECT FROM pg_stat_archiver WHERE last_archived_wal >= $1'
  await until(async () => (await pool.query(done, [rows[0]?.file])).rowCount)
}

/** Starts a new cluster from a backup and the archive, up to a moment or to the end. */
async function recover(backup: string, name: string, moment: Record<string, string>, login: string) {
  const data = join(base, name)
  await run('cp', ['-a', backup, data])
  const settings = {
    restore_command: `cp ${archive}/%f "%p"`,
    recovery_target_action: 'promote',
    ...moment,
  }
  return startCopy(data, login, 'recovery.signal', settings, async ({ pool }) => {
    const { rows } = await pool.query<{ over: boolean }>('SELECT NOT pg_is_in_recovery() AS over')
    return rows[0]?.over === true
  })
}

test('a cluster is recovered to the moment before a mistake, and to the last archived transaction', async () => {
  const settings = { archive_mode: 'on', archive_command: `test ! -f ${archive}/%f && cp %p ${archive}/%f` }
  const source = await openEmbeddedPostgres({ directory: join(base, 'source'), settings })
  const database = await openDatabase(source.url, { pool: 4 })
  await database.migrate()
  const server = await startServer({}, source.url)
  const family = async (): Promise<Account> => {
    const parent = await signUp(server)
    const child = await addChild(server, parent.token)
    const nights = Array.from({ length: 20 }, (_, n) =>
      devlogItem(child.unique_id, `2026-03-${String(n + 1).padStart(2, '0')}T21:30:00`, {
        log_file_id: n + 1,
      }),
    )
    expect((await upload(server, nights)).status).toBe(200)
    return parent
  }
  const early = await family()
  const backup = join(base, 'backup')
  await copyCluster(database, join(base, 'source', 'data'), backup)

  // Changes after the backup are in the archive alone.
  const late = await family()
  await server.trailWritten()
  const before = await contents(database)
  const { rows } = await database.pool.query<{ moment: string }>('SELECT clock_timestamp()::text AS moment')
  await database.pool.query('DELETE FROM treatment')
  const after = await contents(database)
  expect(after).not.toEqual(before)
  await archiveAll(database)
  await server.stop()
  await database.close()
  await source.stop()

  for (const [name, moment, expected] of [
    ['to-the-moment', { recovery_target_time: rows[0]?.moment ?? '' }, before],
    ['to-the-end', {}, after],
  ] as const) {
    const recovered = await recover(backup, name, moment, source.url)
    expect(await contents(recovered.database)).toEqual(expected)
    const again = await startServer({}, recovered.url)
    for (const { email } of [early, late]) expect((await signIn(again, email)).status).toBe(200)
    await signUp(again)
    await again.stop()
    await recovered.stop()
  }
})
