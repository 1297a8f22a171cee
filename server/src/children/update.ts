import { accountEndpoint } from '../auth/account-endpoint.ts'
import { decryptPerson, encryptPerson } from '../encryption/person.ts'
import { idField } from '../http/fields.ts'
import { InvalidInput } from '../http/validation-issues.ts'
import { childErrors, realUserSchema, realUserProfileInput } from './real-user.ts'

const COLUMNS = ['id', 'root_user_id', 'first_name', 'last_name', 'birthdate', 'gender'] as const

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
    realUserProfileInput
      .partial()
      .extend({ real_user_id: idField, id: idField.meta({ description: 'The same as in the path' }) })
      .meta({ examples: [{ id: 1, first_name: 'Jiyoung' }] }),
  )
  .output(realUserSchema)
  .mutation(async ({ ctx, input: { real_user_id, id: named, gender, ...names } }) => {
    if (named !== real_user_id) throw new InvalidInput(['id'], 'must be the id of the path')
    const { keyRing } = ctx.database
    return ctx.database.transaction(async (sql) => {
      const child = await sql
        .selectFrom('real_user')
        .select(COLUMNS)
        .where('id', '=', real_user_id)
        .where('deleted_at', 'is', null)
        .forNoKeyUpdate()
        .executeTakeFirst()
      if (!child) throw ctx.failure(404, 'Real user is not found')
      if (child.root_user_id !== ctx.caller.rootUserId) throw ctx.failure(401, 'Not authorized user')
      const { id: _id, root_user_id: _owner, ...old } = decryptPerson(keyRing, 'real_user', child)
      ctx.touches(real_user_id, old)
      const updated = await sql
        .updateTable('real_user')
        .set({ ...encryptPerson(keyRing, 'real_user', names, child), gender: gender ?? child.gender })
        .where('id', '=', real_user_id)
        .returning(COLUMNS)
        .executeTakeFirstOrThrow()
      return realUserSchema.parse(decryptPerson(keyRing, 'real_user', updated))
    })
  })
