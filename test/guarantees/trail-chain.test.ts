import { randomBytes } from 'node:crypto'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { deriveKeys } from '@companion/server/auth/keys.ts'
import { createKeyRing, UnreadableValue } from '@companion/server/encryption/key-ring.ts'
import { createLogger } from '@companion/server/telemetry/log.ts'
import type { Database, Sql } from '@companion/server/database/database.ts'
import { openDatabase } from '@companion/server/database/database.ts'
import { chains } from '@companion/server/trail/chain.ts'
import type { Chain } from '@companion/server/trail/chain.ts'
import { closeBlocks, startClosingBlocks } from '@companion/server/trail/close-blocks.ts'
import { runStatement } from '@companion/server/trail/head.ts'
import { verifyChain } from '@companion/server/trail/verify-chain.ts'
import type { ChainVerification } from '@companion/server/trail/verify-chain.ts'
import { companion } from '../support/command.ts'
import { addChild, signUp } from '../support/family.ts'
import { TEST_SECRET, useServer } from '../support/server.ts'
import { until } from '../support/until.ts'

/*
 * What is changed, removed, inserted, moved or cut off in the trail or in the security record, by somebody who may do
 * anything in the database, is found, and the first such row is named. `CHAIN_ROWS=100000` makes the trail as long as an
 * auditor's.
 */

const server = useServer()
const ROWS = Number(process.env['CHAIN_ROWS'] ?? 1200)
const TRIALS = 200
const keys = deriveKeys(TEST_SECRET)
const erasedBefore = new Date(Date.now() - 365 * 86_400_000)

const [trail, security] = chains
if (!trail || !security) throw new Error('There are two chains')

let child: number
beforeAll(async () => {
  const owner = await signUp(server)
  child = (await addChild(server, owner.token)).real_user_id
  await server.trailWritten()
  const { pool } = server.database
  await pool.query(
    `INSERT INTO trail (at, actor_kind, actor, operation, real_user_id, outcome, times, is_counted, address_hash, request_id,
       old_value)
     SELECT date_trunc('minute', now()) - n * interval '1 minute', 'account', n::text, 'charts.recent', $1, 'ok', 1 + n % 7, n % 5 > 0,
       sha256(n::text::bytea), 'request ' || n, CASE WHEN n % 5 = 0 THEN '{"first_name":"Mina"}' END
     FROM generate_series(0, $2) n`,
    [child, ROWS],
  )
  await pool.query(
    `INSERT INTO security_record (recorded_at, root_user_id, action, reason, address)
     SELECT now(), $1, 'sign_in', NULL, '192.0.2.' || n FROM generate_series(1, 200) n`,
    [owner.id],
  )
  await closeBlocks(server.database, keys, { even: true })
})

/** Does `tamper` as a superuser, whom no trigger stops, looks at the chain, and takes it back. */
async function afterwards(chain: Chain, tamper: (sql: Run) => Promise<void>): Promise<ChainVerification> {
  let verified: ChainVerification | undefined
  const undone = server.database.transaction(async (tx) => {
    await runStatement(tx, 'SET LOCAL session_replication_role = replica', [])
    await tamper((text, ...values) => runStatement(tx, text, values))
    verified = await verifyChain(tx, chain, keys, { keyRing: server.database.keyRing, erasedBefore })
    throw new Undone()
  })
  await expect(undone).rejects.toThrow(Undone)
  if (!verified) throw new Error('Nothing was looked at')
  return verified
}
class Undone extends Error {}
type Run = (text: string, ...values: unknown[]) => Promise<any[]>

const look = (chain: Chain, tx: Sql = server.database.sql, more: { known?: string } = {}) =>
  verifyChain(tx, chain, keys, { keyRing: server.database.keyRing, erasedBefore, ...more })

interface Placed {
  id: string
  block: number
  place: number
}

/** Rows at random, in the order of the chain. */
const anyRows = (sql: Run, table: string, count: number): Promise<Placed[]> =>
  sql(
    `SELECT * FROM (
       SELECT id::text, block::int, place FROM ${table} WHERE block IS NOT NULL ORDER BY random() LIMIT $1
     ) picked ORDER BY block, place`,
    count,
  )

const edits = {
  trail: [
    `actor = actor || '1'`,
    `actor_kind = 'service'`,
    `operation = 'children.read'`,
    `outcome = '401 Not authorized user'`,
    `times = times + 1`,
    `real_user_id = real_user_id + 1`,
    `at = at + interval '1 millisecond'`,
    `request_id = NULL`,
    `address_hash = sha256('')`,
    `is_counted = NOT is_counted`,
    `old_value = '"else"'`,
  ],
  security: [
    `action = 'sign_out'`,
    `reason = 'else'`,
    `root_user_id = root_user_id + 1`,
    `recorded_at = recorded_at - interval '1 day'`,
    `address = '192.0.2.255'`,
    `address = E'\\x02derived:AAAA'`,
    `address = NULL, personal_salt = NULL`,
    `request_id = 'else'`,
    `operator = 'Ann'`,
  ],
}

const kinds = {
  async edit(sql: Run, { table, name }: Chain, n: number) {
    const [row] = await anyRows(sql, table, 1)
    await sql(`UPDATE ${table} SET ${edits[name][n % edits[name].length]} WHERE id = $1`, row?.id)
    return row ?? {}
  },
  async delete(sql: Run, { table }: Chain) {
    const [row] = await anyRows(sql, table, 1)
    await sql(`DELETE FROM ${table} WHERE id = $1`, row?.id)
    return { ...row, id: null }
  },
  async insert(sql: Run, { table, name }: Chain, n: number) {
    const [row] = await anyRows(sql, table, 1)
    const columns =
      name === 'trail'
        ? 'at, actor_kind, actor, operation, real_user_id, outcome, times, is_counted'
        : 'recorded_at, root_user_id, action, reason'
    const place = n % 2 === 0 ? 'place' : '1000 + place'
    const [{ id }] = await sql(
      `INSERT INTO ${table} (${columns}, block, place, row_hash)
       SELECT ${columns}, block, ${place}, row_hash FROM ${table} WHERE id = $1 RETURNING id::text`,
      row?.id,
    )
    return { id }
  },
  async reorder(sql: Run, { table }: Chain) {
    const [one, other] = await anyRows(sql, table, 2)
    const put = (row?: Placed, to?: Placed) =>
      sql(`UPDATE ${table} SET block = $2, place = $3 WHERE id = $1`, row?.id, to?.block, to?.place)
    await put(one, other)
    await put(other, one)
    return { ...one, id: other?.id }
  },
  async truncate(sql: Run, { table, name }: Chain, n: number) {
    const [{ block, place } = { block: 0, place: 0 }] = await anyRows(sql, table, 1)
    await sql(`DELETE FROM ${table} WHERE (block, place) >= ($1, $2)`, block, place)
    await sql(`DELETE FROM chain_block WHERE record = $1 AND number > $2`, name, block)
    // The one who cuts it off may say that it ends there.
    if (n % 2 === 0) await sql(`UPDATE chain_head SET last_block = $2 WHERE record = $1`, name, block)
    return { block, place }
  },
}

test('an untouched chain is found to be whole, while rows that are in no block wait', async () => {
  expect(await look(trail)).toMatchObject({ damage: null, open: 0, rows: expect.any(Number) })
  expect((await look(trail)).rows).toBeGreaterThan(ROWS)
  expect((await look(security)).damage).toBe(null)
  const { rows } = await server.database.pool.query(`SELECT max(place) AS most FROM trail`)
  expect(rows[0].most).toBe(1000)
})

describe.each(Object.entries(kinds))('%s', (_kind, tamper) => {
  test(`is found in each of ${TRIALS / 5} trials, and the first row is named`, async () => {
    for (let n = 0; n < TRIALS / 5; n += 1) {
      let expected: object = {}
      const { damage } = await afterwards(trail, async (sql) => {
        expected = await tamper(sql, trail, n)
      })
      expect(damage).toMatchObject(expected)
    }
  })

  test('is found in the security record too', async () => {
    for (let n = 0; n < 8; n += 1) {
      let expected: object = {}
      const { damage } = await afterwards(security, async (sql) => {
        expected = await tamper(sql, security, n)
      })
      expect(damage).toMatchObject(expected)
    }
  })
})

test.each(['behind the last', 'before the first'])('a row in a block %s is found', async (where) => {
  for (const chain of chains) {
    let expected: object = {}
    const { damage } = await afterwards(chain, async (sql) => {
      const columns =
        chain.name === 'trail'
          ? 'at, actor_kind, actor, operation, real_user_id, outcome, times, is_counted'
          : 'recorded_at, root_user_id, action, reason'
      const [row] = await sql(
        `INSERT INTO ${chain.table} (${columns}, block, place)
         SELECT ${columns}, CASE WHEN $2 THEN last_block + 1 ELSE first_block - 1 END, 1
         FROM ${chain.table} JOIN chain_head ON record = $1 WHERE block IS NOT NULL LIMIT 1 RETURNING id::text`,
        chain.name,
        where === 'behind the last',
      )
      expected = { damage: 'inserted', ...row }
    })
    expect(damage).toMatchObject(expected)
  }
})

test('who takes the ends of the chain back as well is found by a head that was kept elsewhere', async () => {
  const { head } = await look(trail)
  await server.database.pool.query(
    `CREATE TABLE kept AS SELECT * FROM chain_head; CREATE TABLE seen AS SELECT max(number) AS last FROM chain_block`,
  )
  await server.database.pool.query(
    `INSERT INTO trail (at, actor_kind, actor, operation, real_user_id, outcome, is_counted)
     VALUES (now(), 'account', '1', 'children.read', $1, 'ok', false)`,
    [child],
  )
  await closeBlocks(server.database, keys, { even: true })
  const later = (await look(trail)).head ?? ''
  expect(await look(trail, undefined, { known: head ?? '' })).toMatchObject({ damage: null })
  const { pool } = server.database
  await pool.query(`
    BEGIN;
    SET LOCAL session_replication_role = replica;
    DELETE FROM trail WHERE block > (SELECT last_block FROM kept WHERE record = 'trail');
    DELETE FROM chain_block WHERE record = 'trail' AND number > (SELECT last_block FROM kept WHERE record = 'trail');
    UPDATE chain_head h SET last_block = k.last_block, hash = k.hash FROM kept k WHERE k.record = h.record;
    DROP TABLE kept, seen;
    COMMIT`)
  expect(await look(trail, undefined, { known: later })).toMatchObject({ damage: { damage: 'truncated' } })
})

test('what counts further after its block is closed has another row', async () => {
  const { pool } = server.database
  const count = () =>
    pool.query(
      `INSERT INTO trail (at, actor_kind, actor, operation, real_user_id, outcome, is_counted)
       VALUES ('2026-01-01T00:00:00Z', 'account', 'late', 'children.read', $1, 'ok', true)
       ON CONFLICT (at, actor_kind, actor, operation, real_user_id, outcome) WHERE is_counted AND block IS NULL
         DO UPDATE SET times = trail.times + 1`,
      [child],
    )
  await count()
  await count()
  await closeBlocks(server.database, keys)
  await count()
  const { rows } = await pool.query(`SELECT times FROM trail WHERE actor = 'late' ORDER BY id`)
  expect(rows).toEqual([{ times: 2 }, { times: 1 }])
  await closeBlocks(server.database, keys)
  expect((await look(trail)).damage).toBe(null)
})

test('four processes that write and close at once make one chain without a gap', async () => {
  const others: Database[] = []
  onTestFinished(async () => void (await Promise.all(others.map((each) => each.close()))))
  for (let n = 0; n < 4; n += 1) others.push(await openDatabase(server.databaseUrl, { pool: 2 }))
  const before = await look(trail)
  await Promise.all(
    others.map(async (database, process) => {
      for (let n = 0; n < 10; n += 1) {
        await database.pool.query(
          `INSERT INTO trail (at, actor_kind, actor, operation, real_user_id, outcome, is_counted)
           SELECT now(), 'account', $1::int::text || ' ' || m, 'children.read', $2, 'ok', false FROM generate_series(1, 50) m`,
          [process, child],
        )
        await closeBlocks(database, keys)
      }
    }),
  )
  expect(await look(trail)).toMatchObject({ damage: null, open: 0, rows: before.rows + 2000 })
})

test('no service can change, remove or empty it', async () => {
  const { pool } = server.database
  await pool.query(
    `INSERT INTO trail (at, actor_kind, actor, operation, real_user_id, outcome, is_counted)
     VALUES (now(), 'account', 'open', 'children.read', $1, 'ok', false)`,
    [child],
  )
  for (const text of [
    `UPDATE trail SET real_user_id = NULL WHERE actor = 'open'`,
    `UPDATE trail SET outcome = 'else', times = 2 WHERE actor = 'open'`,
    `UPDATE trail SET times = 0 WHERE actor = 'open'`,
    `UPDATE trail SET personal_salt = 'else', old_value = 'else' WHERE actor = 'open'`,
    `DELETE FROM trail WHERE actor = 'open'`,
    `UPDATE trail SET actor = 'somebody' WHERE block = 1 AND place = 1`,
    `UPDATE trail SET times = 99 WHERE block = 1 AND place = 1`,
    `DELETE FROM trail WHERE block = 1 AND place = 1`,
    `TRUNCATE trail`,
    `UPDATE security_record SET block = NULL WHERE block = 1 AND place = 1`,
  ])
    await expect(pool.query(text)).rejects.toThrow('append-only')
})

test('companion trail verify prints the heads, and names the row', async () => {
  const whole = await companion(server, 'trail', 'verify')
  expect(whole).toMatchObject({ code: 0, out: expect.stringMatching(/trail:\d+:[\w-]{43}/) })
  const { pool } = server.database
  const tampered = async (value: string) =>
    pool.query(
      `BEGIN; SET LOCAL session_replication_role = replica;
       UPDATE trail SET request_id = ${value} WHERE block = 2 AND place = 7; COMMIT`,
    )
  const { rows } = await pool.query(`SELECT id, request_id FROM trail WHERE block = 2 AND place = 7`)
  await tampered(`'else'`)
  const { code, out } = await companion(server, 'trail', 'verify')
  expect({ code, out }).toMatchObject({
    code: 1,
    out: expect.stringContaining(`trail: row 7 of block 2 (id ${rows[0].id}, `),
  })
  await tampered(`'${rows[0].request_id}'`)
  expect(await companion(server, 'trail', 'verify', '--known', 'nonsense')).toMatchObject({ code: 1 })
})

/** Adds rows of a child with encrypted old values. Resolves to their ids. */
async function addEncrypted(...values: string[]): Promise<string[]> {
  const { rows } = await server.database.pool.query<{ id: string }>(
    `INSERT INTO trail (at, actor_kind, actor, operation, real_user_id, outcome, is_counted, old_value)
     SELECT now(), 'account', '1', 'children.update', $1, 'ok', false, value FROM unnest($2::text[]) value RETURNING id::text`,
    [child, values],
  )
  return rows.map(({ id }) => id)
}
const OLD_VALUE = '{"first_name":"Mina"}'
const sealed = () => server.database.keyRing.encrypt('trail.old_value', OLD_VALUE)

test('a process without a key that others have leaves the block to them', async () => {
  const { pool } = server.database
  await closeBlocks(server.database, keys, { even: true })
  const other = createKeyRing([{ id: 'other', key: randomBytes(32) }], TEST_SECRET)
  await pool.query(`INSERT INTO data_key (id, proof) VALUES ('other', $1)`, [
    other.encrypt('data_key.proof', 'other'),
  ])
  const [id] = await addEncrypted(other.encrypt('trail.old_value', OLD_VALUE))
  const { rows } = await look(trail)
  await expect(closeBlocks(server.database, keys, { even: true })).rejects.toThrow(UnreadableValue)
  expect(await look(trail)).toMatchObject({ rows, open: 1 })
  await closeBlocks({ ...server.database, keyRing: other }, keys, { even: true })
  // As the rotation of keys encrypts it again.
  await pool.query('UPDATE trail SET old_value = $2 WHERE id = $1', [id, sealed()])
  await pool.query(`DELETE FROM data_key WHERE id = 'other'`)
  expect(await look(trail)).toMatchObject({ rows: rows + 1, open: 0, damage: null, unreadable: [] })
})

test('a damaged value does not stop the chain: the log, a metric and the command tell of it', async () => {
  const { pool } = server.database
  const ids = await addEncrypted(`${sealed()}AA`, sealed(), sealed().replace('derived', 'nobody'))
  const {
    rows: [record],
  } = await pool.query<{ id: string }>(
    `INSERT INTO security_record (recorded_at, action, address) VALUES (now(), 'sign_in', E'\\x02derived:AAAA') RETURNING id::text`,
  )
  const damaged = [ids[0], ids[2], record?.id]

  const lines: object[] = []
  const log = createLogger('info', { write: (line: string) => void lines.push(JSON.parse(line)) })
  await startClosingBlocks(server.database, { keys, log }).stop()
  // A busy machine closes after the stop.
  await until(() => lines.length === 2)
  expect(lines).toMatchObject([
    { level: 50, msg: 'rows contain values that no key decrypts', record: 'trail', ids: [ids[0], ids[2]] },
    { level: 50, msg: 'rows contain values that no key decrypts', record: 'security', ids: [record?.id] },
  ])
  const { body } = await server.get('/metrics')
  expect(body).toMatch(/^companion_undecryptable_rows_total 3$/m)
  const found = [await look(trail), await look(security)]
  expect(found).toMatchObject([
    { open: 0, damage: null },
    { open: 0, damage: null },
  ])
  expect(found.flatMap(({ unreadable }) => unreadable.map(({ id }) => id))).toEqual(damaged)
  const { code, out } = await companion(server, 'trail', 'verify')
  expect(code).toBe(1)
  for (const id of damaged)
    expect(out).toMatch(
      new RegExp(`\\(id ${id}, .*\\) had a value that no key opened when its block was closed`),
    )

  // What somebody changes afterwards is found all the same.
  const tampered = await afterwards(trail, async (sql) => {
    await sql(`UPDATE trail SET old_value = old_value || 'AA' WHERE id = $1`, ids[2])
  })
  expect(tampered).toMatchObject({ damage: { damage: 'changed', id: ids[2] }, unreadable: [{ id: ids[0] }] })
  // And with the child it goes.
  await pool.query('UPDATE real_user SET deleted_at = now() WHERE id = $1', [child])
  await pool.query('UPDATE trail SET old_value = NULL WHERE real_user_id = $1', [child])
  expect(await look(trail)).toMatchObject({ damage: null, unreadable: [] })
})
