import { z } from 'zod'
import { accountEndpoint } from '../auth/account-endpoint.ts'
import { booleanField, idField } from '../http/fields.ts'
import { today } from '../time/wall-clock.ts'
import { clinicChildSchema, readClinicChild, recordNumberField } from './child.ts'
import { clinicChildErrors, lockConnectedChild } from './connected-child.ts'
import { assertStillMember } from './member.ts'

export const updatePlace = accountEndpoint(
  {
    method: 'PATCH',
    path: '/api/v1/beta/clinic/{clinic_id}/child/{real_user_id}',
    right: 'viewer',
    accounts: 'all',
    assertRepeatable: assertStillMember,
    summary: 'Change what a clinic has noted of a child',
    description:
      'For those who work there. `is_seen` notes who has seen the child, and when, or takes that back. What is absent stays.',
  },
  clinicChildErrors,
)
  .input(
    z.object({
      clinic_id: idField,
      real_user_id: idField,
      record_number: recordNumberField
        .nullable()
        .optional()
        .meta({
          description: 'By which the clinic knows the child; null removes it',
          examples: ['SNU-20817'],
        }),
      is_seen: booleanField.optional().meta({ description: 'Whether the child has been seen now' }),
    }),
  )
  .output(clinicChildSchema)
  .mutation(async ({ ctx, input: { clinic_id, real_user_id, record_number, is_seen } }) => {
    const { rootUserId } = ctx.caller
    const { keyRing } = ctx.database
    const date = today(ctx.timeZone)
    const where = { clinicId: clinic_id, realUserId: real_user_id, rootUserId, today: date }
    await ctx.database.transaction(async (tx) => {
      const { id: connection, record_number: oldNumber, ...seen } = await lockConnectedChild(tx, where)
      ctx.mayAccess('viewer', real_user_id)
      const oldRecordNumber = keyRing.decrypt('clinic_connection.record_number', oldNumber)
      ctx.touches(real_user_id, { record_number: oldRecordNumber, ...seen })
      const values = {
        ...(record_number === undefined
          ? {}
          : { record_number: keyRing.encrypt('clinic_connection.record_number', record_number) }),
        ...(is_seen === undefined
          ? {}
          : { seen_at: is_seen ? new Date() : null, seen_by: is_seen ? rootUserId : null }),
      }
      if (Object.keys(values).length > 0)
        await tx.updateTable('clinic_connection').set(values).where('id', '=', connection).execute()
    })
    const child = await readClinicChild(
      {
        database: ctx.database,
        rootUserId,
        clinicId: clinic_id,
        today: date,
        goal: ctx.adherenceGoalMinutes,
        timeZone: ctx.timeZone,
      },
      real_user_id,
    )
    // The connection has ended in this moment.
    if (!child) throw ctx.failure(401, 'Not authorized user')
    return child
  })
