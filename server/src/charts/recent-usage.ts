import type { z } from 'zod'
import { ACCOUNT_STATE, assertActive } from '../auth/account-state.ts'
import type { OperationAuthorization } from '../auth/account-endpoint.ts'
import type { AccountState } from '../auth/account-state.ts'
import type { Caller } from '../auth/tokens/caller.ts'
import { childRoleSql } from '../auth/child-role.ts'
import { indistinctChildErrors } from '../children/real-user.ts'
import { batchedRead } from '../database/batched-read.ts'
import { packedSql, parsePacked } from '../database/packed.ts'
import { Failure } from '../errors/failure.ts'
import type { ErrorDeclaration } from '../errors/failure.ts'
import type { Context } from '../http/context.ts'
import type { Role } from '../http/right.ts'
import { chartWindow } from '../time/chart-window.ts'
import type { DateRange } from '../time/chart-window.ts'
import { today } from '../time/wall-clock.ts'
import { USAGE_SUMS_SQL } from './usage-chart.ts'
import type { chartInput, UsageRow } from './usage-chart.ts'

/** The errors of a recent chart, in the order of the checks. */
export const recentChartErrors = [
  [400, 'Invalid mode. Use 0 for recent 7 days or 1 for recent 30 days'],
  ...indistinctChildErrors,
] as const satisfies readonly ErrorDeclaration[]

interface Row extends AccountState {
  role: Role | null
  dates: string | null
  times: string | null
  intensities: string | null
  movements: string | null
}

const ROLE = childRoleSql('u.id', '$5')

const selectRecentChart = batchedRead<Row>(
  'recent-chart',
  ['int', 'int', 'date', 'date', 'date'],
  `SELECT ${ACCOUNT_STATE}, ${ROLE} AS role, days.*
   FROM root_user u
   LEFT JOIN real_user r ON r.id = $2 AND r.deleted_at IS NULL AND ${ROLE} IS NOT NULL
   CROSS JOIN LATERAL (
     SELECT ${packedSql("to_char(date, 'YYYY-MM-DD')")} AS dates, ${packedSql('treatment_time')} AS times,
       ${packedSql('last_intensity')} AS intensities, ${packedSql('movement')} AS movements
     FROM (
       SELECT treatment_date::date AS date, ${USAGE_SUMS_SQL}
       FROM child_usage_records(r.id, $3::date, $4::date + 1)
       GROUP BY 1
       ORDER BY 1
     ) day
   ) days
   WHERE u.id = $1`,
)

function usageRows({ dates, times, intensities, movements }: Row): UsageRow[] {
  const [time, intensity, movement] = [parsePacked(times), parsePacked(intensities), parsePacked(movements)]
  return parsePacked(dates).map((treatment_date, n) => ({
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
  }: Pick<Context, 'database' | 'timeZone'> & Pick<OperationAuthorization, 'mayAccess'> & { caller: Caller },
  { real_user_id, select_mode, current_date }: z.infer<typeof chartInput>,
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
