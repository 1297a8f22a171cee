import { ACCOUNT_STATE, assertActive, tokenEndpoint } from '../auth/account-endpoint.ts'
import type { AccountState } from '../auth/account-endpoint.ts'
import { childRole } from '../auth/child-role.ts'
import { ownChildErrors } from '../children/real-user.ts'
import { batchedRead } from '../database/batched-read.ts'
import { packed, unpacked } from '../database/packed.ts'
import type { Role } from '../http/right.ts'
import { chartWindow } from '../time/chart-window.ts'
import { today } from '../time/wall-clock.ts'
import { chartQuery, exampleWeek, USAGE, usageChart, usageChartOf } from './usage-chart.ts'
import type { UsageRow } from './usage-chart.ts'

interface Row extends AccountState {
  role: Role | null
  dates: string | null
  times: string | null
  intensities: string | null
  movements: string | null
}

const ROLE = childRole('u.id', '$5')

const selectRecentChart = batchedRead<Row>(
  'recent-chart',
  ['int', 'int', 'date', 'date', 'date'],
  `SELECT ${ACCOUNT_STATE}, ${ROLE} AS role, days.*
   FROM root_user u
   LEFT JOIN real_user r ON r.id = $2 AND r.deleted_at IS NULL AND ${ROLE} IS NOT NULL
   CROSS JOIN LATERAL (
     SELECT ${packed("to_char(date, 'YYYY-MM-DD')")} AS dates, ${packed('treatment_time')} AS times,
       ${packed('last_intensity')} AS intensities, ${packed('movement')} AS movements
     FROM (
       SELECT treatment_date::date AS date, ${USAGE}
       FROM child_usage(r.id, $3::date, $4::date + 1)
       GROUP BY 1
       ORDER BY 1
     ) day
   ) days
   WHERE u.id = $1`,
)

function usageRows({ dates, times, intensities, movements }: Row): UsageRow[] {
  const [time, intensity, movement] = [unpacked(times), unpacked(intensities), unpacked(movements)]
  return unpacked(dates).map((treatment_date, n) => ({
    treatment_date,
    treatment_time: Number(time[n]),
    last_intensity: Number(intensity[n]),
    movement: Number(movement[n]),
  }))
}

const recentChart = usageChart.meta({
  id: 'RecentChart',
  description: 'Use, intensity and movement of the dates that have data',
  examples: [usageChartOf(exampleWeek.filter(({ treatment_time }) => treatment_time !== null))],
})

export const recent = tokenEndpoint(
  {
    method: 'GET',
    path: '/api/v1/beta/chart/recent',
    right: 'viewer',
    scope: ['usage:read'],
    summary: 'Usage time, intensity and movement of the dates that have data',
    description: `The window has 7 or 30 days and ends with \`current_date\`. Of several treatments on one date, times and movements are
summed and last intensities averaged. The averages are plain means over the dates that have data. Dates are ascending.`,
  },
  [[400, 'Invalid mode. Use 0 for recent 7 days or 1 for recent 30 days'], ...ownChildErrors],
)
  .input(chartQuery)
  .output(recentChart)
  .query(async ({ ctx, input: { real_user_id, select_mode, current_date } }) => {
    const now = today(ctx.timeZone)
    const { first, last } = chartWindow(select_mode === 1 ? 1 : 0, current_date ?? now)
    const [row] = await ctx.database.query(selectRecentChart, [
      ctx.caller.rootUserId,
      real_user_id,
      first,
      last,
      now,
    ])
    const found = assertActive(row, ctx.caller)
    if (select_mode !== 0 && select_mode !== 1) {
      throw ctx.failure(400, 'Invalid mode. Use 0 for recent 7 days or 1 for recent 30 days')
    }
    if (!ctx.mayAccess(found.role, real_user_id)) throw ctx.failure(401, 'Not authorized user')
    return usageChartOf(usageRows(found))
  })
