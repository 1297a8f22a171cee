import { z } from 'zod'
import { uncheckedAccountEndpoint } from '../auth/account-endpoint.ts'
import { ACCOUNT_STATE, assertActive } from '../auth/account-state.ts'
import type { AccountState } from '../auth/account-state.ts'
import { childWithRoleSql } from '../auth/child-role.ts'
import { indistinctChildErrors } from '../children/real-user.ts'
import { batchedRead } from '../database/batched-read.ts'
import type { Role } from '../http/right.ts'
import { chartWindow } from '../time/chart-window.ts'
import { today } from '../time/wall-clock.ts'
import { SLEEP_ENVIRONMENT_SQL } from '../basestations/sleep-environment.ts'
import {
  chartInput,
  exampleUsageWeek,
  USAGE_SUMS_SQL,
  usageChartSchema,
  usageChartOf,
} from './usage-chart.ts'
import type { UsageRow } from './usage-chart.ts'

const sleepEnvironment = z
  .object({
    date: z.string().meta({ format: 'date' }),
    temperature: z.number().meta({ description: '°C, mean to one decimal' }),
    humidity: z.number().meta({ description: 'Per cent, mean to one decimal' }),
    brightness: z.int().meta({ description: "Mean, in the base station's own unit" }),
    noise: z.int().meta({ description: "Mean, in the base station's own unit" }),
  })
  .meta({ id: 'SleepEnvironment', description: 'Air, light and noise around the bed on one date' })

const analysisChart = usageChartSchema.extend({ sleep_env_data: z.array(sleepEnvironment) }).meta({
  id: 'AnalysisChart',
  description: 'Use, intensity and movement of every date, with the air, light and noise around the bed',
  examples: [
    {
      ...usageChartOf(exampleUsageWeek),
      sleep_env_data: exampleUsageWeek.map(({ treatment_date: date }) => ({
        date,
        temperature: 20.5,
        humidity: 48.5,
        brightness: 6,
        noise: 28,
      })),
    },
  ],
})

interface Row extends AccountState, UsageRow, Omit<z.infer<typeof sleepEnvironment>, 'date'> {
  role: Role | null
  /**
   * Whether a base station of the owner is connected now, or one of a former owner has measured in the window; whether any ever was.
   */
  is_connected: boolean
  was_connected: boolean
}

// Returns one row per date of the window, even without data. A base station's next owner does not see its older
// readings.
const selectAnalysisChart = batchedRead<Row>(
  'analysis-chart',
  ['int', 'int', 'timestamp', 'timestamp', 'date'],
  `SELECT ${ACCOUNT_STATE}, r.role, station.id IS NOT NULL OR past.date >= $3::date AS is_connected,
     past.date IS NOT NULL OR EXISTS (SELECT FROM basestation_connection WHERE root_user_id = r.root_user_id) AS was_connected, day.*
   FROM root_user u
   LEFT JOIN LATERAL (${childWithRoleSql('$2', 'u.id', '$5')}) r ON r.role IS NOT NULL
   LEFT JOIN LATERAL (
     SELECT id FROM basestation WHERE root_user_id = r.root_user_id ORDER BY connected_at, id LIMIT 1
   ) station ON true
   LEFT JOIN LATERAL (
     SELECT date FROM past_reading_day WHERE r.owner_since IS NOT NULL AND real_user_id = r.id ORDER BY date DESC LIMIT 1
   ) past ON true
   CROSS JOIN LATERAL (
     -- Materialized, because the planner misjudges the sizes and would aggregate again for every date.
     WITH used AS MATERIALIZED (
       SELECT date_trunc('day', treatment_date) AS date, ${USAGE_SUMS_SQL}
       FROM child_usage_records(r.id, $3::timestamp, $4::timestamp + interval '1 day')
       GROUP BY 1
     ), slept AS MATERIALIZED (
       SELECT date::timestamp AS date, ${SLEEP_ENVIRONMENT_SQL}
       FROM child_daily_readings(r.id, r.owner_since, station.id, r.root_user_id, $3::date, $4::date)
     )
     SELECT to_char(date, 'YYYY-MM-DD') AS treatment_date, treatment_time, last_intensity, movement,
       coalesce(temperature, 0) AS temperature, coalesce(humidity, 0) AS humidity,
       coalesce(brightness, 0) AS brightness, coalesce(noise, 0) AS noise
     -- Of a series up to a value PostgreSQL would plan each one again.
     FROM (SELECT $3 + n * interval '1 day' AS date FROM generate_series(0, 29) n WHERE $3 + n * interval '1 day' <= $4) window_day
     LEFT JOIN used USING (date)
     LEFT JOIN slept USING (date)
   ) day
   WHERE u.id = $1
   ORDER BY day.treatment_date`,
)

export const analysis = uncheckedAccountEndpoint(
  {
    method: 'GET',
    path: '/api/v1/beta/chart/analysis',
    right: 'viewer',
    accounts: 'all',
    scope: ['usage:read'],
    summary: 'Usage time, intensity and movement of every date, with the air, light and noise around the bed',
    description: `The window and the averages are those of \`GET /api/v1/beta/chart/recent\`. A date without data carries 0, and the averages
leave it out. The base station is the one that, of those connected to the child's account now, was connected first. Dates from before another account handed
the child over keep what was measured there.`,
  },
  [
    [400, 'Invalid mode. Use 0 for recent 7 days or 1 for recent 30 days'],
    ...indistinctChildErrors,
    [403, 'Device not found', 'the account of the child has never had a base station'],
    [404, 'This device does not belong to the user', 'no base station is connected to that account now'],
  ],
)
  .input(chartInput)
  .output(analysisChart)
  .query(async ({ ctx, input: { real_user_id, select_mode, current_date } }) => {
    const now = today(ctx.timeZone)
    const { first, last } = chartWindow(select_mode === 1 ? 1 : 0, current_date ?? now)
    const rows = await ctx.database.query(selectAnalysisChart, [
      ctx.caller.rootUserId,
      real_user_id,
      first,
      last,
      now,
    ])
    const { role, is_connected, was_connected } = assertActive(rows[0], ctx.caller)
    if (select_mode !== 0 && select_mode !== 1) {
      throw ctx.failure(400, 'Invalid mode. Use 0 for recent 7 days or 1 for recent 30 days')
    }
    if (!ctx.mayAccess(role, real_user_id)) throw ctx.failure(401, 'Not authorized user')
    if (!is_connected) {
      throw was_connected
        ? ctx.failure(404, 'This device does not belong to the user')
        : ctx.failure(403, 'Device not found')
    }
    return {
      ...usageChartOf(rows),
      sleep_env_data: rows.map(({ treatment_date: date, temperature, humidity, brightness, noise }) => ({
        date,
        temperature,
        humidity,
        brightness,
        noise,
      })),
    }
  })
