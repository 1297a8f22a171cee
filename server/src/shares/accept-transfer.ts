import { sql } from 'kysely'
import { z } from 'zod'
import { accountEndpoint } from '../auth/account-endpoint.ts'
import { lockAccount } from '../auth/account-lock.ts'
import { notifyAccountHolder } from '../auth/notice.ts'
import { recordSecurityEvent } from '../auth/security-record.ts'
import { lockChild } from '../children/child-lock.ts'
import { Failure } from '../errors/failure.ts'
import { idField, messageResponseSchema } from '../http/fields.ts'
import { today } from '../time/wall-clock.ts'
import { noTransfer } from './transfer-offer.ts'

export const acceptTransfer = accountEndpoint(
  {
    method: 'POST',
    path: '/api/v1/beta/share/transfer/accept',
    right: 'guardian',
    summary: 'Become the owner of a child',
    description: `The guardian to whom the child is offered becomes its owner, and the owner a guardian, who gets a mail. Device, nights,
notes and trail stay with the child, other members keep their rights, and charts keep what base stations have measured around it. Open
invitations and connections with clinics end, and the child leaves the grants of its former owner.`,
  },
  [noTransfer],
)
  .input(z.object({ real_user_id: idField }))
  .output(messageResponseSchema)
  .mutation(async ({ ctx, input: { real_user_id } }) => {
    const { rootUserId } = ctx.caller
    const { database, timeZone } = ctx
    const date = today(timeZone)
    const { receiver, owner } = await database.transaction(async (tx) => {
      const found = await tx
        .selectFrom('real_user')
        .select('root_user_id as owner')
        .where('id', '=', real_user_id)
        .executeTakeFirst()
      if (!found) throw new Failure(...noTransfer)
      // In the order of their ids, so that two that hand over to each other do not wait for each other.
      const accounts = new Map<number, Awaited<ReturnType<typeof lockAccount>>>()
      for (const account of [rootUserId, found.owner].toSorted((one, other) => one - other))
        accounts.set(account, await lockAccount(tx, account))
      const [receiver, owner] = [accounts.get(rootUserId), accounts.get(found.owner)]
      const child = await lockChild(tx, real_user_id, 'update')
      if (!receiver || !owner || child?.root_user_id !== owner.id) throw new Failure(...noTransfer)
      const {
        rows: [ended],
      } = await sql<{ id: number }>`
        WITH taken AS (
          DELETE FROM transfer_offer WHERE real_user_id = ${real_user_id} AND expires_at > ${new Date()} RETURNING membership_id
        )
        UPDATE membership SET ended_at = ${new Date()} FROM taken
        WHERE id = taken.membership_id AND root_user_id = ${rootUserId}
          AND ended_at IS NULL AND (until IS NULL OR until >= ${date})
        RETURNING id`.execute(tx)
      if (!ended) throw new Failure(...noTransfer)
      ctx.touches(real_user_id, { root_user_id: owner.id })
      // Before the child changes, so that its feed has both.
      await tx
        .insertInto('membership')
        .values({ real_user_id, root_user_id: owner.id, role: 'guardian', since: new Date() })
        .execute()
      await sql`SELECT hand_over_child(${real_user_id}, ${rootUserId}, ${date})`.execute(tx)
      const reason = `child ${real_user_id} from account ${owner.id} to ${rootUserId}, share ${ended.id}`
      for (const account of [owner.id, rootUserId])
        await recordSecurityEvent(tx, ctx, { action: 'child_transfer', rootUserId: account, reason })
      return { receiver, owner }
    })
    const name = database.keyRing.decrypt('root_user.first_name', receiver.first_name)
    await notifyAccountHolder(ctx, { kind: 'transfer_accepted', name }, owner)
    return { statusCode: 200 as const, message: 'Child transferred' }
  })
