import { z } from 'zod'
import { accountEndpoint } from '../auth/account-endpoint.ts'
import { shortRead } from '../database/short-read.ts'
import { wireTime } from '../database/wire-time.ts'
import { noFields } from '../http/fields.ts'
import { basestation } from './listed-basestation.ts'
import type { ListedBasestation } from './listed-basestation.ts'

const selectBasestations = shortRead<ListedBasestation>(
  'basestations',
  ['int'],
  `SELECT id AS basestation_id, serial_code, unique_id, ${wireTime('connected_at')} AS connected_at
   FROM basestation b WHERE root_user_id = $1 ORDER BY b.connected_at, id`,
)

export const list = accountEndpoint(
  {
    method: 'GET',
    path: '/api/v1/beta/basestation',
    summary: 'The base stations of the account, the first one connected first',
  },
  [],
)
  .input(noFields)
  .output(z.array(basestation))
  .query(({ ctx }) => ctx.database.query(selectBasestations, [ctx.caller.rootUserId]))
