import { decryptRow } from '@companion/server/encrypted-columns/encrypted-tables.ts'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { deriveKeys } from '@companion/server/auth/keys.ts'
import { purge } from '@companion/server/retention/purge.ts'
import { chains } from '@companion/server/trail/chain.ts'
import { closeBlocks } from '@companion/server/trail/close-blocks.ts'
import { purgedTrailMonths } from '@companion/server/trail/purge-trail.ts'
import { verifyChain } from '@companion/server/trail/verify-chain.ts'
import { companion } from '../support/command.ts'
import { addChild, devlogItem, signUp, upload } from '../support/family.ts'
import type { Account } from '../support/family.ts'
import { TEST_SECRET, useServer } from '../support/server.ts'
import { startServiceProcess } from '../support/service-process.ts'
import { addMember } from '../support/shares.ts'
import { until } from '../support/until.ts'
import { serviceFor } from '../support/webhooks.ts'

/* The trail from the first call on: what it says of whom, what a kill leaves, what erasure takes, when it goes. */

const server = useServer()
const keys = deriveKeys(TEST_SECRET)
const DAY = '2026-03-01'

let owner: Account
let child: Awaited<ReturnType<typeof addChild>>
beforeAll(async () => {
  owner = await signUp(server)
  child = await addChild(server, owner.token)
})

/** The chains' damages. */
const damages = async () => {
  const found = []
  for (const chain of chains)
    found.push(
      await server.database.transaction((tx) =>
        verifyChain(tx, chain, keys, {
          keyRing: server.database.keyRing,
          erasedBefore: new Date(Date.now() - 365 * 86_400_000),
        }),
      ),
    )
  return found.flatMap(({ damage }) => damage ?? [])
}

/** The lines of `companion trail export`, as fields by their names. */
async function exported(realUserId: number): Promise<Record<string, string>[]> {
  const { out } = await companion(server, 'trail', 'export', '--child', String(realUserId))
  const [header = '', ...lines] = out.trimEnd().split('\n')
  expect(header).toBe('at,actor_kind,actor,operation,child,outcome,times,address_hash,request_id,old_value')
  return lines.map((line) => {
    const fields = [...line.matchAll(/("(?:[^"]|"")*"|[^,]*)(?:,|$)/g)].map(([, field = '']) =>
      field.startsWith('"') ? field.slice(1, -1).replaceAll('""', '"') : field,
    )
    return Object.fromEntries(header.split(',').map((name, n) => [name, fields[n] ?? '']))
  })
}

test('the export says who did what, with the old values', async () => {
  const { real_user_id, device_id } = child
  const member = await addMember(server, owner, { real_user_id, role: 'viewer' })
  const stranger = await signUp(server)
  const headers = { 'x-request-id': 'request-of-a-test' }
  const read = ({ token }: Account) =>
    server.get('/api/v1/beta/chart/recent', { token, query: { real_user_id }, headers })
  for (const each of [owner, owner, member, stranger]) await read(each)
  const { token } = owner
  await server.patch(`/api/v1/beta/user/real-user/${real_user_id}`, {
    token,
    json: { id: real_user_id, first_name: 'Mina, "Mi"' },
  })
  await server.patch(`/api/v1/beta/user/real-user/${real_user_id}`, {
    token,
    json: { id: real_user_id, first_name: 'Mina' },
  })
  for (const device_alias of ['One', 'Two'])
    await server.patch(`/api/v1/beta/device/${device_id}`, { token, json: { device_alias } })
  for (const memo of ['slept', 'woke\nup'])
    await server.post('/api/v1/beta/event', { token, json: { real_user_id, created_at: DAY, memo } })
  await server.trailWritten()

  const rows = await exported(real_user_id)
  const of = (operation: string) => rows.filter((row) => row['operation'] === operation)
  const reads = of('charts.recent')
  const times = (actor: Account) =>
    reads
      .filter((row) => row['actor'] === String(actor.id))
      .reduce((sum, row) => sum + Number(row['times']), 0)
  expect([owner, member, stranger].map(times)).toEqual([2, 1, 1])
  expect(reads).toContainEqual(
    expect.objectContaining({
      actor_kind: 'member',
      actor: String(member.id),
      child: String(real_user_id),
      outcome: 'ok',
      address_hash: keys.hash('address', '127.0.0.1').toString('hex'),
      request_id: 'request-of-a-test',
      old_value: '',
    }),
  )
  expect(reads).toContainEqual(
    expect.objectContaining({ actor: String(stranger.id), outcome: '401 Not authorized user' }),
  )
  const old = (operation: string) => of(operation).map((row) => JSON.parse(row['old_value'] || 'null'))
  expect(old('children.update')).toMatchObject([{ first_name: 'Mina' }, { first_name: 'Mina, "Mi"' }])
  expect(old('devices.rename')).toEqual([{ device_alias: child.serial_code }, { device_alias: 'One' }])
  expect(old('calendar.saveEvent')).toMatchObject([null, { memo: 'slept', event_date: DAY }])
  expect(of('companion trail export')).toMatchObject([{ actor_kind: 'operator', actor: 'operator' }])
  const moments = rows.map((row) => row['at'] ?? '')
  expect(moments).toEqual(moments.toSorted())
})

/** What the trail tells of a child since `id`. */
async function since(id: string, realUserId: number) {
  await server.trailWritten()
  const { rows } = await server.database.pool.query(
    `SELECT actor_kind, actor, operation, outcome, times FROM trail WHERE id > $1 AND real_user_id = $2 ORDER BY id`,
    [id, realUserId],
  )
  return rows
}

async function lastId(): Promise<string> {
  await server.trailWritten()
  const { rows } = await server.database.pool.query(`SELECT coalesce(max(id), 0) AS id FROM trail`)
  return rows[0].id
}

test('a service is named by its id, also where it asks in vain', async () => {
  const { real_user_id } = child
  const stranger = await addChild(server, (await signUp(server)).token)
  const { own, granted } = await serviceFor(server, owner, [real_user_id])
  const before = await lastId()
  const chart = (token: string, id: number) =>
    server.get('/api/v1/beta/chart/recent', { token, query: { real_user_id: id } })
  const { rows } = await server.database.pool.query(`SELECT id FROM client ORDER BY id DESC LIMIT 1`)
  const by = { actor_kind: 'client', actor: String(rows[0].id), operation: 'charts.recent' }
  await chart(own, real_user_id)
  expect(await since(before, real_user_id)).toEqual([{ ...by, outcome: 'ok', times: 1 }])
  // Calls of one minute have one row.
  vi.useFakeTimers({ toFake: ['Date'] })
  onTestFinished(() => void vi.useRealTimers())
  for (const token of [own, granted]) await chart(token, stranger.real_user_id)
  expect(await since(before, stranger.real_user_id)).toEqual([
    { ...by, outcome: '401 Not authorized user', times: 2 },
  ])
  await server.get(`/api/v1/beta/user/real-user/${real_user_id}`, { token: granted })
  expect(await since(before, real_user_id)).toContainEqual({
    ...by,
    operation: 'children.read',
    outcome: '403 Insufficient scope',
    times: 1,
  })
})

test('over tRPC it is the same', async () => {
  const { real_user_id } = child
  const before = await lastId()
  const input = encodeURIComponent(JSON.stringify({ real_user_id }))
  const { status } = await server.get(`/trpc/children.read?input=${input}`, { token: owner.token })
  expect(status).toBe(200)
  expect(await since(before, real_user_id)).toEqual([
    { actor_kind: 'account', actor: String(owner.id), operation: 'children.read', outcome: 'ok', times: 1 },
  ])
})

test("a device's call is told under its own id, and counts within a minute however often it uploads", async () => {
  const { real_user_id, unique_id, device_id } = await addChild(server, owner.token)
  const before = await lastId()
  vi.useFakeTimers({ toFake: ['Date'], now: Math.ceil(Date.now() / 60_000) * 60_000 })
  onTestFinished(() => void vi.useRealTimers())
  for (const log_file_id of [1, 2, 2]) {
    await upload(server, [
      devlogItem(unique_id, `${DAY}T21:00:00`, { log_file_id }),
      devlogItem(unique_id, `${DAY}T22:00:00`, { log_file_id }),
    ])
  }
  await server.get('/api/v1/gamma/device/history', { query: { unique_id } })
  await server.delete('/api/v1/gamma/device/devlog', { query: { unique_id } })
  const by = { actor_kind: 'device', actor: String(device_id), outcome: 'ok' }
  const told = await since(before, real_user_id)
  expect(told).toHaveLength(3)
  expect(told).toEqual(
    expect.arrayContaining([
      { ...by, operation: 'devlogs.upload', times: 3 },
      { ...by, operation: 'devlogs.history', times: 1 },
      { ...by, operation: 'devlogs.delete', times: 1 },
    ]),
  )
})

test('a busy service goes on writing the trail, and a kill -9 doubles nothing of it', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'companion-trail-'))
  onTestFinished(() => rm(directory, { recursive: true, force: true }))
  const { database } = server
  const service = await startServiceProcess(directory, {
    DATABASE_URL: server.databaseUrl,
    TOKEN_SECRET: TEST_SECRET,
  })
  await service.readiness(200)
  const family = { ...service, database, outbox: service.outbox }
  const { token } = await signUp(family)
  const { real_user_id } = await addChild(family, token)

  let answered = 0
  const isKilled = new AbortController()
  const read = async () => {
    while (!isKilled.signal.aborted) {
      const response = await service
        .get('/api/v1/beta/chart/recent', { token, query: { real_user_id } })
        .catch(() => undefined)
      if (response?.status === 200) answered += 1
    }
  }
  const told = async () => {
    await server.trailWritten()
    const { rows } = await database.pool.query<{ times: number | null }>(
      `SELECT sum(times)::int AS times FROM trail WHERE real_user_id = $1 AND operation = 'charts.recent'`,
      [real_user_id],
    )
    return rows[0]?.times ?? 0
  }
  const readers = [read(), read()]
  // Until reads that have their row already came again, and are told of too.
  await until(() => answered > 0)
  await until(told)
  const due = answered + 1
  await until(() => answered >= due)
  await until(async () => (await told()) >= due)
  process.kill(service.pid, 'SIGKILL')
  isKilled.abort()
  await Promise.all([service.exited, ...readers])
  const times = await told()
  expect(times).toBeGreaterThanOrEqual(due)
  expect(times).toBeLessThanOrEqual(answered + readers.length)
})

test('erasure leaves rows under ids that lead to nobody, no old value, and the chain whole', async () => {
  const account = await signUp(server)
  const { token } = account
  const one = await addChild(server, token)
  const canary = `Canary-${one.real_user_id}`
  const json = { id: one.real_user_id, first_name: canary }
  await server.patch(`/api/v1/beta/user/real-user/${one.real_user_id}`, { token, json })
  await server.patch(`/api/v1/beta/user/real-user/${one.real_user_id}`, {
    token,
    json: { ...json, first_name: 'Mina' },
  })
  await server.trailWritten()
  await closeBlocks(server.database, keys, { even: true })
  const texts = async () => {
    const { rows } = await server.database.pool.query<{ row: object }>(
      `SELECT to_jsonb(t) AS row FROM trail t WHERE real_user_id = $1`,
      [one.real_user_id],
    )
    return rows.map(({ row }) => JSON.stringify(decryptRow(server.database.keyRing, 'trail', row)))
  }
  expect((await texts()).join()).toContain(canary)
  expect((await server.delete('/api/v1/beta/user/root-user', { token })).status).toBe(200)
  await server.trailWritten()
  await closeBlocks(server.database, keys, { even: true })
  const left = await texts()
  expect(left.length).toBeGreaterThan(3)
  for (const trace of [canary, account.email, account.phone]) expect(left.join()).not.toContain(trace)
  expect(await damages()).toEqual([])

  // Of somebody who is not erased nothing may go.
  const { pool } = server.database
  const spared = await addChild(server, owner.token)
  const changed = { id: spared.real_user_id, first_name: 'Minho' }
  await server.patch(`/api/v1/beta/user/real-user/${spared.real_user_id}`, {
    token: owner.token,
    json: changed,
  })
  await server.trailWritten()
  await closeBlocks(server.database, keys, { even: true })
  await pool.query(`UPDATE trail SET old_value = NULL WHERE real_user_id = $1`, [spared.real_user_id])
  expect(await damages()).toMatchObject([{ record: 'trail', damage: 'changed' }])
  const gone = { real_user_id: spared.real_user_id, unique_id: spared.unique_id }
  await server.delete('/api/v1/beta/user/delete-real-user', { token: owner.token, json: gone })
  expect(await damages()).toEqual([])
})

test('months that are over are dropped after TRAIL_YEARS, and the chain begins behind them', async () => {
  const aged = server.database
  const { pool } = aged
  const age = async (day: string) => {
    await pool.query('SELECT add_trail_month($1::date)', [day])
    await pool.query(
      `INSERT INTO trail (at, actor_kind, actor, operation, real_user_id, outcome, is_counted)
       SELECT $1::timestamptz + n * interval '1 hour', 'account', '1', 'children.read', $2, 'ok', false
       FROM generate_series(1, 30) n`,
      [day, child.real_user_id],
    )
  }
  // Of the present day's years before: the month of 6 years ago stays, the ones before go. One has no partition.
  const year = new Date().getUTCFullYear() - 6
  const month = new Date().getUTCMonth()
  const day = (months: number) => new Date(Date.UTC(year, month - months, 3)).toISOString().slice(0, 10)
  for (const months of [0, 1, 2]) await age(day(months))
  await pool.query(
    `INSERT INTO trail (at, actor_kind, actor, operation, real_user_id, outcome, is_counted)
     VALUES ($1::timestamptz, 'account', '1', 'children.read', $2, 'ok', false)`,
    [day(30), child.real_user_id],
  )
  const oldest = async () =>
    (await pool.query(`SELECT min(at)::date::text AS oldest FROM trail`)).rows[0].oldest
  const goOn = () => purge(aged, server.config, { more: purgedTrailMonths(keys, server.config) })
  // Not before they are in blocks.
  expect(await goOn()).toMatchObject({ trail_months: 0 })
  await closeBlocks(aged, keys, { even: true })
  const untouched = await damages()
  expect(await goOn()).toMatchObject({ trail_months: 2 })
  expect(await oldest()).toBe(day(0))
  expect(await damages()).toEqual(untouched)
  expect(await goOn()).toMatchObject({ trail_months: 0 })
  // The next month is there before it begins.
  const next = new Date(Date.UTC(new Date().getUTCFullYear(), month + 1)).toISOString().slice(0, 7)
  const { rows } = await pool.query(`SELECT to_regclass($1) IS NOT NULL AS is_there`, [
    `trail_${next.replace('-', '_')}`,
  ])
  expect(rows[0].is_there).toBe(true)
})
