import { z } from 'zod'
import { batchedRead } from '../database/batched-read.ts'
import { countUnknownDevices, refuseUnknownDevices } from '../devices/unknown-devices.ts'
import { uniqueIdField } from '../http/fields.ts'
import { calendarPeriodFields } from '../http/period-fields.ts'
import { calendarPeriod, periodErrors } from '../time/calendar-period.ts'
import { today } from '../time/wall-clock.ts'
import type { DeviceAndWearer } from './device-call.ts'
import { deviceReadEndpoint } from './device-read.ts'
import { OF_PRESENT_WEARER_SQL } from './present-wearer.ts'

// One row without a date when the device is known but was not used by the child who wears it now.
const selectDays = batchedRead<DeviceAndWearer & { date: string | null }>(
  'device-history',
  ['uuid', 'date', 'date'],
  `SELECT DISTINCT d.id AS device_id, d.real_user_id, to_char(t.treatment_date, 'YYYY-MM-DD') AS date
   FROM device d
   LEFT JOIN LATERAL device_treatments(d.id, $2::date, $3::date + 1) t ON ${OF_PRESENT_WEARER_SQL}
   WHERE d.unique_id = $1
   ORDER BY 3`,
)

const isNumber = (value: string) => /^\d{1,15}$/.test(value)

/** The contract types it an integer here. Devices are known by what nobody can guess, so a number names none. */
const uniqueIdOrNumber = z
  .string()
  .toLowerCase()
  .refine((value) => isNumber(value) || uniqueIdField.safeParse(value).success, { error: 'must be a UUID' })
  .meta({
    description: 'A uuid. A number is accepted and names no device',
    examples: ['7b1f0c52-3a8e-4d1b-9c60-2f5e8a4d9b13'],
  })

const usedDay = z
  .object({
    date: z.string().meta({ format: 'date' }),
    is_devlog: z.literal(1).meta({ description: 'Always 1' }),
  })
  .meta({ id: 'UsedDay', description: 'A day on which the device was used' })

export const history = deviceReadEndpoint(
  {
    method: 'GET',
    path: '/api/v1/gamma/device/history',
    summary: 'The days of a week, month, quarter or year on which a device was used',
    description:
      'Every log of the child who wears the device now counts, however short. An unknown device has none. Periods are those of `GET /api/v1/beta/event/history`.',
  },
  periodErrors,
)
  .input(z.object({ unique_id: uniqueIdOrNumber, ...calendarPeriodFields }))
  .output(z.array(usedDay))
  .query(async ({ ctx, input: { unique_id, ...choice } }) => {
    const days = calendarPeriod(choice, today(ctx.timeZone))
    if (!days) return []
    await refuseUnknownDevices(ctx, isNumber(unique_id) ? [] : [unique_id])
    const rows = isNumber(unique_id)
      ? []
      : await ctx.database.query(selectDays, [unique_id, days.first, days.last])
    const [first] = rows
    if (first) ctx.concernsWearer(first)
    else await countUnknownDevices(ctx, 1)
    return rows.flatMap(({ date }) => (date === null ? [] : [{ date, is_devlog: 1 as const }]))
  })
