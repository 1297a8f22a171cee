import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createAlertSenders } from '@companion/server/delivery/configured.ts'
import { startSendingAlerts } from '@companion/server/delivery/send-alerts.ts'
import { createLogger } from '@companion/server/telemetry/log.ts'
import { companion } from '../support/command.ts'
import { changes, settled } from '../support/changes.ts'
import { addChild, devlogItem, PASSWORD, signIn, signUp, upload } from '../support/family.ts'
import type { Account } from '../support/family.ts'
import { connectBasestation, reading, uploadReadings } from '../support/basestations.ts'
import { addService } from '../support/oauth.ts'
import { addMember } from '../support/shares.ts'
import { useServer } from '../support/server.ts'
import { until } from '../support/until.ts'

const server = useServer()
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllEnvs()
})

const DAY = 86_400_000
const travelTo = (now: Date | number) => void vi.useFakeTimers({ toFake: ['Date'], now })

/** Runs `companion purge` with this retention. */
async function purge(retention: object, ...options: string[]) {
  vi.stubEnv('RETENTION', JSON.stringify(retention))
  vi.stubEnv('OUTBOX_FILE', server.config.outboxFile)
  const done = await companion(server, 'purge', '--json', ...options)
  expect([done.code, done.said]).toEqual([0, expect.any(String)])
  return done.result
}

const count = async (text: string, values: unknown[] = []) =>
  Number((await server.database.pool.query(`SELECT count(*) FROM ${text}`, values)).rows[0].count)

describe('records of children', () => {
  let owner: Account
  let real_user_id: number
  /** The record of each date, and of the day before. */
  beforeEach(async () => {
    travelTo(new Date('2026-06-15T12:00:00Z'))
    owner = await signUp(server)
    const child = await addChild(server, owner.token)
    ;({ real_user_id } = child)
    const home = await connectBasestation(server, owner.token)
    for (const [n, date] of ['2025-12-14', '2025-12-15'].entries()) {
      await upload(server, [devlogItem(child.unique_id, `${date}T21:30:00`, { log_file_id: n + 1 })])
      await uploadReadings(server, [reading(home.unique_id, `${date}T21:30:00`)])
      await server.post('/api/v1/beta/event', {
        token: owner.token,
        json: { real_user_id, created_at: date, memo: date },
      })
      await server.database.pool.query(
        `INSERT INTO survey (real_user_id, attention_score, impulsivity_score, disorder_score, created_at)
         VALUES ($1, 1, 2, 3, $2)`,
        [real_user_id, `${date}T21:30:00Z`],
      )
    }
  })

  const left = async () => ({
    treatments: await count('treatment WHERE real_user_id = $1', [real_user_id]),
    readings: await count('reading_day WHERE root_user_id = $1', [owner.id]),
    notes: await count('event WHERE real_user_id = $1', [real_user_id]),
    surveys: await count('survey WHERE real_user_id = $1', [real_user_id]),
  })
  const all = { treatments: 2, readings: 2, notes: 2, surveys: 2 }

  test('without RETENTION, and with "none", nothing goes', async () => {
    await companion(server, 'purge')
    expect(await left()).toEqual(all)
    await purge({ treatments: 'none', notes: 'none' })
    expect(await left()).toEqual(all)
  })

  test.each([
    ['treatments', 'old_treatments', '2025-12-14T21:30:00'],
    ['readings', 'old_reading_days', '2025-12-14'],
    ['notes', 'old_notes', '2025-12-14'],
    ['surveys', 'old_surveys', '2025-12-14T21:30:00+00:00'],
  ] as const)('%s go when they are six months old, to the day, and no others', async (key, kind, oldest) => {
    const planned: { kind: string; rows: number }[] = await purge({ [key]: 6 }, '--dry-run')
    expect(planned.find((each) => each.kind === kind)).toMatchObject({
      oldest,
      why: 'older than RETENTION keeps it',
    })
    expect(await left()).toEqual(all)
    const due = planned.find((each) => each.kind === kind)?.rows ?? 0
    expect(due).toBeGreaterThanOrEqual(1)
    expect(await purge({ [key]: 6 })).toMatchObject({ [kind]: due })
    expect(await left()).toEqual({ ...all, [key]: 1 })
    expect(await purge({ [key]: 6 })).toMatchObject({ [kind]: 0 })
  })

  test('those who watch the child are told, as of other deletions', async () => {
    const member = await addMember(server, owner, { real_user_id, role: 'guardian' })
    // What a device has deleted was told then.
    await server.database.pool.query(
      `INSERT INTO treatment (device_id, real_user_id, treatment_date, treatment_time, log_file_id, last_intensity, finish_flag,
         intensity_record, deleted_at)
       SELECT device_id, real_user_id, '2025-12-13T21:30:00', 60, 3, 1, 1, '{}', now() FROM treatment WHERE real_user_id = $1 LIMIT 1`,
      [real_user_id],
    )
    await settled(server)
    const { next } = (await changes(server, member.token, { after: 'latest' })).body
    await purge({ treatments: 6, notes: 6, surveys: 6 })
    await settled(server)
    const { items } = (await changes(server, member.token, { after: next })).body
    expect(items.map(({ kind, date }: { kind: string; date: string | null }) => [kind, date])).toEqual([
      ['treatment.deleted', '2025-12-14'],
      ['note.deleted', '2025-12-14'],
      ['survey.deleted', null],
    ])
    expect(await left()).toMatchObject({ treatments: 1 })
  })

  test('a plan goes when another had followed it by then, so that it judges no night that is kept', async () => {
    const from = async () => {
      const { rows } = await server.database.pool.query(
        'SELECT from_date::text AS date FROM plan WHERE real_user_id = $1 ORDER BY 1',
        [real_user_id],
      )
      return rows.map(({ date }) => date)
    }
    await server.database.pool.query(
      `INSERT INTO plan (real_user_id, from_date, nights_per_week, minutes, set_by, set_at)
       SELECT $1, date, 5, 60, 'parent', now() FROM unnest('{2025-01-01,2025-03-01,2026-06-01}'::date[]) date`,
      [real_user_id],
    )
    await purge({ treatments: 6 })
    expect(await from()).toEqual(['2025-03-01', '2026-06-01'])
  })

  test('a thousand and more go in several transactions, of many children', async () => {
    const { pool } = server.database
    await pool.query(
      `INSERT INTO treatment (device_id, real_user_id, treatment_date, treatment_time, log_file_id, last_intensity, finish_flag, intensity_record)
       SELECT 1, 1000000 + n % 2000, '2020-01-01'::timestamp + n * interval '1 minute', 60, n, 1, 1, '{}'
       FROM generate_series(1, 2500) n`,
    )
    await pool.query(
      `INSERT INTO real_user (id, root_user_id, first_name, last_name, birthdate, gender)
       SELECT 1000000 + n, $1, 'Mina', '', '20180203', 'F' FROM generate_series(0, 1999) n`,
      [owner.id],
    )
    expect((await purge({ treatments: 6 })).old_treatments).toBeGreaterThanOrEqual(2501)
    expect(await count('treatment WHERE real_user_id >= 1000000')).toBe(0)
    expect((await left()).treatments).toBe(1)
    await pool.query('DELETE FROM real_user WHERE id >= 1000000')
  })
})

describe('what ends', () => {
  const now = new Date('2026-06-15T12:00:00Z')
  const ago = (days: number) => new Date(now.getTime() - days * DAY)
  const ahead = (days: number) => ago(-days)
  const LONG = ago(1500)
  const YEAR = 366

  /** Adds a row of each, and says which of them a purge leaves. */
  async function leftOf(table: string, columns: string, rows: readonly unknown[][]): Promise<number[]> {
    const { pool } = server.database
    const ids: number[] = []
    for (const row of rows) {
      const places = row.map((_, n) => `$${n + 1}`)
      const added = await pool.query(
        `INSERT INTO ${table} (${columns}) VALUES (${places.join(', ')}) RETURNING id`,
        row,
      )
      ids.push(added.rows[0].id)
    }
    await purge({})
    const { rows: left } = await pool.query(`SELECT id FROM ${table} WHERE id = ANY ($1)`, [ids])
    return ids.flatMap((id, n) => (left.some((row) => row.id === id) ? [n] : []))
  }

  beforeEach(() => travelTo(now))

  test('grants go a year after their end, and never while they are in force', async () => {
    const owner = await signUp(server)
    const rows = [
      [null, null],
      [ahead(1), null],
      [ago(YEAR - 1), null],
      [ago(YEAR + 1), null],
      [null, ago(YEAR - 1)],
      [null, ago(YEAR + 1)],
      [ahead(1), ago(YEAR + 1)],
    ]
    const given = []
    for (const row of rows) {
      const { client_id } = await addService(server)
      const { rows: found } = await server.database.pool.query('SELECT id FROM client WHERE client_id = $1', [
        client_id,
      ])
      given.push([owner.id, found[0].id, [], LONG, ...row])
    }
    const columns = 'root_user_id, client_id, scopes, granted_at, expires_at, ended_at'
    expect(await leftOf('access_grant', columns, given)).toEqual([0, 1, 2, 4])
  })

  test('shares go a year after their end or their last day, and never before', async () => {
    const owner = await signUp(server)
    const { real_user_id } = await addChild(server, owner.token)
    const rows = [
      [null, null],
      [ahead(1), null],
      [ago(YEAR - 2), null],
      [ago(YEAR + 2), null],
      [null, ago(YEAR - 1)],
      [null, ago(YEAR + 1)],
      [ahead(1), ago(YEAR + 1)],
    ]
    const given = []
    for (const row of rows) given.push([real_user_id, (await signUp(server)).id, 'viewer', LONG, ...row])
    const columns = 'real_user_id, root_user_id, role, since, until, ended_at'
    expect(await leftOf('membership', columns, given)).toEqual([0, 1, 2, 4])
  })

  test('invitations go a day after their end', async () => {
    const owner = await signUp(server)
    const { real_user_id } = await addChild(server, owner.token)
    const rows = [ahead(1), ago(0.9), ago(1.1)].map((end, n) => [
      real_user_id,
      Buffer.from(`${owner.id}-${n}`),
      'viewer',
      `unread ${n}`,
      Buffer.from(`hash ${n}`),
      LONG,
      end,
    ])
    const columns = 'real_user_id, token_hash, role, email, email_hash, created_at, expires_at'
    expect(await leftOf('invitation', columns, rows)).toEqual([0, 1])
  })
})

describe('unused accounts', () => {
  const RETENTION = { inactive_accounts: 12 }
  // PostgreSQL's own clock says when the account is made.
  const start = Date.now()
  // Twelve months have 365 or 366 days.
  const travel = (days: number) => travelTo(start + days * DAY)
  let account: Account
  beforeEach(async () => {
    travel(0)
    account = await signUp(server)
  })

  /** Sends the mails that are due; with `isBroken` none arrives. */
  async function deliver(isBroken = false) {
    const senders = createAlertSenders(server.config)
    const worker = startSendingAlerts(
      {
        database: server.database,
        senders: isBroken ? { ...senders, mail: async () => 'refused' } : senders,
        log: createLogger('silent'),
        timeZone: server.config.timeZone,
      },
      { pollMs: 10, tryMs: 5000, retryMs: 20, mostAttempts: 1 },
    )
    await until(async () => (await count('alert WHERE due_at IS NOT NULL')) === 0)
    await worker.stop()
  }
  const mails = async () =>
    (await server.outbox()).filter(
      ({ to, subject }) => to === account.email && subject === 'Companion 계정이 30일 후 삭제됩니다',
    ).length
  const isThere = () => count('root_user WHERE id = $1 AND deleted_at IS NULL', [account.id])

  test('are told once, 30 days before, and then erased', async () => {
    travel(300)
    await purge(RETENTION)
    await deliver()
    expect(await mails()).toBe(0)

    travel(337)
    const planned: object[] = await purge(RETENTION, '--dry-run')
    expect(planned).toContainEqual(
      expect.objectContaining({ kind: 'inactive_accounts_notified', oldest: expect.any(String) }),
    )
    expect(await mails()).toBe(0)
    await purge(RETENTION)
    await purge(RETENTION)
    await deliver()
    expect(await mails()).toBe(1)

    travel(364)
    await purge(RETENTION)
    expect(await isThere()).toBe(1)
    travel(368)
    expect((await purge(RETENTION)).inactive_accounts_erased).toBeGreaterThanOrEqual(1)
    expect(await isThere()).toBe(0)
    expect(await count('account_activity WHERE root_user_id = $1', [account.id])).toBe(0)
    await deliver()
    expect(await mails()).toBe(1)
    expect((await server.outbox()).findLast(({ to }) => to === account.email)).toMatchObject({
      channel: 'email',
      subject: 'Companion 계정이 삭제되었습니다',
    })
    expect(
      await count(`security_record WHERE root_user_id = $1 AND action = 'account_delete'`, [account.id]),
    ).toBe(1)
  })

  test('stay when their holder signs in, and count from there', async () => {
    travel(337)
    await purge(RETENTION)
    await deliver()
    expect(await mails()).toBe(1)
    travel(340)
    expect((await signIn(server, account.email, PASSWORD)).status).toBe(200)
    travel(400)
    await purge(RETENTION)
    expect(await isThere()).toBe(1)
    travel(340 + 336)
    await purge(RETENTION)
    await deliver()
    expect(await mails()).toBe(2)
  })

  test('stay while nobody could be told, and are told again', async () => {
    travel(337)
    await purge(RETENTION)
    await deliver(true)
    travel(400)
    await purge(RETENTION)
    expect(await isThere()).toBe(1)
    await deliver()
    expect(await mails()).toBe(1)
    // They have been away for longer than accounts are kept, and were told today.
    travel(429)
    await purge(RETENTION)
    expect(await isThere()).toBe(1)
    travel(431)
    await purge(RETENTION)
    expect(await isThere()).toBe(0)
  })

  test('stay while the mail waits to be sent', async () => {
    travel(337)
    await purge(RETENTION)
    travel(400)
    await purge(RETENTION)
    expect(await isThere()).toBe(1)
  })

  test('stay without RETENTION', async () => {
    travel(4000)
    await companion(server, 'purge')
    expect(await isThere()).toBe(1)
  })
})
