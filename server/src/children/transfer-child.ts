import { sql as kyselySql } from 'kysely'
import { recordSecurityEvent } from '../auth/security-record.ts'
import { CLINICIAN_ACCOUNT_TYPE } from '../auth/tokens/session.ts'
import type { Sql } from '../database/database.ts'
import { encryptOldValue } from '../trail/old-value.ts'
import { recordCommand } from '../trail/operator.ts'
import type { Operator } from '../trail/operator.ts'
import { lockChild } from './child-lock.ts'
import { accountNameConditionSql, noSuchAccountMessage } from '../encrypted-columns/lookup.ts'
import type { KeyRing } from '../encryption/key-ring.ts'

export interface Transfer {
  real_user_id: number
  from_root_user_id: number
  to_root_user_id: number
  /** The number of devices that the child keeps wearing. */
  devices: number
  /** The number of members whose right has ended, because it was not the receiver who gave it. The same holds for grants. */
  ended_shares: number
}

/**
 * Transfers a child with its devices and its whole history to another account, by its e-mail or id, within a transaction, and ends the rights
 * that others have to it. `date` is the service's own, `yyyy-mm-dd`. The security records of both accounts note it. With `dryRun`, nothing changes. Returns a text if the transfer is refused, with the
 * reason.
 */
export async function transferChild(
  sql: Sql,
  keyRing: KeyRing,
  realUserId: number,
  receiverName: string,
  { dryRun, operator, date }: { dryRun: boolean; operator: Operator; date: string },
): Promise<Transfer | string> {
  // Lock the account before the child, in the same order as the deletion of an account.
  const receiver = await sql
    .selectFrom('root_user')
    .select(['id', 'register_type'])
    .where(accountNameConditionSql(keyRing, receiverName))
    .where('deleted_at', 'is', null)
    .forShare()
    .executeTakeFirst()
  if (!receiver) return noSuchAccountMessage(receiverName)
  if (receiver.register_type === CLINICIAN_ACCOUNT_TYPE)
    return 'This account is a clinician’s, who cannot own a child'
  const child = await lockChild(sql, realUserId, 'update')
  if (!child) return 'There is no child with this id'
  if (child.root_user_id === receiver.id) return 'The child belongs to this account already'
  const { devices } = await sql
    .selectFrom('device')
    .select(({ fn }) => fn.countAll<string>().as('devices'))
    .where('real_user_id', '=', realUserId)
    .executeTakeFirstOrThrow()
  const live = sql
    .selectFrom('membership')
    .select('id')
    .where('real_user_id', '=', realUserId)
    .where('ended_at', 'is', null)
    .orderBy('id')
  const shares = (await live.forUpdate().execute()).map(({ id }) => id)
  const transfer = {
    real_user_id: realUserId,
    from_root_user_id: child.root_user_id,
    to_root_user_id: receiver.id,
    devices: Number(devices),
    ended_shares: shares.length,
  }
  if (dryRun) return transfer
  if (shares.length > 0)
    await kyselySql`
      WITH ended AS (UPDATE membership SET ended_at = ${new Date()} WHERE id = ANY (${shares}) RETURNING root_user_id)
      SELECT tell_access_ended(ARRAY(SELECT root_user_id FROM ended WHERE root_user_id <> ${receiver.id}), ${realUserId}::int)`.execute(
      sql,
    )
  await kyselySql`SELECT hand_over_child(${realUserId}, ${receiver.id}, ${date})`.execute(sql)
  await recordCommand(sql, operator, {
    operation: 'companion child transfer',
    realUserIds: [realUserId],
    isChange: true,
    oldValue: encryptOldValue(keyRing, { root_user_id: child.root_user_id }),
  })
  const reason = `child ${realUserId} from account ${child.root_user_id} to ${receiver.id}, by an operator`
  for (const rootUserId of [child.root_user_id, receiver.id]) {
    await recordSecurityEvent(sql, operator, { action: 'child_transfer', rootUserId, reason })
  }
  return transfer
}
