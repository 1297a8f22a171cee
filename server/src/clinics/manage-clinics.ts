import { sql as raw } from 'kysely'
import { issueClinicInvitation } from '../auth/clinician-invitation.ts'
import { recordSecurityEvent } from '../auth/security-record.ts'
import type { Database, Sql } from '../database/database.ts'
import type { KeyRing } from '../encryption/key-ring.ts'
import { isoTimestampSql } from '../database/wire-time.ts'
import { recordCommand } from '../trail/operator.ts'
import type { Operator } from '../trail/operator.ts'
import { keepFigures } from './child.ts'
import { newCode, shownCode } from './code.ts'

/** A clinic as operators see it. */
export interface ListedClinic {
  clinic_id: number
  name: string
  url: string | null
  /** As people read it. */
  code: string
  /** The people who work there now. */
  members: number
  /** The children who are connected with it on a date of the service. */
  children: number
  created_at: string
}

/** Adds a clinic, and makes its code. */
export async function addClinic(
  sql: Sql,
  { name, url }: { name: string; url: string | null },
  operator: Operator,
): Promise<{ clinic_id: number; name: string; code: string }> {
  const code = newCode()
  const { id } = await sql
    .insertInto('clinic')
    .values({ name, url, code })
    .returning('id')
    .executeTakeFirstOrThrow()
  await recordSecurityEvent(sql, operator, { action: 'clinic_add', reason: `clinic ${id}` })
  return { clinic_id: id, name, code: shownCode(code) }
}

/** The clinics that are not removed, newest first; or the one with this id. */
export async function listClinics(sql: Sql, today: string, clinicId?: number): Promise<ListedClinic[]> {
  const { rows } = await raw<ListedClinic>`
    SELECT k.id AS clinic_id, k.name, k.url, k.code, ${raw.raw(isoTimestampSql('k.created_at'))} AS created_at,
      (SELECT count(*) FROM clinic_member m WHERE m.clinic_id = k.id AND m.ended_at IS NULL)::int AS members,
      (SELECT count(*) FROM live_clinic_connections(${today}) c WHERE c.clinic_id = k.id)::int AS children
    FROM clinic k WHERE k.removed_at IS NULL AND k.id = coalesce(${clinicId ?? null}, k.id)
    ORDER BY k.id DESC`.execute(sql)
  return rows.map((clinic) => ({ ...clinic, code: shownCode(clinic.code) }))
}

/** Changes a clinic. Resolves to whether there is one. */
async function change(
  sql: Sql,
  clinicId: number,
  values: { name: string } | { code: string },
): Promise<boolean> {
  const { numUpdatedRows } = await sql
    .updateTable('clinic')
    .set(values)
    .where('id', '=', clinicId)
    .where('removed_at', 'is', null)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Gives a clinic another name, which all whom it may see read from then on. Resolves to whether there is one. */
export async function renameClinic(
  sql: Sql,
  clinicId: number,
  name: string,
  operator: Operator,
): Promise<boolean> {
  if (!(await change(sql, clinicId, { name }))) return false
  await recordSecurityEvent(sql, operator, { action: 'clinic_rename', reason: `clinic ${clinicId}` })
  return true
}

/** Gives a clinic another code; nobody is let in by the old one any more. Undefined if there is no such clinic. */
export async function replaceCode(
  sql: Sql,
  clinicId: number,
  operator: Operator,
): Promise<{ clinic_id: number; code: string } | undefined> {
  const code = newCode()
  if (!(await change(sql, clinicId, { code }))) return undefined
  await recordSecurityEvent(sql, operator, { action: 'clinic_new_code', reason: `clinic ${clinicId}` })
  return { clinic_id: clinicId, code: shownCode(code) }
}

/** Invites somebody to work in a clinic; the caller sends the mail. Undefined if there is no such clinic. */
export async function inviteToClinic(
  sql: Sql,
  keyRing: KeyRing,
  invited: Parameters<typeof issueClinicInvitation>[2],
  operator: Operator,
) {
  const clinic = await sql
    .selectFrom('clinic')
    .select('name')
    .where('id', '=', invited.clinic_id)
    .where('removed_at', 'is', null)
    .forShare()
    .executeTakeFirst()
  if (!clinic) return undefined
  const issued = await issueClinicInvitation(sql, keyRing, invited)
  const reason = `${invited.role} of clinic ${invited.clinic_id}, invitation ${issued.id}`
  await recordSecurityEvent(sql, operator, { action: 'clinic_invite', reason })
  return { ...issued, clinic: clinic.name }
}

/**
 * Makes again what is kept of the nights of a clinic's children. Resolves to how many children it has; undefined if
 * there is no such clinic.
 */
export async function recountClinic(
  database: Database,
  clinicId: number,
  on: Parameters<typeof keepFigures>[2],
): Promise<number | undefined> {
  const [clinic] = await listClinics(database.sql, on.today, clinicId)
  if (!clinic) return undefined
  const { rows } = await raw<{ child: number }>`
    SELECT real_user_id AS child FROM live_clinic_connections(${on.today}) WHERE clinic_id = ${clinicId} ORDER BY 1`.execute(
    database.sql,
  )
  await keepFigures(
    database,
    rows.map(({ child }) => child),
    on,
  )
  return rows.length
}

/**
 * Removes a clinic: its code, its invitations, the work of its members and its connections end. Its name stays, for parents who
 * read who has looked. Resolves to whether there was one.
 */
export async function removeClinic(sql: Sql, clinicId: number, operator: Operator): Promise<boolean> {
  const now = new Date()
  const { numUpdatedRows } = await sql
    .updateTable('clinic')
    .set({ code: null, removed_at: now })
    .where('id', '=', clinicId)
    .where('removed_at', 'is', null)
    .executeTakeFirst()
  if (numUpdatedRows === 0n) return false
  await sql.deleteFrom('clinic_invitation').where('clinic_id', '=', clinicId).execute()
  await sql
    .updateTable('clinic_member')
    .set({ ended_at: now })
    .where('clinic_id', '=', clinicId)
    .where('ended_at', 'is', null)
    .execute()
  const open = sql
    .selectFrom('clinic_connection')
    .select('id')
    .where('clinic_id', '=', clinicId)
    .where('ended_at', 'is', null)
  // In the order in which all lock them.
  await open.orderBy('id').forNoKeyUpdate().execute()
  const ended = await sql
    .updateTable('clinic_connection')
    .set({ ended_at: now })
    .where('id', 'in', open)
    .returning('real_user_id')
    .execute()
  const realUserIds = ended.map(({ real_user_id }) => real_user_id)
  await recordCommand(sql, operator, { operation: 'companion clinic remove', realUserIds, isChange: true })
  await recordSecurityEvent(sql, operator, { action: 'clinic_remove', reason: `clinic ${clinicId}` })
  return true
}
