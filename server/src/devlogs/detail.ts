import { z } from 'zod'
import { shortRead } from '../database/short-read.ts'
import { endpoint } from '../http/endpoint.ts'
import { calendarDate, uniqueId } from '../http/fields.ts'

const treatment = z.object({
  treatment_date: z.string().meta({ description: "The device's wall clock, ISO 8601 without zone" }),
  treatment_time: z.int().meta({ description: 'Seconds' }),
  last_intensity: z.int().meta({ description: 'The last intensity used' }),
})

/** The newest records of a day are listed, so that an answer stays small however many a device sends. */
const MOST_TREATMENTS = 2000

// One row without a date when the device is known but was not used by the child who wears it now.
const selectDay = shortRead<z.infer<typeof treatment> | { treatment_date: null }>(
  'device-day',
  ['uuid', 'date'],
  `SELECT to_json(t.treatment_date) #>> '{}' AS treatment_date, t.treatment_time, t.last_intensity
   FROM device d
   LEFT JOIN LATERAL (
     SELECT treatment_date, treatment_time, last_intensity, log_file_id
     FROM treatment
     WHERE device_id = d.id AND real_user_id = d.real_user_id AND deleted_at IS NULL
       AND treatment_date >= $2::date AND treatment_date < $2::date + 1
     ORDER BY treatment_date DESC
     LIMIT ${MOST_TREATMENTS}
   ) t ON true
   WHERE d.unique_id = $1
   ORDER BY t.treatment_date, t.log_file_id`,
)

export const detail = endpoint(
  { method: 'GET', path: '/api/v1/gamma/device/detail', summary: 'The usage logs of a device on one day' },
  [[400, 'Failed to read detail event']],
)
  .input(z.object({ unique_id: uniqueId, event_date: calendarDate }))
  .output(z.object({ treatment_data: z.array(treatment) }))
  .query(async ({ ctx, input: { unique_id, event_date } }) => {
    const rows = await ctx.database.query(selectDay, [unique_id, event_date])
    if (rows.length === 0) throw ctx.failure(400, 'Failed to read detail event')
    return { treatment_data: rows.filter((row) => row.treatment_date !== null) }
  })
