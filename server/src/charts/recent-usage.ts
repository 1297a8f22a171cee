import type { z } from 'zod'
import { ACCOUNT_STATE, assertActive } from '../auth/account-state.ts'
import type { Rights } from '../auth/account-endpoint.ts'
import type { AccountState } from '../auth/account-state.ts'
import type { Caller } from '../auth/tokens/caller.ts'
import { childRole } from '../auth/child-role.ts'
import { ownChildErrors } from '../children/real-user.ts'
import { batchedRead } from '../database/batched-read.ts'
import { packed, unpacked } from '../database/packed.ts'
import { Failure } from '../errors/failure.ts'
import type { Declared } from '../errors/failure.ts'
import type { Context } from '../http/context.ts'
import type { Role } from '../http/right.ts'
import { chartWindow } from '../time/chart-window.ts'
import type { DateRange } from '../time/chart-window.ts'
import { today } from '../time/wall-clock.ts'
import { USAGE } from './usage-chart.ts'
import type { chartQuery, UsageRow } from './usage-chart.ts'

/** The errors of a recent chart, in the order of the checks. */
export const recentChartErrors = [
  [400, 'Invalid mode. Use 0 for recent 7 days or 1 for recent 30 days'],
  ...ownChildErrors,
] as const satisfies readonly Declared[]

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

/** The dates of the window that have data, ascending, and the window. Throws one of `recentChartErrors`. */
export async function recentUsage(
  {
    database,
    caller,
    timeZone,
    mayAccess,
  }: Pick<Context, 'database' | 'timeZone'> & Pick<Rights, 'mayAccess'> & { caller: Caller },
  { real_user_id, select_mode, current_date }: z.infer<typeof chartQuery>,
): Promise<{ rows: UsageRow[]; window: DateRange }> {
  const now = today(timeZone)
  const window = chartWindow(select_mode === 1 ? 1 : 0, current_date ?? now)
  const [row] = await database.query(selectRecentChart, [
    caller.rootUserId,
    real_user_id,
    window.first,
    window.last,
    now,
  ])
  const found = assertActive(row, caller)
  if (select_mode !== 0 && select_mode !== 1) throw new Failure(...recentChartErrors[0])
  if (!mayAccess(found.role, real_user_id)) throw new Failure(...recentChartErrors[1])
  return { rows: usageRows(found), window }
}
