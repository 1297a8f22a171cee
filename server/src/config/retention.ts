import { z } from 'zod'
import { jsonSetting } from './values.ts'

const error = 'must be a number of months from 1 to 1200, or "none"'
const months = z.union([z.int().min(1).max(1200), z.literal('none')], { error }).default('none')

/**
 * `RETENTION`: JSON `{"treatments": 60, …}`, for how many months records are kept, counted from their own date, and accounts
 * from the last sign-in; `"none"` keeps them without end.
 */
export const retentionMonths = jsonSetting(
  z.strictObject({
    treatments: months,
    readings: months,
    notes: months,
    surveys: months,
    inactive_accounts: months,
    /** `"none"` leaves it to `TRAIL_YEARS`. */
    trail: months,
  }),
)

export type RetentionMonths = z.infer<typeof retentionMonths>

/** Everything is kept. */
export const NO_RETENTION_LIMITS: RetentionMonths = {
  treatments: 'none',
  readings: 'none',
  notes: 'none',
  surveys: 'none',
  inactive_accounts: 'none',
  trail: 'none',
}
