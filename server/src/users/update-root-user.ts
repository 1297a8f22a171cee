import { z } from 'zod'
import { accountEndpoint } from '../auth/account-endpoint.ts'
import { statement } from '../database/database.ts'
import { Failure } from '../errors/failure.ts'
import { accountErrors } from '../errors/generic.ts'
import { me } from './read-me.ts'
import { realUserProfile } from './real-user.ts'

const rootUser = me
  .pick({
    first_name: true,
    last_name: true,
    birthdate: true,
    gender: true,
    phone: true,
    is_phone_number_checked: true,
    register_type: true,
  })
  .extend({ id: z.int() })

// The account holder has just seen to it, so nothing is left that needs an update.
const update = statement<z.infer<typeof rootUser>>(
  'update-root-user',
  `UPDATE root_user SET first_name = coalesce($2, first_name), last_name = coalesce($3, last_name),
     birthdate = coalesce($4, birthdate), gender = coalesce($5, gender), need_personal_info_update = false
   WHERE id = $1 AND deleted_at IS NULL
   RETURNING id, first_name, last_name, birthdate, gender, phone, is_phone_number_checked, register_type`,
)

export const updateRootUser = accountEndpoint(
  {
    method: 'PATCH',
    path: '/api/v1/beta/user/root-user',
    summary: "Change the account holder's profile",
    description: 'What is left out stays as it is.',
  },
  [],
)
  .input(realUserProfile.partial())
  .output(rootUser)
  .mutation(async ({ ctx, input: { first_name, last_name, birthdate, gender } }) => {
    const [updated] = await ctx.database.query(update, [
      ctx.caller.rootUserId,
      first_name,
      last_name,
      birthdate,
      gender,
    ])
    if (!updated) throw new Failure(...accountErrors[1])
    return updated
  })
