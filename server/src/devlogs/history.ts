import { z } from 'zod'
import { shortRead } from '../database/short-read.ts'
import { endpoint } from '../http/endpoint.ts'
import { uniqueId } from '../http/fields.ts'
import { periodFields } from '../http/period-fields.ts'
import { calendarPeriod, periodErrors } from '../time/calendar-period.ts'
import { today } from '../time/wall-clock.ts'

const selectDays = shortRead<{ date: string }>(
  'device-history',
  ['uuid', 'date', 'date'],
  `SELECT DISTINCT to_char(t.treatment_date, 'YYYY-MM-DD') AS date
   FROM device d JOIN treatment t ON t.device_id = d.id
   WHERE d.unique_id = $1 AND t.deleted_at IS NULL
     AND t.treatment_date >= $2::date AND t.treatment_date < $3::date + 1
   ORDER BY 1`,
)

const isNumber = (value: string) => /^\d{1,15}$/.test(value)

/** The contract types it an integer here. Devices are known by what nobody can guess, so a number names none. */
const uniqueIdOrNumber = z
  .string()
  .toLowerCase()
  .refine((value) => isNumber(value) || uniqueId.safeParse(value).success, { error: 'must be a UUID' })
  .meta({
    description: 'A uuid. A number is accepted and names no device',
    examples: ['7b1f0c52-3a8e-4d1b-9c60-2f5e8a4d9b13'],
  })

export const history = endpoint(
  {
    method: 'GET',
    path: '/api/v1/gamma/device/history',
    summary: 'The days of a week, month, quarter or year on which a device was used',
    description:
      'Every log counts, however short. An unknown device has none. Periods are those of `GET /api/v1/beta/event/history`.',
  },
  periodErrors,
)
  .input(z.object({ unique_id: uniqueIdOrNumber, ...periodFields }))
  .output(z.array(z.object({ date: z.string().meta({ format: 'date' }), is_devlog: z.literal(1) })))
  .query(async ({ ctx, input: { unique_id, ...choice } }) => {
    const days = calendarPeriod(choice, today(ctx.timeZone))
    if (!days || isNumber(unique_id)) return []
    const rows = await ctx.database.query(selectDays, [unique_id, days.first, days.last])
    return rows.map(({ date }) => ({ date, is_devlog: 1 as const }))
  })
