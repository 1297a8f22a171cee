import { sql as raw } from 'kysely'
import { z } from 'zod'
import { accountEndpoint } from '../auth/account-endpoint.ts'
import { isValueRejectedByDatabase } from '../database/sql-errors.ts'
import { disconnectDevices, lockDevicesOfChildren } from '../devices/pairing.ts'
import { idField, messageResponseSchema, uniqueIdField } from '../http/fields.ts'
import { lockChild } from './child-lock.ts'
import { childErrors } from './real-user.ts'

export const deleteChild = accountEndpoint(
  {
    method: 'DELETE',
    path: '/api/v1/beta/user/delete-real-user',
    right: 'owner',
    summary: 'Delete a child account and disconnect its devices',
    description:
      'Its personal data is erased, its history cannot be read any more, and its devices are free. Its members get a mail.',
    body: 'json',
  },
  [...childErrors, [409, 'Real user delete failed', 'the child does not wear this device']],
)
  .input(
    z.object({
      real_user_id: idField,
      unique_id: uniqueIdField.meta({ description: 'The uuid of a device that the child wears' }),
    }),
  )
  .output(messageResponseSchema)
  .mutation(async ({ ctx, input: { real_user_id, unique_id } }) => {
    await ctx.database
      .transaction(async (sql) => {
        const child = await lockChild(sql, real_user_id, 'update')
        if (!child) throw ctx.failure(404, 'Real user is not found')
        if (child.root_user_id !== ctx.caller.rootUserId) throw ctx.failure(401, 'Not authorized user')
        await lockDevicesOfChildren(sql, [real_user_id])
        const devices = await disconnectDevices(sql)
          .where('real_user_id', '=', real_user_id)
          .returning('unique_id')
          .execute()
        if (!devices.some((device) => device.unique_id === unique_id)) {
          throw ctx.failure(409, 'Real user delete failed')
        }
        await raw`SELECT erase_treatments(ARRAY[${real_user_id}::int])`.execute(sql)
        await sql
          .updateTable('real_user')
          .set({ first_name: '', last_name: '', birthdate: '', gender: 'P', deleted_at: new Date() })
          .where('id', '=', real_user_id)
          .execute()
      })
      .catch((error: unknown) => {
        if (!isValueRejectedByDatabase(error)) throw error
        ctx.log.error({ err: error, request_id: ctx.request.id }, 'child not deleted')
        throw ctx.failure(409, 'Real user delete failed')
      })
    return { statusCode: 200 as const, message: 'Real user deleted successfully' }
  })
