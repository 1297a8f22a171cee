import { z } from 'zod'
import { accountEndpoint } from '../auth/account-endpoint.ts'
import { statement } from '../database/statement.ts'
import { idField, nameField } from '../http/fields.ts'
import { LISTED_DEVICE_COLUMNS, listedDevice } from './listed-device.ts'
import type { ListedDevice } from './listed-device.ts'
import { wornDeviceErrors } from './pairing.ts'

// Returns one row if any child wears the device; the device's columns are null unless it was renamed.
const updateAlias = statement<
  { is_own: boolean; wearer: number; old_alias: string } & (ListedDevice | { device_id: null })
>(
  'rename-device',
  `WITH worn AS MATERIALIZED (
     SELECT d.id, d.device_alias FROM device d JOIN real_user r ON r.id = d.real_user_id
     WHERE d.id = $1 AND r.root_user_id = $2 FOR NO KEY UPDATE OF d
   ), renamed AS (
     UPDATE device d SET device_alias = $3 FROM worn WHERE d.id = worn.id
     RETURNING ${LISTED_DEVICE_COLUMNS}, worn.device_alias AS old_alias
   )
   SELECT r.root_user_id = $2 AS is_own, r.id AS wearer, renamed.*
   FROM device d JOIN real_user r ON r.id = d.real_user_id LEFT JOIN renamed ON true WHERE d.id = $1`,
)

export const rename = accountEndpoint(
  {
    method: 'PATCH',
    path: '/api/v1/beta/device/{device_id}',
    right: 'owner',
    summary: 'Rename a device',
    description:
      'A device is called by its serial code until it gets a name, and again after it is disconnected.',
  },
  wornDeviceErrors,
)
  .input(z.object({ device_id: idField, device_alias: nameField }))
  .output(listedDevice)
  .mutation(async ({ ctx, input: { device_id, device_alias } }) => {
    const { database, caller } = ctx
    const alias = database.keyRing.encrypt('device.device_alias', device_alias)
    const [device] = await database.query(updateAlias, [device_id, caller.rootUserId, alias])
    if (device)
      ctx.touches(device.wearer, {
        device_alias: database.keyRing.decrypt('device.device_alias', device.old_alias),
      })
    if (device?.is_own === false) throw ctx.failure(401, 'Not authorized user')
    // The caller's device was not renamed: it was disconnected at the same moment.
    if (!device || device.device_id === null) throw ctx.failure(404, 'Not Found Device')
    return { ...device, device_alias }
  })
