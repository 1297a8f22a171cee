/*
 * Measures whether reports slow down other callers, in rounds on one service: the p99 of `GET user/me` while 20 reports of
 * three months are always running, as a ratio of its quiet p99. Also the time of 20 reports requested at once, and the
 * most memory that the service has used. The aim is a ratio of at most 3.
 *
 *   node test/bench/reports.ts
 */
import { makeNights } from '@companion/device-simulator'
import { hashPassword } from '@companion/server/auth/password/passwords.ts'
import { sessionResponseSchema } from '@companion/server/auth/tokens/token-response.ts'
import { readConfig } from '@companion/server/config/config.ts'
import { openConfiguredDatabase } from '@companion/server/open-database.ts'
import { compareRounds, get, p99Of, startEmbeddedService } from './embedded-service.ts'
import { residentMemory } from './process.ts'

const REPORTS = 20
const ROUNDS = 3
const FIRST = '2024-09-01'
const LAST = '2024-11-30'
const EMAIL = 'parent@example.com'
const PASSWORD = 'correct horse battery'

const service = await startEmbeddedService()
const { url, directory, pid } = service
try {
  const children = await addFamily()
  const token = await signIn()
  const report = (child: number) =>
    get(`${url}/api/v1/beta/pdf/export?real_user_id=${child}&current_date=${FIRST}&select_mode=2`, token)
  const read = () => p99Of(`${url}/api/v1/beta/user/me`, token)

  await read()
  const before = await residentMemory(pid, 'VmRSS')
  const started = performance.now()
  const sizes = await Promise.all(children.map(report))
  const seconds = ((performance.now() - started) / 1000).toFixed(1)
  const most = (Math.max(...sizes) / 1000).toFixed(0)
  process.stdout.write(`${REPORTS} reports at once: ${seconds} s, threads cold; the largest has ${most} kB\n`)

  await compareRounds(
    ROUNDS,
    read,
    children.map((child) => () => report(child)),
    (aSecond) => `${aSecond.toFixed(1)} reports a second`,
  )
  const highest = await residentMemory(pid, 'VmHWM')
  process.stdout.write(`memory: ${before} MiB before the first report, ${highest} MiB at most\n`)
} finally {
  await service.stop()
}

/** A parent with a base station, and children with three months of data. */
async function addFamily(): Promise<number[]> {
  const { database, close } = await openConfiguredDatabase(readConfig({ DATA_DIR: directory }))
  const { id: root_user_id } = await database.sql
    .insertInto('root_user')
    .values({
      email: EMAIL,
      phone: '+821012345678',
      password_hash: await hashPassword(PASSWORD),
      password_changed_at: new Date(),
      first_name: 'Kim Jiyoung',
      last_name: '',
      birthdate: '19850401',
      gender: 'F',
      is_phone_number_checked: true,
      is_signup_completed: true,
      register_type: 'E',
      national_code: 'KR',
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  await database.pool.query(
    `WITH child AS (
       INSERT INTO real_user (id, root_user_id, first_name, last_name, birthdate, gender)
       SELECT n, $1, '지우', '김', '20180203', 'F' FROM generate_series(1, $2::int) n RETURNING id
     ), station AS (
       INSERT INTO basestation (unique_id, serial_code, root_user_id, connected_at)
       VALUES (gen_random_uuid(), 'BST-000001', $1, now()) RETURNING id
     ), slept AS (
       INSERT INTO sleep_reading (basestation_id, root_user_id, measured_at, temperature, humidity, brightness, noise)
       SELECT station.id, $1, at, 21 + random(), 45 + 10 * random(), 5 * random(), 30 + 8 * random()
       FROM station, generate_series($3::timestamp, $4::timestamp, '10 minutes') at
     ), noted AS (
       INSERT INTO event (real_user_id, event_date, memo, event_data)
       SELECT child.id, day, repeat('새벽에 전극을 다시 붙였습니다. ', 20),
         '{"medication": [{"medication_name": "메틸페니데이트", "medication_dose": 10}], "hospital": []}'
       FROM child, generate_series($3::date, $4::date, '9 days') day
     )
     INSERT INTO survey (real_user_id, attention_score, impulsivity_score, disorder_score, created_at)
     SELECT child.id, 20 - n, 18 - n, 30 - n, $3::timestamp + n * interval '14 days'
     FROM child, generate_series(1, 5) n`,
    [root_user_id, REPORTS, FIRST, LAST],
  )
  const children = Array.from({ length: REPORTS }, (_, index) => index + 1)
  for (const child of children) {
    const nights = makeNights({ seed: child, nights: 91, until: LAST, uniqueId: '' })
    await database.pool.query(
      `INSERT INTO treatment (device_id, real_user_id, treatment_date, treatment_time, movement, log_file_id,
         last_intensity, finish_flag, intensity_record)
       SELECT $1, $1, date, time, movement, n, intensity, flag, '{}'
       FROM unnest($2::timestamp[], $3::int[], $4::int[], $5::smallint[], $6::smallint[])
         WITH ORDINALITY AS use (date, time, movement, intensity, flag, n)`,
      [
        child,
        nights.map(({ detail_data }) => detail_data.treatment_date),
        nights.map(({ detail_data }) => detail_data.treatment_time),
        nights.map(({ detail_data }) => detail_data.movement ?? 0),
        nights.map(({ detail_data }) => detail_data.last_intensity),
        nights.map(({ detail_data }) => Number(detail_data.finish_flag)),
      ],
    )
  }
  await close()
  return children
}

async function signIn(): Promise<string> {
  const response = await fetch(`${url}/api/v1/alpha/auth/email/signin`, {
    method: 'POST',
    body: new URLSearchParams({ username: EMAIL, password: PASSWORD }),
  })
  return sessionResponseSchema.parse(await response.json()).access_token
}
