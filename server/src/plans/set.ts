import { sql } from 'kysely'
import { accountEndpoint } from '../auth/account-endpoint.ts'
import { lockChildAndReadRole } from '../children/child-lock.ts'
import { indistinctChildErrors } from '../children/real-user.ts'
import { calendarDateField, idField } from '../http/fields.ts'
import { InvalidInput } from '../http/validation-issues.ts'
import { addDays, today } from '../time/wall-clock.ts'
import { bedtime, plan, PLAN_COLUMNS, plannedNightsSchema } from './plan.ts'
import type { Plan } from './plan.ts'

const MOST_PLANS = 100
const MOST_DAYS = 366

export const set = accountEndpoint(
  {
    method: 'PUT',
    path: '/api/v1/beta/plan',
    right: 'guardian',
    summary: 'Plan the nights of a child from an evening on',
    description: `The plan of the same child and evening is replaced and keeps its id. \`nights_per_week\` 0 is a pause, as for a holiday: the
weeks of a pause count neither for nor against the child.`,
  },
  [
    ...indistinctChildErrors,
    [409, 'Too many plans', 'the child has 100 plans, and none that begins on this evening'],
  ],
)
  .input(
    plannedNightsSchema.extend({
      real_user_id: idField,
      bedtime: bedtime.default(null),
      from: calendarDateField.optional().meta({
        description:
          'The first evening; without it, today in the time zone of the service. At most 366 days before or after today',
      }),
    }),
  )
  .output(plan)
  .mutation(async ({ ctx, input: { real_user_id, nights_per_week, minutes, bedtime, from } }) => {
    const { rootUserId } = ctx.caller
    const now = today(ctx.timeZone)
    const evening = from ?? now
    if (evening < addDays(now, -MOST_DAYS) || evening > addDays(now, MOST_DAYS))
      throw new InvalidInput(['from'], `must lie within ${MOST_DAYS} days of today`)
    return ctx.database.transaction(async (tx) => {
      // Others who plan for the child wait, so that its plans can be counted.
      const child = await lockChildAndReadRole(tx, real_user_id, { rootUserId, today: now }, 'update')
      if (!child || !ctx.mayAccess(child.role, real_user_id)) throw ctx.failure(401, 'Not authorized user')
      const { rows: known } = await sql<Plan>`
        SELECT ${sql.raw(PLAN_COLUMNS)} FROM plan p WHERE p.real_user_id = ${real_user_id}`.execute(tx)
      const replaced = known.find((each) => each.from === evening)
      if (!replaced && known.length >= MOST_PLANS) throw ctx.failure(409, 'Too many plans')
      ctx.touches(real_user_id, replaced)
      const { rows } = await sql<Plan>`
        INSERT INTO plan AS p (real_user_id, from_date, nights_per_week, minutes, bedtime, set_by, set_at)
        VALUES (${real_user_id}, ${evening}, ${nights_per_week}, ${minutes}, ${bedtime}, 'parent', ${new Date()})
        ON CONFLICT (real_user_id, from_date) DO UPDATE SET nights_per_week = excluded.nights_per_week,
          minutes = excluded.minutes, bedtime = excluded.bedtime, set_by = excluded.set_by, set_at = excluded.set_at
        RETURNING ${sql.raw(PLAN_COLUMNS)}`.execute(tx)
      const [stored] = rows
      if (!stored) throw new Error('A plan that was stored is not there')
      return stored
    })
  })
