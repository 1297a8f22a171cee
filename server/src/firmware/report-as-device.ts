import { z } from 'zod'
import { statement } from '../database/statement.ts'
import { recordDeviceCallOnTrail } from '../devlogs/device-call.ts'
import type { DeviceAndWearer } from '../devlogs/device-call.ts'
import { endpoint } from '../http/endpoint.ts'
import { messageResponseSchema, uniqueIdField } from '../http/fields.ts'
import { knownDevice, tooManyUnknown, unknownDevice } from './asking-device.ts'
import { keepReport, neverOffered, outcomeFields, reportSaved } from './outcome.ts'

const selectDevice = statement<DeviceAndWearer>(
  'device-and-wearer',
  'SELECT id AS device_id, real_user_id FROM device WHERE unique_id = $1',
)

export const reportAsDevice = endpoint(
  {
    method: 'POST',
    path: '/api/v1/gamma/device/firmware/report',
    summary: 'Report, as a device, what became of a firmware',
    description:
      'The same final report again changes nothing. After `installed`, the device counts as running the firmware.',
    recorded: true,
  },
  [unknownDevice, neverOffered, tooManyUnknown],
)
  .use(recordDeviceCallOnTrail)
  .input(z.object({ unique_id: uniqueIdField, ...outcomeFields }))
  .output(messageResponseSchema)
  .mutation(async ({ ctx, input: { unique_id, ...outcome } }) => {
    const { database } = ctx
    const device = await knownDevice(
      ctx,
      unique_id,
      async () => (await database.query(selectDevice, [unique_id]))[0],
    )
    ctx.concernsWearer(device)
    if (!(await keepReport(database, device.device_id, outcome))) throw ctx.failure(404, 'Firmware not found')
    return reportSaved
  })
