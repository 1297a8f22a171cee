import { sql } from 'kysely'
import type { Sql } from '../database/database.ts'
import { Failure } from '../errors/failure.ts'
import type { ErrorDeclaration } from '../errors/failure.ts'
import { calendarDateField } from '../http/fields.ts'
import { InvalidInput } from '../http/validation-issues.ts'
import { addDays } from '../time/wall-clock.ts'
import { bedtime, PLAN_COLUMNS, plannedNightsSchema } from './plan.ts'
import type { Plan } from './plan.ts'

const MOST_PLANS = 100
const MOST_DAYS = 366

export const tooManyPlans = [
  409,
  'Too many plans',
  'the child has 100 plans, and none that begins on this evening',
] as const satisfies ErrorDeclaration

/** A plan as it is set, by a parent or a clinic. */
export const newPlanSchema = plannedNightsSchema.extend({
  bedtime: bedtime.default(null),
  from: calendarDateField.optional().meta({
    description:
      'The first evening; without it, today in the time zone of the service. At most 366 days before or after today',
  }),
})

/** The first evening of a plan that is set on the service's date `today`; throws if it lies too far away. */
export function firstEvening(from: string | undefined, today: string): string {
  const evening = from ?? today
  if (evening < addDays(today, -MOST_DAYS) || evening > addDays(today, MOST_DAYS))
    throw new InvalidInput(['from'], `must lie within ${MOST_DAYS} days of today`)
  return evening
}

/**
 * Stores the plan of a child from an evening on, in place of one from this evening, which is resolved to as `replaced`. The caller holds
 * the child, so that its plans can be counted.
 */
export async function storePlan(
  tx: Sql,
  realUserId: number,
  evening: string,
  {
    nights_per_week,
    minutes,
    bedtime: bedtimeOf,
    set_by,
  }: Pick<Plan, 'nights_per_week' | 'minutes' | 'bedtime' | 'set_by'>,
): Promise<{ stored: Plan; replaced: Plan | undefined }> {
  const { rows: known } = await sql<Plan>`
    SELECT ${sql.raw(PLAN_COLUMNS)} FROM plan p WHERE p.real_user_id = ${realUserId}`.execute(tx)
  const replaced = known.find((each) => each.from === evening)
  if (!replaced && known.length >= MOST_PLANS) throw new Failure(...tooManyPlans)
  const { rows } = await sql<Plan>`
    INSERT INTO plan AS p (real_user_id, from_date, nights_per_week, minutes, bedtime, set_by, set_at)
    VALUES (${realUserId}, ${evening}, ${nights_per_week}, ${minutes}, ${bedtimeOf}, ${set_by}, ${new Date()})
    ON CONFLICT (real_user_id, from_date) DO UPDATE SET nights_per_week = excluded.nights_per_week,
      minutes = excluded.minutes, bedtime = excluded.bedtime, set_by = excluded.set_by, set_at = excluded.set_at
    RETURNING ${sql.raw(PLAN_COLUMNS)}`.execute(tx)
  const [stored] = rows
  if (!stored) throw new Error('A plan that was stored is not there')
  return { stored, replaced }
}
