import { z } from 'zod'
import { isOutOfReach } from '../database/refusal.ts'
import { Failure } from '../errors/failure.ts'
import { endpoint } from '../http/endpoint.ts'
import { message, uniqueId } from '../http/fields.ts'
import { deleteDevlogs as deleteSoftly } from './devlog-deletion.ts'

export const deleteDevlogs = endpoint(
  {
    method: 'DELETE',
    path: '/api/v1/gamma/device/devlog',
    summary: 'Delete all usage logs of a device',
    description: `The deletion is soft: the logs vanish from every call, and the operator can restore them. The service may be configured to
keep what the device recorded since it was connected to its present child. \`message\` tells how many logs there were.`,
  },
  [
    [404, 'Device Log not found', 'the device is unknown or has no logs'],
    [500, 'Internal error while deleting device logs', 'the database refused the deletion'],
  ],
)
  .input(z.object({ unique_id: uniqueId }))
  .output(message)
  .mutation(async ({ ctx, input: { unique_id } }) => {
    const count = await ctx.database
      .transaction(async (sql) => {
        const deleted = await deleteSoftly(sql, {
          uniqueId: unique_id,
          address: ctx.request.address,
          scope: ctx.devlogDeletion,
          timeZone: ctx.timeZone,
        })
        if (deleted === 0) throw ctx.failure(404, 'Device Log not found')
        return deleted
      })
      .catch((error: unknown) => {
        if (error instanceof Failure || isOutOfReach(error)) throw error
        ctx.log.error({ err: error, request_id: ctx.request.id }, 'device logs not deleted')
        throw ctx.failure(500, 'Internal error while deleting device logs')
      })
    return { statusCode: 200 as const, message: `Deleted ${count} device logs` }
  })
