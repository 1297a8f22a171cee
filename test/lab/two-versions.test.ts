import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { hashPassword } from '@companion/server/auth/password/passwords.ts'
import { openDatabase } from '@companion/server/database/database.ts'
import { openEmbeddedPostgres } from '@companion/server/embedded-postgres/open.ts'
import { keyRingOf } from '@companion/server/encryption/key-ring.ts'
import { expect, onTestFinished, test } from 'vitest'
import { load } from '../bench/load.ts'
import { columnsOf } from '../support/database.ts'
import { PASSWORD } from '../support/family.ts'
import { hasNoHaproxy, startHaproxy } from '../support/machines/haproxy.ts'
import { closedPort } from '../support/outside/local-server.ts'
import { TEST_SECRET } from '../support/server.ts'
import { MAIN, startServiceProcess } from '../support/service-process.ts'
import { until } from '../support/until.ts'
import { command } from './command.ts'
import type { Environment } from './command.ts'
import { liveEveryday } from './everyday.ts'
import { hashesOf, unchangedBeyond } from './hashes.ts'
import { beforeNewestMigration, olderVersion } from './older-version.ts'
import { failures, figures } from './phases.ts'
import type { Phase } from './phases.ts'

/*
 * Two servers of an older version behind HAProxy are replaced by this one, as docs/operations/upgrade.md says, while
 * devices and families go on. `UPGRADE_FROM` names the older commit, instead of the one before the newest migration.
 * With `UPGRADE_NIGHTS` each of 2,000 children has this number of treatments, and the latencies are printed.
 */

const nights = Number(process.env['UPGRADE_NIGHTS'] ?? 0)
const older = process.env['UPGRADE_FROM'] ?? (await beforeNewestMigration())
/** How many uploads a phase takes; a parent has seen two rounds by then, too. */
const UPLOADS = nights > 0 ? 2000 : 50
/** Those who are active, of 2,000 children with as many devices. */
const ACTIVE = nights > 0 ? 12 : 4

/** The rows that nobody of `ACTIVE` owns, and all accounts and records up to now. */
const keptUpTo = (lastRecord: number) => ({
  ...unchangedBeyond(ACTIVE),
  devlog_deletion: 'true',
  security_record: `id <= ${lastRecord}`,
})

test.skipIf(hasNoHaproxy || older === undefined)(
  'an older version is replaced by this one, and taken back, while devices and families go on',
  { timeout: nights > 0 ? 3_600_000 : 900_000 },
  async () => {
    const directory = await mkdtemp(join(tmpdir(), 'companion-versions-'))
    // PostgreSQL runs under an account of its own when this runs as root.
    await chmod(directory, 0o755)
    onTestFinished(() => rm(directory, { recursive: true, force: true }))
    const source = join(directory, 'older')
    await mkdir(source)
    const olderMain = await olderVersion(older ?? '', source)

    const postgres = await openEmbeddedPostgres({
      directory: join(directory, 'postgres'),
      settings: { max_connections: '100', ...(nights > 0 ? {} : { fsync: 'off' }) },
    })
    onTestFinished(() => postgres.stop())
    const environment: Environment = {
      DATABASE_URL: postgres.url,
      TOKEN_SECRET: TEST_SECRET,
      NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] ?? '',
    }
    const migrate = (main: string, ...options: string[]) =>
      command(main, ['migrate', ...options], { PATH: process.env['PATH'] ?? '', ...environment })
    expect(await migrate(olderMain).ended).toMatchObject({ code: 0 })

    const keyRing = keyRingOf({ dataKeys: [], hashSecret: undefined }, TEST_SECRET)
    const database = await openDatabase(postgres.url, { pool: 4, keyRing })
    onTestFinished(() => database.close())
    const { pool } = database
    const { uniqueId, accounts } = await load(database, TEST_SECRET, '2026-03-01', { nights: nights || 3 })
    await pool.query(
      `INSERT INTO security_record (recorded_at, root_user_id, action, reason, address)
       SELECT now() - n * interval '1 second', 1 + n % 1000, 'signed_in', 'password', '192.0.2.' || n % 250
       FROM generate_series(1, $1::int) n`,
      [400 * (nights || 3)],
    )
    await pool.query(
      `INSERT INTO devlog_deletion (device_id, deleted_at, deleted_count)
       SELECT n, now(), 1 FROM generate_series(${ACTIVE + 1}, 2000) n`,
    )
    await pool.query(
      `UPDATE treatment t SET deleted_at = now(), deletion_id = j.id FROM devlog_deletion j
       WHERE t.device_id = j.device_id AND t.log_file_id <= 2000`,
    )
    await pool.query('UPDATE root_user SET password_hash = $1 WHERE id <= $2', [
      await hashPassword(PASSWORD),
      ACTIVE,
    ])
    const parents = accounts
      .slice(0, ACTIVE / 2)
      .map(({ realUserId: [realUserId = 0] }, n) => ({ email: `user${n + 1}@example.com`, realUserId }))
    const columns: Record<string, string> = {
      ...(await columnsOf(database)),
      // The other columns are written when a record becomes a part of the chain.
      security_record: 'id, recorded_at, root_user_id, action, reason, address',
    }
    if (columns['root_user']?.includes('email_hash')) {
      await Promise.all(
        parents.map(({ email }, n) =>
          pool.query('UPDATE root_user SET email_hash = $2 WHERE id = $1', [
            n + 1,
            database.keyRing.index('email', email),
          ]),
        ),
      )
    }

    const start = (port: number, main: string) =>
      startServiceProcess(directory, { ...environment, PORT: String(port) }, [], main)
    const ports = [await closedPort(), await closedPort()]
    const servers = await Promise.all(ports.map((port) => start(port, olderMain)))
    onTestFinished(async () => {
      for (const server of servers) server.terminate()
      await Promise.all(servers.map(({ exited }) => exited))
    })
    await Promise.all(servers.map((server) => server.readiness(200)))
    /** Replaces one server by another version of it. */
    const replace = async (n: number, main: string) => {
      servers[n]?.terminate()
      expect(await servers[n]?.exited).toBe(0)
      const server = (servers[n] = await start(ports[n] ?? 0, main))
      // The next one may go when the balancer has found this one.
      await until(async () => String((await server.get('/metrics')).body).includes('devlogs.upload'))
    }
    const balancer = await startHaproxy(servers.map(({ url }) => url))
    onTestFinished(() => balancer.stop())

    const lastRecord = Number((await pool.query('SELECT max(id) FROM security_record')).rows[0].max)
    const kept = keptUpTo(lastRecord)
    const before = await hashesOf(database, columns, kept)
    const everyday = liveEveryday(balancer.url, uniqueId.slice(0, ACTIVE), parents)
    const phases: Phase[] = []
    const done = (kind: string) =>
      everyday.answered.filter((each) => each.kind === kind && each.outcome === '200').length
    /** Lives on for a while. */
    const goOn = async () => {
      const [uploads, days] = [done('upload') + UPLOADS, done('day') + 2 * parents.length]
      await until(() => done('upload') >= uploads && done('day') >= days)
    }
    const phase = (name: string) => phases.push([name, performance.now()])

    phase('older')
    await goOn()

    phase('in use')
    const reader = await pool.connect()
    await reader.query(`BEGIN; LOCK TABLE ${Object.keys(columns).join(', ')} IN ACCESS SHARE MODE`)
    const migrating = migrate(MAIN)
    await until(migrating.isInUse)
    await goOn()
    phase('migrate')
    await reader.query('COMMIT')
    reader.release()
    expect(await migrating.ended).toMatchObject({ code: 0 })
    await goOn()

    phase('beside')
    await replace(0, MAIN)
    await goOn()
    phase('newer')
    await replace(1, MAIN)
    await goOn()
    phase('taken back')
    await replace(0, olderMain)
    await goOn()
    expect(await migrate(olderMain, '--downgrade').ended).toMatchObject({ code: 0 })
    await goOn()

    const wrong = await everyday.finish(database)
    if (nights > 0) console.log(figures(everyday.answered, phases))
    expect(wrong).toEqual([])
    expect(await hashesOf(database, columns, kept)).toEqual(before)
    expect(failures(everyday.answered, phases)).toEqual({})
  },
)
