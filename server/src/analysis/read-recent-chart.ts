import { z } from 'zod'
import { ACCOUNT_STATE, assertActive, tokenEndpoint } from '../auth/account-endpoint.ts'
import type { AccountState } from '../auth/account-endpoint.ts'
import { statement } from '../database/database.ts'
import { calendarDate, id, integer } from '../http/fields.ts'
import { chartWindow } from '../time/chart-window.ts'
import { today } from '../time/wall-clock.ts'

declare module '../http/context.ts' {
  interface Context {
    /** IANA name of the service's time zone: it decides what today is, nothing else. */
    timeZone: string
  }
}

const series = <Field extends z.ZodRawShape>(field: Field) =>
  z.array(z.object({ treatment_date: z.string().meta({ format: 'date' }), ...field }))

const recentChart = z.object({
  treatment_time_data: series({ treatment_time: z.int().meta({ description: 'Seconds, summed' }) }),
  treatment_intensity_data: series({
    last_intensity: z.number().meta({ description: 'Mean, to one decimal' }),
  }),
  movement_data: series({ movement: z.int().meta({ description: 'Summed' }) }),
  avg_treatment_time: z.number(),
  avg_treatment_intensity: z.number(),
  avg_movement: z.number(),
})

interface Row extends AccountState {
  is_own: boolean
  treatment_date: string | null
  treatment_time: number
  last_intensity: number
  movement: number
}

// One row per date; one row without a date when the account or child has none. PostgreSQL rounds a numeric half away
// from zero.
const selectRecentChart = statement<Row>(
  'recent-chart',
  `SELECT ${ACCOUNT_STATE}, r.id IS NOT NULL AS is_own, day.*
   FROM root_user u
   LEFT JOIN real_user r ON r.id = $2 AND r.root_user_id = u.id AND r.deleted_at IS NULL
   LEFT JOIN LATERAL (
     SELECT to_char(treatment_date, 'YYYY-MM-DD') AS treatment_date, sum(treatment_time)::int AS treatment_time,
       round(avg(last_intensity), 1)::float8 AS last_intensity, sum(movement)::float8 AS movement
     FROM treatment
     WHERE real_user_id = r.id AND deleted_at IS NULL
       AND treatment_date >= $3::date AND treatment_date < $4::date + 1
     GROUP BY 1
   ) day ON true
   WHERE u.id = $1
   ORDER BY day.treatment_date`,
)

const mean = (values: number[]) =>
  values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length

export const readRecentChart = tokenEndpoint(
  {
    method: 'GET',
    path: '/api/v1/beta/chart/recent',
    summary: 'Usage time, intensity and movement of the dates that have data',
    description: `A window of 7 (mode 0) or 30 (mode 1) days that ends with \`current_date\`. Several treatments on one date are summed,
their last intensities averaged. Averages are plain means over the dates that have data.`,
  },
  [
    [400, 'Invalid mode. Use 0 for recent 7 days or 1 for recent 30 days'],
    [401, 'Not authorized user'],
  ],
)
  .input(
    z.object({
      real_user_id: id,
      select_mode: integer().default(0).meta({ description: '0: 7 days, 1: 30 days' }),
      current_date: calendarDate
        .optional()
        .meta({ description: "Last day of the window; the service's today when left out" }),
    }),
  )
  .output(recentChart)
  .query(async ({ ctx, input: { real_user_id, select_mode, current_date = today(ctx.timeZone) } }) => {
    if (select_mode !== 0 && select_mode !== 1) {
      throw ctx.failure(400, 'Invalid mode. Use 0 for recent 7 days or 1 for recent 30 days')
    }
    const { first, last } = chartWindow(select_mode, current_date)
    const rows = await ctx.database.query(selectRecentChart, [
      ctx.caller.rootUserId,
      real_user_id,
      first,
      last,
    ])
    if (!assertActive(rows[0], ctx.caller).is_own) throw ctx.failure(401, 'Not authorized user')
    const days = rows.flatMap((row) =>
      row.treatment_date === null ? [] : [{ ...row, treatment_date: row.treatment_date }],
    )
    return {
      treatment_time_data: days.map(({ treatment_date, treatment_time }) => ({
        treatment_date,
        treatment_time,
      })),
      treatment_intensity_data: days.map(({ treatment_date, last_intensity }) => ({
        treatment_date,
        last_intensity,
      })),
      movement_data: days.map(({ treatment_date, movement }) => ({ treatment_date, movement })),
      avg_treatment_time: mean(days.map((day) => day.treatment_time)),
      avg_treatment_intensity: mean(days.map((day) => day.last_intensity)),
      avg_movement: mean(days.map((day) => day.movement)),
    }
  })
