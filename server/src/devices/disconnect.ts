import { z } from 'zod'
import { accountEndpoint } from '../auth/account-endpoint.ts'
import { idField, messageResponseSchema } from '../http/fields.ts'
import { disconnectDevices, wornDeviceErrors } from './pairing.ts'

export const disconnect = accountEndpoint(
  {
    method: 'DELETE',
    path: '/api/v1/beta/device/{device_id}',
    right: 'owner',
    summary: 'Disconnect a device from its child',
    description:
      'The device is free for another child or family, under its serial code again. Its records stay with the child who wore it.',
  },
  wornDeviceErrors,
)
  .input(z.object({ device_id: idField }))
  .output(messageResponseSchema)
  .mutation(async ({ ctx, input: { device_id } }) => {
    const { sql } = ctx.database
    const wearer = await sql
      .selectFrom('device')
      .innerJoin('real_user', 'real_user.id', 'device.real_user_id')
      .select(['real_user.id', 'root_user_id', 'device_alias'])
      .where('device.id', '=', device_id)
      .executeTakeFirst()
    if (!wearer) throw ctx.failure(404, 'Not Found Device')
    const { id: real_user_id, root_user_id, device_alias } = wearer
    ctx.touches(real_user_id, { device_id, device_alias })
    if (root_user_id !== ctx.caller.rootUserId) throw ctx.failure(401, 'Not authorized user')
    // Disconnect only from the child read above: the device may have been connected to another one since then.
    const { numUpdatedRows } = await disconnectDevices(sql)
      .where('id', '=', device_id)
      .where('real_user_id', '=', real_user_id)
      .executeTakeFirst()
    if (numUpdatedRows === 0n) throw ctx.failure(404, 'Not Found Device')
    return { statusCode: 200 as const, message: 'Device disconnected' }
  })
