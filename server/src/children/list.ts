import { z } from 'zod'
import { accountEndpoint } from '../auth/account-endpoint.ts'
import { batchedRead } from '../database/batched-read.ts'
import { statement } from '../database/statement.ts'
import { roles } from '../http/right.ts'
import { today } from '../time/wall-clock.ts'
import { noFieldsSchema } from '../http/fields.ts'
import { realUserSchema } from './real-user.ts'
import { decryptPerson } from '../encryption/person.ts'

const listed = realUserSchema.extend({
  role: z.enum(roles).meta({ description: 'What the account is to the child' }),
})

const selectRealUsers = batchedRead<z.infer<typeof listed>>(
  'real-users',
  ['int', 'date'],
  `SELECT id, root_user_id, first_name, last_name, birthdate, gender, 'owner' AS role
   FROM real_user WHERE root_user_id = $1 AND deleted_at IS NULL
   UNION ALL
   SELECT r.id, r.root_user_id, r.first_name, r.last_name, r.birthdate, r.gender, m.role
   FROM live_child_memberships($2) m JOIN real_user r ON r.id = m.real_user_id
   WHERE m.root_user_id = $1 AND r.deleted_at IS NULL
   ORDER BY id`,
)

const selectGranted = statement<z.infer<typeof listed>>(
  'granted-real-users',
  `SELECT id, root_user_id, first_name, last_name, birthdate, gender, 'owner' AS role
   FROM real_user WHERE id = ANY ($1::int[]) AND deleted_at IS NULL
   ORDER BY id`,
)

export const list = accountEndpoint(
  {
    method: 'GET',
    path: '/api/v1/beta/user/real-user',
    right: 'viewer',
    scope: ['child:read'],
    summary: "The account's children, and those that others share with it, with or without a device",
    description: 'A service gets the children that were granted to it.',
  },
  [],
)
  .input(noFieldsSchema)
  .output(z.array(listed.meta({ id: 'ListedChild', description: 'A child that the account may see' })))
  .query(async ({ ctx }) => {
    const { rootUserId, granted } = ctx.caller
    const children = granted
      ? await ctx.database.query(selectGranted, [[...granted.children]])
      : await ctx.database.query(selectRealUsers, [rootUserId, today(ctx.timeZone)])
    return children
      .filter(({ role, id }) => ctx.mayAccess(role, id))
      .map((child) => decryptPerson(ctx.database.keyRing, 'real_user', child))
  })
