import { sql } from 'kysely'
import type { Sql } from '../database/database.ts'
import { CONTACT_LOSS } from './finish-flags.ts'

/** The groups by which devices are compared. A lot is a serial code without its last three characters. */
export const contactLossGroupings = ['lot', 'firmware'] as const
export type ContactLossGrouping = (typeof contactLossGroupings)[number]

export interface ContactLossCounts {
  /** Of the serial code, or the number of the firmware that the devices run now. */
  lot?: string
  firmware?: number
  /** How many have sent a record of the period, and how many of them one with a loss. */
  devices: number
  devices_with_losses: number
  /** Complete records, and how many of them ended because the electrodes lost contact. */
  records: number
  losses: number
}

const keys = { lot: sql`left(d.serial_code, -3)`, firmware: sql`d.now_firmware_id` }

/**
 * Counts the contact losses of the last `days` days by lot or firmware, the largest share of the records first. It looks
 * into the index of the treatments once for each device.
 */
export async function listContactLosses(
  database: Sql,
  by: ContactLossGrouping,
  days: number,
): Promise<ContactLossCounts[]> {
  const { rows } = await sql<ContactLossCounts>`
    SELECT ${keys[by]} AS ${sql.ref(by)}, count(*)::int AS devices,
      (count(*) FILTER (WHERE r.losses > 0))::int AS devices_with_losses,
      sum(r.records)::int AS records, sum(r.losses)::int AS losses
    FROM device d
    CROSS JOIN LATERAL (
      SELECT count(*) AS records, count(*) FILTER (WHERE t.finish_flag = ${CONTACT_LOSS}) AS losses
      FROM device_treatments(d.id, (now()::timestamp - ${days}::int * interval '1 day')::timestamp, 'infinity') t
      WHERE NOT t.is_temp
    ) r
    WHERE r.records > 0
    GROUP BY 1 ORDER BY sum(r.losses) / sum(r.records) DESC, 1`.execute(database)
  return rows
}
