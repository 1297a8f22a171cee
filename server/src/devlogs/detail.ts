import { z } from 'zod'
import { batchedRead } from '../database/batched-read.ts'
import { countUnknownDevices, refuseUnknownDevices } from '../devices/unknown-devices.ts'
import { calendarDateField, uniqueIdField } from '../http/fields.ts'
import type { DeviceAndWearer } from './device-call.ts'
import { deviceReadEndpoint } from './device-read.ts'
import { OF_PRESENT_WEARER_SQL } from './present-wearer.ts'

const treatment = z
  .object({
    treatment_date: z.string().meta({ description: "The device's wall clock, ISO 8601 without zone" }),
    treatment_time: z.int().meta({ description: 'Seconds' }),
    last_intensity: z.int().meta({ description: 'The last intensity used' }),
  })
  .meta({ id: 'DeviceTreatment', description: 'One use of a device' })

/** The newest records of a day are listed, so that a response stays small however many a device sends. */
const MOST_TREATMENTS = 2000

// One row without a date when the device is known but was not used by the child who wears it now.
const selectDay = batchedRead<DeviceAndWearer & (z.infer<typeof treatment> | { treatment_date: null })>(
  'device-day',
  ['uuid', 'date'],
  `SELECT d.id AS device_id, d.real_user_id,
     to_json(t.treatment_date) #>> '{}' AS treatment_date, t.treatment_time, t.last_intensity
   FROM device d
   LEFT JOIN LATERAL (
     SELECT treatment_date, treatment_time, last_intensity, log_file_id
     FROM device_treatments(d.id, $2::date, $2::date + 1) t
     WHERE ${OF_PRESENT_WEARER_SQL}
     ORDER BY treatment_date DESC, log_file_id DESC
     LIMIT ${MOST_TREATMENTS}
   ) t ON true
   WHERE d.unique_id = $1
   ORDER BY t.treatment_date, t.log_file_id`,
)

export const detail = deviceReadEndpoint(
  {
    method: 'GET',
    path: '/api/v1/gamma/device/detail',
    summary: 'The usage logs of a device on one day',
    description: `The logs of the child who wears the device now, ascending, at most the ${MOST_TREATMENTS} newest of the day. There are none when the
child did not use the device on that day.`,
  },
  [[400, 'Failed to read detail event', 'the device is unknown']],
)
  .input(z.object({ unique_id: uniqueIdField, event_date: calendarDateField }))
  .output(
    z
      .object({ treatment_data: z.array(treatment) })
      .meta({ id: 'DeviceDay', description: 'A day of a device' }),
  )
  .query(async ({ ctx, input: { unique_id, event_date } }) => {
    await refuseUnknownDevices(ctx, [unique_id])
    const rows = await ctx.database.query(selectDay, [unique_id, event_date])
    const [first] = rows
    if (!first) {
      await countUnknownDevices(ctx, 1)
      throw ctx.failure(400, 'Failed to read detail event')
    }
    ctx.concernsWearer(first)
    return { treatment_data: rows.filter((row) => row.treatment_date !== null) }
  })
