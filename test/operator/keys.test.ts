import { randomBytes } from 'node:crypto'
import { expect, onTestFinished, test, vi } from 'vitest'
import { cloneDatabase } from '../support/database.ts'
import { companion } from '../support/command.ts'
import { reencrypt } from '@companion/server/encrypted-columns/reencrypt.ts'
import { closeBlocks } from '@companion/server/trail/close-blocks.ts'
import { deriveKeys } from '@companion/server/auth/keys.ts'
import { addChild, signIn, signUp } from '../support/family.ts'
import type { Account } from '../support/family.ts'
import { startServer, TEST_SECRET, useServer } from '../support/server.ts'
import type { TestServer } from '../support/server.ts'
import { storedRows } from '../support/stored-rows.ts'

/* The keys of personal columns: docs/operations/secrets.md. */

const DAY = '2026-03-01'
const keys = deriveKeys(TEST_SECRET)
const newKey = () => randomBytes(32).toString('base64')
const [first, second] = [`2026:${newKey()}`, `2027:${newKey()}`]

async function startOn(DATA_KEYS: string, url?: string) {
  const cloned = url === undefined ? await cloneDatabase() : undefined
  const server = await startServer({ DATA_KEYS }, url ?? cloned?.url)
  onTestFinished(async () => {
    await server.stop()
    await cloned?.drop()
  })
  return server
}

const save = (server: TestServer, { token }: Account, real_user_id: number, memo: string, created_at = DAY) =>
  server.post('/api/v1/beta/event', { token, json: { real_user_id, created_at, memo } })
const read = async (server: TestServer, { token }: Account, real_user_id: number, event_date = DAY) =>
  (await server.get('/api/v1/beta/event', { token, query: { real_user_id, event_date } })).body.memo

/** How many stored notes each key has encrypted. */
async function notesByKey({ database }: TestServer) {
  const { rows } = await database.pool.query(
    `SELECT split_part(ltrim(memo, E'\\x02'), ':', 1) AS id, count(*)::int FROM (
       SELECT memo FROM event UNION ALL SELECT memo FROM event_version) note GROUP BY 1 ORDER BY 1`,
  )
  return Object.fromEntries(rows.map(({ id, count }) => [id, count]))
}

/** Runs a command with keys of its own. */
function companionWith(DATA_KEYS: string, server: TestServer, ...args: string[]) {
  vi.stubEnv('DATA_KEYS', DATA_KEYS)
  return companion(server, ...args)
}

test('a command refuses keys that do not open what is stored, and names the key', async () => {
  const server = await startOn(first)
  await signUp(server)
  const refusedWith = async (keys: string) => {
    const { code, said } = await companionWith(keys, server, 'account', 'list')
    expect(code).toBe(1)
    return said
  }
  expect(await refusedWith(second)).toBe(
    'DATA_KEYS: lacks the key "2026", which values in the database are encrypted with\n',
  )
  expect(await refusedWith(`2026:${newKey()}`)).toBe(
    'DATA_KEYS: holds another key as "2026" than the one that values in the database are encrypted with\n',
  )
  // Neither has left a trace.
  expect((await server.database.pool.query('SELECT id FROM data_key')).rows).toEqual([{ id: '2026' }])
  expect(await companionWith(`${second},${first}`, server, 'account', 'list')).toMatchObject({ code: 0 })
})

test('a key is rotated while families go on: no call fails, no note is lost, and the old key can go', async () => {
  const one = await startOn(`${first},${second}`)
  const parent = await signUp(one)
  const { real_user_id } = await addChild(one, parent.token)
  for (const memo of ['overwritten', 'kept']) await save(one, parent, real_user_id, memo)
  const { version } = (await one.database.pool.query('SELECT version FROM event')).rows[0]

  const two = await startOn(`${second},${first}`, one.databaseUrl)
  const stopping = new AbortController()
  /** Two at once, each with days of their own: more would hold the child without a gap, and a rotation passes over who is held. */
  const everyday = Promise.all(
    Array.from({ length: 2 }, async (_, caller) => {
      let saved = 0
      for (; !stopping.signal.aborted; saved += 1) {
        const date = `202${caller % 5}-0${1 + Math.floor(caller / 5)}-${String(1 + (saved % 28)).padStart(2, '0')}`
        expect((await save(two, parent, real_user_id, `note ${saved}`, date)).status).toBe(200)
        expect(await read(two, parent, real_user_id, date)).toBe(`note ${saved}`)
        expect(await read(one, parent, real_user_id)).toBe('kept')
      }
      return saved
    }),
  )
  expect(await companionWith(`${second},${first}`, two, 'keys', 'rotate')).toMatchObject({ code: 0 })
  stopping.abort()
  for (const saved of await everyday) expect(saved).toBeGreaterThan(0)

  // What the first server encrypts since, with its own first key.
  await save(one, parent, real_user_id, 'late', '2026-03-02')
  expect(Object.keys(await notesByKey(two))).toEqual(['2026', '2027'])
  expect(await companionWith(`${second},${first}`, two, 'keys', 'rotate')).toMatchObject({ code: 0 })
  expect(Object.keys(await notesByKey(two))).toEqual(['2027'])
  const three = await startOn(second, one.databaseUrl)
  expect(await read(three, parent, real_user_id)).toBe('kept')
  const kept = await storedRows(
    three.database,
    'event',
    `SELECT memo, version FROM event WHERE event_date = $1 UNION ALL
     SELECT memo, version FROM event_version WHERE event_date = $1 ORDER BY version DESC`,
    [DAY],
  )
  expect(kept).toEqual([
    { memo: 'kept', version },
    { memo: 'overwritten', version: 1 },
  ])
})

test('the share that is done follows the size of the tables, of which most are empty', async () => {
  const before = await startOn(first)
  const parent = await signUp(before)
  const { real_user_id } = await addChild(before, parent.token)
  for (let n = 0; n < 150; n += 1) await save(before, parent, real_user_id, `${n % 10}`.repeat(500))
  const { database } = await startOn(`${second},${first}`, before.databaseUrl)
  const shares = [0]
  await reencrypt(database, (_values, share) => shares.push(share))
  // What is held by somebody is left to another pass.
  const pass = shares.slice(0, shares.indexOf(1) + 1)
  expect(pass.at(-1)).toBe(1)
  const steps = pass.slice(1).map((share, n) => share - (pass[n] ?? 0))
  expect(Math.min(...steps)).toBeGreaterThan(0)
  expect(Math.max(...steps)).toBeLessThan(0.2)
})

test('while a process goes on with the old key the rotation ends, says so, and the old key stays', async () => {
  const server = await startOn(first)
  const parent = await signUp(server)
  const { real_user_id } = await addChild(server, parent.token)
  await save(server, parent, real_user_id, 'kept')
  // As one that writes each child's name again as soon as it is encrypted.
  const { pool } = server.database
  const { rows } = await pool.query('SELECT first_name FROM real_user')
  await pool.query(`
    CREATE FUNCTION write_again() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN NEW.first_name := TG_ARGV[0]; RETURN NEW; END $$;
    CREATE TRIGGER write_again BEFORE UPDATE ON real_user FOR EACH ROW EXECUTE FUNCTION write_again('${rows[0].first_name}')`)
  const rotate = () => companionWith(`${second},${first}`, server, 'keys', 'rotate')
  expect(await rotate()).toMatchObject({
    code: 1,
    said: expect.stringContaining(
      'A process goes on writing values with the key "2026": give each process the new key as the first of DATA_KEYS',
    ),
  })
  const keyIds = async () =>
    (await pool.query('SELECT id FROM data_key ORDER BY id')).rows.map(({ id }) => id)
  expect(await keyIds()).toEqual(['2026', '2027'])
  await pool.query('DROP TRIGGER write_again ON real_user; DROP FUNCTION write_again')
  expect(await rotate()).toMatchObject({ code: 0 })
  expect(await keyIds()).toEqual(['2027'])
  expect(await notesByKey(server)).toEqual({ 2027: 1 })
})

test('a value that was changed is named, and the old key stays', async () => {
  const server = await startOn(first)
  const parent = await signUp(server)
  const { real_user_id } = await addChild(server, parent.token)
  await save(server, parent, real_user_id, 'one')
  await save(server, parent, real_user_id, 'two', '2026-03-02')
  await server.database.pool.query(
    `UPDATE event SET memo = E'\\x02' || '2026:AAAA' WHERE event_date = '2026-03-02'`,
  )
  const { code, said } = await companionWith(`${second},${first}`, server, 'keys', 'rotate')
  expect(code).toBe(1)
  expect(said).toContain('No key opens 1 value of event.memo; keep all keys of DATA_KEYS')
  const { rows } = await server.database.pool.query('SELECT id FROM data_key ORDER BY id')
  expect(rows).toEqual([{ id: '2026' }, { id: '2027' }])
})

test('addresses on record are encrypted when no server of the version before is left', async () => {
  const server = await startOn(first)
  const { pool } = server.database
  const verified = async () =>
    (await companionWith(`${second},${first}`, server, 'trail', 'verify', '--json')).result.map(
      ({ damage, rows }: { damage: unknown; rows: number }) => ({ damage, rows }),
    )
  const [minute, later] = ['2026-03-01T12:00:00Z', '2026-03-01T12:01:00Z']
  const refused = async (by: TestServer, now: string) => {
    vi.useFakeTimers({ toFake: ['Date'], now: new Date(now) })
    onTestFinished(() => void vi.useRealTimers())
    await by.post('/api/v1/alpha/auth/refresh-token', { json: { refresh_token: 'x' } })
    vi.useRealTimers()
  }
  const records = async () =>
    (await pool.query(`SELECT address, times, address_hash FROM security_record ORDER BY id`)).rows

  // As after the migration, beside a server of the version before, by its own statement.
  await pool.query('UPDATE encryption SET is_on_for_addresses = false')
  const beside = await startOn(first, server.databaseUrl)
  await pool.query(
    `INSERT INTO security_record (recorded_at, action, reason, address, minute)
     VALUES (now(), 'refresh_refused', '401 Could not validate credentials', '127.0.0.1', $1)
     ON CONFLICT (minute, address, action, reason, coalesce(root_user_id, 0), coalesce(phone_hash, '\\x'))
       WHERE minute IS NOT NULL DO UPDATE SET times = security_record.times + excluded.times`,
    [minute],
  )
  await refused(beside, minute)
  expect(await records()).toEqual([{ address: '127.0.0.1', times: 2, address_hash: null }])
  await closeBlocks(beside.database, keys, { even: true })

  expect(await companionWith(first, server, 'keys', 'rotate')).toMatchObject({ code: 0 })
  for (const by of [server, beside, server]) await refused(by, later)
  const sealed = (times: number, address_hash: unknown) => ({
    address: expect.stringMatching(/^.2026:/s),
    times,
    address_hash,
  })
  expect(await records()).toEqual([sealed(2, null), sealed(3, expect.any(Buffer))])
  await closeBlocks(server.database, keys, { even: true })
  expect(await records()).toEqual([sealed(2, null), sealed(3, null)])
  const whole = [
    { damage: null, rows: 0 },
    { damage: null, rows: 2 },
  ]
  expect(await verified()).toEqual(whole)

  expect(await companionWith(`${second},${first}`, server, 'keys', 'rotate')).toMatchObject({ code: 0 })
  expect(await records()).toEqual([
    expect.objectContaining({ times: 2 }),
    expect.objectContaining({ times: 3 }),
  ])
  expect((await records()).every(({ address }) => /^.2027:/s.test(address))).toBe(true)
  expect(await verified()).toEqual(whole)
  const audit = await companionWith(second, server, 'security-log', '--json')
  expect(audit.result).toMatchObject([
    { address: '127.0.0.1', times: 2 },
    { address: '127.0.0.1', times: 3 },
  ])
})

const plain = useServer()

test('a database of an older version is encrypted while it is used, once that is asked for', async () => {
  // As after the migration of a database that holds accounts.
  await plain.database.pool.query('UPDATE encryption SET is_on = false')
  await plain.database.pool.query('DELETE FROM data_key')
  const beside = await startServer({}, plain.databaseUrl)
  onTestFinished(() => beside.stop())
  const parent = await signUp(beside)
  const { real_user_id } = await addChild(beside, parent.token)
  const event_data = { medication: [], hospital: ['Seoul'] }
  await beside.post('/api/v1/beta/event', {
    token: parent.token,
    json: { real_user_id, created_at: DAY, memo: 'overwritten', event_data },
  })
  await save(beside, parent, real_user_id, 'kept')
  const stored = async () => {
    const { pool } = plain.database
    const { rows: events } = await pool.query('SELECT id, memo, version FROM event')
    const { rows: versions } = await pool.query(
      'SELECT event_id AS id, memo AS older, event_data FROM event_version',
    )
    return versions.map(({ id, ...older }) => {
      const { memo, version } = events.find((event) => event.id === id)
      return { memo, ...older, version }
    })
  }
  // The version before reads it as well.
  expect(await stored()).toEqual([{ memo: 'kept', older: 'overwritten', event_data, version: 2 }])

  const { code, result } = await companion(plain, 'keys', 'rotate', '--json')
  expect({ code, result }).toMatchObject({ code: 0, result: { unreadable: {} } })
  expect(result.values).toBeGreaterThanOrEqual(3)
  expect(await stored()).toMatchObject([
    {
      memo: expect.stringMatching(/^.derived:/s),
      older: expect.stringMatching(/^.derived:/s),
      event_data: expect.stringMatching(/^.derived:/s),
      version: 2,
    },
  ])
  // A server that has been running all the time encrypts too.
  await save(beside, parent, real_user_id, 'later')
  expect((await stored())[0]?.memo).toMatch(/^.derived:/s)
  const again = await signIn(plain, parent.email)
  expect(again.status).toBe(200)
  expect(await read(beside, parent, real_user_id)).toBe('later')
  const { result: next } = await companion(plain, 'keys', 'rotate', '--json')
  expect(next).toEqual({ values: 0, unreadable: {}, still_used: [] })
})
