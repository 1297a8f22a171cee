import { sql } from 'kysely'
import { z } from 'zod'
import { accountEndpoint } from '../auth/account-endpoint.ts'
import { lockAccount } from '../auth/account-lock.ts'
import { notifyAccountHolder } from '../auth/notice.ts'
import { recordSecurityEvent } from '../auth/security-record.ts'
import { lockChild } from '../children/child-lock.ts'
import { childErrors } from '../children/real-user.ts'
import { lockDevicesOfChildren } from '../devices/pairing.ts'
import { Failure } from '../errors/failure.ts'
import { accountErrors } from '../errors/generic.ts'
import { calendarDateField, idField } from '../http/fields.ts'
import { InvalidInput } from '../http/validation-issues.ts'
import { today } from '../time/wall-clock.ts'
import { codeErrors, codeField, findClinicByCode, typedCode } from './code.ts'
import { CONNECTION_COLUMNS, connectionSchema } from './connection.ts'
import type { Connection } from './connection.ts'

export const connect = accountEndpoint(
  {
    method: 'POST',
    path: '/api/v1/beta/clinic/connection',
    right: 'owner',
    summary: 'Let a clinic in',
    description: `All who work in the clinic may then read the child as a viewer does, and set its plan. Who of them has looked is told by
\`GET /api/v1/beta/share/access\`. The owner gets a notice by mail, which names the clinic.`,
  },
  [...codeErrors, ...childErrors, [409, 'Already shared', 'the child is connected with this clinic']],
)
  .input(
    z.object({
      code: codeField,
      real_user_id: idField,
      until: calendarDateField
        .nullish()
        .meta({ description: 'The last day of the connection, today or later; without it, there is no end' }),
    }),
  )
  .output(connectionSchema)
  .mutation(async ({ ctx, input: { code, real_user_id, until = null } }) => {
    const { rootUserId } = ctx.caller
    const date = today(ctx.timeZone)
    if (until !== null && until < date) throw new InvalidInput(['until'], 'must be today or later')
    // Before anything is locked, as its limits take a connection of their own.
    const { clinic_id } = await findClinicByCode(ctx, rootUserId, code)
    const { owner, connection } = await ctx.database.transaction(async (tx) => {
      const owner = await lockAccount(tx, rootUserId)
      // It was there when the token was checked: a parallel call has deleted it.
      if (!owner) throw new Failure(...accountErrors[1])
      const child = await lockChild(tx, real_user_id, 'share')
      if (!child) throw ctx.failure(404, 'Real user is not found')
      if (child.root_user_id !== rootUserId) throw ctx.failure(401, 'Not authorized user')
      // What changes its records has ended, or will see the connection and mark its figures.
      await lockDevicesOfChildren(tx, [real_user_id])
      // Holds off its removal, which ends all of its connections.
      const clinic = await tx
        .selectFrom('clinic')
        .select('id')
        .where('id', '=', clinic_id)
        // It may have been replaced while the child was waited for.
        .where('code', '=', typedCode(code) ?? null)
        .where('removed_at', 'is', null)
        .forShare()
        .executeTakeFirst()
      if (!clinic) throw ctx.failure(404, 'Clinic not found')
      await tx
        .updateTable('clinic_connection')
        .set({ ended_at: new Date() })
        .where('real_user_id', '=', real_user_id)
        .where('clinic_id', '=', clinic_id)
        .where('ended_at', 'is', null)
        .where('until', '<', date)
        .execute()
      const { rows } = await sql<Connection>`
        WITH c AS (
          INSERT INTO clinic_connection (clinic_id, real_user_id, since, until)
          VALUES (${clinic_id}, ${real_user_id}, ${new Date()}, ${until})
          ON CONFLICT DO NOTHING RETURNING *
        )
        SELECT ${sql.raw(CONNECTION_COLUMNS)} FROM c JOIN clinic k ON k.id = c.clinic_id`.execute(tx)
      const [connection] = rows
      if (!connection) throw ctx.failure(409, 'Already shared')
      ctx.touches(real_user_id)
      const reason = `child ${real_user_id}, clinic ${clinic_id}, connection ${connection.connection_id}`
      await recordSecurityEvent(tx, ctx, { action: 'clinic_connect', rootUserId, reason })
      return { owner, connection }
    })
    await notifyAccountHolder(ctx, { kind: 'clinic_connected', name: connection.clinic.name }, owner)
    return connection
  })
