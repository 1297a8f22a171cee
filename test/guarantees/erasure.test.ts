import { randomInt, randomUUID } from 'node:crypto'
import { afterEach, expect, test, vi } from 'vitest'
import { decryptRow } from '@companion/server/encrypted-columns/encrypted-tables.ts'
import { purge } from '@companion/server/retention/purge.ts'
import { companion } from '../support/command.ts'
import {
  addChild,
  anyEmail,
  anyPhone,
  devlogItem,
  PASSWORD,
  signIn,
  signUp,
  signUpBody,
  smsCode,
  upload,
  validToken,
} from '../support/family.ts'
import { resetLink } from '../support/outside/mailbox.ts'
import { useOpenIdProvider } from '../support/outside/openid.ts'
import { startServer, useServer } from '../support/server.ts'
import { storedRows } from '../support/stored-rows.ts'
import { socialClaims } from '../support/outside/social.ts'

const provider = useOpenIdProvider()
const server = useServer(() => ({ SOCIAL_PROVIDERS: provider.configuration, TRUST_PROXY: '1' }))
afterEach(() => {
  vi.useRealTimers()
})

const DAY = 86_400_000
const move = (ms: number) => vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + ms })
const doPurge = () => purge(server.database, server.config)

/** A family that has left a trace in every table it can. */
async function makeFamily() {
  const traces = {
    email: `${randomUUID()}@example.com`,
    phone: anyPhone(),
    address: `2001:db8::${randomInt(0x1000, 0xffff).toString(16)}:${randomInt(0x1000, 0xffff).toString(16)}`,
    name: `Jiyoung-${randomUUID()}`,
    child: `Mina-${randomUUID()}`,
    memo: `Memo-${randomUUID()}`,
    rejected: `Note-${randomUUID()}`,
    subject: randomUUID(),
    push: `push-token-${randomUUID()}`,
  }
  const headers = { 'x-forwarded-for': traces.address }
  const id_token = await provider.forge(
    socialClaims(provider, { sub: traces.subject, email: traces.email, email_verified: true }),
  )
  const { password: _password, ...body } = signUpBody(traces.phone, traces.email)
  const up = await server.post('/api/v1/alpha/auth/social/signup', {
    token: await validToken(server, traces.phone),
    json: { ...body, first_name: traces.name, provider: 'example', id_token },
    headers,
  })
  const token: string = up.body.access_token
  const { real_user_id, unique_id } = await addChild(server, token)
  await server.patch(`/api/v1/beta/user/real-user/${real_user_id}`, {
    token,
    json: { id: real_user_id, first_name: traces.child },
  })
  await upload(server, [devlogItem(unique_id, '2026-03-01T21:30:00')])
  const bad = { ...devlogItem(unique_id, '1970-01-01T00:00:00'), note: traces.rejected }
  await upload(server, [bad], { ...headers, prefer: 'handling=lenient' })
  const event = { real_user_id, created_at: '2026-03-01', memo: traces.memo }
  await server.post('/api/v1/beta/event', { token, json: event })
  await server.post('/api/v1/beta/event', { token, json: { ...event, memo: 'replaced' } })
  const survey = { real_user_id, attention_score: 1, impulsivity_score: 2, disorder_score: 3 }
  await server.post('/api/v1/beta/survey', { token, json: survey })
  await server.patch('/api/v1/beta/user/policy', {
    token,
    json: { is_push_agree: true, push_token: traces.push },
  })
  await smsCode(server, traces.phone, 'recovery')
  return { traces, token, id: Number(up.body.id), real_user_id, unique_id }
}

/** The tables, and which of `values` stand in them in any form. */
async function found(values: Record<string, string>): Promise<string[]> {
  const { pool, keyRing } = server.database
  const { rows: tables } = await pool.query(
    `SELECT relname AS tablename FROM pg_class
     WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition`,
  )
  const hits = []
  for (const { tablename } of tables) {
    const { rows } = await pool.query(`SELECT to_jsonb(t) AS row FROM ${tablename} t`)
    const text = rows.map(({ row }) => JSON.stringify(decryptRow(keyRing, tablename, row))).join('\n')
    for (const [name, value] of Object.entries(values)) {
      if (text.includes(value) || text.includes(Buffer.from(value).toString('hex'))) {
        hits.push(`${tablename}: ${name}`)
      }
    }
  }
  return hits
}

const count = async (table: string, column: string, id: number) => {
  const { rows } = await server.database.pool.query(`SELECT FROM ${table} WHERE ${column} = ${id}`)
  return rows.length
}

test('companion account export writes everything kept about a family, less secrets', async () => {
  const { traces, id, real_user_id } = await makeFamily()
  const { code, out } = await companion(server, 'account', 'export', traces.email.toUpperCase())
  expect(code).toBe(0)
  const family = JSON.parse(out)
  expect(family).toMatchObject({
    root_user: { id, email: traces.email, phone: traces.phone, first_name: traces.name },
    real_user: [{ id: real_user_id, first_name: traces.child }],
    device: [{ real_user_id }],
    treatment: [{ real_user_id, treatment_date: '2026-03-01T21:30:00', intensity_record: [3, 9] }],
    event: [{ memo: 'replaced' }],
    event_version: [{ memo: traces.memo }],
    survey: [{ attention_score: 1 }],
    rejected_devlog: [{ content: expect.stringContaining(traces.rejected) }],
    social_identity: [{ subject: traces.subject }],
    session: [{ root_user_id: id }],
    push_token: [{ root_user_id: id }],
  })
  expect(family.consent.length).toBeGreaterThan(2)
  expect(family.security_record).toContainEqual(expect.objectContaining({ address: traces.address }))
  expect(out).not.toMatch(/_hash|"token"/)
  expect(out).not.toContain(traces.push)

  // A table with a column of the account's, or a child's, that is in nobody's mind.
  const { rows } = await server.database.pool.query(`
    SELECT DISTINCT table_name FROM information_schema.columns c JOIN pg_class t ON t.oid = to_regclass(table_name)
    WHERE relkind IN ('r', 'p') AND NOT relispartition AND table_schema = 'public' AND column_name IN ('root_user_id', 'real_user_id')`)
  expect(Object.keys(family)).toEqual(expect.arrayContaining(rows.map(({ table_name }) => table_name)))

  expect(await companion(server, 'account', 'export', anyEmail())).toMatchObject({
    code: 1,
    said: 'There is no account with this e-mail\n',
  })
})

test('another family’s export holds nothing of this one', async () => {
  const { traces } = await makeFamily()
  const other = await signUp(server)
  const { out } = await companion(server, 'account', 'export', other.email)
  for (const trace of Object.values(traces)) expect(out).not.toContain(trace)
})

test('deletion leaves no trace but keyed hashes, in one transaction', async () => {
  const { traces, token, id, real_user_id, unique_id } = await makeFamily()
  const { subject, push, ...rest } = traces
  expect((await found(rest)).length).toBeGreaterThan(5)
  expect(await found({ subject, push })).toHaveLength(2)
  // Logs that the device has deleted count as well, and where it was then.
  await server.delete('/api/v1/gamma/device/devlog', {
    query: { unique_id },
    headers: { 'x-forwarded-for': traces.address },
  })
  await upload(server, [devlogItem(unique_id, '2026-03-02T21:30:00')])

  // Nothing goes when not all can.
  await server.database.pool.query(
    `ALTER TABLE root_user ADD CONSTRAINT error CHECK (deleted_at IS NULL OR id <> ${id}) NOT VALID`,
  )
  expect((await server.delete('/api/v1/beta/user/root-user', { token })).status).toBe(500)
  expect(await found({ subject, push })).toHaveLength(2)
  await server.database.pool.query('ALTER TABLE root_user DROP CONSTRAINT error')

  expect((await server.delete('/api/v1/beta/user/root-user', { token })).status).toBe(200)
  expect(await found(traces)).toEqual([])
  for (const table of ['session', 'social_identity', 'push_token', 'reset_token', 'known_ip_address']) {
    expect([table, await count(table, 'root_user_id', id)]).toEqual([table, 0])
  }
  for (const table of ['treatment', 'event', 'survey', 'device']) {
    expect([table, await count(table, 'real_user_id', real_user_id)]).toEqual([table, 0])
  }
  const { sql } = server.database
  const left = await sql.selectFrom('root_user').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
  expect(left).toMatchObject({ email: null, phone: null, password_hash: null, first_name: '' })
  expect(left.deleted_identity_hash).toHaveLength(32)
  expect(server.log()).not.toContain(subject)
})

test('a deleted child takes its records that were rejected along, and no others', async () => {
  const [gone, stays] = [await makeFamily(), await makeFamily()]
  const { token, real_user_id, unique_id, traces } = gone
  const json = { real_user_id, unique_id }
  expect((await server.delete('/api/v1/beta/user/delete-real-user', { token, json })).status).toBe(200)
  expect(await found({ gone: traces.rejected, stays: stays.traces.rejected })).toEqual([
    'rejected_devlog: stays',
  ])
})

test('after TOMBSTONE_DAYS the purge takes what is left, and nothing else', async () => {
  const gone = await makeFamily()
  await server.delete('/api/v1/beta/user/root-user', { token: gone.token })
  const stays = await signUp(server)
  move(364 * DAY)
  await doPurge()
  expect(await count('root_user', 'id', gone.id)).toBe(1)
  move(2 * DAY)
  const purged = await doPurge()
  expect(purged?.accounts).toBeGreaterThanOrEqual(1)
  expect(await count('root_user', 'id', gone.id)).toBe(0)
  expect(await count('real_user', 'root_user_id', gone.id)).toBe(0)
  expect(await count('consent', 'root_user_id', gone.id)).toBe(0)
  // The record stays, but names nobody.
  expect(await count('security_record', 'root_user_id', gone.id)).toBeGreaterThan(0)
  expect((await signIn(server, stays.email)).status).toBe(200)
})

test('the purge takes expired codes, tokens, sessions, counters and addresses, and leaves live ones', async () => {
  const limited = await startServer({ RATE_LIMITS: 'on' })
  try {
    const account = await signUp(limited)
    await smsCode(limited, account.phone, 'recovery')
    await resetLink(limited, account.email)
    await signIn(limited, account.email, 'wrong password')
    const tables = ['sms_code', 'used_token', 'reset_token', 'session', 'known_ip_address', 'rate_limit']
    const counts = async () => {
      const { rows } = await limited.database.pool.query(
        `SELECT ${tables.map((table) => `(SELECT count(*)::int FROM ${table}) AS ${table}`).join(', ')}`,
      )
      return rows[0]
    }
    const before = await counts()
    expect(Object.values(before).every((many) => Number(many) > 0)).toBe(true)
    const recorded = async (condition: string) =>
      (await limited.database.pool.query(`SELECT FROM security_record WHERE ${condition}`)).rowCount
    expect(await recorded('phone_hash IS NOT NULL')).toBeGreaterThan(0)
    expect(await purge(limited.database, limited.config)).toMatchObject({ sms_codes: 0, sessions: 0 })
    expect(await counts()).toEqual(before)

    move(2 * DAY)
    await purge(limited.database, limited.config)
    expect(await counts()).toMatchObject({
      sms_code: 0,
      used_token: 0,
      reset_token: 0,
      session: 1,
      known_ip_address: 1,
      rate_limit: 0,
    })
    move(13 * DAY)
    await purge(limited.database, limited.config)
    expect(await counts()).toMatchObject({ session: 0, known_ip_address: 1 })
    move(80 * DAY)
    await purge(limited.database, limited.config)
    expect(await counts()).toMatchObject({ known_ip_address: 0 })
    move(280 * DAY)
    expect(await purge(limited.database, limited.config)).toMatchObject({
      recorded_addresses: expect.any(Number),
    })
    expect(await recorded('address IS NOT NULL OR phone_hash IS NOT NULL')).toBe(0)
    expect((await signIn(limited, account.email, PASSWORD)).status).toBe(200)
  } finally {
    await limited.stop()
  }
})

test('two purges at once do not wait for each other; the operator has a command for it', async () => {
  const both = await Promise.all(Array.from({ length: 4 }, doPurge))
  expect(both.some((purged) => purged !== undefined)).toBe(true)
  const { code, out } = await companion(server, 'purge', '--json')
  expect(code).toBe(0)
  expect(Object.keys(JSON.parse(out))).toContain('accounts')
})

test('the purge takes more than a statement may, bit by bit, and ends when it is told to', async () => {
  const patient = await startServer({ DATABASE_STATEMENT_TIMEOUT: '2' })
  try {
    const { pool } = patient.database
    await pool.query(`INSERT INTO used_token SELECT lpad(n::text, 32, '0')::uuid, now() - interval '1 hour'
      FROM generate_series(1, 20000) n`)
    // Three seconds for all of them, but little for each of twenty statements.
    await pool.query(`CREATE FUNCTION dawdle() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN IF OLD.token_id::text LIKE '%000' THEN PERFORM pg_sleep(0.15); END IF; RETURN OLD; END $$`)
    await pool.query(`CREATE TRIGGER dawdle BEFORE DELETE ON used_token
      FOR EACH ROW EXECUTE FUNCTION dawdle()`)
    expect(await purge(patient.database, patient.config, { signal: AbortSignal.abort() })).toBe(undefined)
    await pool.query('ANALYZE used_token')
    const told: { rows: number; share: number }[] = []
    const report = (rows: number, share: number) => void told.push({ rows, share })
    expect(await purge(patient.database, patient.config, { report })).toMatchObject({ used_tokens: 20_000 })
    // The share is a guess, but one of the whole, and it never goes back.
    expect(told[0]).toEqual({ rows: 1000, share: expect.closeTo(0.05, 2) })
    const shares = told.map(({ share }) => share)
    expect(shares).toEqual(shares.toSorted((one, other) => one - other))
    expect(told.at(-1)?.share).toBe(1)
    const { rows } = await pool.query('SELECT FROM used_token')
    expect(rows).toEqual([])
  } finally {
    await patient.stop()
  }
})

test('the share that a purge has done is one of the records of children too, wherever they lie', async () => {
  const keeping = await startServer({ RETENTION: '{"readings": 6}' })
  try {
    const { pool } = keeping.database
    await pool.query(`INSERT INTO used_token SELECT gen_random_uuid(), now() - interval '1 hour'
      FROM generate_series(1, 5000)`)
    await pool.query(`INSERT INTO basestation (serial_code, unique_id)
      SELECT 'B' || n, gen_random_uuid() FROM generate_series(1, 300) n`)
    await pool.query(`INSERT INTO reading_day
      SELECT id, date '2020-01-01' + n, 1, 1, date '2020-01-01' + n, 20, 50, 1, 30
      FROM basestation CROSS JOIN generate_series(1, 50) n`)
    await pool.query('ANALYZE used_token, reading_day')
    const told: { rows: number; share: number }[] = []
    const report = (rows: number, share: number) => void told.push({ rows, share })
    expect(await purge(keeping.database, keeping.config, { report })).toMatchObject({
      used_tokens: 5000,
      old_reading_days: 15_000,
    })
    // Of 20,000.
    expect(told.find(({ rows }) => rows === 5000)?.share).toBeCloseTo(0.25, 1)
    expect(told.at(-1)?.share).toBe(1)
  } finally {
    await keeping.stop()
  }
})

test('addresses in the journal of deletions and of rejected records go after TOMBSTONE_DAYS, those records in their own time', async () => {
  const keeping = await startServer({ TOMBSTONE_DAYS: '30', REJECTED_DEVLOG_DAYS: '60' })
  try {
    const parent = await signUp(keeping)
    const { unique_id } = await addChild(keeping, parent.token)
    await upload(keeping, [devlogItem(unique_id, '2026-03-01T21:30:00'), { unique_id }], {
      prefer: 'handling=lenient',
    })
    await keeping.delete('/api/v1/gamma/device/devlog', { query: { unique_id } })
    const addressesIn = async (table: string) =>
      (await storedRows(keeping.database, table, `SELECT address FROM ${table}`)).map(
        ({ address }) => address,
      )
    const left = async () => ({
      deleted_from: await addressesIn('devlog_deletion'),
      rejected_from: await addressesIn('rejected_devlog'),
    })
    move(29 * DAY)
    await purge(keeping.database, keeping.config)
    expect(await left()).toEqual({ deleted_from: ['127.0.0.1'], rejected_from: ['127.0.0.1'] })
    move(2 * DAY)
    expect(await purge(keeping.database, keeping.config)).toMatchObject({
      deletion_addresses: 1,
      rejected_addresses: 1,
      rejected_devlogs: 0,
    })
    expect(await left()).toEqual({ deleted_from: [null], rejected_from: [null] })
    expect((await companion(keeping, 'devlog', 'deletions')).out).toMatch(/ 1 +- +- +-\n$/)
    expect((await companion(keeping, 'devlog', 'rejected', 'show', '1')).out).toMatch(/^from +-$/m)
    move(30 * DAY)
    expect(await purge(keeping.database, keeping.config)).toMatchObject({ rejected_devlogs: 1 })
    expect(await left()).toEqual({ deleted_from: [null], rejected_from: [] })
    // Deleted records can be restored all the same.
    expect((await companion(keeping, 'devlog', 'restore', '--unique-id', unique_id)).code).toBe(0)
  } finally {
    await keeping.stop()
  }
})
