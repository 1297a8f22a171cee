import type { Sql } from '../database/database.ts'
import { Failure } from '../errors/failure.ts'
import { sql } from 'kysely'
import { lockChild } from '../children/child-lock.ts'
import { indistinctChildErrors } from '../children/real-user.ts'
import { clinicErrors, clinicRoleOf } from './member.ts'

/** How an operation on a child of a clinic may be refused. */
export const clinicChildErrors = [...clinicErrors, ...indistinctChildErrors] as const

/**
 * Locks a child for somebody who works in a clinic that it is connected with on the service's date `today`, or throws. Resolves to the id of the
 * connection.
 */
export async function lockConnectedChild(
  tx: Sql,
  {
    clinicId,
    realUserId,
    rootUserId,
    today,
  }: { clinicId: number; realUserId: number; rootUserId: number; today: string },
): Promise<number> {
  // Before the child: who does not work there learns nothing of it.
  if (!(await clinicRoleOf(tx, clinicId, rootUserId))) throw new Failure(...clinicErrors[0])
  const child = await lockChild(tx, realUserId, 'update')
  const { rows } = await sql<{ id: number }>`
    SELECT id FROM live_clinic_connections(${today}) WHERE clinic_id = ${clinicId} AND real_user_id = ${realUserId}`.execute(
    tx,
  )
  const [connection] = rows
  if (!child || !connection) throw new Failure(...indistinctChildErrors[0])
  return connection.id
}
