import { z } from 'zod'
import { accountEndpoint } from '../auth/account-endpoint.ts'
import { recordSecurityEvent } from '../auth/security-record.ts'
import { Failure } from '../errors/failure.ts'
import { accountErrors } from '../errors/generic.ts'
import { accountHolderSchema } from './root-user.ts'
import { realUserProfileInput } from '../children/real-user.ts'
import { decryptPerson, encryptPerson } from '../encryption/person.ts'

const profile = accountHolderSchema
  .pick({
    first_name: true,
    last_name: true,
    birthdate: true,
    gender: true,
    phone: true,
    is_phone_number_checked: true,
    register_type: true,
  })
  .extend({ id: z.int().meta({ description: 'The id of the account' }) })
  .meta({ id: 'Profile', description: "The account holder's profile" })

export const update = accountEndpoint(
  {
    method: 'PATCH',
    path: '/api/v1/beta/user/root-user',
    right: 'self',
    summary: "Change the account holder's profile",
    description: 'A field that is left out stays as it is.',
  },
  [],
)
  .input(realUserProfileInput.partial())
  .output(profile)
  .mutation(async ({ ctx, input }) =>
    ctx.database.transaction(async (sql) => {
      const { rootUserId } = ctx.caller
      const { keyRing } = ctx.database
      const updated = await sql
        .updateTable('root_user')
        // The account holder has just updated the data.
        .set({ ...encryptPerson(keyRing, 'root_user', input), need_personal_info_update: false })
        .where('id', '=', rootUserId)
        .where('deleted_at', 'is', null)
        .returningAll()
        .executeTakeFirst()
      if (!updated) throw new Failure(...accountErrors[1])
      await recordSecurityEvent(sql, ctx, { action: 'profile_change', rootUserId })
      return profile.parse({
        ...decryptPerson(keyRing, 'root_user', updated),
        phone: keyRing.decrypt('root_user.phone', updated.phone),
      })
    }),
  )
