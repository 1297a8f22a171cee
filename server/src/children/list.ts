import { z } from 'zod'
import { accountEndpoint } from '../auth/account-endpoint.ts'
import { shortRead } from '../database/short-read.ts'
import { noFields } from '../http/fields.ts'
import { realUser } from './real-user.ts'

const selectRealUsers = shortRead<z.infer<typeof realUser>>(
  'real-users',
  ['int'],
  `SELECT id, root_user_id, first_name, last_name, birthdate, gender
   FROM real_user WHERE root_user_id = $1 AND deleted_at IS NULL ORDER BY id`,
)

export const list = accountEndpoint(
  {
    method: 'GET',
    path: '/api/v1/beta/user/real-user',
    summary: "The account's children, with or without a device",
  },
  [],
)
  .input(noFields)
  .output(z.array(realUser))
  .query(({ ctx }) => ctx.database.query(selectRealUsers, [ctx.caller.rootUserId]))
