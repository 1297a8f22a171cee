import { z } from 'zod'
import { shortRead } from '../database/short-read.ts'
import { endpoint } from '../http/endpoint.ts'
import { calendarDate, uniqueId } from '../http/fields.ts'

const treatment = z.object({
  treatment_date: z.string().meta({ description: "The device's wall clock, ISO 8601 without zone" }),
  treatment_time: z.int().meta({ description: 'Seconds' }),
  last_intensity: z.int().meta({ description: 'The last intensity used' }),
})

// One row without a date when the device is known but was not used.
const selectDay = shortRead<z.infer<typeof treatment> | { treatment_date: null }>(
  'device-day',
  ['uuid', 'date'],
  `SELECT to_json(t.treatment_date) #>> '{}' AS treatment_date, t.treatment_time, t.last_intensity
   FROM device d
   LEFT JOIN treatment t ON t.device_id = d.id AND t.deleted_at IS NULL
     AND t.treatment_date >= $2::date AND t.treatment_date < $2::date + 1
   WHERE d.unique_id = $1
   ORDER BY t.treatment_date, t.log_file_id`,
)

export const detail = endpoint(
  {
    method: 'GET',
    path: '/api/v1/gamma/device/detail',
    summary: 'The usage logs of a device on one day',
    description: 'The logs are ascending. There are none when the device was not used on that day.',
  },
  [[400, 'Failed to read detail event', 'the device is unknown']],
)
  .input(z.object({ unique_id: uniqueId, event_date: calendarDate }))
  .output(z.object({ treatment_data: z.array(treatment) }))
  .query(async ({ ctx, input: { unique_id, event_date } }) => {
    const rows = await ctx.database.query(selectDay, [unique_id, event_date])
    if (rows.length === 0) throw ctx.failure(400, 'Failed to read detail event')
    return { treatment_data: rows.filter((row) => row.treatment_date !== null) }
  })
