/*
 * Fills an empty database for measurements: 1,000 accounts with two children each, each child with one device and 500
 * nights up to LAST_DAY, a plan, and events on a tenth of the days. Each account is a viewer of two children of another one. Prints
 * tokens and ids as JSON. `CLINIC=on` connects all children with a clinic; `ACCOUNTS` says how many accounts there are.
 *
 *   DATABASE_URL=postgres://… TOKEN_SECRET=… node test/bench/load.ts > data.json
 */
import { SignJWT } from 'jose'
import { deriveKeys } from '@companion/server/auth/keys.ts'
import { readConfig } from '@companion/server/config/config.ts'
import { openDatabase } from '@companion/server/database/database.ts'
import type { Database } from '@companion/server/database/database.ts'

const ACCOUNTS = Number(process.env['ACCOUNTS'] ?? 1000)
/** Of each account. */
const CHILDREN = 2
const NIGHTS = 500
/** Triggers keep the rows of a statement in memory or beside the database. */
const NIGHTS_AT_ONCE = 25
const TOKEN_DAYS = 30

export interface BenchData {
  /** The last day with data. */
  date: string
  accounts: { token: string; realUserId: number[]; shared?: number[] }[]
  uniqueId: string[]
  /** Of the clinic that all children are connected with, if there is one. */
  clinic?: { token: string; id: number }
}

const uniqueIdOf = (n: string) =>
  `overlay(overlay(md5('device' || ${n}) PLACING '4' FROM 13) PLACING '8' FROM 17)::uuid`

const inserts = (accounts: number): [sql: string, values: unknown[]][] => [
  [
    `INSERT INTO root_user (id, email, first_name, last_name, birthdate, gender, phone, is_phone_number_checked,
       is_signup_completed, register_type, national_code, password_changed_at)
     SELECT n, 'user' || n || '@example.com', 'Parent ' || n, '', '19800101', 'F', '+8210' || lpad(n::text, 8, '0'),
       true, true, 'E', 'KR', now() FROM generate_series(1, $1::int) n`,
    [accounts],
  ],
  [
    `INSERT INTO consent (root_user_id, kind, new_value, source, recorded_at)
     SELECT n, kind, false, 'sign-up', now()
     FROM generate_series(1, $1::int) n CROSS JOIN unnest(ARRAY['push', 'marketing']) kind`,
    [accounts],
  ],
  [
    `INSERT INTO real_user (id, root_user_id, first_name, last_name, birthdate, gender)
     SELECT n, (n + 1) / 2, 'Child ' || n, '', '20150101', 'M' FROM generate_series(1, $1::int) n`,
    [accounts * CHILDREN],
  ],
  [
    `INSERT INTO device (id, unique_id, serial_code, mac_id, device_alias, real_user_id, connected_at)
     SELECT n, ${uniqueIdOf('n')}, 'SN-' || lpad(n::text, 8, '0'), 'AB12', 'device ' || n, n, now()
     FROM generate_series(1, $1::int) n`,
    [accounts * CHILDREN],
  ],
]

/** Of nights $4 to $5, the first of which is 0, and $2 in all. */
const insertsOfNights = [
  // Store night by night, so that the rows of one child are scattered as in real life. Contact losses would alert.
  `INSERT INTO treatment (device_id, real_user_id, treatment_date, treatment_time, movement, log_file_id,
     last_intensity, finish_flag, is_temp, intensity_record)
   SELECT c, c, $1::date - $2::int + 1 + night + interval '20 hours' + h % 7200 * interval '1 second', 60 + h % 3600,
     h % 400, night * $3::int + c, 1 + h % 15, 1 + h % 3, h % 50 = 0,
     ARRAY[1 + h % 15, 1 + h % 14, 1 + h % 13, 1 + h % 12, 1 + h % 11,
           1 + h % 10, 1 + h % 9, 1 + h % 8, 1 + h % 7, 1 + h % 6]::smallint[]
   FROM generate_series($4::int, $5::int) night, generate_series(1, $3::int) c,
     LATERAL (SELECT abs(hashint4(night * 4001 + c)) / 2 AS h) x`,
  `INSERT INTO event (real_user_id, event_date, memo, event_data)
   SELECT c, $1::date - $2::int + 1 + night, 'memo ' || night,
     '{"medication": [{"medication_name": "A", "medication_dose": 10}], "hospital": ["H"]}'
   FROM generate_series($4::int, $5::int) night, generate_series(1, $3::int) c
   WHERE abs(hashint4(night * 7919 + c)) % 10 = 0`,
]

const insertsOfClinic = [
  `INSERT INTO root_user (id, first_name, last_name, birthdate, gender, register_type, national_code, is_signup_completed, is_phone_number_checked)
   SELECT max(id) + 1, 'Dr. Lee', '', '', '', 'P', '', true, false FROM root_user`,
  `INSERT INTO clinic (name, code) VALUES ('Seoul Sleep Clinic', 'AAAAAAAAAAAA')`,
  `INSERT INTO clinic_member (clinic_id, root_user_id, role, since)
   SELECT c.id, u.id, 'admin', now() FROM clinic c, root_user u WHERE u.register_type = 'P'`,
  `INSERT INTO clinic_connection (clinic_id, real_user_id, since) SELECT c.id, r.id, now() FROM clinic c, real_user r`,
]

export interface Size {
  accounts?: number
  nights?: number
}

/** Fills a migrated, empty database; `date` is the last day with data. */
export async function fill(
  database: Database,
  date: string,
  { accounts = ACCOUNTS, nights = NIGHTS }: Size = {},
): Promise<void> {
  const client = await database.pool.connect()
  try {
    await client.query('BEGIN')
    for (const [sql, values] of inserts(accounts)) await client.query(sql, values)
    // With `wal_level = minimal`, what is stored in a table emptied by the same transaction is not written twice.
    await client.query('TRUNCATE treatment')
    for (let night = 0; night < nights; night += NIGHTS_AT_ONCE) {
      const last = Math.min(night + NIGHTS_AT_ONCE, nights) - 1
      for (const sql of insertsOfNights)
        await client.query(sql, [date, nights, accounts * CHILDREN, night, last])
    }
    // Triggers that look at what was stored above would plan for empty tables.
    await client.query('ANALYZE')
    // Older versions, to which this one is compared, know no members, plans or clinics.
    const knows = async (table: string) => {
      const { rows } = await client.query(`SELECT WHERE to_regclass($1) IS NOT NULL`, [table])
      return rows.length > 0
    }
    if (process.env['MEMBERS'] !== 'off' && (await knows('membership')))
      await client.query(
        `INSERT INTO membership (real_user_id, root_user_id, role, since)
         SELECT n, (n + 1) / 2 % $2::int + 1, 'viewer', now() FROM generate_series(1, $1::int) n`,
        [accounts * CHILDREN, accounts],
      )
    if (await knows('plan'))
      await client.query(
        `INSERT INTO plan (real_user_id, from_date, nights_per_week, minutes, set_by, set_at)
         SELECT n, $2::date - $3::int, 4, 20, 'parent', now() FROM generate_series(1, $1::int) n`,
        [accounts * CHILDREN, date, nights],
      )
    if (process.env['CLINIC'] === 'on' && (await knows('clinic')))
      for (const sql of insertsOfClinic) await client.query(sql)
    for (const table of ['root_user', 'real_user', 'device']) {
      await client.query(
        `SELECT setval(pg_get_serial_sequence('${table}', 'id'), (SELECT max(id) FROM ${table}))`,
      )
    }
    await client.query('COMMIT')
  } finally {
    client.release()
  }
  await database.pool.query('VACUUM (ANALYZE)')
  await database.pool.query('CHECKPOINT')
}

/** Encrypts what `user/me` reads of accounts, as in a database that was new when the service learnt to encrypt. */
export async function encryptNames({ pool, keyRing }: Database): Promise<void> {
  const columns = ['first_name', 'last_name', 'birthdate', 'phone'] as const
  const { rows } = await pool.query<{ id: number } & Record<(typeof columns)[number], string>>(
    `SELECT id, ${columns.join(', ')} FROM root_user`,
  )
  const sealed = columns.map((column) =>
    rows.map((row) => keyRing.encrypt(`root_user.${column}`, row[column])),
  )
  await pool.query(
    `UPDATE root_user u SET ${columns.map((column) => `${column} = sealed.${column}`).join(', ')}
     FROM unnest($1::int[], $2::text[], $3::text[], $4::text[], $5::text[]) AS sealed (id, ${columns.join(', ')})
     WHERE u.id = sealed.id`,
    [rows.map(({ id }) => id), ...sealed],
  )
  await pool.query('VACUUM (ANALYZE) root_user')
}

/** Tokens and ids of a database that `fill` has filled. */
export async function benchData(database: Database, tokenSecret: string, date: string): Promise<BenchData> {
  const { access } = deriveKeys(tokenSecret)
  const { rows } = await database.pool.query<{ unique_id: string }>(
    'SELECT unique_id FROM device ORDER BY id',
  )
  const children = rows.length
  const tokenOf = (account: number, claims: object) =>
    new SignJWT({ epoch: 0, ...claims })
      .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
      .setIssuer('companion')
      .setSubject(String(account))
      .setIssuedAt()
      .setExpirationTime(`${TOKEN_DAYS}d`)
      .sign(access)
  const accounts = Array.from({ length: children / CHILDREN }, async (_, n) => ({
    token: await tokenOf(n + 1, {}),
    realUserId: [2 * n + 1, 2 * n + 2],
    // Those of the account before, of the first account those of the last.
    shared: [1, 2].map((k) => ((2 * n + children - 2) % children) + k),
  }))
  return {
    date,
    accounts: await Promise.all(accounts),
    uniqueId: rows.map(({ unique_id }) => unique_id),
    ...(process.env['CLINIC'] === 'on'
      ? { clinic: { token: await tokenOf(accounts.length + 1, { clinician: true }), id: 1 } }
      : {}),
  }
}

/** Both: fills a database and answers its tokens and ids. */
export async function load(
  database: Database,
  tokenSecret: string,
  date: string,
  size?: Size,
): Promise<BenchData> {
  await fill(database, date, size)
  return benchData(database, tokenSecret, date)
}

if (import.meta.main) {
  const config = readConfig(process.env)
  if (!config.database || !config.tokenSecret) throw new Error('DATABASE_URL and TOKEN_SECRET are required')
  const database = await openDatabase(config.database, { pool: 2 })
  await database.migrate()
  const date = process.env['LAST_DAY'] ?? new Date().toISOString().slice(0, 10)
  process.stdout.write(JSON.stringify(await load(database, config.tokenSecret, date)))
  await database.close()
}
