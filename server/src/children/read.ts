import { z } from 'zod'
import { accountEndpoint } from '../auth/account-endpoint.ts'
import { shortRead } from '../database/short-read.ts'
import { id } from '../http/fields.ts'
import { childErrors, realUser } from './real-user.ts'

const selectRealUser = shortRead<z.infer<typeof realUser>>(
  'real-user',
  ['int'],
  `SELECT id, root_user_id, first_name, last_name, birthdate, gender
   FROM real_user WHERE id = $1 AND deleted_at IS NULL`,
)

export const read = accountEndpoint(
  { method: 'GET', path: '/api/v1/beta/user/real-user/{real_user_id}', summary: 'One child' },
  childErrors,
)
  .input(z.object({ real_user_id: id }))
  .output(realUser)
  .query(async ({ ctx, input }) => {
    const [child] = await ctx.database.query(selectRealUser, [input.real_user_id])
    if (!child) throw ctx.failure(404, 'Real user is not found')
    if (child.root_user_id !== ctx.caller.rootUserId) throw ctx.failure(401, 'Not authorized user')
    return child
  })
