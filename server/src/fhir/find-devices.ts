import { statement } from '../database/statement.ts'
import { isoTimestampSql } from '../database/wire-time.ts'
import { deviceUpdated } from '../fhir-resources/resources.ts'
import type { DeviceRow } from '../fhir-resources/resources.ts'
import { rowsFor, pageOf, rowsNamed } from './search.ts'
import type { Find } from './search.ts'

interface Row extends DeviceRow {
  kind: 'device' | 'basestation'
  /** Those of the search that wear it, or have worn it. */
  wearers: number[]
}

const OF_THESE = 'ANY ($1::int[])'

// Base stations are of the account, and of no child.
const selectDevices = statement<Row>(
  'fhir-devices',
  `SELECT * FROM (
     SELECT 'device' AS kind, d.id, d.serial_code, w.wearers,
       CASE WHEN d.real_user_id = ${OF_THESE} THEN d.device_alias END AS device_alias,
       CASE WHEN d.real_user_id = ${OF_THESE} THEN d.real_user_id END AS real_user_id,
       CASE WHEN d.real_user_id = ${OF_THESE} THEN d.now_firmware_id END AS firmware_id,
       CASE WHEN d.real_user_id = ANY ($9::int[]) THEN d.unique_id END AS unique_id,
       ${isoTimestampSql('u.updated_at')} AS updated_at
     FROM (SELECT device_id, array_agg(wearer_id) AS wearers FROM worn WHERE wearer_id = ${OF_THESE} GROUP BY 1) w
     JOIN device d ON d.id = w.device_id
     CROSS JOIN LATERAL (SELECT ${deviceUpdated('d', OF_THESE)} AS updated_at) u
     WHERE ($3::timestamptz IS NULL OR u.updated_at >= $3) AND ($4::timestamptz IS NULL OR u.updated_at < $4)
     UNION ALL
     SELECT DISTINCT 'basestation', b.id, b.serial_code, '{}'::int[], NULL, NULL::int, NULL::int, NULL::uuid, NULL
     FROM basestation_connection c JOIN basestation b ON b.id = c.basestation_id
     WHERE c.root_user_id = $2 AND $3::timestamptz IS NULL AND $4::timestamptz IS NULL
   ) d
   WHERE ($5::text[] IS NULL OR kind || '-' || id = ANY ($5)) AND ($6::text IS NULL OR (kind, id) >= ($6, $7::int))
   ORDER BY kind, id LIMIT $8`,
)

/** The children of a search who wear a device or have worn it, first the one who does now. */
const wearersOf = ({ wearers, real_user_id }: Row) =>
  real_user_id === null ? wearers : [real_user_id, ...wearers.filter((id) => id !== real_user_id)]

export const findDevices: Find = async ({ database, make }, wanted) => {
  const { children, ownAccount, updated, ids, after, limit } = wanted
  const rows = await database.query(selectDevices, [
    children.filter(({ scopes }) => scopes.has('usage:read')).map(({ id }) => id),
    ownAccount ?? null,
    updated?.from ?? null,
    updated?.until ?? null,
    ids ? ids.map(({ id }) => id) : rowsNamed(wanted),
    after?.[2] ?? null,
    after?.[3] ?? null,
    rowsFor(limit),
    children.filter(({ isOwn }) => isOwn).map(({ id }) => id),
  ])
  return pageOf(
    rows.map((device) => ({ ...device, child: 0, at: '', row: String(device.id) })),
    wanted,
    (row) => [
      row.kind === 'device'
        ? {
            made: make.device({
              ...row,
              device_alias: database.keyRing.decrypt('device.device_alias', row.device_alias),
            }),
            children: wearersOf(row),
          }
        : { made: make.basestation({ ...row, basestation_id: row.id }), children: [] },
    ],
  )
}
