import { z } from 'zod'
import { accountEndpoint } from '../auth/account-endpoint.ts'
import { batchedRead } from '../database/batched-read.ts'
import { isoTimestampSql } from '../database/wire-time.ts'
import type { Role } from '../http/right.ts'
import { today } from '../time/wall-clock.ts'
import { noFieldsSchema } from '../http/fields.ts'
import { basestationSchema } from './listed-basestation.ts'
import type { ListedBasestation } from './listed-basestation.ts'

const seen = basestationSchema
  .extend({
    unique_id: basestationSchema.shape.unique_id.optional().meta({
      description: 'Present only for your own base stations: anyone who has this id can call their endpoint',
    }),
  })
  .meta({
    id: 'SeenBaseStation',
    description: 'A base station of the account, or around a child that others share with it',
  })

interface Row extends ListedBasestation {
  role: Role
  /** The children around it, for the shared ones by whose right it is listed. */
  real_user_ids: number[]
}

const selectBasestations = batchedRead<Row>(
  'basestations',
  ['int', 'date'],
  `SELECT id AS basestation_id, serial_code, unique_id, ${isoTimestampSql('connected_at')} AS connected_at,
     owned.role, owned.real_user_ids
   FROM (
     SELECT $1::int AS owner, 'owner' AS role,
       ARRAY(SELECT id FROM real_user WHERE root_user_id = $1 AND deleted_at IS NULL) AS real_user_ids
     UNION ALL
     SELECT r.root_user_id, min(m.role), array_agg(r.id)
     FROM live_child_memberships($2) m JOIN real_user r ON r.id = m.real_user_id
     WHERE m.root_user_id = $1 AND r.deleted_at IS NULL
     GROUP BY r.root_user_id
   ) owned
   JOIN basestation b ON b.root_user_id = owned.owner
   ORDER BY owned.role <> 'owner', b.connected_at, id`,
)

export const list = accountEndpoint(
  {
    method: 'GET',
    path: '/api/v1/beta/basestation',
    right: 'viewer',
    summary: 'The base stations of the account, and of the accounts that share a child with it',
    description: 'Those of the account come first; each in the order in which they were connected.',
  },
  [],
)
  .input(noFieldsSchema)
  .output(z.array(seen))
  .query(async ({ ctx }) => {
    const stations = await ctx.database.query(selectBasestations, [
      ctx.caller.rootUserId,
      today(ctx.timeZone),
    ])
    return stations
      .filter(({ role, real_user_ids }) => real_user_ids.every((child) => ctx.mayAccess(role, child)))
      .map(({ role, real_user_ids: _children, unique_id, ...station }) =>
        role === 'owner' ? { ...station, unique_id } : station,
      )
  })
