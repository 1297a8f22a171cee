import { accountEndpoint } from '../auth/account-endpoint.ts'
import { idField } from '../http/fields.ts'
import { listedDevice } from './listed-device.ts'
import { connectDevice, isSerialCode, pairingInput, pairingErrors } from './pairing.ts'

export const connect = accountEndpoint(
  {
    method: 'POST',
    path: '/api/v1/beta/device',
    right: 'owner',
    summary: 'Connect a device to a child',
    description: `For a child that exists; \`POST /api/v2/beta/user/create-real-user\` does it for a new one. A device is worn by one child
at a time. Its records of another child stay with that child.`,
  },
  [...pairingErrors, [401, 'Not authorized user', 'the account has no such child']],
)
  .input(pairingInput.extend({ real_user_id: idField }))
  .output(listedDevice)
  .mutation(async ({ ctx, input: { real_user_id, ...codes } }) => {
    if (!isSerialCode(codes.serial_code)) throw ctx.failure(400, 'Serial code is not valid')
    return ctx.database.transaction(async (sql) => {
      // The lock keeps a concurrent deletion of the child from leaving this device connected to it.
      const child = await sql
        .selectFrom('real_user')
        .select('id')
        .where('id', '=', real_user_id)
        .where('root_user_id', '=', ctx.caller.rootUserId)
        .where('deleted_at', 'is', null)
        .forShare()
        .executeTakeFirst()
      if (!child) throw ctx.failure(401, 'Not authorized user')
      const connected = await connectDevice(sql, child.id, codes)
      if (connected === 'serial code') throw ctx.failure(400, 'Serial code is not valid')
      if (connected === 'unknown') throw ctx.failure(404, 'Not Found Device')
      if (connected === 'connected') throw ctx.failure(409, 'Already Connected Device')
      return { ...connected, real_user_id, last_upload_at: null }
    })
  })
