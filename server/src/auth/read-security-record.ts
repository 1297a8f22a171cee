import type { Database } from '../database/database.ts'
import { RECORDED_ADDRESS_COLUMN } from '../database/encryption.ts'
import { SecurityRecord } from '../entities/entities.ts'

interface Wanted {
  rootUserId?: number | undefined
  action?: string | undefined
  since?: Date | undefined
  limit: number
}

export type SecurityRecordRow = Awaited<ReturnType<typeof readSecurityRecord>>[number]

/** The newest rows of the security record that are wanted, oldest first. */
export async function readSecurityRecord(
  database: Pick<Database, 'fork' | 'keyRing'>,
  { rootUserId, action, since, limit }: Wanted,
) {
  const rows = await database.fork().find(
    SecurityRecord,
    {
      ...(rootUserId === undefined ? {} : { root_user_id: rootUserId }),
      ...(action === undefined ? {} : { action }),
      ...(since === undefined ? {} : { recorded_at: { $gte: since } }),
    },
    {
      orderBy: { id: 'desc' },
      limit,
      fields: [
        'recorded_at',
        'root_user_id',
        'action',
        'reason',
        'address',
        'request_id',
        'times',
        'operator',
        'approved_by',
      ],
    },
  )
  return rows.toReversed().map(({ id: _id, address = null, ...row }) => ({
    ...row,
    address: database.keyRing.decrypt(RECORDED_ADDRESS_COLUMN, address),
  }))
}
