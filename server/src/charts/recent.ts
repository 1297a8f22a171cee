import { uncheckedAccountEndpoint } from '../auth/account-endpoint.ts'
import { recentChartErrors, recentUsage } from './recent-usage.ts'
import { chartInput, exampleUsageWeek, usageChartSchema, usageChartOf } from './usage-chart.ts'

const recentChart = usageChartSchema.meta({
  id: 'RecentChart',
  description: 'Use, intensity and movement of the dates that have data',
  examples: [usageChartOf(exampleUsageWeek.filter(({ treatment_time }) => treatment_time !== null))],
})

export const recent = uncheckedAccountEndpoint(
  {
    method: 'GET',
    path: '/api/v1/beta/chart/recent',
    right: 'viewer',
    accounts: 'all',
    scope: ['usage:read'],
    summary: 'Usage time, intensity and movement of the dates that have data',
    description: `The window has 7 or 30 days and ends with \`current_date\`. Of several treatments on one date, times and movements are
summed and last intensities averaged. The averages are plain means over the dates that have data. Dates are ascending.`,
  },
  recentChartErrors,
)
  .input(chartInput)
  .output(recentChart)
  .query(async ({ ctx, input }) => usageChartOf((await recentUsage(ctx, input)).rows))
