import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { deriveKeys } from '@companion/server/auth/keys.ts'
import { purge } from '@companion/server/retention/purge.ts'
import { createLogger } from '@companion/server/telemetry/log.ts'
import { closeBlocks, startClosingBlocks } from '@companion/server/trail/close-blocks.ts'
import { beginChains } from '@companion/server/trail/head.ts'
import { purgedTrailMonths } from '@companion/server/trail/purge-trail.ts'
import { companion } from '../support/command.ts'
import { signUp } from '../support/family.ts'
import { startServer, TEST_SECRET } from '../support/server.ts'
import type { TestServer } from '../support/server.ts'
import { until } from '../support/until.ts'

/*
 * Somebody who may do anything in the database takes rows away and says that the chain ends before them. It is found at once,
 * and also when the service has gone on, closed blocks behind what is left, and started again.
 */

const keys = deriveKeys(TEST_SECRET)

let server: TestServer
beforeEach(async () => {
  const started = await startServer()
  onTestFinished(() => started.stop())
  server = started
  await signUp(server)
})

/** Closes `count` blocks of a row each. */
async function closeMore(count: number): Promise<void> {
  for (let n = 0; n < count; n += 1) {
    await server.database.pool.query(
      `INSERT INTO trail (at, actor_kind, actor, operation, outcome, is_counted)
       VALUES (now(), 'account', '1', 'children.read', 'ok', false)`,
    )
    await closeBlocks(server.database, keys, { even: true })
  }
}

/** Does it as a superuser, whom no trigger stops. */
const tamper = (text: string) =>
  server.database.pool.query(`BEGIN; SET LOCAL session_replication_role = replica; ${text}; COMMIT`)

const verify = () => companion(server, 'trail', 'verify', '--json')

const cutOff = (record: string, table: string) => `DELETE FROM ${table} WHERE block > 2;
  DELETE FROM chain_block WHERE record = '${record}' AND number > 2;
  UPDATE chain_head SET last_block = 2 WHERE record = '${record}'`

const empty = (record: string, table: string) => `DELETE FROM ${table};
  DELETE FROM chain_block WHERE record = '${record}';
  UPDATE chain_head SET first_block = 1, last_block = 0, hash = NULL WHERE record = '${record}'`

test('chains that have not begun are whole', async () => {
  expect(await verify()).toMatchObject({ code: 0, result: [{ blocks: 0 }, { blocks: 0 }] })
})

test.each([
  ['trail', 'trail'],
  ['security', 'security_record'],
])('an emptied record is not one that has not begun: %s', async (record, table) => {
  await closeMore(3)
  await tamper(empty(record, table))
  const { code, out } = await companion(server, 'trail', 'verify')
  expect(code).toBe(1)
  expect(out).toContain(`${record}: nothing says any more where the record begins and ends`)
  // Not even a start makes it one.
  await beginChains(server.database.pool, keys)
  expect(await verify()).toMatchObject({ code: 1 })
})

test('an emptied trail is found when it has gone on', async () => {
  await closeMore(3)
  await tamper(empty('trail', 'trail'))
  await closeMore(2)
  const { code, result } = await verify()
  expect(code).toBe(1)
  expect(result).toMatchObject([{ damage: { damage: 'cut', block: 1 } }, { damage: null }])
})

test('a trail whose end was cut off is found when it has gone on, and the log and a metric tell of it', async () => {
  await closeMore(4)
  await tamper(cutOff('trail', 'trail'))
  await server.database.pool.query(
    `INSERT INTO trail (at, actor_kind, actor, operation, outcome, is_counted)
     VALUES (now(), 'account', '1', 'children.read', 'ok', false)`,
  )
  const lines: object[] = []
  const log = createLogger('info', { write: (line: string) => void lines.push(JSON.parse(line)) })
  await startClosingBlocks(server.database, { keys, log }).stop()
  await until(() => lines.length > 0)
  expect(lines).toMatchObject([{ level: 50, record: 'trail' }])
  expect((await server.get('/metrics')).body).toMatch(/^companion_audit_truncations_total 1$/m)
  await closeMore(2)
  const { code, out } = await companion(server, 'trail', 'verify')
  expect(code).toBe(1)
  expect(out).toContain('trail: row 1 of block 3 (id ')
  expect(out).toContain('was the first after somebody had changed where the record begins or ends')
})

test('a purge does not sign what was cut off', async () => {
  const { database, config } = server
  await database.pool.query(
    `INSERT INTO trail (at, actor_kind, actor, operation, outcome, is_counted)
     VALUES (now() - interval '7 years', 'account', '1', 'children.read', 'ok', false)`,
  )
  await closeBlocks(database, keys, { even: true })
  await closeMore(3)
  await tamper(cutOff('trail', 'trail'))
  const months = () => purge(database, config, { more: purgedTrailMonths(keys, config) })
  expect(await months()).toMatchObject({ trail_months: 0 })
  expect(await verify()).toMatchObject({ code: 1 })
})
