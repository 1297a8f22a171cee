import { z } from 'zod'
import { accountEndpoint } from '../auth/account-endpoint.ts'
import { batchedRead } from '../database/batched-read.ts'
import type { Role } from '../http/right.ts'
import { today } from '../time/wall-clock.ts'
import { noFieldsSchema } from '../http/fields.ts'
import { LISTED_DEVICE_COLUMNS, listedDevice } from './listed-device.ts'
import type { ListedDevice } from './listed-device.ts'

const seen = listedDevice
  .extend({
    unique_id: listedDevice.shape.unique_id.optional().meta({
      description: 'Present only for your own child: anyone who has this id can call the device endpoints',
    }),
  })
  .meta({
    id: 'SeenDevice',
    description: 'A device of a child of the account, or of one that others share with it',
  })

const selectDevices = batchedRead<ListedDevice & { role: Role }>(
  'devices',
  ['int', 'date'],
  `SELECT ${LISTED_DEVICE_COLUMNS}, 'owner' AS role FROM device d JOIN real_user r ON r.id = d.real_user_id
   WHERE r.root_user_id = $1 AND r.deleted_at IS NULL
   UNION ALL
   SELECT ${LISTED_DEVICE_COLUMNS}, m.role
   FROM live_child_memberships($2) m JOIN real_user r ON r.id = m.real_user_id JOIN device d ON d.real_user_id = r.id
   WHERE m.root_user_id = $1 AND r.deleted_at IS NULL
   ORDER BY device_id`,
)

export const list = accountEndpoint(
  {
    method: 'GET',
    path: '/api/v1/beta/device',
    right: 'viewer',
    summary: 'The devices of own and shared children, with the ids of those who wear them',
    description: 'In the order of their ids. Those of shared children have no `unique_id`.',
  },
  [],
)
  .input(noFieldsSchema)
  .output(z.array(seen))
  .query(async ({ ctx }) => {
    const devices = await ctx.database.query(selectDevices, [ctx.caller.rootUserId, today(ctx.timeZone)])
    return devices
      .filter(({ role, real_user_id }) => ctx.mayAccess(role, real_user_id))
      .map(({ role, unique_id, device_alias, ...device }) => ({
        ...device,
        device_alias: ctx.database.keyRing.decrypt('device.device_alias', device_alias),
        ...(role === 'owner' ? { unique_id } : {}),
      }))
  })
