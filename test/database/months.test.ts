import { readFile } from 'node:fs/promises'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { Database } from '@companion/server/database/database.ts'
import { readConfig } from '@companion/server/config/config.ts'
import { purge } from '@companion/server/retention/purge.ts'
import { today } from '@companion/server/time/wall-clock.ts'
import { schemaText } from '@companion/server/schema-text'
import { follow } from '../support/changes.ts'
import { companion } from '../support/command.ts'
import { columnsOf, contents } from '../support/database.ts'
import { addChild, devlogItem, signUp, upload } from '../support/family.ts'
import { expectFrugal, forms, prepareBothForms } from '../support/query-plans.ts'
import { startServer } from '../support/server.ts'
import { addMember } from '../support/shares.ts'
import { storedUploads, uploadSteadily } from '../support/steady-uploads.ts'

/* Indexes of treatments that begin with the month; see docs/decisions/months-in-indexes.md. */

async function ownServer(environment = {}) {
  const server = await startServer(environment)
  onTestFinished(() => server.stop())
  return server
}
type Server = Awaited<ReturnType<typeof ownServer>>

const expectedSchema = async () =>
  (await readFile(new URL('../../server/schema.sql', import.meta.url), 'utf8')).replace(/^--.*\n/, '')

/** The records of all devices but one: how many, and a hash of them. */
async function hashBut({ pool }: Database, device: number): Promise<string> {
  const { rows } = await pool.query<{ hash: string }>(
    `SELECT count(*) || md5(string_agg(t::text, '' ORDER BY t.id)) AS hash FROM treatment t WHERE device_id <> $1`,
    [device],
  )
  return rows[0]?.hash ?? ''
}

/** Stores `nights` of devices night by night, as they arrive: those of a device lie apart. */
async function storeNights({ database: { pool } }: Server, devices: readonly number[], nights: number) {
  await pool.query(
    `INSERT INTO treatment (device_id, real_user_id, treatment_date, treatment_time, log_file_id, last_intensity,
       finish_flag, is_temp, intensity_record)
     SELECT id, real_user_id, timestamp '2026-03-01 21:00' - night * interval '1 day', 3600, night, 20,
       1 + 3 * (night % 2), night % 50 = 0, array_fill(7::smallint, '{80}')
     FROM generate_series($2::int, 1, -1) night, device WHERE id = ANY ($1) ORDER BY night DESC, id`,
    [devices, nights],
  )
}

async function familyOf(server: Server, children: number) {
  const parent = await signUp(server)
  const all: Awaited<ReturnType<typeof addChild>>[] = []
  for (let n = 0; n < children; n += 1) all.push(await addChild(server, parent.token))
  const [child] = all
  if (!child) throw new Error('There is no child')
  return { parent, child, devices: all.map(({ device_id }) => device_id) }
}

describe('the way there and back', () => {
  test('uploads go on, and no record is lost, doubled or touched', async () => {
    const server = await ownServer()
    const { database } = server
    const { child, devices } = await familyOf(server, 3)
    await storeNights(server, devices.slice(1), 400)
    const before = await hashBut(database, child.device_id)

    const uploads = uploadSteadily(server.url, child.unique_id)
    const there = await companion(server, 'migrate', '--monthly', '--json')
    expect(there).toMatchObject({ code: 0, result: { form: 'monthly' } })
    expect(await companion(server, 'migrate', '--monthly', '--json')).toMatchObject({ code: 0 })
    expect(await database.isReady()).toBe(true)
    expect(await database.migrate()).toEqual([])
    const goesOn = uploads.acknowledged.length
    await expect.poll(() => uploads.acknowledged.length).toBeGreaterThan(goesOn)
    const back = await companion(server, 'migrate', '--monthly', '--undo', '--json')
    expect(back).toMatchObject({ code: 0, result: { form: 'plain' } })
    const sent = await uploads.finish()

    expect(await storedUploads(database, child.unique_id)).toEqual(sent)
    expect([...uploads.failures]).toEqual([])
    expect(await hashBut(database, child.device_id)).toBe(before)
    expect(await schemaText(database.pool)).toBe(await expectedSchema())
    expect(await database.isReady()).toBe(true)
    expect((await companion(server, 'devlog', 'check-stored', '--json')).code).toBe(0)
  })

  test('a record is still the same record', async () => {
    const server = await ownServer()
    const { child } = await familyOf(server, 1)
    await server.database.months.lead()
    const night = devlogItem(child.unique_id, '2026-03-02T21:30:00', { log_file_id: 3 })
    for (let times = 0; times < 2; times += 1) expect((await upload(server, [night])).status).toBe(200)
    expect(await storedUploads(server.database, child.unique_id)).toEqual([3])
    const doubled = server.database.pool.query(
      `INSERT INTO treatment (device_id, real_user_id, treatment_date, treatment_time, log_file_id, last_intensity,
         finish_flag, intensity_record)
       SELECT device_id, real_user_id, treatment_date, 1, log_file_id, 1, 1, '{}' FROM treatment`,
    )
    await expect(doubled).rejects.toThrow('treatment_record')
  })

  test('it goes on where another process was ended, in either direction', async () => {
    const server = await ownServer()
    const { pool, months } = server.database
    // An index that was not finished is there, and refuses records, but serves no read.
    const interrupt = async (form: string) => {
      await pool.query(`CREATE INDEX treatment_record_${form} ON treatment (id)`)
      await pool.query(
        `UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'treatment_record_${form}'::regclass`,
      )
    }
    await interrupt('monthly')
    await months.undo()
    expect(await schemaText(pool)).toBe(await expectedSchema())
    await interrupt('monthly')
    await months.lead()
    const monthly = await schemaText(pool)
    expect(monthly).toMatch(/treatment_record .*\/ 28\)+, device_id, treatment_date, log_file_id\)/)
    await interrupt('plain')
    await months.lead()
    expect(await schemaText(pool)).toBe(monthly)
    await interrupt('plain')
    await months.undo()
    expect(await schemaText(pool)).toBe(await expectedSchema())
  })

  test('a second process at the same time is refused, and the first goes on', async () => {
    const server = await ownServer()
    const { database } = server
    const writer = await database.pool.connect()
    try {
      // The building of an index waits for all who write to the table.
      await writer.query('BEGIN')
      await writer.query('LOCK TABLE treatment IN ROW EXCLUSIVE MODE')
      const building = database.months.lead()
      const builds = 'SELECT 1 FROM pg_stat_progress_create_index WHERE datname = current_database()'
      await expect.poll(async () => (await database.pool.query(builds)).rowCount).toBe(1)
      for (const other of ['--monthly', '--monthly --undo', '--distributed --undo'])
        expect(await companion(server, 'migrate', ...other.split(' '))).toMatchObject({
          code: 1,
          out: '',
          said: 'Another process is at work with migrate --distributed or --monthly. Run this again when that has ended.\n',
        })
      await writer.query('ROLLBACK')
      await building
      expect(await database.months.inspect()).toMatchObject({ form: 'monthly' })
    } finally {
      writer.release(true)
    }
  })

  test('a database is either distributed or led by months', async () => {
    const server = await ownServer()
    const { months, distribution } = server.database
    const looked = await companion(server, 'migrate', '--monthly', '--dry-run', '--json')
    expect(looked).toMatchObject({ code: 0, result: { issues: [], form: 'plain' } })
    await months.lead()
    expect((await companion(server, 'migrate', '--distributed')).said).toContain(
      'the indexes of treatments begin with the month: run `companion migrate --monthly --undo` first',
    )
    await expect(distribution.prepare()).rejects.toThrow('begin with the month')
    await months.undo()
    await distribution.prepare()
    const refused = await companion(server, 'migrate', '--monthly')
    expect(refused.said).toContain(
      'the tables are distributed: run `companion migrate --distributed --undo` first',
    )
    await expect(months.lead()).rejects.toThrow('distributed')
    await distribution.undo()
    const both = await companion(server, 'migrate', '--monthly', '--distributed')
    expect(both.said).toContain('either distributed or')
  })
})

describe('settled months', () => {
  const DEVICES = 40
  // The last device of a step has more records than those that were counted.
  const someOf = expect.toSatisfy((count) => count > DEVICES)

  /** On how many pages the records of a device lie. */
  async function pagesOf({ database: { pool } }: Server, device: number): Promise<number> {
    const { rows } = await pool.query<{ pages: number }>(
      `SELECT count(DISTINCT (ctid::text::point)[0])::int AS pages FROM treatment WHERE device_id = $1 AND NOT is_temp`,
      [device],
    )
    return rows[0]?.pages ?? 0
  }

  test('the records of a device lie together, and nobody is told', async () => {
    const server = await ownServer()
    const { database } = server
    const { parent, child, devices } = await familyOf(server, DEVICES)
    const { real_user_id } = child
    const member = await addMember(server, parent, { real_user_id, role: 'guardian' })
    await database.months.lead()
    await storeNights(server, devices, 100)
    await upload(server, [devlogItem(child.unique_id, '2026-03-01T21:00:00')])
    // The recipients of news about records: the feed of changes, and alerts about contact losses.
    await database.pool.query('UPDATE root_user SET is_device_alim_talk_enabled = true')
    await database.pool.query('DELETE FROM alert')
    const { items, next } = await follow(server, member.token)
    expect(items.some(({ kind }) => kind === 'treatment.stored')).toBe(true)
    const columns = await columnsOf(database)
    const {
      settled: _,
      trail: __,
      trail_repeat: ___,
      trail_upload: ____,
      ...before
    } = await contents(database, columns)
    expect(await pagesOf(server, child.device_id)).toBeGreaterThan(50)

    expect(await purge(database, readConfig({}))).toMatchObject({ settled_treatments: someOf })
    expect(await pagesOf(server, child.device_id)).toBeLessThan(12)
    expect(await contents(database, columns)).toMatchObject(before)
    expect((await follow(server, member.token, next)).items).toEqual([])
    expect(await purge(database, readConfig({}))).toMatchObject({ settled_treatments: 0 })

    // They stay where they are when the indexes go back.
    await database.months.undo()
    expect(await contents(database, { treatment: columns['treatment'] ?? '' })).toEqual({
      treatment: before['treatment'],
    })
    expect(await purge(database, readConfig({}))).toMatchObject({ settled_treatments: 0 })
  })

  test('the present and the last month are left alone', async () => {
    const server = await ownServer()
    const { database } = server
    const { child } = await familyOf(server, 1)
    await database.months.lead()
    await upload(server, [
      devlogItem(child.unique_id, `${today('UTC')}T00:00:00`),
      devlogItem(child.unique_id, '2026-03-01T21:00:00'),
    ])
    expect(await purge(database, readConfig({}))).toMatchObject({ settled_treatments: 1 })
  })

  test('uploads to a month that is being settled are stored once', async () => {
    const server = await ownServer()
    const { database } = server
    const { child, devices } = await familyOf(server, 4)
    await database.months.lead()
    await storeNights(server, devices, 60)
    const { rows: stored } = await database.pool.query(
      'SELECT log_file_id FROM treatment WHERE device_id = $1 ORDER BY 1',
      [child.device_id],
    )
    const uploads = uploadSteadily(server.url, child.unique_id)
    for (let rounds = 0; rounds < 20; rounds += 1) {
      // The same month over and over, a few records at a time.
      await database.pool.query('UPDATE settled SET month = 0, device_id = 0')
      for (let seen = 7; seen === 7;) {
        const { rows } = await database.pool.query<{ seen: number }>('SELECT recluster_treatments(7) AS seen')
        seen = rows[0]?.seen ?? 0
      }
    }
    const sent = await uploads.finish()
    expect([...uploads.failures]).toEqual([])
    const all = [...stored.map((row) => Number(row.log_file_id)), ...sent]
    expect(await storedUploads(database, child.unique_id)).toEqual(all.toSorted((one, other) => one - other))
  })

  test('who holds a device is not waited for', async () => {
    const server = await ownServer()
    const { database } = server
    const { child, devices } = await familyOf(server, DEVICES)
    await database.months.lead()
    await storeNights(server, devices, 60)
    const apart = await pagesOf(server, child.device_id)
    const before = await contents(database, { treatment: '*' })
    await database.transaction(async (tx) => {
      await tx.selectFrom('device').select('id').where('id', '=', child.device_id).forNoKeyUpdate().execute()
      expect(await purge(database, readConfig({}))).toMatchObject({ settled_treatments: someOf })
    })
    expect(await pagesOf(server, child.device_id)).toBe(apart)
    expect(await pagesOf(server, devices[1] ?? 0)).toBeLessThan(apart / 3)
    expect(await contents(database, { treatment: '*' })).toEqual(before)
  })
})

describe('reads look at their months alone', () => {
  test('whichever way a statement is planned', async () => {
    const server = await ownServer({ DATABASE_POOL: '1' })
    const { pool, months } = server.database
    const { parent, child, devices } = await familyOf(server, 10)
    await storeNights(server, devices, 5000)
    await months.lead()
    await pool.query('SET synchronous_commit = on')
    await pool.query('VACUUM (ANALYZE) treatment')
    const TODAY = '2026-03-01'
    const { real_user_id } = child
    const { token } = parent
    const cases = [
      {
        statement: 'recent-chart',
        call: () =>
          server.get('/api/v1/beta/chart/recent', {
            token,
            query: { real_user_id, select_mode: 1, current_date: '2026-02-28' },
          }),
        values: [parent.id, real_user_id, '2026-01-30', '2026-02-28', TODAY],
        index: 'Index Only Scan using treatment_child on treatment',
      },
      {
        statement: 'calendar-history',
        call: () =>
          server.get('/api/v1/beta/event/history', {
            token,
            query: { real_user_id, select_mode: 1, year: 2026, select_data: 2 },
          }),
        values: [parent.id, real_user_id, '2026-02-01', '2026-02-28', TODAY],
        index: 'Index Only Scan using treatment_child on treatment',
      },
      {
        statement: 'device-history',
        call: () =>
          server.get('/api/v1/gamma/device/history', {
            query: { unique_id: child.unique_id, select_mode: 1, year: 2026, select_data: 2 },
          }),
        values: [child.unique_id, '2026-02-01', '2026-02-28'],
        // Only the records of the present wearer are asked for, so either index serves.
        index: 'using treatment_',
      },
    ]
    for (const { statement, call, values, index } of cases) {
      await prepareBothForms(server.database, statement, call)
      for (const form of forms) {
        const plan = await expectFrugal(
          server.database,
          { statement, values, ...form },
          { buffers: 40, tables: ['treatment'] },
        )
        expect(plan).toContain(index)
        expect(plan).toMatch(/Index Cond: \(+treatment_date\)::date - .* = ANY \(calendar_months\(/)
      }
    }
  })
})
