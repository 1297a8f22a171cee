import { childRole } from '../auth/child-role.ts'
import { statement } from '../database/statement.ts'
import type { Database } from '../database/database.ts'
import { Failure } from '../errors/failure.ts'
import { generic } from '../errors/generic.ts'
import type { Role } from '../http/right.ts'

/** The most whole loads of one firmware by a device within 24 hours: one that installs for ever must not cost the service. */
export const MOST_LOADS = 5

/** A firmware as it is offered to a device. */
export interface OfferedFirmware {
  firmware_id: number
  version: string
  hardware: string
  size: number
  sha256: Buffer
  manifest: Buffer
  notes_en: string | null
  notes_ko: string | null
  /** Seconds until the device may load it whole again; 0 for now. */
  wait_seconds: number
}

/** A device, who wears it, and what it is offered: the columns of a firmware are null without an offer. */
export type Asked = {
  device_id: number
  now_firmware_id: number
  real_user_id: number | null
  role: Role | null
} & (OfferedFirmware | { firmware_id: null })

// A device is noted as offered it at its first question: later ones only read.
const asking = (device: string, role: string) => `WITH asked AS MATERIALIZED (
    SELECT d.id AS device_id, d.now_firmware_id, d.real_user_id, ${role} AS role, f.id AS firmware_id, f.version, f.hardware, f.size,
      f.sha256, f.manifest, f.notes_en, f.notes_ko, o.release_id, n.release_id AS noted_release_id,
      CASE WHEN cardinality(n.loads) >= ${MOST_LOADS} THEN
        greatest(0, ceil(extract(epoch FROM n.loads[1] + interval '24 hours' - now())))::int ELSE 0 END AS wait_seconds
    FROM device d
    LEFT JOIN real_user r ON r.id = d.real_user_id AND r.deleted_at IS NULL
    LEFT JOIN LATERAL firmware_offer(d.id, now(), $2) o ON true
    LEFT JOIN firmware f ON f.id = o.firmware_id
    LEFT JOIN device_firmware n ON n.device_id = d.id AND n.firmware_id = f.id
    WHERE ${device}
  ), noted AS (
    INSERT INTO device_firmware AS n (device_id, firmware_id, release_id, offered_at)
    SELECT device_id, firmware_id, release_id, now() FROM asked
    WHERE firmware_id IS NOT NULL AND noted_release_id IS DISTINCT FROM release_id
    ON CONFLICT (device_id, firmware_id) DO UPDATE SET release_id = excluded.release_id, offered_at = excluded.offered_at
  )
  SELECT * FROM asked`

/** Values: the device's unique id, and the time zone of the service. */
export const askAsDevice = statement<Asked>('firmware-of-device', asking('d.unique_id = $1', 'NULL::text'))

/** Values: the device, the time zone of the service, the account that asks, and its date. */
export const askAsAccount = statement<Asked>(
  'firmware-of-account',
  asking('d.id = $1', childRole('$3', '$4')),
)

/** Throws 429 when the device has loaded the firmware whole too often. */
export function assertMayLoad({ wait_seconds }: OfferedFirmware): void {
  if (wait_seconds > 0)
    throw new Failure(...generic.tooMany, { headers: { 'retry-after': String(wait_seconds) } })
}

const addLoad = statement(
  'firmware-loaded',
  `UPDATE device_firmware
   SET loads = (loads || now())[greatest(1, cardinality(loads) + 2 - ${MOST_LOADS}):], is_under_way = true
   WHERE device_id = $1 AND firmware_id = $2`,
)

/** Keeps that a device has the whole image now. */
export const countLoad = async ({ query }: Pick<Database, 'query'>, deviceId: number, firmwareId: number) => {
  await query(addLoad, [deviceId, firmwareId])
}
