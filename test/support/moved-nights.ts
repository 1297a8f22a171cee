import { setTimeout as pause } from 'node:timers/promises'
import { alertText } from '@companion/server/delivery/alert.ts'
import type { AlertSender } from '@companion/server/delivery/alert.ts'
import { openDatabase } from '@companion/server/database/database.ts'
import type { Database } from '@companion/server/database/database.ts'
import { startSendingAlerts } from '@companion/server/delivery/send-alerts.ts'
import { keyRingOf } from '@companion/server/encryption/key-ring.ts'
import { checkDueNights } from '@companion/server/delivery/watch-nights.ts'
import { createLogger } from '@companion/server/telemetry/log.ts'

/*
 * Families in many zones, whose evenings are judged and whose alerts are sent by a clock that jumps from one moment at which
 * something happens to the next. The clock is a function `now()` that PostgreSQL finds before its own.
 */

const TIME_ZONE = 'America/New_York'
const DAY_MS = 86_400_000
const keyRing = keyRingOf(
  { dataKeys: [], hashSecret: undefined },
  'a secret for simulated families, 32 bytes',
)
/** With changes of the clock on various dates, half an hour, three quarters of one beside UTC, and none. */
const ZONES = [
  'America/New_York',
  'America/St_Johns',
  'America/Santiago',
  'Europe/London',
  'Europe/Berlin',
  'Africa/Cairo',
  'Asia/Seoul',
  'Asia/Kolkata',
  'Australia/Sydney',
  'Australia/Lord_Howe',
  'Pacific/Chatham',
  'Pacific/Auckland',
]
const QUIET_FROM = '21:30'
const QUIET_TO = '09:30'
/** Of a hundred: nights that arrive at 07:00, and of those that are to be told the ones whose log comes just before. */
const [USED, IN_TIME] = [88, 10]
const WORN = /not (worn|used|wear)|unused|didn.t|did not|착용|사용하지/

export interface Told {
  sent: number
  /** Alerts that were sent twice. */
  doubled: number
  /** Sent in the quiet hours of their recipient. */
  inQuiet: number
  /** Whose text says something of wearing. */
  worn: number
  /** Written, and not sent because a record came before. */
  withdrawn: number
  /** Sent though a record had come before. */
  late: number
  /** Missing nights that were to be told and were not, and the reverse. */
  untold: number
  needless: number
}

/**
 * Lets `families` live from one date to another, in a migrated database of which `url` has a superuser. The database is emptied
 * first. `progress` takes the date and what was found so far, once for each day.
 */
export async function moveNights(
  url: string,
  { families, first, last }: { families: number; first: string; last: string },
  progress: (date: string, told: Told) => void = () => undefined,
): Promise<Told> {
  const admin = await openDatabase(url, { pool: 1 })
  const database = await openDatabase(url, { pool: 1, keyRing })
  try {
    await admin.pool.query(`CREATE SCHEMA IF NOT EXISTS moved`)
    await admin.pool.query(
      `CREATE OR REPLACE FUNCTION moved.now() RETURNS timestamptz LANGUAGE sql STABLE AS
         'SELECT pg_catalog.current_setting(''moved.now'')::pg_catalog.timestamptz'`,
    )
    await settle(admin, families, first)
    database.pool.options.idleTimeoutMillis = 0
    await database.pool.query('SET search_path = moved, pg_catalog, public')
    return await live(database, Date.parse(first), Date.parse(last), progress)
  } finally {
    await database.close()
    await admin.close()
  }
}

async function settle({ pool }: Database, families: number, first: string): Promise<void> {
  await pool.query('TRUNCATE root_user, device, treatment, alert, night_watch CASCADE')
  await pool.query(
    `INSERT INTO root_user (id, first_name, last_name, birthdate, gender, is_phone_number_checked, is_signup_completed, register_type,
       national_code, time_zone, missing_night_at, quiet_from, quiet_to, is_child_named_in_alerts)
     OVERRIDING SYSTEM VALUE
     SELECT n, '', '', '', 'F', true, true, 'E', CASE WHEN n % 2 = 0 THEN 'KR' ELSE 'US' END, ($2::text[])[1 + n % cardinality($2)],
       (ARRAY['08:00', '10:00', '07:30'])[1 + n / 7 % 3], CASE WHEN n % 3 = 0 THEN $3 END, CASE WHEN n % 3 = 0 THEN $4 END, n % 5 = 0
     FROM generate_series(1, $1::int) n`,
    [families, ZONES, QUIET_FROM, QUIET_TO],
  )
  await pool.query(
    `INSERT INTO consent (root_user_id, kind, new_value, source, recorded_at)
     SELECT id, kind, kind = 'push', 'sign-up', now() FROM root_user CROSS JOIN unnest(ARRAY['push', 'marketing']) kind`,
  )
  await pool.query(
    `INSERT INTO push_token (root_user_id, token, token_hash) SELECT id, id::text, sha256(id::text::bytea) FROM root_user`,
  )
  await pool.query(
    `INSERT INTO real_user (id, root_user_id, first_name, last_name, birthdate, gender)
     OVERRIDING SYSTEM VALUE SELECT id, id, 'Min', '', '', 'F' FROM root_user`,
  )
  await pool.query(
    `INSERT INTO device (id, unique_id, serial_code, mac_id, device_alias, real_user_id, connected_at)
     OVERRIDING SYSTEM VALUE SELECT id, gen_random_uuid(), 'NIGHT-' || id, '0000', '', id, $1::timestamptz - interval '5 days' FROM root_user`,
    [first],
  )
  // As the first upload of each does; on several nodes records have to find the row that it makes.
  await pool.query('SELECT lock_device_records(id) FROM device')
  await pool.query(
    `INSERT INTO plan (real_user_id, from_date, nights_per_week, minutes, bedtime, set_by, set_at)
     SELECT id, $1::date - 30, 5, 240, (ARRAY['20:00', '21:15', '02:30', '01:45'])[1 + id / 11 % 4], 'parent', now()
     FROM root_user WHERE id % 5 = 1`,
    [first],
  )
  await pool.query('UPDATE root_user SET is_missing_night_told = true, is_bedtime_reminded = id % 5 = 1')
  await pool.query('UPDATE night_watch SET due_at = $1, evening = NULL', [first])
  await pool.query('ANALYZE')
}

interface Alert {
  child: number
  kind: string
  evening: string
}

async function live(
  database: Database,
  from: number,
  until: number,
  progress: (date: string, told: Told) => void,
): Promise<Told> {
  const { pool } = database
  const dayOf = (evening: string) => Math.round((Date.parse(evening) - from) / DAY_MS)
  const place = (child: number, day: number) => child * 1000 + day + 100
  const nightOf = ({ child, evening }: Omit<Alert, 'kind'>) => place(child, dayOf(evening))
  let clock = from
  const setClock = async (at: number) => {
    clock = at
    await pool.query(`SELECT set_config('moved.now', $1, false)`, [new Date(at).toISOString()])
  }
  await setClock(from)

  /** Nights of which a record has come. */
  const arrived = new Set<number>()
  /** Missing nights of which an alert was written, and of these the ones that came before it was sent. */
  const written = new Set<number>()
  const withdrawn = new Set<number>()
  const arrive = async (evening: string, condition: string, values: unknown[]) => {
    const { rows } = await pool.query<{ child: number }>(
      `INSERT INTO treatment (device_id, real_user_id, treatment_date, treatment_time, log_file_id, last_intensity, finish_flag,
         intensity_record)
       SELECT r.id, r.id, $1::date + time '20:00', 3600, 1, 5, 1, '{}' FROM real_user r JOIN root_user u ON u.id = r.root_user_id
       WHERE ${condition} ON CONFLICT DO NOTHING RETURNING real_user_id AS child`,
      [evening, ...values],
    )
    for (const { child } of rows) arrived.add(nightOf({ child, evening }))
  }

  const { rows } = await pool.query<Family & { child: number }>(
    `SELECT u.id AS child, u.time_zone AS zone, u.quiet_from IS NOT NULL AS is_quiet_at_night,
       ((d.connected_at AT TIME ZONE u.time_zone + interval '6 hours')::date - $1::date)::int AS connected
     FROM root_user u JOIN device d ON d.real_user_id = u.id`,
    [new Date(from).toISOString().slice(0, 10)],
  )
  const families = new Map(rows.map((row) => [row.child, row]))
  const result: Told = {
    sent: 0,
    doubled: 0,
    inQuiet: 0,
    worn: 0,
    withdrawn: 0,
    late: 0,
    untold: 0,
    needless: 0,
  }
  const sentAlerts = new Set<string>()
  const send: AlertSender = async ({ kind, real_user_id, evening = '' }, recipient) => {
    const child = real_user_id ?? 0
    const family = families.get(child)
    const key = `${kind} ${nightOf({ child, evening })}`
    result.sent += 1
    if (sentAlerts.has(key)) result.doubled += 1
    sentAlerts.add(key)
    if (family?.is_quiet_at_night && isQuiet(clock, family.zone)) result.inQuiet += 1
    if (WORN.test(alertText(kind, recipient))) result.worn += 1
    if (arrived.has(nightOf({ child, evening }))) result.late += 1
    return 'sent'
  }
  async function sendAll(): Promise<void> {
    const pace = { pollMs: 2, tryMs: 60_000, retryMs: 20, mostAttempts: 5 }
    const senders = { push: send, alim_talk: send, mail: send }
    const sending = startSendingAlerts(
      { database, senders, log: createLogger('warn'), timeZone: TIME_ZONE },
      pace,
    )
    while ((await pool.query('SELECT FROM alert WHERE due_at <= now() LIMIT 1')).rows.length > 0)
      await pause(1)
    await sending.stop()
  }

  const { rows: mornings } = await pool.query<{ zone: string; evening: string; at: number }>(
    `SELECT zone, to_char(evening, 'YYYY-MM-DD') AS evening,
       1000 * extract(epoch FROM (evening + 1 + time '07:00') AT TIME ZONE zone)::float8 AS at
     FROM unnest($1::text[]) zone, generate_series($2::timestamptz - interval '2 days', $3, interval '1 day') e,
       LATERAL (SELECT e::date AS evening) d
     ORDER BY at`,
    [ZONES, new Date(from), new Date(until)],
  )
  let [steps, day] = [0, 0]
  for (;;) {
    const { rows } = await pool.query<{ due: number }>(
      'SELECT 1000 * extract(epoch FROM least((SELECT min(due_at) FROM night_watch), (SELECT min(due_at) FROM alert)))::float8 AS due',
    )
    const due = rows[0]?.due ?? Infinity
    const [morning] = mornings
    if (new Date(clock).getUTCDate() !== day) {
      day = new Date(clock).getUTCDate()
      progress(new Date(clock).toISOString().slice(0, 10), result)
    }
    if (Math.min(due, morning?.at ?? Infinity) >= until) break
    if (morning && morning.at <= due) {
      mornings.shift()
      await setClock(Math.max(clock, morning.at))
      await arrive(morning.evening, `u.time_zone = $2 AND abs(hashint4(r.id * 1009 + $3)) % 100 < ${USED}`, [
        morning.zone,
        dayOf(morning.evening) + 1000,
      ])
      continue
    }
    // Within the minute in which an alert has to leave.
    await setClock(Math.max(clock, due) + (((steps += 1) * 7919) % 50_000))
    await checkDueNights(database, { now: () => new Date(clock), timeZone: TIME_ZONE })
    const { rows: alerts } = await pool.query<Alert>(
      `SELECT real_user_id AS child, kind, to_char(evening, 'YYYY-MM-DD') AS evening FROM alert WHERE due_at <= now()`,
    )
    for (const each of alerts) {
      if (each.kind === 'missing_night') written.add(nightOf(each))
      if ((each.child * 31 + dayOf(each.evening) * 17) % 100 >= IN_TIME) continue
      await arrive(each.evening, 'r.id = $2', [each.child])
      if (each.kind === 'missing_night') withdrawn.add(nightOf(each))
      result.withdrawn += 1
    }
    if (alerts.length > 0) await sendAll()
    if (steps % 500 === 0)
      await pool.query('DELETE FROM alert WHERE due_at IS NULL AND evening < now()::date - 5')
  }
  const days = Math.round((until - from) / DAY_MS)
  for (const [child, { connected }] of families) {
    let last = connected - 1
    for (let day = connected; day < days - 1; day += 1) {
      const night = place(child, day)
      const isMissing = !arrived.has(night) || withdrawn.has(night)
      const isToTell = isMissing && (day - last === 1 || (day - last) % 7 === 2)
      if (arrived.has(night)) last = day
      if (day < 1) continue
      if (isToTell && !written.has(night)) result.untold += 1
      if (!isToTell && written.has(night)) result.needless += 1
    }
  }
  return result
}

interface Family {
  zone: string
  is_quiet_at_night: boolean
  /** The day of the first evening that could have been used. */
  connected: number
}

const clocks = new Map(
  ZONES.map((timeZone) => [
    timeZone,
    new Intl.DateTimeFormat('en-GB', { timeZone, hour: '2-digit', minute: '2-digit', hourCycle: 'h23' }),
  ]),
)

function isQuiet(at: number, zone: string): boolean {
  const shown = clocks.get(zone)?.format(at) ?? ''
  return shown >= QUIET_FROM || shown < QUIET_TO
}
