import { encryptEvent } from '../calendar/event.ts'
import type { Database } from '../database/database.ts'
import type { KeyRing } from '../encryption/key-ring.ts'

/** The base station of the demo family. */
export const demoBasestation = {
  serial_code: 'DEMO-BASE-1',
  unique_id: 'ba5e0000-0000-4000-8000-000000000001',
}

/*
 * The data of a home after some months: hourly readings of each night, occasional notes, and a survey every two weeks. All
 * values follow from the dates, so that every demo is the same; $1 is the first day, $2 the last.
 */

const makeBasestation = `
WITH station AS (
  INSERT INTO basestation (serial_code, unique_id, root_user_id, connected_at)
  SELECT $1, $2::uuid, $3::int, now() RETURNING id, root_user_id
)
INSERT INTO basestation_connection (basestation_id, root_user_id) SELECT id, root_user_id FROM station`

const makeReadings = `
SELECT store_readings(array_agg($3::uuid), array_agg(at), array_agg(20 + 2 * sin(wave) - 0.2 * hour),
  array_agg(45 + 8 * cos(wave) + hour / 2), array_agg(greatest(0, 30 - 6 * hour)),
  array_agg(24 + abs(hashint4(hour * 31 + extract(doy FROM at)::int)) % 9), '{}', false)
FROM generate_series($1::date, $2::date, '1 day') AS day, generate_series(0, 8) AS hour,
  LATERAL (SELECT (day + (21 + hour) * interval '1 hour')::timestamp AS at, extract(doy FROM day)::float8 / 20 AS wave) AS clock`

const makeEvents = `
INSERT INTO event (real_user_id, event_date, memo, event_data, saved_at)
SELECT $1::int, day, memo, event_data, (day + interval '7 hours 40 minutes') AT TIME ZONE $5
FROM unnest($2::date[], $3::text[], $4::jsonb[]) AS note (day, memo, event_data)`

const memos = [
  'Slept through the night.',
  'Woke twice, a little restless.',
  '잘 잤어요. 아침에 기분이 좋았어요.',
  "Sleepover at a friend's, the device stayed home.",
  'Cold, went to bed early.',
]

const DAY_MS = 86_400_000

/** A note every sixth day, written in the morning. */
function demoEvents(keyRing: KeyRing, first: string, last: string) {
  const events = []
  for (let at = Date.parse(first), n = 1; at <= Date.parse(last); at += 6 * DAY_MS, n += 1) {
    const medication = n % 3 === 0 ? [{ medication_name: 'Methylphenidate 10 mg', medication_dose: 1 }] : []
    const hospital = n % 3 !== 0 && n % 7 === 1 ? ["Seoul Children's Hospital"] : []
    const memo = memos[n % memos.length]
    events.push({
      date: new Date(at).toISOString().slice(0, 10),
      ...encryptEvent(keyRing, { memo, event_data: { medication, hospital } }, undefined),
    })
  }
  return events
}

const makeSurveys = `
INSERT INTO survey (real_user_id, attention_score, impulsivity_score, disorder_score, created_at)
SELECT $3::int, 24 - n, 20 - n / 2, 30 - 2 * n, day
FROM generate_series($1::date, $2::date, '14 days') WITH ORDINALITY AS days (day, n)`

/**
 * Adds a base station with readings for the demo family, and its children's notes and surveys, from `first` to `last`.
 */
export async function makeDemoNotesAndReadings(
  { pool, keyRing }: Database,
  family: { rootUserId: number; children: number[] },
  { first, last, timeZone }: { first: string; last: string; timeZone: string },
): Promise<void> {
  const { serial_code, unique_id } = demoBasestation
  await pool.query(makeBasestation, [serial_code, unique_id, family.rootUserId])
  await pool.query(makeReadings, [first, last, unique_id])
  for (const child of family.children) {
    const events = demoEvents(keyRing, first, last)
    await pool.query(makeEvents, [
      child,
      events.map(({ date }) => date),
      events.map(({ memo }) => memo),
      events.map(({ event_data }) => JSON.stringify(event_data)),
      timeZone,
    ])
    await pool.query(makeSurveys, [first, last, child])
  }
}
