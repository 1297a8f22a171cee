import type { Sql } from '../database/database.ts'
import { Failure } from '../errors/failure.ts'
import { sql } from 'kysely'
import { lockChild } from '../children/child-lock.ts'
import { indistinctChildErrors } from '../children/real-user.ts'
import { isoTimestampSql } from '../database/wire-time.ts'
import { clinicErrors, clinicRoleOf } from './member.ts'

/** How an operation on a child of a clinic may be refused. */
export const clinicChildErrors = [...clinicErrors, ...indistinctChildErrors] as const

/** The connection of a child, with what the clinic has noted of the child as it is stored. */
interface ConnectedPlace {
  id: number
  record_number: string | null
  seen_at: string | null
  seen_by: number | null
}

/**
 * Locks a child for somebody who works in a clinic that it is connected with on the service's date `today`, or throws. Their work there cannot
 * end before the transaction does.
 */
export async function lockConnectedChild(
  tx: Sql,
  {
    clinicId,
    realUserId,
    rootUserId,
    today,
  }: { clinicId: number; realUserId: number; rootUserId: number; today: string },
): Promise<ConnectedPlace> {
  // Before the child: who does not work there learns nothing of it.
  if (!(await clinicRoleOf(tx, clinicId, rootUserId))) throw new Failure(...clinicErrors[0])
  const child = await lockChild(tx, realUserId, 'update')
  // Again, because it may have ended while the child was waited for.
  if (!(await clinicRoleOf(tx, clinicId, rootUserId, { lock: true }))) throw new Failure(...clinicErrors[0])
  const { rows } = await sql<ConnectedPlace>`
    SELECT id, record_number, ${sql.raw(isoTimestampSql('seen_at'))} AS seen_at, seen_by FROM live_clinic_connections(${today})
    WHERE clinic_id = ${clinicId} AND real_user_id = ${realUserId}`.execute(tx)
  const [connection] = rows
  if (!child || !connection) throw new Failure(...indistinctChildErrors[0])
  return connection
}
