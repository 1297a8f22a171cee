import { z } from 'zod'
import { uncheckedAccountEndpoint } from '../auth/account-endpoint.ts'
import { ACCOUNT_STATE, assertActive } from '../auth/account-state.ts'
import type { AccountState } from '../auth/account-state.ts'
import { childWithRoleSql } from '../auth/child-role.ts'
import { indistinctChildErrors } from '../children/real-user.ts'
import { batchedRead } from '../database/batched-read.ts'
import { packedSql, parsePacked } from '../database/packed.ts'
import { isoTimestampSql } from '../database/wire-time.ts'
import { calendarDateField, idField } from '../http/fields.ts'
import type { Role } from '../http/right.ts'
import { median } from '../time/median.ts'
import { addDays, today, weekday } from '../time/wall-clock.ts'
import { wholeMinutes } from '../time/whole-minutes.ts'

const date = z.string().meta({ format: 'date' })

const week = z
  .object({
    first: date.meta({ description: 'A Sunday' }),
    last: date.meta({ description: 'A Saturday' }),
    planned: z.int().nullable().meta({
      description:
        'The nights of the plan in force on the last evening; 0 is a pause, null: there is no plan',
    }),
    used: z.int().meta({ description: 'The nights with a use that counts' }),
    reached: z.int().meta({ description: 'The nights of which the uses together reach the goal' }),
    median_minutes: z.int().nullable().meta({ description: 'Of the used nights; null without one' }),
  })
  .meta({ id: 'WeekOfNights', description: 'The nights of a week, Sunday to Saturday' })

const lastNight = z
  .object({
    date: date.meta({ description: 'Of the evening' }),
    minutes: z.int().meta({ description: 'The sum of its uses' }),
    reached: z.boolean().meta({ description: 'Whether the uses together reach the goal of that evening' }),
    contact_losses: z.int().meta({ description: 'Uses that ended because electrodes lost contact' }),
  })
  .meta({ id: 'LastNight', description: 'The night before a date' })

const missingNight = z
  .object({
    date: date.meta({ description: 'Of the evening' }),
    reason: z.enum(['nothing_arrived', 'other_logs_arrived']).meta({
      description:
        '`nothing_arrived`: no device has uploaded since 04:00, so its charger and the network are worth a look; `other_logs_arrived`: a device did, but nothing of that night',
    }),
    last_upload_at: z
      .string()
      .nullable()
      .meta({ format: 'date-time', description: 'When a device last stored something; null: never' }),
  })
  .meta({
    id: 'MissingNight',
    description: 'The night before a date, of which nothing has arrived. Nobody knows why',
  })

const insightOf = z
  .object({
    current_date: date.meta({ description: 'The morning after the last night' }),
    week: week.meta({ description: 'The week of `current_date`, as far as this date' }),
    before: week.meta({ description: 'The week before' }),
    weeks_in_a_row: z.int().meta({
      description:
        'Whole weeks, going back from the one before, that all reached their plan; a pause neither counts nor breaks. At most 104',
    }),
    last_night: lastNight.nullable().meta({ description: 'Null when it was not used' }),
    usual_minutes: z.int().nullable().meta({
      description: 'Median of the used nights among the 28 before the last one; null with fewer than 5',
    }),
    missing: missingNight.nullable().meta({
      description: 'Null when the night is there, or no device was connected before 18:00 of its evening',
    }),
  })
  .meta({
    id: 'Insight',
    description: 'How the nights of a child go',
    examples: [
      {
        current_date: '2026-03-05',
        week: {
          first: '2026-03-01',
          last: '2026-03-07',
          planned: 5,
          used: 4,
          reached: 3,
          median_minutes: 451,
        },
        before: {
          first: '2026-02-22',
          last: '2026-02-28',
          planned: 5,
          used: 6,
          reached: 5,
          median_minutes: 462,
        },
        weeks_in_a_row: 3,
        last_night: { date: '2026-03-04', minutes: 458, reached: true, contact_losses: 1 },
        usual_minutes: 460,
        missing: null,
      },
    ],
  })
type Insight = z.infer<typeof insightOf>

interface Night {
  date: string
  seconds: number
  has_reached: boolean
}

interface Row extends AccountState {
  role: Role | null
  /** Of the used nights of at least 28 evenings before the last night, and of those up to the date, in no order. */
  evenings: string | null
  seconds: string | null
  has_reached: string | null
  planned: number | null
  planned_before: number | null
  weeks_in_a_row: number
  /** Of the last night; null when it was not used. Those of the others would be read from the table. */
  contact_losses: number | null
  /** Whether a device was there on the evening of the last night, and what came from such devices. */
  was_connected: boolean
  has_uploaded: boolean
  last_upload_at: string | null
}

/** Those before the last night by which the usual length is found. */
const USUAL_EVENINGS = 28

/** SQL for the nights of the week, so many weeks before the one that ends on $6, whose uses reach the goal. */
const reachedSql = (weeks: number) =>
  `count(*) FILTER (WHERE n.has_reached AND n.evening > $6::date - ${7 * weeks + 7} AND n.evening <= $6::date - ${7 * weeks})`

// Times of day are those where the caller lives. The four weeks before the present one lie among the evenings that are read anyway:
// if one plan held in all of them, they show most breaks, and only longer runs are counted by `weeks_in_a_row`.
const selectInsight = batchedRead<Row>(
  'insight',
  ['int', 'int', 'date', 'date', 'date', 'date', 'int', 'text'],
  `SELECT ${ACCOUNT_STATE}, child.role, found.evenings, found.seconds, found.has_reached,
     (SELECT nights_per_week FROM child_plan(child.id, $5::date)) AS planned, before.nights_per_week AS planned_before,
     CASE WHEN before.held IS NULL THEN weeks_in_a_row(child.id, $6::date, $7::int)
       WHEN found.first < before.held THEN 0 WHEN found.second < before.held THEN 1
       WHEN found.third < before.held THEN 2 WHEN found.fourth < before.held THEN 3
       ELSE weeks_in_a_row(child.id, $6::date, $7::int) END AS weeks_in_a_row,
     (SELECT n.contact_losses FROM nights_of(child.id, $4::date - 1, $4::date - 1, $7::int) n) AS contact_losses, device.*
   FROM root_user u
   LEFT JOIN LATERAL (${childWithRoleSql('$2', 'u.id', '$3')}) child ON child.role IS NOT NULL
   LEFT JOIN LATERAL (
     SELECT p.nights_per_week, CASE WHEN p.from_date <= $6::date - 21 THEN nullif(p.nights_per_week, 0) END AS held
     FROM child_plan(child.id, $6::date) p
   ) before ON true
   CROSS JOIN LATERAL (
     SELECT ${packedSql('n.evening')} AS evenings, ${packedSql('n.seconds')} AS seconds,
       ${packedSql('n.has_reached')} AS has_reached,
       ${reachedSql(0)} AS first, ${reachedSql(1)} AS second, ${reachedSql(2)} AS third, ${reachedSql(3)} AS fourth
     FROM nights_of(child.id, $6::date - ${USUAL_EVENINGS}, $4::date, $7::int) n
   ) found
   CROSS JOIN LATERAL (
     SELECT count(*) > 0 AS was_connected,
       coalesce(bool_or(d.last_upload_at >= ($4::date + time '04:00') AT TIME ZONE coalesce(u.time_zone, $8)), false) AS has_uploaded,
       ${isoTimestampSql('max(d.last_upload_at)')} AS last_upload_at
     FROM device d
     WHERE d.real_user_id = child.id
       AND coalesce(d.connected_at, d.created_at) < ($4::date - 1 + time '18:00') AT TIME ZONE coalesce(u.time_zone, $8)
   ) device
   WHERE u.id = $1`,
)

export const insight = uncheckedAccountEndpoint(
  {
    method: 'GET',
    path: '/api/v1/beta/insight',
    right: 'viewer',
    accounts: 'all',
    scope: ['usage:read'],
    summary: "How a child's nights go: the week, the last night, and whether it arrived",
    description: `A night lasts from noon to noon on the clock of the device and has the date of its evening. It is used when a use in it counts, as in
\`GET /api/v1/beta/event/history\`, and its length is the sum of these uses. Without a plan the service's own goal holds.
Times of day are in the time zone of the account. Minutes are rounded down.`,
  },
  indistinctChildErrors,
)
  .input(
    z.object({
      real_user_id: idField,
      current_date: calendarDateField.optional().meta({
        description:
          'The morning after the last night. Send the date where the user is: without it, it is today in the time zone of the service',
      }),
    }),
  )
  .output(insightOf)
  .query(async ({ ctx, input: { real_user_id, current_date } }) => {
    const now = today(ctx.timeZone)
    const day = current_date ?? now
    const first = addDays(day, -weekday(day))
    const weeks = {
      week: [first, addDays(first, 6)],
      before: [addDays(first, -7), addDays(first, -1)],
    } as const
    const [row] = await ctx.database.query(selectInsight, [
      ctx.caller.rootUserId,
      real_user_id,
      now,
      day,
      weeks.week[1],
      weeks.before[1],
      ctx.adherenceGoalMinutes,
      ctx.timeZone,
    ])
    const found = assertActive(row, ctx.caller)
    if (!ctx.mayAccess(found.role, real_user_id)) throw ctx.failure(401, 'Not authorized user')
    const nights = nightsOf(found)
    const evening = addDays(day, -1)
    const last = nights.find((night) => night.date === evening)
    const sinceUsual = addDays(evening, -USUAL_EVENINGS)
    const usual = nights.filter((night) => night.date >= sinceUsual && night.date < evening)
    return {
      current_date: day,
      week: weekOf(nights, weeks.week, found.planned),
      before: weekOf(nights, weeks.before, found.planned_before),
      weeks_in_a_row: found.weeks_in_a_row,
      last_night: last
        ? {
            date: evening,
            minutes: wholeMinutes(last.seconds),
            reached: last.has_reached,
            contact_losses: found.contact_losses ?? 0,
          }
        : null,
      usual_minutes: usual.length < 5 ? null : medianMinutes(usual),
      missing:
        last || !found.was_connected
          ? null
          : {
              date: evening,
              reason: found.has_uploaded ? ('other_logs_arrived' as const) : ('nothing_arrived' as const),
              last_upload_at: found.last_upload_at,
            },
    }
  })

function nightsOf({ evenings, seconds, has_reached }: Row): Night[] {
  const [lengths, reached] = [parsePacked(seconds), parsePacked(has_reached)]
  return parsePacked(evenings).map((date, n) => ({
    date,
    seconds: Number(lengths[n]),
    has_reached: reached[n] === 'true',
  }))
}

function weekOf(
  nights: readonly Night[],
  [first, last]: readonly [string, string],
  planned: number | null,
): Insight['week'] {
  const used = nights.filter(({ date }) => date >= first && date <= last)
  return {
    first,
    last,
    planned,
    used: used.length,
    reached: used.filter(({ has_reached }) => has_reached).length,
    median_minutes: medianMinutes(used),
  }
}

const medianMinutes = (nights: readonly Night[]) =>
  nights.length === 0 ? null : wholeMinutes(median(nights.map(({ seconds }) => seconds)))
