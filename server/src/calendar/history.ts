import { z } from 'zod'
import { uncheckedAccountEndpoint } from '../auth/account-endpoint.ts'
import { ACCOUNT_STATE, assertActive } from '../auth/account-state.ts'
import type { AccountState } from '../auth/account-state.ts'
import { childRoleSql } from '../auth/child-role.ts'
import { indistinctChildErrors } from '../children/real-user.ts'
import { batchedRead } from '../database/batched-read.ts'
import { packedSql, parsePacked } from '../database/packed.ts'
import { idField } from '../http/fields.ts'
import { calendarPeriodFields } from '../http/period-fields.ts'
import type { Role } from '../http/right.ts'
import { calendarPeriod, periodErrors } from '../time/calendar-period.ts'
import { today } from '../time/wall-clock.ts'
import { COUNTED_TREATMENT_SQL } from './counted-treatment.ts'
import { NON_EMPTY_EVENT_SQL } from './event.ts'

const mark = z.literal([0, 1])
const marks = z
  .object({
    date: z.string().meta({ format: 'date' }),
    is_devlog: mark.meta({ description: '1: a treatment' }),
    is_event: mark.meta({ description: '1: an event' }),
  })
  .meta({ id: 'MarkedDay', description: 'A day with a treatment or an event' })

interface Row extends AccountState {
  role: Role | null
  dates: string | null
  devlogs: string | null
  events: string | null
}

const ROLE = childRoleSql('u.id', '$5')

const selectHistory = batchedRead<Row>(
  'calendar-history',
  ['int', 'int', 'date', 'date', 'date'],
  `SELECT ${ACCOUNT_STATE}, ${ROLE} AS role, days.*
   FROM root_user u
   LEFT JOIN real_user r ON r.id = $2 AND r.deleted_at IS NULL AND ${ROLE} IS NOT NULL
   CROSS JOIN LATERAL (
     SELECT ${packedSql("to_char(date, 'YYYY-MM-DD')")} AS dates, ${packedSql('is_devlog')} AS devlogs, ${packedSql('is_event')} AS events
     FROM (
       SELECT date, max(is_devlog) AS is_devlog, max(is_event) AS is_event
       FROM (
         SELECT treatment_date::date AS date, 1 AS is_devlog, 0 AS is_event
         FROM child_usage_records(r.id, $3::date, $4::date + 1)
         WHERE ${COUNTED_TREATMENT_SQL}
         UNION ALL
         SELECT event_date, 0, 1
         FROM events_of(r.id, $3::date, $4::date)
         WHERE ${NON_EMPTY_EVENT_SQL}
       ) marked
       GROUP BY date
       ORDER BY date
     ) day
   ) days
   WHERE u.id = $1`,
)

export const history = uncheckedAccountEndpoint(
  {
    method: 'GET',
    path: '/api/v1/beta/event/history',
    right: 'viewer',
    accounts: 'all',
    scope: ['usage:read'],
    summary: 'The days of a week, month, quarter or year that have a treatment or an event',
    description: `Days are ascending. Weeks run from Sunday to Saturday, and week 1 holds 1 January. A treatment counts when it is temporary
or lasted 120 seconds, an event when it says something. A week that the year does not have is an empty list.`,
  },
  [...periodErrors, ...indistinctChildErrors],
)
  .input(z.object({ real_user_id: idField, ...calendarPeriodFields }))
  .output(z.array(marks))
  .query(async ({ ctx, input: { real_user_id, ...choice } }) => {
    const now = today(ctx.timeZone)
    const days = calendarPeriod(choice, now)
    const [row] = await ctx.database.query(selectHistory, [
      ctx.caller.rootUserId,
      real_user_id,
      days?.first ?? null,
      days?.last ?? null,
      now,
    ])
    const { role, dates, devlogs, events } = assertActive(row, ctx.caller)
    if (!ctx.mayAccess(role, real_user_id)) throw ctx.failure(401, 'Not authorized user')
    const [isDevlog, isEvent] = [parsePacked(devlogs), parsePacked(events)]
    return parsePacked(dates).map((date, n) => ({
      date,
      is_devlog: isDevlog[n] === '1' ? 1 : 0,
      is_event: isEvent[n] === '1' ? 1 : 0,
    }))
  })
