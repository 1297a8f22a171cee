import { childRoleSql } from '../auth/child-role.ts'
import { statement } from '../database/statement.ts'
import type { Database } from '../database/database.ts'
import { Failure } from '../errors/failure.ts'
import { generic } from '../errors/generic.ts'
import type { Role } from '../http/right.ts'

/** The most whole loads of one firmware by a device within 24 hours: one that installs for ever must not cost the service. */
export const MOST_LOADS_PER_DAY = 5

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
  /** The byte at which the response began that was counted last; null before the first, and once another load has begun. */
  loaded_from: number | null
}

/** A device, who wears it, and what it is offered: the columns of a firmware are null without an offer. */
export type DeviceOffer = {
  device_id: number
  now_firmware_id: number
  real_user_id: number | null
  role: Role | null
  /** Whether the offer is kept already, if there is one. */
  is_noted: boolean
  /** Whether a try to install it has ended, and no other has begun. */
  has_ended: boolean | null
} & ((OfferedFirmware & { release_id: number }) | { firmware_id: null })

const asking = (device: string, role: string, more = '') => `
  SELECT d.id AS device_id, d.now_firmware_id, d.real_user_id, ${role} AS role,${more} f.id AS firmware_id, f.version, f.hardware, f.size,
    f.sha256, f.manifest, f.notes_en, f.notes_ko, o.release_id, n.release_id IS NOT DISTINCT FROM o.release_id AS is_noted,
    n.outcome IN ('failed', 'refused', 'rolled_back') AND NOT n.is_under_way AS has_ended,
    CASE WHEN cardinality(n.loads) >= ${MOST_LOADS_PER_DAY} THEN
      greatest(0, ceil(extract(epoch FROM n.loads[1] + interval '24 hours' - now())))::int ELSE 0 END AS wait_seconds,
    n.loaded_from
  FROM device d
  LEFT JOIN real_user r ON r.id = d.real_user_id AND r.deleted_at IS NULL
  LEFT JOIN LATERAL firmware_offer(d.id, now(), $2) o ON true
  LEFT JOIN firmware f ON f.id = o.firmware_id
  LEFT JOIN device_firmware n ON n.device_id = d.id AND n.firmware_id = f.id
  WHERE ${device}`

/** Values: the device's unique id, and the time zone of the service. */
const selectAsDevice = statement<DeviceOffer>('firmware-of-device', asking('d.unique_id = $1', 'NULL::text'))

/** Values: the device's unique id, the time zone of the service, and the hash of the key that was shown. */
const selectByKey = statement<DeviceOffer & WithProof>(
  'firmware-of-key',
  asking('d.unique_id = $1', 'NULL::text', ' coalesce(d.ddi_key_hash = $3, false) AS is_proven,'),
)

/** Values: the device, the time zone of the service, the account that asks, and its date. */
const selectAsAccount = statement<DeviceOffer>(
  'firmware-of-account',
  asking('d.id = $1', childRoleSql('$3', '$4')),
)

const insertOffer = statement(
  'note-firmware-offer',
  `INSERT INTO device_firmware (device_id, firmware_id, release_id, offered_at) VALUES ($1, $2, $3, now())
   ON CONFLICT (device_id, firmware_id) DO UPDATE SET release_id = excluded.release_id, offered_at = excluded.offered_at,
     tries_before = device_firmware.failed_tries, installed_at = NULL, was_active = false
   WHERE device_firmware.release_id <> excluded.release_id`,
)

const beginTry = statement(
  'begin-firmware-try',
  'UPDATE device_firmware SET is_under_way = true WHERE device_id = $1 AND firmware_id = $2',
)

/** A device that asks has been offered the firmware from then on. That is kept once: later questions only read. */
async function noted({ query }: Queries, device: DeviceOffer | undefined): Promise<DeviceOffer | undefined> {
  if (device && device.firmware_id !== null && !device.is_noted)
    await query(insertOffer, [device.device_id, device.firmware_id, device.release_id])
  return device
}

/**
 * The same for a device that asks by itself: after a try that has ended, it tries again. One that refuses a manifest loads nothing
 * and tells of no start: without this, all its reports were one, and it would be offered the firmware for ever.
 */
async function tried(database: Queries, device: DeviceOffer | undefined): Promise<DeviceOffer | undefined> {
  await noted(database, device)
  if (device?.has_ended && device.firmware_id !== null)
    await database.query(beginTry, [device.device_id, device.firmware_id])
  return device
}

type Queries = Pick<Database, 'query'>

/** What a device is offered, by its unique id; undefined if it is unknown. */
export async function askAsDevice(database: Queries, uniqueId: string, timeZone: string) {
  const [device] = await database.query(selectAsDevice, [uniqueId, timeZone])
  return tried(database, device)
}

/** Whether the key that was shown is that of the device. */
export interface WithProof {
  is_proven: boolean
}

/** The same, with whether the device has this key; to another key nothing is offered. Undefined if the device is unknown. */
export async function askByKey(
  database: Queries,
  uniqueId: string,
  { timeZone, keyHash }: { timeZone: string; keyHash: Buffer },
): Promise<(DeviceOffer & WithProof) | undefined> {
  const [device] = await database.query(selectByKey, [uniqueId, timeZone, keyHash])
  if (device?.is_proven) await tried(database, device)
  return device
}

/** What a device is offered, with the role of the account that asks on its date; undefined if there is no such device. */
export async function askAsAccount(
  database: Queries,
  deviceId: number,
  { timeZone, rootUserId, date }: { timeZone: string; rootUserId: number; date: string },
) {
  const [device] = await database.query(selectAsAccount, [deviceId, timeZone, rootUserId, date])
  // The offer to a stranger's question is none.
  return device?.role ? noted(database, device) : device
}

/**
 * Whether a response from the byte `first` belongs to the load that was counted last: what the service has sent, a proxy or a line may
 * have lost.
 */
const goesOn = ({ loaded_from }: OfferedFirmware, first: number): boolean =>
  loaded_from !== null && first > 0 && first >= loaded_from

/** Throws 429 when the device has loaded the firmware whole too often to begin another load. */
export function assertMayLoad(firmware: OfferedFirmware, first: number): void {
  const { wait_seconds } = firmware
  if (wait_seconds > 0 && !goesOn(firmware, first))
    throw new Failure(...generic.tooMany, { headers: { 'retry-after': String(wait_seconds) } })
}

const beginLoad = statement(
  'begin-firmware-load',
  'UPDATE device_firmware SET loaded_from = NULL WHERE device_id = $1 AND firmware_id = $2',
)

const addLoad = statement(
  'firmware-loaded',
  `UPDATE device_firmware
   SET loads = CASE WHEN goes_on THEN trim_array(loads, 1) || now()
       ELSE (loads || now())[greatest(1, cardinality(loads) + 2 - ${MOST_LOADS_PER_DAY}):] END,
     loaded_from = CASE WHEN goes_on THEN loaded_from ELSE $3 END, is_under_way = true
   FROM (
     SELECT device_id, firmware_id, coalesce($3 > 0 AND $3 >= loaded_from, false) AS goes_on FROM device_firmware
     WHERE device_id = $1 AND firmware_id = $2 FOR UPDATE
   ) load
   WHERE device_firmware.device_id = load.device_id AND device_firmware.firmware_id = load.firmware_id`,
)

/** Keeps that a device has been sent the image from the byte `first` on: to its end, or a part of it. */
export async function noteLoad(
  { query }: Queries,
  deviceId: number,
  firmware: OfferedFirmware,
  { first, isToEnd }: { first: number; isToEnd: boolean },
): Promise<void> {
  const { firmware_id, loaded_from } = firmware
  if (isToEnd) await query(addLoad, [deviceId, firmware_id, first])
  else if (loaded_from !== null && !goesOn(firmware, first)) await query(beginLoad, [deviceId, firmware_id])
}
