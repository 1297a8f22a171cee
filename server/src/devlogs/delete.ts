import { z } from 'zod'
import { isDatabaseUnavailable } from '../database/sql-errors.ts'
import { Failure } from '../errors/failure.ts'
import { countUnknownDevices, refuseUnknownDevices } from '../devices/unknown-devices.ts'
import { endpoint } from '../http/endpoint.ts'
import { messageResponseSchema, uniqueIdField } from '../http/fields.ts'
import { recordDeviceCallOnTrail } from './device-call.ts'
import { deleteDevlogs as deleteSoftly } from './devlog-deletion.ts'

export const deleteDevlogs = endpoint(
  {
    method: 'DELETE',
    path: '/api/v1/gamma/device/devlog',
    summary: 'Delete all usage logs of a device',
    description: `Deletes the logs of the child who wears the device now; those of a former wearer stay. The deletion is soft: the logs vanish from every call, and the operator can restore them. The service may be configured to
keep what the device recorded since it was connected to its present child. \`message\` tells how many logs there were.`,
  },
  [
    [404, 'Device Log not found', 'the device is unknown or has no logs'],
    [500, 'Internal error while deleting device logs', 'the database refused the deletion'],
  ],
)
  .use(recordDeviceCallOnTrail)
  .input(z.object({ unique_id: uniqueIdField }))
  .output(messageResponseSchema)
  .mutation(async ({ ctx, input: { unique_id } }) => {
    await refuseUnknownDevices(ctx, [unique_id])
    const { database, request, log, devlogDeletion: scope, timeZone } = ctx
    const { address } = request
    const concernsWearer = ctx.concernsWearer
    const asked = { uniqueId: unique_id, address, scope, timeZone, concernsWearer }
    const deleted = await deleteSoftly(database, asked).catch(async (error: unknown) => {
      if (error instanceof Failure || isDatabaseUnavailable(error) || (await database.failureOf(error)))
        throw error
      log.error({ err: error, request_id: request.id }, 'device logs not deleted')
      throw ctx.failure(500, 'Internal error while deleting device logs')
    })
    if (deleted === 'unknown') await countUnknownDevices(ctx, 1)
    if (typeof deleted !== 'number' || deleted === 0) throw ctx.failure(404, 'Device Log not found')
    return { statusCode: 200 as const, message: `Deleted ${deleted} device logs` }
  })
