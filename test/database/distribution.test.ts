import { readFile } from 'node:fs/promises'
import { describe, expect, test } from 'vitest'
import { openDatabase } from '@companion/server/database/database.ts'
import { listCitusTables, distributedTables } from '@companion/server/database/nodes/index.ts'
import { schemaText } from '@companion/server/schema-text'
import { installedCitus } from '../support/machines/citus.ts'
import { companion } from '../support/command.ts'
import { urlOf } from '../support/database-url.ts'
import { columnsOf, contents } from '../support/database.ts'
import { addChild, devlogItem, signUp, upload } from '../support/family.ts'
import { connectBasestation, reading, uploadReadings } from '../support/basestations.ts'
import { useCitus } from '../support/machines/own-citus.ts'
import { startServer } from '../support/server.ts'
import { addMember } from '../support/shares.ts'
import { storedOn, storedUploads, uploadSteadily } from '../support/steady-uploads.ts'
import { until } from '../support/until.ts'

/* A database with records goes to several nodes and back without loss, while the service goes on. */

/** What a conversion may change, and what tells of commands and reads. */
const UNTOLD = new Set([
  'trail',
  'trail_repeat',
  'trail_upload',
  'applied_function',
  'migration',
  'distribution',
  'device_lock',
  'child_lock',
  'basestation_lock',
  'worn',
])

const told = (all: Record<string, string>) =>
  Object.fromEntries(Object.entries(all).filter(([name]) => !UNTOLD.has(name)))

const expectedSchema = async () =>
  (await readFile(new URL('../../server/schema.sql', import.meta.url), 'utf8')).replace(/^--.*\n/, '')

/** A family of each kind: records that are live, temporary, and deleted, a former wearer, notes with versions, a survey, readings. */
async function fill(server: Awaited<ReturnType<typeof startServer>>) {
  const { token } = await signUp(server)
  const child = await addChild(server, token)
  const other = await addChild(server, token)
  await upload(server, [
    devlogItem(other.unique_id, '2026-03-01T21:00:00'),
    devlogItem(other.unique_id, '2026-03-02T21:00:00', { log_file_id: 2 }),
  ])
  await server.delete(`/api/v1/gamma/device/devlog?unique_id=${other.unique_id}`)
  await upload(server, [
    devlogItem(other.unique_id, '2026-03-03T21:00:00', { log_file_id: 3, is_temp: true }),
  ])
  for (const memo of ['one', 'two', 'three'])
    await server.post('/api/v1/beta/event', {
      token,
      json: { real_user_id: child.real_user_id, created_at: '2026-03-01', memo },
    })
  await server.post('/api/v1/beta/survey', {
    token,
    json: { real_user_id: child.real_user_id, attention_score: 1, impulsivity_score: 2, disorder_score: 3 },
  })
  return { token, child }
}

async function notes(server: Awaited<ReturnType<typeof startServer>>, token: string, child: number) {
  const save = (memo: string) =>
    server.post('/api/v1/beta/event', {
      token,
      json: { real_user_id: child, created_at: '2026-03-01', memo },
    })
  const [one, two] = [await save('four'), await save('five')]
  expect([one.status, two.status]).toEqual([200, 200])
  expect(two.body.event_id).toBe(one.body.event_id)
}

describe('on one machine', () => {
  test('a database that is prepared works on as before, and goes back to what it was', async () => {
    const server = await startServer()
    try {
      const { token, child } = await fill(server)
      const columns = await columnsOf(server.database)
      const before = told(await contents(server.database))
      // As another process that was ended would have left it, too.
      for (let times = 0; times < 2; times += 1) {
        await server.database.distribution.prepare()
        expect(told(await contents(server.database, columns))).toEqual(before)
        expect(await server.database.isReady()).toBe(true)
        expect(await server.database.migrate()).toEqual([])
      }
      expect(
        (await upload(server, [devlogItem(child.unique_id, '2026-04-01T21:00:00', { log_file_id: 9 })]))
          .status,
      ).toBe(200)
      await notes(server, token, child.real_user_id)

      const changed = told(await contents(server.database, columns))
      for (let times = 0; times < 2; times += 1) await server.database.distribution.undo()
      expect(told(await contents(server.database, columns))).toEqual(changed)
      expect(await schemaText(server.database.pool)).toBe(await expectedSchema())
      expect(await server.database.isReady()).toBe(true)
      expect(
        (await upload(server, [devlogItem(child.unique_id, '2026-04-02T21:00:00', { log_file_id: 10 })]))
          .status,
      ).toBe(200)
      await notes(server, token, child.real_user_id)
    } finally {
      await server.stop()
    }
  })

  // They have begun in the old functions, and go on between the tables of the new ones.
  test('what waits while functions are changed is stored whole and once, there and back', async () => {
    const server = await startServer()
    try {
      const owner = await signUp(server)
      const child = await addChild(server, owner.token)
      await addMember(server, owner, { real_user_id: child.real_user_id, role: 'viewer' })
      const { pool, distribution } = server.database
      await pool.query('UPDATE root_user SET is_device_alim_talk_enabled = true')
      const station = await connectBasestation(server, owner.token)

      let sent = 0
      const sendAll = () => {
        sent += 1
        const number = sent
        const night = async (type: object, day: string): ReturnType<typeof upload> => {
          const item = devlogItem(child.unique_id, `2026-${day}T21:00:00`, {
            log_file_id: number,
            finish_flag: '4',
            ...type,
          })
          const response = await upload(server, [item])
          // On a busy machine it may have waited for its device too long, and is sent again as devices do.
          return response.status === 429 ? night(type, day) : response
        }
        const day = String(sent).padStart(2, '0')
        return [
          night({}, `03-${day}`),
          night({ is_temp: true }, `04-${day}`),
          uploadReadings(server, [reading(station.unique_id, `2026-05-01T21:00:${day}`)]),
        ]
      }
      const waiting = async (condition: string) => {
        const { rows } = await pool.query(
          `SELECT count(DISTINCT pid)::int AS processes FROM pg_locks JOIN pg_stat_activity USING (pid)
           WHERE NOT granted AND datname = current_database() AND ${condition}`,
        )
        return Number(rows[0]?.processes)
      }
      for (const convert of [distribution.prepare, distribution.undo]) {
        const other = await pool.connect()
        await other.query('BEGIN')
        await other.query('SAVEPOINT before')
        await other.query('LOCK TABLE survey IN ACCESS SHARE MODE')
        let isOver = false
        let isBetween = false
        const warn = (line: string) => (isBetween ||= line.startsWith('Waiting for the transactions'))
        const converted = convert({ warn }).finally(() => (isOver = true))
        const isChanging = () => waiting(`relation = 'survey'::regclass`)
        const responses = []
        for (;;) {
          await until(async () => isOver || (await isChanging()))
          let answered = 0
          const begun = sendAll()
          for (const each of begun) void each.finally(() => (answered += 1))
          responses.push(...begun)
          // It gives its locks back after a while, and comes again.
          await until(async () => answered === begun.length || (await waiting('true')) > begun.length)
          if (answered === 0 && (await isChanging())) break
        }
        await other.query('ROLLBACK TO before')
        // The other transaction has begun before the change. All goes on meanwhile.
        await until(() => isOver || isBetween)
        expect(isOver).toBe(convert === distribution.undo)
        responses.push(...sendAll())
        await Promise.all(responses)
        await notes(server, owner.token, child.real_user_id)
        expect(await server.database.isReady()).toBe(true)
        expect(await server.database.migrate()).toEqual([])
        await other.query('ROLLBACK')
        other.release()
        await converted
        await notes(server, owner.token, child.real_user_id)
        expect((await Promise.all(responses)).map(({ status }) => status)).toEqual(responses.map(() => 200))
        const { rows } = await pool.query(
          `SELECT (SELECT count(*)::int FROM treatment) AS records, (SELECT count(*)::int FROM alert) AS alerts,
             (SELECT count(*)::int FROM change WHERE kind = 'treatment.stored') AS changes,
             (SELECT count(*)::int FROM sleep_reading) AS readings,
             (SELECT sum(readings)::int FROM reading_day) AS summed,
             (SELECT version - 1 - (SELECT count(*) FROM event_version) FROM event)::int AS lost_versions,
             (SELECT version - (SELECT count(*) FROM change WHERE kind = 'note.saved') FROM event)::int AS unreported`,
        )
        expect(rows[0]).toEqual({
          records: 2 * sent,
          alerts: 2 * sent,
          changes: 2 * sent,
          readings: sent,
          summed: sent,
          lost_versions: 0,
          unreported: 0,
        })
      }
    } finally {
      await server.stop()
    }
  })

  test('one process at a time changes it, and another is told so', async () => {
    const server = await startServer()
    const { pool, distribution } = server.database
    const holder = await pool.connect()
    try {
      await distribution.prepare()
      await holder.query('BEGIN')
      await holder.query('LOCK TABLE distribution IN ACCESS SHARE MODE')
      let isTold = false
      const undoing = distribution.undo({ warn: () => (isTold = true) })
      await until(() => isTold)
      const second = await companion(server, 'migrate', '--distributed', '--undo')
      expect(second).toMatchObject({ code: 1, out: '' })
      expect(second.said).toBe(
        'Another process is at work with migrate --distributed or --monthly. Run this again when that has ended.\n',
      )
      await expect(distribution.prepare()).rejects.toThrow('Another process is at work')
      await expect(distribution.distribute({ shards: 4 })).rejects.toThrow('Another process is at work')
      await holder.query('ROLLBACK')
      await undoing
      expect(await schemaText(pool)).toBe(await expectedSchema())
      await distribution.undo()
    } finally {
      holder.release(true)
      await server.stop()
    }
  })

  test('a purge tells of what it removes, there and back', async () => {
    const server = await startServer()
    const { pool, distribution } = server.database
    try {
      const owner = await signUp(server)
      const { real_user_id, unique_id } = await addChild(server, owner.token)
      await addMember(server, owner, { real_user_id, role: 'viewer' })
      const told = `SELECT count(*)::int FROM change WHERE kind = 'treatment.deleted'`
      for (const [n, convert] of [distribution.prepare, distribution.undo].entries()) {
        await upload(server, [devlogItem(unique_id, '2026-03-01T21:00:00')])
        await convert()
        const purge = `SELECT remove_old('treatments', 0, ${real_user_id}, '2026-04-01', 100) AS removed`
        expect((await pool.query(purge)).rows).toEqual([{ removed: 1 }])
        expect((await pool.query(told)).rows).toEqual([{ count: n + 1 }])
      }
    } finally {
      await server.stop()
    }
  })

  test('the command refuses what has no nodes, and says why', async () => {
    const server = await startServer()
    try {
      const refused = await companion(server, 'migrate', '--distributed')
      expect(refused.code).toBe(1)
      expect(refused.said).toContain('Not distributed: the database has no extension `citus`')
      const looked = await companion(server, 'migrate', '--distributed', '--dry-run', '--json')
      expect(looked.code).toBe(1)
      expect(looked.result.tables.map(({ name, shards }: any) => [name, shards])).toEqual(
        distributedTables.map(({ table }) => [table, 0]),
      )
      const alone = await companion(server, 'migrate', '--undo')
      expect(alone.said).toContain('--undo needs --distributed')
      const many = await companion(server, 'migrate', '--distributed', '--shards', '5000')
      expect(many.said).toContain('must be a whole number from 1 to 4096')
    } finally {
      await server.stop()
    }
  })
})

describe.skipIf(!installedCitus())('on Citus', () => {
  const citus = useCitus({ workers: 2, settings: { track_functions: 'pl' } }, migrated)

  test('uploads go on while a database is distributed and taken back, and none is lost or doubled', async () => {
    const { url, drop } = await citus.cloneDatabase()
    const server = await startServer({}, url)
    try {
      const { token, child } = await fill(server)
      const columns = await columnsOf(server.database)
      const still = (all: Record<string, string>) => ({ ...all, treatment: '', device: '' })
      const before = still(told(await contents(server.database)))

      const uploads = uploadSteadily(server.url, child.unique_id)
      const done = await companion(server, 'migrate', '--distributed', '--shards', '4', '--json')
      expect(done).toMatchObject({ code: 0, result: { issues: [] } })
      expect(done.result.tables.map(({ shards }: any) => shards)).toEqual(distributedTables.map(() => 4))
      // As one would who is not sure that it came to its end.
      expect((await companion(server, 'migrate', '--distributed', '--shards', '4', '--json')).code).toBe(0)
      const sent = await uploads.finish()
      expect(await storedOn(server.database, child.device_id)).toEqual(sent)
      expect(still(told(await contents(server.database, columns)))).toEqual(before)
      expect(await server.database.isReady()).toBe(true)
      await notes(server, token, child.real_user_id)
      expect((await companion(server, 'devlog', 'check-stored', '--json')).code).toBe(0)

      const changed = still(told(await contents(server.database, columns)))
      const uploadsBack = uploadSteadily(server.url, child.unique_id, sent.length)
      const undone = await companion(server, 'migrate', '--distributed', '--undo', '--json')
      expect(undone).toMatchObject({ code: 0 })
      sent.push(...(await uploadsBack.finish()))
      expect([...uploads.failures, ...uploadsBack.failures]).toEqual([])
      expect(still(told(await contents(server.database, columns)))).toEqual(changed)
      expect(await listCitusTables(server.database.pool)).toEqual([])
      expect(await storedUploads(server.database, child.unique_id)).toEqual(sent)
      await notes(server, token, child.real_user_id)
    } finally {
      await server.stop()
      await drop()
    }
  })

  test('a database whose nodes would limit the time of each other, or forget, is not distributed', async () => {
    const { url, drop } = await citus.cloneDatabase()
    const server = await startServer({}, url)
    try {
      const { pathname } = new URL(url)
      await server.database.pool.query(`ALTER DATABASE ${pathname.slice(1)} SET statement_timeout = '30s'`)
      const refused = await companion(server, 'migrate', '--distributed', '--dry-run', '--json')
      expect(refused).toMatchObject({ code: 1 })
      expect(refused.result.issues).toContainEqual(
        expect.stringContaining(`statement_timeout is 30s on ${new URL(url).host}`),
      )
      await server.database.pool.query(`ALTER DATABASE ${pathname.slice(1)} RESET statement_timeout`)
      const { rows: listing } = await server.database.pool.query(
        `SELECT WHERE current_setting('output_plugin_libraries', true) IS NOT NULL`,
      )
      if (listing.length > 0) {
        await server.database.pool.query(
          `ALTER DATABASE ${pathname.slice(1)} SET output_plugin_libraries = 'pgoutput'`,
        )
        const unlisted = await companion(server, 'migrate', '--distributed', '--dry-run', '--json')
        expect(unlisted.result.issues).toEqual([
          expect.stringContaining(`output_plugin_libraries lacks citus on ${new URL(url).host}`),
        ])
        await server.database.pool.query(`ALTER DATABASE ${pathname.slice(1)} RESET output_plugin_libraries`)
      }
      // A worker's counts too.
      const worker = await openDatabase(urlOf(citus.workers[0]?.url ?? '', pathname.slice(1)), { pool: 1 })
      await worker.pool.query(`ALTER DATABASE ${pathname.slice(1)} SET synchronous_commit = off`)
      const forgetful = await companion(server, 'migrate', '--distributed', '--dry-run', '--json')
      expect(forgetful.result.issues).toEqual([
        expect.stringContaining(
          `synchronous_commit is off on 127.0.0.1:${new URL(citus.workers[0]?.url ?? '').port}`,
        ),
      ])
      await worker.pool.query(`ALTER DATABASE ${pathname.slice(1)} RESET synchronous_commit`)
      await worker.close()
      const accepted = await companion(server, 'migrate', '--distributed', '--dry-run', '--json')
      expect(accepted).toMatchObject({ code: 0, result: { issues: [] } })
    } finally {
      await server.stop()
      await drop()
    }
  })

  test('a dead node keeps its own devices waiting, and nobody else', async () => {
    const { url, drop } = await citus.cloneDatabase()
    const server = await startServer({}, url)
    try {
      const { token } = await signUp(server)
      const devices: Awaited<ReturnType<typeof addChild>>[] = []
      for (let n = 0; n < 8; n += 1) devices.push(await addChild(server, token))
      const { distribution, pool } = server.database
      await distribution.prepare()
      await distribution.distribute({ shards: 8 })
      const dead = citus.workers[0]
      const isOnDead = async (table: string, id: number) => {
        const { rows } = await pool.query(
          `SELECT nodeport FROM citus_shards WHERE shardid = get_shard_id_for_distribution_column($1, $2::int)`,
          [table, id],
        )
        return String(rows[0]?.nodeport) === new URL(dead?.url ?? '').port
      }
      const ofDead = await Promise.all(devices.map(({ device_id }) => isOnDead('treatment', device_id)))
      const notesOfDead = await Promise.all(
        devices.map(({ real_user_id }) => isOnDead('event', real_user_id)),
      )
      expect(new Set(ofDead).size).toBe(2)
      expect(new Set(notesOfDead).size).toBe(2)

      let night = 0
      const acknowledged = devices.map((): number[] => [])
      const uploadAll = async () => {
        night += 1
        const responses = await Promise.all(
          devices.map(({ unique_id }) =>
            upload(server, [devlogItem(unique_id, '2026-03-01T21:00:00', { log_file_id: night })]),
          ),
        )
        for (const [n, { status }] of responses.entries()) if (status === 200) acknowledged[n]?.push(night)
        return responses
      }
      const saveAll = () =>
        Promise.all(
          devices.map(({ real_user_id }) =>
            server.post('/api/v1/beta/event', { token, json: { real_user_id, created_at: '2026-03-01' } }),
          ),
        )
      // At once, so that they share statements.
      const readAll = (path: string, inputOf: (query: object) => object) =>
        Promise.all(
          devices.map(({ real_user_id }) =>
            server.get(path, { token, query: { ...inputOf({ real_user_id, current_date: '2026-03-01' }) } }),
          ),
        )
      const overRest = () => readAll('/api/v1/beta/chart/recent', (query) => query)
      const overTrpc = () => readAll('/trpc/charts.recent', (query) => ({ input: JSON.stringify(query) }))
      const statuses = (responses: { status: number }[]) => responses.map(({ status }) => status)
      const all200 = devices.map(() => 200)
      const unless = (areDead: boolean[]) => areDead.map((isDead) => (isDead ? 503 : 200))

      expect(statuses(await uploadAll())).toEqual(all200)
      await dead?.stop('SIGQUIT')
      const uploaded = await uploadAll()
      // The second finds its node known to be dead.
      expect(statuses(await uploadAll())).toEqual(statuses(uploaded))
      const saved = await saveAll()
      const charts = await overRest()
      const calls = await overTrpc()
      const me = await server.get('/api/v1/beta/user/me', { token })
      const isReady = await server.database.isReady()
      await dead?.start()
      expect(statuses(uploaded)).toEqual(unless(ofDead))
      expect(statuses(saved)).toEqual(unless(notesOfDead))
      expect(statuses(charts)).toEqual(unless(ofDead))
      expect(statuses(calls)).toEqual(unless(ofDead))
      const refused = [...uploaded, ...saved, ...charts, ...calls].filter(({ status }) => status !== 200)
      expect(new Set(refused.map(({ headers }) => headers.get('retry-after')))).toEqual(new Set(['10']))
      expect(new Set(refused.map(({ body }) => body.detail ?? body.error.data.detail))).toEqual(
        new Set(['Part of the service is not available. Please try again later.']),
      )
      // The device is to wait and send again, as when the whole database is out of reach.
      expect(uploaded.map(({ headers }) => headers.get('x-error'))).toEqual(
        ofDead.map((isDead) => (isDead ? 'busy' : null)),
      )
      expect([me.status, isReady]).toEqual([200, true])
      // Until a try finds it again, two seconds later at the latest, its devices are told at once.
      await until(async () => (await uploadAll()).every(({ status }) => status === 200))
      for (const again of [saveAll, overRest, overTrpc]) expect(statuses(await again())).toEqual(all200)
      const stored = await Promise.all(devices.map(({ device_id }) => storedOn(server.database, device_id)))
      expect(stored).toEqual(acknowledged)
    } finally {
      await server.stop()
    }
    // The uploads of nodes that live were stored together all the time.
    expect(await callsOf(url, 'store_uploads_together')).toBeGreaterThan(3)
    expect(await callsOf(url, 'store_devlogs')).toBe(0)
    await drop()
  })
})

/** How often sessions that are over have called a function. */
async function callsOf(url: string, name: string): Promise<number> {
  const database = await openDatabase(url, { pool: 1 })
  try {
    const others = `SELECT FROM pg_stat_activity
      WHERE datname = current_database() AND application_name = 'companion' AND pid <> pg_backend_pid()`
    await until(async () => (await database.pool.query(others)).rowCount === 0)
    const { rows } = await database.pool.query(
      'SELECT sum(calls)::int AS calls FROM pg_stat_user_functions WHERE funcname = $1',
      [name],
    )
    return rows[0]?.calls ?? 0
  } finally {
    await database.close()
  }
}

async function migrated(url: string): Promise<void> {
  const database = await openDatabase(url, { pool: 2 })
  await database.migrate()
  await database.close()
}
