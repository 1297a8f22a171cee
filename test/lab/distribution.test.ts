import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { hashPassword } from '@companion/server/auth/password/passwords.ts'
import { openDatabase } from '@companion/server/database/database.ts'
import { keyRingOf } from '@companion/server/encryption/key-ring.ts'
import { expect, onTestFinished, test } from 'vitest'
import { load } from '../bench/load.ts'
import { installedCitus, startCitus } from '../support/machines/citus.ts'
import { columnsOf } from '../support/database.ts'
import { PASSWORD } from '../support/family.ts'
import { closedPort } from '../support/outside/local-server.ts'
import { TEST_SECRET } from '../support/server.ts'
import { MAIN, startServiceProcess } from '../support/service-process.ts'
import { until } from '../support/until.ts'
import { command } from './command.ts'
import { liveEveryday } from './everyday.ts'
import { hashesOf, unchangedBeyond } from './hashes.ts'
import { beforeNewestMigration, olderVersion } from './older-version.ts'
import { failures, figures } from './phases.ts'
import type { Phase } from './phases.ts'

/*
 * A database of an older version becomes one of this version, goes to several nodes and comes back, while devices and families go
 * on. Settings as of two-versions.test.ts.
 */

const nights = Number(process.env['UPGRADE_NIGHTS'] ?? 0)
const older = process.env['UPGRADE_FROM'] ?? (await beforeNewestMigration())
const ACTIVE = nights > 0 ? 8 : 4
const UPLOADS = nights > 0 ? 1000 : 30

test.skipIf(!installedCitus() || older === undefined)(
  'a database of an older version goes to several nodes and back while devices and families go on',
  { timeout: 3_600_000 },
  async () => {
    const directory = await mkdtemp(join(tmpdir(), 'companion-distribution-'))
    await chmod(directory, 0o755)
    onTestFinished(() => rm(directory, { recursive: true, force: true }))
    const source = join(directory, 'older')
    await mkdir(source)
    const olderMain = await olderVersion(older ?? '', source)
    const citus = await startCitus({ workers: 2 })
    onTestFinished(() => citus.stop())
    const port = await closedPort()
    const environment = {
      DATABASE_URL: await citus.createDatabase('companion'),
      TOKEN_SECRET: TEST_SECRET,
      NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] ?? '',
    }
    const migrate = async (main: string, ...options: string[]) => {
      const env = { PATH: process.env['PATH'] ?? '', ...environment }
      const { code, said } = await command(main, ['migrate', ...options], env).ended
      expect(said).not.toContain('Error')
      expect(code).toBe(0)
    }
    await migrate(olderMain)

    const keyRing = keyRingOf({ dataKeys: [], hashSecret: undefined }, TEST_SECRET)
    const database = await openDatabase(environment.DATABASE_URL, { pool: 2, keyRing })
    onTestFinished(() => database.close())
    const { pool } = database
    const { uniqueId, accounts } = await load(database, TEST_SECRET, '2026-03-01', { nights: nights || 3 })
    const parents = accounts
      .slice(0, ACTIVE / 2)
      .map(({ realUserId: [realUserId = 0] }, n) => ({ email: `user${n + 1}@example.com`, realUserId }))
    const password = await hashPassword(PASSWORD)
    for (const [n, { email }] of parents.entries())
      await pool.query('UPDATE root_user SET password_hash = $1, email_hash = $2 WHERE id = $3', [
        password,
        keyRing.index('email', email),
        n + 1,
      ])
    const columns = await columnsOf(database)
    const hashes = () => hashesOf(database, columns, unchangedBeyond(ACTIVE))
    const before = await hashes()

    const start = (main: string) =>
      startServiceProcess(directory, { ...environment, PORT: String(port) }, [], main)
    let server = await start(olderMain)
    onTestFinished(async () => {
      server.terminate()
      await server.exited
    })
    const everyday = liveEveryday(server.url, uniqueId.slice(0, ACTIVE), parents)
    const phases: Phase[] = []
    const phase = (name: string) => phases.push([name, performance.now()])
    const goOn = async () => {
      const done = () =>
        everyday.answered.filter(({ kind, outcome }) => kind === 'upload' && outcome === '200')
      const wanted = done().length + UPLOADS
      await until(() => done().length >= wanted)
    }

    phase('older')
    await goOn()
    phase('migrate')
    await migrate(MAIN)
    await goOn()
    phase('replaced')
    server.terminate()
    await server.exited
    server = await start(MAIN)
    await goOn()
    phase('there')
    await migrate(MAIN, '--distributed', '--shards', '8')
    phase('several')
    await goOn()
    expect(await hashes()).toEqual(before)
    phase('back')
    await migrate(MAIN, '--distributed', '--undo')
    phase('one again')
    await goOn()

    const wrong = await everyday.finish(database)
    if (nights > 0) console.log(figures(everyday.answered, phases))
    expect(wrong).toEqual([])
    expect(await hashes()).toEqual(before)
    // Nobody listens while one process takes the place of the other.
    const failed = Object.keys(failures(everyday.answered, phases))
    expect(failed.filter((failure) => !failure.startsWith('replaced'))).toEqual([])
  },
)
