import { z } from 'zod'
import { uncheckedAccountEndpoint } from '../auth/account-endpoint.ts'
import { ACCOUNT_STATE, assertActive } from '../auth/account-state.ts'
import type { AccountState } from '../auth/account-state.ts'
import { childWithRoleSql } from '../auth/child-role.ts'
import { indistinctChildErrors } from '../children/real-user.ts'
import { parsePacked } from '../database/packed.ts'
import { statement } from '../database/statement.ts'
import { calendarDateField, idField, integerField } from '../http/fields.ts'
import { cursorOf, pageCursorField } from '../http/page-cursor.ts'
import type { Role } from '../http/right.ts'
import { InvalidInput } from '../http/validation-issues.ts'
import { addDays, daysBetween, isLocalDateTime, today } from '../time/wall-clock.ts'

const MOST_DAYS = 366

/** A record of a child: by date, and by id where dates are equal. */
const place = z.tuple([z.string().refine(isLocalDateTime), z.string().regex(/^[1-9]\d{0,17}$/)])

const intensity = z.object({ intensity: z.int() })

const treatment = z
  .object({
    treatment_id: z.int().meta({ description: 'Stays the same for the life of the record' }),
    real_user_id: z.int().meta({ description: 'The child who wore the device' }),
    device_id: z.int().meta({ description: 'The device that recorded it' }),
    treatment_date: z.string().meta({ description: "The device's wall clock, ISO 8601 without zone" }),
    treatment_time: z.int().meta({ description: 'Seconds' }),
    movement: z.int().meta({ description: 'How much the child moved' }),
    log_file_id: z.int().meta({ description: "The id of the device's log" }),
    last_intensity: z.int().meta({ description: 'The last intensity used' }),
    finish_flag: z.enum(['1', '2', '3', '4', '5', '6']).meta({
      description:
        '1: completed, 2: power button, 3: ended by the app, 4: electrodes lost contact, 5: put on the charger, 6: factory test',
    }),
    is_temp: z.boolean().meta({
      description:
        'The last log has not arrived: the treatment still runs, or has ended if 12 hours have passed since what is recorded',
    }),
    // Up to 120,000 of them in a response, which zod would copy one by one.
    intensity_record: z
      .array(
        z.custom<z.infer<typeof intensity>>().meta({
          override: {
            type: 'object',
            properties: { intensity: { type: 'integer' } },
            required: ['intensity'],
          },
        }),
      )
      .meta({ description: 'One value every 6 minutes' }),
  })
  .meta({ id: 'Treatment', description: 'One use of the device, as it was recorded' })

type Row = AccountState & { role: Role | null } & (
    | (Omit<z.infer<typeof treatment>, 'treatment_id' | 'real_user_id' | 'intensity_record'> & {
        id: string
        intensities: string | null
      })
    | { id: null }
  )

// The records of one date of the index are sorted by id as they are read: a page reads no more than it answers.
const selectPage = statement<Row>(
  'treatment-page',
  `SELECT ${ACCOUNT_STATE}, r.role, t.*
   FROM root_user u
   LEFT JOIN LATERAL (${childWithRoleSql('$2', 'u.id', '$8')}) r ON r.role IS NOT NULL
   LEFT JOIN LATERAL (
     SELECT id, device_id, to_json(treatment_date) #>> '{}' AS treatment_date, treatment_time, movement, log_file_id,
       last_intensity, finish_flag::text, is_temp, nullif(array_to_string(intensity_record, ','), '') AS intensities
     FROM child_treatments(r.id, greatest($3::date, $5::timestamp), $4::date + 1) found
     WHERE $5 IS NULL OR (treatment_date, id) > ($5, $6::bigint)
     ORDER BY found.treatment_date, id
     LIMIT $7
   ) t ON true
   WHERE u.id = $1`,
)

const period = z.object({
  start_date: calendarDateField
    .optional()
    .meta({ description: `Without it, ${MOST_DAYS - 1} days before the last day` }),
  end_date: calendarDateField.optional().meta({
    description: `Without it, ${MOST_DAYS - 1} days after the first day, or today where neither is sent`,
  }),
})

/** The chosen days, both included. */
function daysOf(
  { start_date, end_date }: z.infer<typeof period>,
  timeZone: string,
): [first: string, last: string] {
  const last = end_date ?? (start_date ? addDays(start_date, MOST_DAYS - 1) : today(timeZone))
  const first = start_date ?? addDays(last, 1 - MOST_DAYS)
  const more = daysBetween(first, last)
  if (more < 0) throw new InvalidInput(['end_date'], 'must not be before start_date')
  if (more >= MOST_DAYS)
    throw new InvalidInput(['end_date'], `must lie within ${MOST_DAYS} days of start_date`)
  return [first, last]
}

export const list = uncheckedAccountEndpoint(
  {
    method: 'GET',
    path: '/api/v1/beta/treatment',
    right: 'viewer',
    accounts: 'all',
    scope: ['usage:read'],
    summary: 'What the devices of a child recorded, page by page',
    description: `Ascending by date. Deleted records are left out; temporary and short ones are not. Ask again with \`after\` until
\`next\` is null. A device may upload an earlier night later: such a record is not on the pages that follow.`,
  },
  indistinctChildErrors,
)
  .input(
    z.object({
      real_user_id: idField,
      ...period.shape,
      after: pageCursorField(place).optional(),
      limit: integerField(1, 500)
        .default(100)
        .meta({ description: 'The maximum number of records of a page' }),
    }),
  )
  .output(
    z
      .object({
        items: z.array(treatment),
        next: z.string().nullable().meta({ description: 'The `after` of the next page; null on the last' }),
      })
      .meta({ id: 'TreatmentPage', description: 'A page of treatments, ascending by date' }),
  )
  .query(async ({ ctx, input: { real_user_id, after, limit, ...chosen } }) => {
    const rows = await ctx.database.query(selectPage, [
      ctx.caller.rootUserId,
      real_user_id,
      ...daysOf(chosen, ctx.timeZone),
      ...(after ?? [null, null]),
      limit + 1,
      today(ctx.timeZone),
    ])
    if (!ctx.mayAccess(assertActive(rows[0], ctx.caller).role, real_user_id))
      throw ctx.failure(401, 'Not authorized user')
    const found = rows.filter((row) => row.id !== null)
    const items = found.slice(0, limit)
    const last = items.at(-1)
    return {
      items: items.map((row) => ({
        treatment_id: Number(row.id),
        real_user_id,
        device_id: row.device_id,
        treatment_date: row.treatment_date,
        treatment_time: row.treatment_time,
        movement: row.movement,
        log_file_id: row.log_file_id,
        last_intensity: row.last_intensity,
        finish_flag: row.finish_flag,
        is_temp: row.is_temp,
        intensity_record: parsePacked(row.intensities).map((value) => ({ intensity: Number(value) })),
      })),
      next: last && found.length > limit ? cursorOf([last.treatment_date, last.id]) : null,
    }
  })
