import type { z } from 'zod'
import { accountEndpoint } from '../auth/account-endpoint.ts'
import { statement } from '../database/statement.ts'
import { id } from '../http/fields.ts'
import { InvalidInput } from '../http/validation-issues.ts'
import { childErrors, realUser, realUserProfile } from './real-user.ts'

// Returns one row if the child exists; its columns are null unless the child was updated.
const updateRealUser = statement<
  { is_own: boolean; old_value: z.infer<typeof realUserProfile> | null } & (
    | z.infer<typeof realUser>
    | { id: null }
  )
>(
  'update-real-user',
  `WITH old AS MATERIALIZED (
     SELECT id, first_name, last_name, birthdate, gender FROM real_user
     WHERE id = $1 AND root_user_id = $2 AND deleted_at IS NULL FOR NO KEY UPDATE
   ), updated AS (
     UPDATE real_user r SET first_name = coalesce($3, r.first_name), last_name = coalesce($4, r.last_name),
       birthdate = coalesce($5, r.birthdate), gender = coalesce($6, r.gender)
     FROM old WHERE r.id = old.id
     RETURNING r.id, root_user_id, r.first_name, r.last_name, r.birthdate, r.gender, to_jsonb(old) - 'id' AS old_value
   )
   SELECT r.root_user_id = $2 AS is_own, updated.* FROM real_user r LEFT JOIN updated ON true WHERE r.id = $1 AND r.deleted_at IS NULL`,
)

export const update = accountEndpoint(
  {
    method: 'PATCH',
    path: '/api/v1/beta/user/real-user/{real_user_id}',
    right: 'owner',
    summary: "Change a child's profile",
    description: 'A field that is left out stays as it is.',
  },
  childErrors,
)
  .input(
    realUserProfile
      .partial()
      .extend({ real_user_id: id, id: id.meta({ description: 'The same as in the path' }) }),
  )
  .output(realUser)
  .mutation(async ({ ctx, input: { real_user_id, first_name, last_name, birthdate, gender, ...body } }) => {
    if (body.id !== real_user_id) throw new InvalidInput(['id'], 'must be the id of the path')
    const [child] = await ctx.database.query(updateRealUser, [
      real_user_id,
      ctx.caller.rootUserId,
      first_name,
      last_name,
      birthdate,
      gender,
    ])
    if (child?.is_own === false) throw ctx.failure(401, 'Not authorized user')
    // The caller's child was not updated: it was deleted at the same moment.
    if (!child || child.id === null) throw ctx.failure(404, 'Real user is not found')
    ctx.touches(real_user_id, child.old_value)
    return child
  })
