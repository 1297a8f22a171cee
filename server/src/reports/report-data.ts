import { setImmediate } from 'node:timers/promises'
import type { z } from 'zod'
import { SLEEP_ENVIRONMENT_SQL } from '../basestations/sleep-environment.ts'
import type { surveyScoresSchema } from '../surveys/survey.ts'
import { USAGE_SUMS_SQL } from '../charts/usage-chart.ts'
import type { UsageRow } from '../charts/usage-chart.ts'
import { COUNTED_TREATMENT_SQL } from '../calendar/counted-treatment.ts'
import { decryptEvent, NON_EMPTY_EVENT_SQL } from '../calendar/event.ts'
import type { eventDataSchema, StoredEvent } from '../calendar/event.ts'
import type { OperationAuthorization } from '../auth/account-endpoint.ts'
import { childRoleSql } from '../auth/child-role.ts'
import { eveningOfNoteSql } from '../entities/evening-of-note.ts'
import { statement } from '../database/statement.ts'
import type { Database } from '../database/database.ts'
import { Failure } from '../errors/failure.ts'
import type { ErrorDeclaration } from '../errors/failure.ts'
import type { Role } from '../http/right.ts'
import type { Plan } from '../plans/plan.ts'
import type { DateRange } from '../time/chart-window.ts'
import { today } from '../time/wall-clock.ts'
import type { KeyRing } from '../encryption/key-ring.ts'
import { decryptPerson } from '../encryption/person.ts'

/** The errors of a report, in the order of the checks. */
export const reportErrors = [
  [404, 'Real user is not found', 'no such child, or it was deleted'],
  [401, 'Not authorized user', 'the child belongs to another account, and the caller has no right to this'],
  [404, 'Device not found', 'no such base station, or the account of the child has never had one'],
  [403, 'This device does not belong to the user', 'the base station is not connected to that account now'],
] as const satisfies readonly ErrorDeclaration[]

const [noChild, foreignChild, noStation, foreignStation] = reportErrors

export interface ReportSubject {
  first_name: string
  last_name: string
  birthdate: string
  gender: 'M' | 'F' | 'N' | 'P'
  /** The date of the first pairing or of the first record, the earlier one; null without either. */
  begun_on: string | null
  /** The evening from which nights count: that date, or the day before if the first record is of its morning. */
  first_evening: string | null
  /** When a record of the child last arrived, in milliseconds since 1970; null for records from before this was kept. */
  last_upload_at: number | null
  basestation_id: number
  serial_code: string
  /** When another account handed the child over to its owner; null: none has. */
  owner_since: string | null
}

type Found = ReportSubject & {
  owner: number | null
  role: Role | null
  station_owner: number | null
  was_connected: boolean
}

// Without an id, the statement picks the owner's currently connected base station that was connected first, or else the one of a former
// owner that measured last in the period.
const selectSubject = statement<{ [Key in keyof Found]: Found[Key] | null }>(
  'report-subject',
  `SELECT r.root_user_id AS owner, ${childRoleSql('$1', '$5')} AS role, r.first_name, r.last_name, r.birthdate, r.gender,
     to_char(begun.begun_on, 'YYYY-MM-DD') AS begun_on, to_char(begun.evening, 'YYYY-MM-DD') AS first_evening,
     (extract(epoch FROM greatest(
       (SELECT max(last_upload_at) FROM device WHERE real_user_id = r.id),
       (SELECT max(last_upload_at) FROM device_history WHERE real_user_id = r.id)
     )) * 1000)::float8 AS last_upload_at,
     b.id AS basestation_id, b.serial_code,
     CASE WHEN b.id = past.basestation_id THEN r.root_user_id ELSE b.root_user_id END AS station_owner,
     past.basestation_id IS NOT NULL OR EXISTS (SELECT FROM basestation_connection WHERE root_user_id = r.root_user_id) AS was_connected,
     to_char(r.owner_since, 'YYYY-MM-DD') AS owner_since
   FROM (VALUES (1)) one
   LEFT JOIN real_user r ON r.id = $2 AND r.deleted_at IS NULL
   CROSS JOIN LATERAL first_evening(r.id, $4) begun
   LEFT JOIN LATERAL (
     SELECT basestation_id FROM past_reading_day
     WHERE r.owner_since IS NOT NULL AND real_user_id = r.id AND date BETWEEN $6 AND $7 ORDER BY date DESC LIMIT 1
   ) past ON true
   LEFT JOIN basestation b ON b.id = coalesce($3::int, (
     SELECT id FROM basestation WHERE root_user_id = r.root_user_id ORDER BY connected_at, id LIMIT 1
   ), past.basestation_id)`,
)

/** A time in which the child wore a device with one firmware. */
export interface WornDevice {
  serial_code: string
  /** Null if it was worn before this was kept. */
  firmware_id: number | null
  /** The dates on which it began and ended, `yyyy-mm-dd`; the present device has no end. */
  since: string
  until: string | null
}

/** More than fit on a page that is for something else. */
const MOST_DEVICES = 20

// Of a device that was given back before `device_history` was kept, its records in the period tell.
const selectDevices = statement<WornDevice>(
  'report-devices',
  `SELECT d.serial_code, firmware_id, to_char(since, 'YYYY-MM-DD') AS since, to_char(until, 'YYYY-MM-DD') AS until
   FROM (
     SELECT device_id, firmware_id, since AT TIME ZONE $4 AS since, until AT TIME ZONE $4 AS until
     FROM device_history
     WHERE real_user_id = $1 AND coalesce(until, 'infinity') >= $2::timestamp AT TIME ZONE $4
     UNION ALL
     SELECT device_id, NULL, min(treatment_date), max(treatment_date)
     FROM child_treatments($1, $2::timestamp, $3::timestamp + interval '1 day') t
     WHERE NOT EXISTS (SELECT FROM device_history h WHERE h.device_id = t.device_id AND h.real_user_id = t.real_user_id)
     GROUP BY device_id
   ) worn
   JOIN device d ON d.id = worn.device_id
   ORDER BY worn.since DESC, d.id LIMIT ${MOST_DEVICES}`,
)

/** One date of the period; values that were not measured or recorded are null. */
export interface ReportDay extends UsageRow {
  uses: number
  /** Whether the calendar counts at least one use of this date. */
  is_counted: boolean
  contact_losses: number
  first_start: string | null
  temperature: number | null
  humidity: number | null
  brightness: number | null
  noise: number | null
  /** Seconds of the night that begins on this evening; null unless it was used, as `nights_of` says. */
  night_time: number | null
  night_losses: number
  has_reached: boolean
  /** Whether anything of this night was recorded, however short. */
  has_night_record: boolean
  /** The goal of this evening, and who has planned it; null: it is the service's own. */
  goal_minutes: number
  goal_set_by: Plan['set_by'] | null
}

/** As many dates before the period as it has, in SQL. */
const EARLIEST = `greatest($2::date - ($3::date - $2::date + 1), '0001-01-01')`

// The dates before the period come first, without the sleep environment, for a comparison.
const selectDays = statement<ReportDay>(
  'report-days',
  `WITH use AS MATERIALIZED (
     SELECT treatment_date, treatment_time, last_intensity, movement, ${COUNTED_TREATMENT_SQL} AS is_counted,
       finish_flag = 4 AND NOT is_temp AS is_contact_loss
     FROM child_treatments($1, ${EARLIEST}, $3::date + interval '36 hours')
   ), used AS MATERIALIZED (
     SELECT date_trunc('day', treatment_date) AS date, ${USAGE_SUMS_SQL}, count(*)::int AS uses,
       bool_or(is_counted) AS is_counted, count(*) FILTER (WHERE is_contact_loss)::int AS contact_losses,
       to_char(min(treatment_date), 'HH24:MI') AS first_start
     FROM use
     GROUP BY 1
   ), slept AS MATERIALIZED (
     SELECT date::timestamp AS date, ${SLEEP_ENVIRONMENT_SQL}
     FROM child_daily_readings($1, $7::date, $4, $5, $2::date, $3::date)
   ), night AS MATERIALIZED (
     SELECT evening::timestamp AS date, seconds::float8 AS night_time, has_reached
     FROM nights_of($1, ${EARLIEST}, $3::date, $6::int)
   ), recorded AS MATERIALIZED (
     SELECT date_trunc('day', treatment_date - interval '12 hours') AS date, true AS has_night_record,
       count(*) FILTER (WHERE is_contact_loss AND is_counted)::int AS night_losses
     FROM use
     GROUP BY 1
   ), planned AS MATERIALIZED (SELECT * FROM child_plans($1, ${EARLIEST}, $3::date))
   SELECT to_char(date, 'YYYY-MM-DD') AS treatment_date, treatment_time, last_intensity, movement,
     coalesce(uses, 0) AS uses, coalesce(is_counted, false) AS is_counted,
     coalesce(contact_losses, 0) AS contact_losses, first_start, temperature, humidity, brightness, noise,
     night_time, coalesce(night_losses, 0) AS night_losses, coalesce(has_reached, false) AS has_reached,
     coalesce(has_night_record, false) AS has_night_record,
     coalesce(plan.minutes, $6::int) AS goal_minutes, plan.set_by AS goal_set_by
   FROM generate_series(${EARLIEST}::timestamp, $3::timestamp, '1 day') AS day (date)
   LEFT JOIN used USING (date)
   LEFT JOIN slept USING (date)
   LEFT JOIN night USING (date)
   LEFT JOIN recorded USING (date)
   LEFT JOIN planned plan ON date >= plan.from_date AND date < plan.until
   ORDER BY date`,
)

/** One use as the database holds it. */
interface StoredUse {
  /** `yyyy-mm-ddThh:mm:ss` */
  start: string
  /** Seconds */
  treatment_time: number
  is_temp: boolean
  is_contact_loss: boolean
  /** The intensities of every 6 minutes, separated by commas. */
  intensities: string
}

/** One use as it is drawn on a strip. */
export interface ReportUse extends Omit<StoredUse, 'is_temp'> {
  /** Whether it has ended with its last log, goes on, or was not heard of for 12 hours and has ended without it. */
  state: 'ended' | 'running' | 'cut short'
}

/** More uses of one night than anyone can tell apart on a strip. */
const MOST_USES = 24

const selectUses = statement<StoredUse>(
  'report-uses',
  `SELECT to_char(treatment_date, 'YYYY-MM-DD"T"HH24:MI:SS') AS start, treatment_time, is_temp,
     finish_flag = 4 AND NOT is_temp AS is_contact_loss, array_to_string(intensity_record, ',') AS intensities
   FROM (
     SELECT *, row_number() OVER (
       PARTITION BY date_trunc('day', treatment_date - interval '12 hours') ORDER BY treatment_date
     ) AS place
     FROM child_treatments($1, $2::date + interval '12 hours', $3::date + interval '36 hours')
   ) use
   WHERE place <= ${MOST_USES}
   ORDER BY treatment_date`,
)

// A use that starts within 4 hours of an earlier one is no bedtime: the child sat up, or the electrodes slipped.
const selectBedtimes = statement<{ minute: number }>(
  'report-bedtimes',
  `SELECT (extract(hour FROM treatment_date) * 60 + extract(minute FROM treatment_date))::int AS minute
   FROM (
     SELECT treatment_date, max(treatment_date + treatment_time * interval '1 second') OVER (
       ORDER BY treatment_date, treatment_time ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
     ) AS used_until
     FROM child_usage_records($1, $2::date - interval '12 hours', $3::date + interval '36 hours')
     WHERE ${COUNTED_TREATMENT_SQL}
   ) use
   WHERE treatment_date >= $2::date + interval '12 hours'
     AND (used_until IS NULL OR treatment_date > used_until + interval '4 hours')
   ORDER BY treatment_date`,
)

export interface ReportEvent extends z.infer<typeof eventDataSchema> {
  date: string
  /** The evening of the night that the note is about. */
  night: string
  memo: string
}

type DatedEvent<Note> = Note & Pick<ReportEvent, 'date' | 'night'>

const selectEvents = statement<DatedEvent<StoredEvent>>(
  'report-events',
  `SELECT to_char(event_date, 'YYYY-MM-DD') AS date, memo, event_data, to_char(${eveningOfNoteSql('$4')}, 'YYYY-MM-DD') AS night
   FROM events_of($1, $2::date, $3::date) e
   WHERE ${NON_EMPTY_EVENT_SQL}
   ORDER BY event_date`,
)

export interface ReportSurvey extends z.infer<typeof surveyScoresSchema> {
  date: string
}

const selectSurveys = statement<ReportSurvey>(
  'report-surveys',
  `SELECT to_char(created_at AT TIME ZONE $4, 'YYYY-MM-DD') AS date,
     attention_score, impulsivity_score, disorder_score
   FROM surveys_of($1, $2::timestamp AT TIME ZONE $4, ($3::timestamp + interval '1 day') AT TIME ZONE $4)
   ORDER BY created_at, id`,
)

export interface ReportData {
  subject: ReportSubject
  /** The devices of the period and of the time after it, the latest first. */
  devices: WornDevice[]
  /** Every date of the period and of as many days before it, ascending. */
  days: ReportDay[]
  /** The uses of the period's nights, in the order of their starts; of a night at most 24. */
  uses: StoredUse[]
  /** The times at which the child went to bed with the device, in minutes after midnight. */
  bedtimes: number[]
  /** Null if the caller may not read notes. */
  events: ReportEvent[] | null
  surveys: ReportSurvey[]
}

export interface ReportQuery {
  rootUserId: number
  mayAccess: OperationAuthorization['mayAccess']
  /** Whether the caller may read notes. */
  withNotes: boolean
  real_user_id: number
  /** Defaults to the first connected base station. */
  basestation_id?: number
  period: DateRange
  timeZone: string
  /** The goal, in minutes, of evenings without a plan. */
  goalMinutes: number
}

/** Reads all data of a report from one snapshot. Throws one of `reportErrors`. */
export const readReportData = (database: Database, wanted: ReportQuery): Promise<ReportData> =>
  database.offload((snapshot) =>
    snapshot(async (query) => {
      const { rootUserId, real_user_id, basestation_id, period, timeZone, withNotes, goalMinutes } = wanted
      const [found] = await query(selectSubject, [
        rootUserId,
        real_user_id,
        basestation_id ?? null,
        timeZone,
        today(timeZone),
        period.first,
        period.last,
      ])
      const subject = decryptPerson(database.keyRing, 'real_user', allowed(found, wanted))
      const days = [real_user_id, period.first, period.last]
      const bedtimes = await query(selectBedtimes, days)
      return {
        subject,
        devices: await query(selectDevices, [...days, timeZone]),
        uses: await query(selectUses, days),
        days: await query(selectDays, [
          ...days,
          subject.basestation_id,
          subject.owner,
          goalMinutes,
          subject.owner_since,
        ]),
        bedtimes: bedtimes.map(({ minute }) => minute),
        events: withNotes
          ? await opened(database.keyRing, await query(selectEvents, [...days, timeZone]))
          : null,
        surveys: await query(selectSurveys, [...days, timeZone]),
      }
    }),
  )

/** At most 2 MB of notes, which take some milliseconds to open. */
const NOTES_AT_ONCE = 20

async function opened(keyRing: KeyRing, notes: readonly DatedEvent<StoredEvent>[]): Promise<ReportEvent[]> {
  const events: ReportEvent[] = []
  for (const [n, { date, night, ...stored }] of notes.entries()) {
    // Others are answered in between.
    if (n % NOTES_AT_ONCE === 0) await setImmediate()
    const { memo, event_data } = decryptEvent(keyRing, stored)
    events.push({ date, night, memo, ...event_data })
  }
  return events
}

function allowed(
  found: { [Key in keyof Found]: Found[Key] | null } | undefined,
  { real_user_id, basestation_id, mayAccess }: ReportQuery,
): ReportSubject & { owner: number } {
  if (!found || !isComplete(found, 'owner', 'first_name', 'last_name', 'birthdate', 'gender')) {
    throw new Failure(...noChild)
  }
  if (!mayAccess(found.role, real_user_id)) throw new Failure(...foreignChild)
  if (!isComplete(found, 'basestation_id', 'serial_code')) {
    const [status, detail]: ErrorDeclaration =
      basestation_id === undefined && found.was_connected ? foreignStation : noStation
    throw new Failure(status, detail)
  }
  if (found.station_owner !== found.owner) throw new Failure(...foreignStation)
  return found
}

type Complete<Row, Key extends keyof Row> = Row & { [Each in Key]: NonNullable<Row[Each]> }

const isComplete = <Row, Key extends keyof Row>(
  row: Row,
  ...keys: readonly Key[]
): row is Complete<Row, Key> => keys.every((key) => row[key] !== null)
