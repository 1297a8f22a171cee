import { z } from 'zod'
import { accountEndpoint } from '../auth/account-endpoint.ts'
import { statement } from '../database/statement.ts'
import { isoTimestampSql } from '../database/wire-time.ts'
import { Failure } from '../errors/failure.ts'
import { accountErrors } from '../errors/generic.ts'
import { uniqueIdField } from '../http/fields.ts'
import { basestationSchema } from './listed-basestation.ts'
import type { ListedBasestation } from './listed-basestation.ts'
import { isSerialCode, pairingInput } from '../devices/pairing.ts'

// The lock on the account keeps its concurrent deletion from leaving this base station connected to it.
const connectUnowned = statement<
  { is_active: boolean; is_known: boolean; children: number[] } & (
    | ListedBasestation
    | { basestation_id: null }
  )
>(
  'connect-basestation',
  `WITH account AS MATERIALIZED (
     SELECT id FROM root_user WHERE id = $1 AND deleted_at IS NULL FOR SHARE
   ), connected AS (
     UPDATE basestation b SET root_user_id = account.id, connected_at = $4 FROM account
     WHERE b.serial_code = $2 AND b.unique_id = $3 AND b.root_user_id IS NULL
     RETURNING b.id AS basestation_id, b.serial_code, b.unique_id, b.root_user_id, b.connected_at
   ), opened AS (
     INSERT INTO basestation_connection (basestation_id, root_user_id, connected_at)
     SELECT basestation_id, root_user_id, connected_at FROM connected
   )
   SELECT EXISTS (SELECT FROM account) AS is_active,
     EXISTS (SELECT FROM basestation WHERE serial_code = $2 AND unique_id = $3) AS is_known,
     -- Of the account that has it now, whether this one or another.
     ARRAY(
       SELECT id FROM real_user WHERE deleted_at IS NULL AND root_user_id = coalesce(connected.root_user_id,
         (SELECT root_user_id FROM basestation WHERE serial_code = $2 AND unique_id = $3))
     ) AS children,
     basestation_id, serial_code, unique_id, ${isoTimestampSql('connected_at')} AS connected_at
   FROM (VALUES (1)) one LEFT JOIN connected ON true`,
)

export const connect = accountEndpoint(
  {
    method: 'POST',
    path: '/api/v1/beta/basestation',
    right: 'self',
    summary: 'Connect a base station to the account',
    description:
      'Its measurements from now on belong to this account; those of an earlier owner stay with them.',
  },
  [
    [400, 'Serial code is not valid', 'it is not 6 to 32 characters of `A-Z 0-9 -`'],
    [404, 'Not Found Device', 'no base station has this `serial_code` and `unique_id`'],
    [409, 'Already Connected Device', 'an account has it already'],
  ],
)
  .input(z.object({ serial_code: pairingInput.shape.serial_code, unique_id: uniqueIdField }))
  .output(basestationSchema)
  .mutation(async ({ ctx, input: { serial_code, unique_id } }) => {
    if (!isSerialCode(serial_code)) throw ctx.failure(400, 'Serial code is not valid')
    const [row] = await ctx.database.query(connectUnowned, [
      ctx.caller.rootUserId,
      serial_code,
      unique_id,
      new Date(),
    ])
    if (!row?.is_active) throw new Failure(...accountErrors[1])
    for (const child of row.children) ctx.touches(child)
    if (!row.is_known) throw ctx.failure(404, 'Not Found Device')
    if (row.basestation_id === null) throw ctx.failure(409, 'Already Connected Device')
    return row
  })
