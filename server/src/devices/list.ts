import { z } from 'zod'
import { accountEndpoint } from '../auth/account-endpoint.ts'
import { shortRead } from '../database/short-read.ts'
import { noFields } from '../http/fields.ts'
import { LISTED_DEVICE, listedDevice } from './listed-device.ts'
import type { ListedDevice } from './listed-device.ts'

const selectDevices = shortRead<ListedDevice>(
  'devices',
  ['int'],
  `SELECT ${LISTED_DEVICE} FROM device d JOIN real_user r ON r.id = d.real_user_id
   WHERE r.root_user_id = $1 AND r.deleted_at IS NULL ORDER BY d.id`,
)

export const list = accountEndpoint(
  {
    method: 'GET',
    path: '/api/v1/beta/device',
    summary: 'The devices of the account, with the ids of the children who wear them',
  },
  [],
)
  .input(noFields)
  .output(z.array(listedDevice))
  .query(({ ctx }) => ctx.database.query(selectDevices, [ctx.caller.rootUserId]))
