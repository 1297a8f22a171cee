import { sql } from 'kysely'
import { z } from 'zod'
import { accountEndpoint } from '../auth/account-endpoint.ts'
import { lockAccount } from '../auth/account-lock.ts'
import { notifyAccountHolder } from '../auth/notice.ts'
import { recordSecurityEvent } from '../auth/security-record.ts'
import { statement } from '../database/statement.ts'
import { Failure } from '../errors/failure.ts'
import type { HolderLanguage } from '../http/language.ts'
import { idField, messageResponseSchema, rawIdField } from '../http/fields.ts'
import { today } from '../time/wall-clock.ts'
import { clinicRoleOf } from './member.ts'

interface Ended extends HolderLanguage {
  real_user_id: number
  /** Whether the clinic has ended it. */
  is_by_clinic: boolean
  clinic: string
  email: string | null
}

const notFound = [
  404,
  'Connection not found',
  "no connection in force has this id, or it is another's",
] as const

const named = z.object({ connection_id: rawIdField })

const selectConnection = statement<{ id: number }>(
  'ended-connection-of-repeat',
  `SELECT c.id FROM clinic_connection c JOIN real_user r ON r.id = c.real_user_id
   WHERE c.id = $1 AND (r.root_user_id = $2 OR EXISTS (
     SELECT FROM clinic_member m
     WHERE m.root_user_id = $2 AND m.clinic_id = c.clinic_id AND m.role = 'admin' AND m.ended_at IS NULL))`,
)

export const disconnect = accountEndpoint(
  {
    method: 'DELETE',
    path: '/api/v1/beta/clinic/connection/{connection_id}',
    right: 'self',
    accounts: 'all',
    // While the child is still the caller's, or the caller still an admin of the clinic.
    async assertRepeatable({ database, rootUserId, rawInput }) {
      const { data } = named.safeParse(rawInput)
      // It was refused as such.
      if (!data) return
      const [found] = await database.query(selectConnection, [data.connection_id, rootUserId])
      if (!found) throw new Failure(...notFound)
    },
    summary: 'End the connection of a child with a clinic',
    description: `By the child's owner or by an admin of the clinic, who finds the id in \`GET /api/v1/beta/clinic/{clinic_id}/child\`. The next
request of the clinic for the child is refused; an owner who has not ended it gets a mail.`,
  },
  [notFound],
)
  .input(z.object({ connection_id: idField }))
  .output(messageResponseSchema)
  .mutation(async ({ ctx, input: { connection_id } }) => {
    const { rootUserId } = ctx.caller
    const ended = await ctx.database.transaction(async (tx) => {
      await lockAccount(tx, rootUserId)
      const connection = await tx
        .selectFrom('clinic_connection')
        .select('clinic_id')
        .where('id', '=', connection_id)
        .executeTakeFirst()
      // Their work cannot end while this waits for the connection.
      const role = connection && (await clinicRoleOf(tx, connection.clinic_id, rootUserId, { lock: true }))
      const { rows } = await sql<Ended>`
        UPDATE clinic_connection c SET ended_at = ${new Date()}
        FROM real_user r JOIN root_user u ON u.id = r.root_user_id, clinic k
        WHERE c.id = ${connection_id} AND c.ended_at IS NULL AND (c.until IS NULL OR c.until >= ${today(ctx.timeZone)})
          AND r.id = c.real_user_id AND k.id = c.clinic_id AND (r.root_user_id = ${rootUserId} OR ${role === 'admin'})
        RETURNING c.real_user_id, r.root_user_id <> ${rootUserId} AS is_by_clinic, k.name AS clinic, u.email, u.language,
          u.national_code`.execute(tx)
      const [ended] = rows
      if (!ended) throw new Failure(...notFound)
      ctx.touches(ended.real_user_id)
      const reason = `child ${ended.real_user_id}, connection ${connection_id}`
      await recordSecurityEvent(tx, ctx, { action: 'clinic_disconnect', rootUserId, reason })
      return ended
    })
    if (ended.is_by_clinic)
      await notifyAccountHolder(ctx, { kind: 'clinic_disconnected', name: ended.clinic }, ended)
    return { statusCode: 200 as const, message: 'Connection ended' }
  })
