import { databaseTimeouts, databaseSessionSettings } from '@companion/server/config/session-settings.ts'
import { openDatabase } from '@companion/server/database/database.ts'
import type { Database } from '@companion/server/database/database.ts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { companion } from '../support/command.ts'
import { cloneDatabase } from '../support/database.ts'
import { addChild, devlogItem, signUp, upload } from '../support/family.ts'
import { hasNoPgBouncer, startPgBouncer } from '../support/machines/pgbouncer.ts'
import { startServer } from '../support/server.ts'
import { tally } from '../support/response-tally.ts'

describe.skipIf(hasNoPgBouncer)('behind PgBouncer in transaction mode', () => {
  let cloned: Awaited<ReturnType<typeof cloneDatabase>>
  let direct: Database
  let pooler: Awaited<ReturnType<typeof startPgBouncer>>
  /** Sets what the sessions of the database begin with. */
  async function set(settings: [name: string, value: string][]): Promise<void> {
    const database = new URL(cloned.url).pathname.slice(1)
    for (const [name, value] of settings)
      await direct.pool.query(`ALTER DATABASE "${database}" SET ${name} = ${value}`)
    // The pooler keeps its sessions, which have what was set before. The next client must not meet one that is on its way out.
    await direct.pool.query(
      'SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
    )
  }
  beforeAll(async () => {
    cloned = await cloneDatabase()
    direct = await openDatabase(cloned.url, { pool: 1 })
    // It drops what a session asks for, so the database has it, as docs/operations/running.md says.
    const { search_path, ...others } = { ...databaseSessionSettings, ...databaseTimeouts(30) }
    await set(Object.entries(others).map(([name, value]) => [name, `'${value}'`]))
    await set([['search_path', search_path]])
    pooler = await startPgBouncer(cloned.url)
  })
  afterAll(async () => {
    await pooler.stop()
    await direct.close()
    await cloned.drop()
  })

  test('many more connections than PostgreSQL has are served', async () => {
    const environment = { DATABASE_STATEMENTS: 'unnamed', DATABASE_POOL: '30', RATE_LIMITS: 'on' }
    const server = await startServer(environment, pooler.url)
    const [parent] = await Promise.all([signUp(server), signUp(server), signUp(server), signUp(server)])
    const child = await addChild(server, parent.token)
    const refreshed = await server.post('/api/v1/alpha/auth/refresh-token', {
      json: { refresh_token: parent.refreshToken },
    })
    expect(refreshed.status).toBe(200)
    const night = (log_file_id: number) =>
      upload(server, [devlogItem(child.unique_id, '2026-03-01T21:30:00', { log_file_id })])
    const chart = () =>
      server.get('/api/v1/beta/chart/recent', {
        token: parent.token,
        query: { real_user_id: child.real_user_id, current_date: '2026-03-01' },
      })
    const responses = await Promise.all(Array.from({ length: 100 }, (_, n) => (n % 2 ? chart() : night(n))))
    expect(tally(responses)).toEqual({ 200: 100 })
    expect((await chart()).body.treatment_time_data).toEqual([
      { treatment_date: '2026-03-01', treatment_time: 50 * 720 },
    ])
    const { rows } = await direct.pool.query(
      `SELECT count(*)::int AS count FROM pg_stat_activity
       WHERE datname = current_database() AND backend_type = 'client backend' AND pid <> pg_backend_pid()`,
    )
    expect(rows[0].count).toBeLessThanOrEqual(3)
    await server.stop()
  })

  test('companion doctor names the settings that it drops, until the database has them', async () => {
    await set([
      ['bytea_output', "'escape'"],
      ['search_path', 'elsewhere, public'],
      ['statement_timeout', '0'],
    ])
    const look = () => companion({ databaseUrl: pooler.url }, 'doctor', '--json')
    const dropped = async () => {
      const { code, result, said } = await look()
      expect(said).toBe('')
      const issue: string = result.ways[0].issue ?? ''
      return { code, commands: [...issue.matchAll(/ALTER ROLE … SET (\w+) = ('[^']*'|[^,]*,[^,]*)/g)] }
    }
    const { code, commands } = await dropped()
    expect(code).toBe(1)
    expect(commands.map(([, name]) => name)).toEqual(['bytea_output', 'search_path', 'statement_timeout'])
    await set(commands.map(([, name = '', value = '']) => [name, value]))
    expect(await dropped()).toEqual({ code: 0, commands: [] })
  })

  test('the schema is brought up to date through it, by several at once', async () => {
    const databases = await Promise.all(
      [1, 2].map(() => openDatabase(pooler.url, { pool: 2, namedStatements: false })),
    )
    const [first] = databases
    await first?.pool.query('DROP SCHEMA public CASCADE; CREATE SCHEMA public')
    const applied = await Promise.all(databases.map((each) => each.migrate()))
    expect(applied.filter(({ length }) => length > 0)).toHaveLength(1)
    expect(await first?.isReady()).toBe(true)
    await Promise.all(databases.map((each) => each.close()))
  })
})
