import { z } from 'zod'
import { accountEndpoint } from '../auth/account-endpoint.ts'
import { lockAccount } from '../auth/account-lock.ts'
import { isValueRejectedByDatabase } from '../database/sql-errors.ts'
import { connectDevice, deviceSchema, isSerialCode, pairingInput, pairingErrors } from '../devices/pairing.ts'
import { realUserSchema, realUserProfileInput } from './real-user.ts'
import { encryptPerson } from '../encryption/person.ts'

export const create = accountEndpoint(
  {
    method: 'POST',
    path: '/api/v2/beta/user/create-real-user',
    right: 'self',
    summary: 'Create a child account and connect its device',
    description: 'Both or neither: when the device cannot be connected, no child is created.',
  },
  [
    ...pairingErrors,
    [401, 'Not authorized user', 'a parallel call has deleted the account'],
    [409, 'Real user create failed', 'the database refused the child'],
  ],
)
  .input(realUserProfileInput.extend(pairingInput.shape))
  .output(
    realUserProfileInput
      .extend({ real_user_id: z.int(), birthdate: realUserSchema.shape.birthdate })
      .extend(deviceSchema.shape)
      .meta({ id: 'CreatedChild', description: 'A child with the device that was connected' }),
  )
  .mutation(async ({ ctx, input: { serial_code, mac_id, unique_id, ...profile } }) => {
    if (!isSerialCode(serial_code)) throw ctx.failure(400, 'Serial code is not valid')
    return ctx.database
      .transaction(async (sql) => {
        // The lock keeps a concurrent deletion of the account from leaving this child behind.
        const parent = await lockAccount(sql, ctx.caller.rootUserId)
        if (!parent) throw ctx.failure(401, 'Not authorized user')
        const child = await sql
          .insertInto('real_user')
          .values({ ...encryptPerson(ctx.database.keyRing, 'real_user', profile), root_user_id: parent.id })
          .returning('id')
          .executeTakeFirstOrThrow()
        const connected = await connectDevice(sql, child.id, { serial_code, mac_id, unique_id })
        if (connected === 'serial code') throw ctx.failure(400, 'Serial code is not valid')
        if (connected === 'unknown') throw ctx.failure(404, 'Not Found Device')
        if (connected === 'connected') throw ctx.failure(409, 'Already Connected Device')
        ctx.touches(child.id)
        return { real_user_id: child.id, ...profile, ...connected }
      })
      .catch((error: unknown) => {
        if (!isValueRejectedByDatabase(error)) throw error
        ctx.log.error({ err: error, request_id: ctx.request.id }, 'child not created')
        throw ctx.failure(409, 'Real user create failed')
      })
  })
