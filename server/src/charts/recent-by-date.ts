import { z } from 'zod'
import { uncheckedAccountEndpoint } from '../auth/account-endpoint.ts'
import { addDays, daysBetween } from '../time/wall-clock.ts'
import { recentChartErrors, recentUsage } from './recent-usage.ts'
import { chartInput, exampleUsageWeek, usageChartSchema, usageChartOf } from './usage-chart.ts'
import type { UsageRow } from './usage-chart.ts'

const treatment_date = z.string().meta({ format: 'date' })

const time = z
  .object({ treatment_date, treatment_time: z.int().nullable().meta({ description: 'Seconds, summed' }) })
  .meta({ id: 'UsageTimeOrNone', description: 'Time of use on one date; null without data' })
const intensity = z
  .object({
    treatment_date,
    last_intensity: z.number().nullable().meta({ description: 'Mean, to one decimal' }),
  })
  .meta({ id: 'IntensityOrNone', description: 'Intensity on one date; null without data' })
const movement = z
  .object({ treatment_date, movement: z.int().nullable().meta({ description: 'Summed' }) })
  .meta({ id: 'MovementOrNone', description: 'Movement on one date; null without data' })

const chartOf = (rows: readonly UsageRow[]) => ({
  ...usageChartOf(rows),
  treatment_time_data: rows.map(({ treatment_date, treatment_time }) => ({ treatment_date, treatment_time })),
  treatment_intensity_data: rows.map(({ treatment_date, last_intensity }) => ({
    treatment_date,
    last_intensity,
  })),
  movement_data: rows.map(({ treatment_date, movement }) => ({ treatment_date, movement })),
})

const chartByDate = usageChartSchema
  .extend({
    treatment_time_data: z.array(time),
    treatment_intensity_data: z.array(intensity),
    movement_data: z.array(movement),
  })
  .meta({
    id: 'RecentChartByDate',
    description: 'Use, intensity and movement of every date',
    examples: [chartOf(exampleUsageWeek)],
  })

export const recentByDate = uncheckedAccountEndpoint(
  {
    method: 'GET',
    path: '/api/v2/beta/chart/recent',
    right: 'viewer',
    accounts: 'all',
    scope: ['usage:read'],
    summary: 'Usage time, intensity and movement of every date',
    description: `As \`GET /api/v1/beta/chart/recent\`, but each of the 7 or 30 dates is there, ascending, with null where it has no data. The averages
leave such dates out.`,
  },
  recentChartErrors,
)
  .input(chartInput)
  .output(chartByDate)
  .query(async ({ ctx, input }) => {
    const { rows, window } = await recentUsage(ctx, input)
    const found = new Map(rows.map((row) => [row.treatment_date, row]))
    const dates = Array.from({ length: daysBetween(window.first, window.last) + 1 }, (_, n) =>
      addDays(window.first, n),
    )
    const none = { treatment_time: null, last_intensity: null, movement: null }
    return chartOf(dates.map((treatment_date) => found.get(treatment_date) ?? { treatment_date, ...none }))
  })
