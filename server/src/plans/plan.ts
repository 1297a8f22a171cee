import { z } from 'zod'
import { isoTimestampSql } from '../database/wire-time.ts'
import { clockTimeField, integerField } from '../http/fields.ts'

declare module '../http/context.ts' {
  interface Context {
    /** The use of a night, in minutes, that reaches the goal on an evening without a plan. */
    adherenceGoalMinutes: number
  }
}

/** What a parent plans, as clients send it. */
export const plannedNightsSchema = z.object({
  nights_per_week: integerField(0, 7).meta({
    description: 'How many nights of a week, Sunday to Saturday, should reach the goal; 0 is a pause',
  }),
  minutes: integerField(1, 1440).meta({ description: 'The use in one night that reaches the goal' }),
})

export const bedtime = clockTimeField.nullable().meta({
  description:
    'On the clock of the family. A time before noon is on the date after the evening. Null: none is planned',
})

/** A plan in the format of the service. */
export const plan = plannedNightsSchema
  .extend({
    plan_id: z.int().meta({ description: 'Its id, kept when it is replaced' }),
    real_user_id: z.int(),
    from: z.string().meta({ format: 'date', description: 'The first evening that it is in force' }),
    bedtime,
    set_by: z.enum(['parent', 'clinic']).meta({ description: 'Who has set it last' }),
    set_at: z.string().meta({ format: 'date-time', description: 'When it was set last' }),
  })
  .meta({
    id: 'Plan',
    description: 'What is planned for a child from an evening on, until the next plan begins',
    examples: [
      {
        plan_id: 1,
        real_user_id: 1,
        from: '2026-03-01',
        nights_per_week: 5,
        minutes: 420,
        bedtime: '21:00',
        set_by: 'parent',
        set_at: '2026-02-28T19:04:12.345Z',
      },
    ],
  })
export type Plan = z.infer<typeof plan>

/** SQL for the columns of a plan `p`, in that format. */
export const PLAN_COLUMNS = `p.id AS plan_id, p.real_user_id, to_char(p.from_date, 'YYYY-MM-DD') AS from, p.nights_per_week, p.minutes,
  p.bedtime, p.set_by, ${isoTimestampSql('p.set_at')} AS set_at`
