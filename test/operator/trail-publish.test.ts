import { appendFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { compactVerify, importJWK } from 'jose'
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { deriveKeys } from '@companion/server/auth/keys.ts'
import { purge } from '@companion/server/retention/purge.ts'
import { closeBlocks } from '@companion/server/trail/close-blocks.ts'
import { purgedTrailMonths } from '@companion/server/trail/purge-trail.ts'
import { hasNoOpenssl } from '../support/machines/certificates.ts'
import { companion } from '../support/command.ts'
import { signUp } from '../support/family.ts'
import { closedPort, listen } from '../support/outside/local-server.ts'
import { startServer, TEST_SECRET } from '../support/server.ts'
import type { TestServer } from '../support/server.ts'
import { startTimeStampAuthority } from '../support/outside/time-stamp-authority.ts'
import type { TimeStampAuthority } from '../support/outside/time-stamp-authority.ts'

/*
 * What was published of the trail, and kept by somebody else, shows what was taken away since: also by somebody who sets the
 * database back to an earlier state, which says nothing of it itself.
 */

const keys = deriveKeys(TEST_SECRET)

let server: TestServer
let file: string
beforeEach(async () => {
  const started = await startServer()
  const directory = await mkdtemp(join(tmpdir(), 'companion-heads-'))
  onTestFinished(async () => {
    await started.stop()
    await rm(directory, { recursive: true, force: true })
  })
  server = started
  file = join(directory, 'heads')
  await signUp(server)
})

/** Closes `count` blocks of the trail, of a row each. */
async function closeMore(count: number): Promise<void> {
  for (let n = 0; n < count; n += 1) {
    await server.database.pool.query(
      `INSERT INTO trail (at, actor_kind, actor, operation, outcome, is_counted)
       VALUES (now(), 'account', '1', 'children.read', 'ok', false)`,
    )
    await closeBlocks(server.database, keys, { even: true })
  }
}

const publish = (to = file) => companion(server, 'trail', 'publish', '--to', to, '--json')
const verify = (...options: string[]) =>
  companion(server, 'trail', 'verify', '--against', file, '--json', ...options)
const linesOf = async () => (await readFile(file, 'utf8')).trim().split('\n')

/** Keeps the chains as they are. What is done in between, `back` takes away, as from a backup, by a superuser. */
async function keepAsBackup(): Promise<{ back: () => Promise<void> }> {
  const tables = ['trail', 'security_record', 'chain_block', 'chain_head']
  const each = (statement: (table: string) => string) => tables.map(statement).join('; ')
  await server.database.pool.query(each((table) => `CREATE TABLE kept_${table} AS SELECT * FROM ${table}`))
  return {
    back: async () => {
      await server.database.pool.query(
        `BEGIN; SET LOCAL session_replication_role = replica;
         ${each((table) => `DELETE FROM ${table}`)};
         ${each((table) => `INSERT INTO ${table} OVERRIDING SYSTEM VALUE SELECT * FROM kept_${table}`)}; COMMIT`,
      )
    },
  }
}

test('what is there is found, also when it has grown', async () => {
  expect(await publish()).toMatchObject({ code: 0, result: { trail: { block: 0 }, stamped_at: null } })
  await closeMore(3)
  expect(await publish()).toMatchObject({ code: 0, result: { trail: { block: 3 }, security: { block: 1 } } })
  await closeMore(2)
  expect(await linesOf()).toHaveLength(2)
  expect(await verify()).toMatchObject({
    code: 0,
    said: '',
    result: [
      { record: 'trail', blocks: 5, missing: [] },
      { record: 'security', missing: [] },
    ],
  })
})

test('a line can be verified by anybody who has the public key in it', async () => {
  await closeMore(1)
  const { result } = await publish()
  const [jws = ''] = await linesOf()
  const { jwk } = JSON.parse(Buffer.from(jws.split('.')[0] ?? '', 'base64url').toString())
  const { payload } = await compactVerify(jws, await importJWK(jwk, 'EdDSA'))
  const { stamped_at: _, ...ends } = result
  expect(JSON.parse(Buffer.from(payload).toString())).toEqual(ends)
  expect(jwk).toEqual({ kty: 'OKP', crv: 'Ed25519', x: expect.stringMatching(/^[\w-]{43}$/) })
})

test('of a database that was set back, everything that was published since is missing', async () => {
  await closeMore(2)
  await publish()
  const { back } = await keepAsBackup()
  await closeMore(2)
  await publish()
  await closeMore(1)
  await publish()
  await back()
  expect(await companion(server, 'trail', 'verify')).toMatchObject({ code: 0 })
  const gone = await verify()
  expect(gone).toMatchObject({
    code: 1,
    result: [
      {
        damage: null,
        missing: [
          { block: 4, last: 2 },
          { block: 5, last: 2 },
        ],
      },
      { damage: null, missing: [] },
    ],
  })

  // The service goes on behind it: no block is the published one any more.
  await closeMore(4)
  expect(await companion(server, 'trail', 'verify')).toMatchObject({ code: 0 })
  expect(await verify()).toMatchObject({
    code: 1,
    result: [
      {
        damage: null,
        missing: [
          { block: 4, last: null },
          { block: 5, last: null },
        ],
      },
      {},
    ],
  })
  const { out } = await companion(server, 'trail', 'verify', '--against', file)
  expect(out).toMatch(/^trail: block 4, published at \S+, is gone or another one/m)
})

test('an emptied trail is missing, and not published', async () => {
  await closeMore(3)
  await publish()
  await server.database.pool.query(
    `BEGIN; SET LOCAL session_replication_role = replica; DELETE FROM trail; DELETE FROM chain_block WHERE record = 'trail';
     UPDATE chain_head SET first_block = 1, last_block = 0, hash = NULL WHERE record = 'trail'; COMMIT`,
  )
  expect(await verify()).toMatchObject({
    code: 1,
    result: [{ damage: { damage: 'head' }, missing: [{ block: 3, last: 0 }] }, { missing: [] }],
  })
  expect((await companion(server, 'trail', 'verify', '--against', file)).out).toContain(
    'trail: it ends with block 0, and at ',
  )
  const refused = await publish()
  expect(refused).toMatchObject({ code: 1, out: '' })
  expect(refused.said).toContain(
    'The trail record does not end as it was signed: run `companion trail verify`',
  )
  expect(await linesOf()).toHaveLength(1)
})

test('months that were purged after TRAIL_YEARS are not missing', async () => {
  const { database, config } = server
  await database.pool.query(
    `INSERT INTO trail (at, actor_kind, actor, operation, outcome, is_counted)
     SELECT now() - n * interval '7 years', 'account', '1', 'children.read', 'ok', false FROM unnest(ARRAY[1, 2]) n`,
  )
  await closeBlocks(database, keys, { even: true })
  expect(await publish()).toMatchObject({ result: { trail: { block: 2 } } })
  await closeMore(2)
  await publish()
  await purge(database, config, { more: purgedTrailMonths(keys, config) })
  await purge(database, config, { more: purgedTrailMonths(keys, config) })
  const { rows } = await database.pool.query(
    `SELECT first_block::int AS first FROM chain_head WHERE record = 'trail'`,
  )
  expect(rows).toEqual([{ first: 3 }])
  expect(await verify()).toMatchObject({ code: 0, result: [{ missing: [] }, { missing: [] }] })
})

test('lines that this service has not signed, and files without any, are named', async () => {
  await closeMore(1)
  await publish()
  const [jws = ''] = await linesOf()
  const other = JSON.stringify({ at: 'now', trail: { block: 9, hash: 'x', month: null }, security: null })
  await appendFile(
    file,
    `nonsense\n\n${jws.replace(/\.[\w-]+\./, `.${Buffer.from(other).toString('base64url')}.`)}\n`,
  )
  const { code, said } = await verify()
  expect(code).toBe(1)
  expect(said).toBe(
    `${file}: line 2 was not signed by this service\n${file}: line 4 was not signed by this service\n`,
  )
  await writeFile(file, '\n')
  expect(await verify()).toMatchObject({
    code: 1,
    said: expect.stringContaining('holds nothing that was published'),
  })
})

test('a line goes to an address by POST, and it is said when it was not taken', async () => {
  await closeMore(1)
  let status = 204
  const { url, received } = await listen((response) => response.writeHead(status).end())
  expect(await publish(url)).toMatchObject({ code: 0 })
  expect(received).toMatchObject([{ method: 'POST', headers: { 'content-type': 'text/plain' } }])
  await writeFile(file, received[0]?.body ?? '')
  expect(await verify()).toMatchObject({ code: 0 })

  status = 500
  expect(await publish(url)).toMatchObject({ code: 1, said: expect.stringContaining('it answered 500') })
  const closed = `http://127.0.0.1:${await closedPort()}/`
  expect(await publish(closed)).toMatchObject({ code: 1, said: expect.stringContaining('ECONNREFUSED') })
})

/** Runs a command with the settings of an authority. */
function stamped<Done>({ url, certificates }: TimeStampAuthority, run: () => Promise<Done>): Promise<Done> {
  // The command takes back what is set when it ends.
  vi.stubEnv('TSA_URL', url)
  vi.stubEnv('TSA_CERTIFICATES', certificates)
  return run()
}

test.skipIf(hasNoOpenssl)('a time stamp says when a line was there', async () => {
  const authority = await startTimeStampAuthority()
  await closeMore(1)
  const { code, result } = await stamped(authority, publish)
  expect(code).toBe(0)
  expect(Math.abs(Date.parse(result.stamped_at) - Date.parse(result.at))).toBeLessThan(60_000)
  expect(await stamped(authority, verify)).toMatchObject({ code: 0, said: '' })
  const unknown = await verify()
  expect(unknown).toMatchObject({
    code: 1,
    said: expect.stringContaining('TSA_CERTIFICATES names no authority'),
  })

  const [line = ''] = await linesOf()
  const [jws = '', token = ''] = line.split(' ')
  expect(await authority.verdict(jws, Buffer.from(token, 'base64'))).toContain('Verification: OK')
  const isRefused = async (text: string, reason: string) => {
    await writeFile(file, `${text}\n`)
    expect(await stamped(authority, verify)).toMatchObject({ code: 1, said: expect.stringContaining(reason) })
  }
  const notVerified = 'line 1 has a time stamp that does not verify'
  // Of another line.
  await closeMore(1)
  await publish()
  const second = (await linesOf())[1] ?? ''
  await isRefused(`${second} ${token}`, notVerified)
  await isRefused(`${jws} AAAA`, notVerified)
  const bytes = Buffer.from(token, 'base64')
  bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) ^ 1
  await isRefused(`${jws} ${bytes.toString('base64')}`, notVerified)
  const stranger = await authority.signOtherwise(Buffer.from(token, 'base64'))
  await isRefused(`${jws} ${stranger.toString('base64')}`, 'not one for time stamps')
  await writeFile(file, `${line}\n`)
  const another = await startTimeStampAuthority()
  expect(await stamped(another, verify)).toMatchObject({
    code: 1,
    said: expect.stringContaining(notVerified),
  })
})

test.skipIf(hasNoOpenssl)('without the time stamp that is configured nothing is published', async () => {
  const authority = await startTimeStampAuthority()
  await closeMore(1)
  await stamped(authority, publish)
  for (const [as, reason] of [
    ['repeating', 'TSTInfo'],
    ['refusing', 'refused with the status 2'],
    ['away', 'answered 503'],
  ] as const) {
    authority.behave(as)
    const refused = await stamped(authority, publish)
    expect(refused).toMatchObject({ code: 1, said: expect.stringContaining(reason) })
  }
  expect(await linesOf()).toHaveLength(1)
})
