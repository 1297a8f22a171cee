import { beforeAll, expect, test } from 'vitest'
import { deriveKeys } from '@companion/server/auth/keys.ts'
import type { Sql } from '@companion/server/database/database.ts'
import { chains, trailChain } from '@companion/server/trail/chain.ts'
import {
  closeBlocks,
  closeBlockStatement,
  disableSortPlans,
  nextBlockRowsSql,
} from '@companion/server/trail/close-blocks.ts'
import { runStatement } from '@companion/server/trail/head.ts'
import { rowsOfBlocks } from '@companion/server/trail/verify-chain.ts'
import { addChild, signUp } from '../support/family.ts'
import type { Account } from '../support/family.ts'
import { expectFrugal, PLANNINGS, useOneConnection } from '../support/query-plans.ts'
import { shares } from '../support/shares.ts'
import { TEST_SECRET } from '../support/server.ts'
import { companion } from '../support/command.ts'

/*
 * The statements of the trail on 30,000 rows of 300 children in two or three months: each reads what its child, or its blocks,
 * have, and never all.
 */

const server = useOneConnection()
const keys = deriveKeys(TEST_SECRET)

let owner: Account
let child: number
/** The months that have rows: one without may be read as a whole. */
let months: string[]
beforeAll(async () => {
  owner = await signUp(server)
  child = (await addChild(server, owner.token)).real_user_id
  await server.trailWritten()
  const { pool } = server.database
  await pool.query('SET synchronous_commit = on')
  for (const ago of [1, 2])
    await pool.query(`SELECT add_trail_month((now() - $1 * interval '1 month')::date)`, [ago])
  // 100 rows a child: 60 of the owner and 40 of a member.
  await pool.query(
    `INSERT INTO trail (at, actor_kind, actor, operation, real_user_id, outcome, is_counted, old_value)
     SELECT date_trunc('minute', now()) - n * interval '2 minutes', CASE WHEN n / 300 % 5 < 3 THEN 'account' ELSE 'member' END, '1',
       'charts.recent', $1::int + n % 300, 'ok', false, CASE WHEN n / 300 % 5 = 0 THEN '{}' END
     FROM generate_series(1, 30000) n`,
    [child],
  )
  await closeBlocks(server.database, keys, { even: true })
  await pool.query('VACUUM ANALYZE')
  const { rows } = await pool.query<{ name: string }>(
    'SELECT DISTINCT tableoid::regclass::text AS name FROM trail',
  )
  months = rows.map(({ name }) => name)
}, 300_000)

test.each(PLANNINGS)('the accesses that an owner is shown, %s', async (planning) => {
  await shares(server).access(owner, child)
  const values = [owner.id, child, 253_402_300_799, 0, '', 101, '2020-01-01', 'UTC']
  const statement = 'child-accesses'
  const plan = await expectFrugal(
    server.database,
    { statement, values, planning, form: 'alone' },
    { buffers: 120, tables: months },
  )
  expect(plan).toContain('real_user_id_date_bin_idx')
})

test.each(PLANNINGS)("a page of a child's trail, %s", async (planning) => {
  const { query } = server.database
  const { exportTrail } = await import('@companion/server/trail/export-trail.ts')
  for await (const lines of exportTrail({ query, keyRing: server.database.keyRing }, child))
    expect(lines).toContain(',')
  const values = [child, '-infinity', '0']
  await expectFrugal(
    server.database,
    { statement: 'trail-page', values, planning, form: 'alone' },
    { buffers: 200, tables: months },
  )
})

/** That none of the months with rows is read as a whole. */
const scan = () => new RegExp(`Seq Scan on (${months.join('|')}) `)

/** The plan of a statement with its values in place. */
async function planOf(
  text: string,
  values: readonly string[],
  sql: Sql = server.database.sql,
): Promise<string> {
  const filled = values.reduce((all, value, n) => all.replaceAll(`$${n + 1}`, value), text)
  const rows = await runStatement<{ 'QUERY PLAN': string }>(sql, `EXPLAIN (ANALYZE, BUFFERS) ${filled}`, [])
  return rows.map((row) => row['QUERY PLAN']).join('\n')
}

test.each(chains.map((chain) => [chain.name, chain] as const))(
  'the open rows of the %s, and the rows of its blocks',
  async (_name, chain) => {
    const open = await planOf(nextBlockRowsSql(chain), ['true', 'now()'])
    expect(open).not.toMatch(scan())
    const blocks = await planOf(rowsOfBlocks(chain), ['3', '4', 'now()'])
    expect(blocks).not.toMatch(scan())
  },
)

test('a block of a thousand rows is closed without a look at the other open rows', async () => {
  const { database } = server
  await database.pool.query(
    `INSERT INTO trail (at, actor_kind, actor, operation, real_user_id, outcome, is_counted)
     SELECT date_trunc('minute', now()), 'account', n, 'charts.recent', n, 'ok', true FROM generate_series(1, 20000) n`,
  )
  await database.transaction(async (tx) => {
    await disableSortPlans(tx)
    expect(await planOf(nextBlockRowsSql(trailChain), ['true', 'now()'], tx)).not.toContain('Sort Method')
    const rows = await runStatement<{ at: string; id: string }>(tx, nextBlockRowsSql(trailChain), [
      true,
      new Date(),
    ])
    expect(rows).toHaveLength(1000)
    const plan = await planOf(
      closeBlockStatement(trailChain, rows.length),
      [
        '0',
        `'{${rows.map(({ at }) => `"${at}"`).join()}}'`,
        `'{${rows.map(({ id }) => id).join()}}'`,
        ...Array.from({ length: 3 }, () => `'{${rows.map(() => 'null').join()}}'`),
      ],
      tx,
    )
    const read = [...plan.matchAll(/actual time=[\d.]+ rows=(\d+)/g)].map(([, count]) => Number(count))
    // The rows that were asked for, and those that were closed or open, but not 20,000.
    expect(Math.max(...read)).toBe(1000)
  })
})

test('an old value is erased by the index of its child', async () => {
  const plan = await planOf(
    'UPDATE trail SET old_value = NULL WHERE real_user_id = $1 AND old_value IS NOT NULL',
    [String(child + 7)],
  )
  expect(plan).not.toMatch(scan())
  expect((await companion(server, 'trail', 'export', '--child', String(child + 7))).out).not.toContain('{}')
})
