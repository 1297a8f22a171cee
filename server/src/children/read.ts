import { z } from 'zod'
import { accountEndpoint } from '../auth/account-endpoint.ts'
import { childRoleSql } from '../auth/child-role.ts'
import { batchedRead } from '../database/batched-read.ts'
import { idField } from '../http/fields.ts'
import type { Role } from '../http/right.ts'
import { today } from '../time/wall-clock.ts'
import { childErrors, realUserSchema } from './real-user.ts'
import { decryptPerson } from '../encryption/person.ts'

const selectRealUser = batchedRead<z.infer<typeof realUserSchema> & { role: Role | null }>(
  'real-user',
  ['int', 'int', 'date'],
  `SELECT id, root_user_id, first_name, last_name, birthdate, gender, ${childRoleSql('$2', '$3')} AS role
   FROM real_user r WHERE id = $1 AND deleted_at IS NULL`,
)

export const read = accountEndpoint(
  {
    method: 'GET',
    path: '/api/v1/beta/user/real-user/{real_user_id}',
    right: 'viewer',
    accounts: 'all',
    scope: ['child:read'],
    summary: 'One child',
    description:
      'An own child, or one that another account shares. A service reads a child that was granted to it.',
  },
  childErrors,
)
  .input(z.object({ real_user_id: idField }))
  .output(realUserSchema)
  .query(async ({ ctx, input }) => {
    const values = [input.real_user_id, ctx.caller.rootUserId, today(ctx.timeZone)]
    const [found] = await ctx.database.query(selectRealUser, values)
    if (!found) throw ctx.failure(404, 'Real user is not found')
    const { role, ...child } = found
    if (!ctx.mayAccess(role, child.id)) throw ctx.failure(401, 'Not authorized user')
    return decryptPerson(ctx.database.keyRing, 'real_user', child)
  })
