import { z } from 'zod'
import { statement } from '../database/statement.ts'
import type { Snapshot } from '../database/database.ts'
import { initials } from './child-name.ts'
import { isDatabaseUnavailable } from '../database/sql-errors.ts'
import { Failure } from '../errors/failure.ts'
import { countUnknownDevices, refuseUnknownDevices } from '../devices/unknown-devices.ts'
import { calendarDateField, uniqueIdField } from '../http/fields.ts'
import { fileResponseSchema } from '../http/file-response.ts'
import { sendUnnamedFile } from '../http/unnamed-file.ts'
import type { DeviceAndWearer } from './device-call.ts'
import { deviceReadEndpoint } from './device-read.ts'
import { OF_PRESENT_WEARER_SQL } from './present-wearer.ts'
import { writeWorkbook } from './workbook.ts'
import type { WorkbookSink } from './workbook.ts'

const ROWS_AT_ONCE = 600

const EXPORTED = `FROM device d JOIN LATERAL device_treatments(d.id, $2::date, $3::date + 1) t ON ${OF_PRESENT_WEARER_SQL}
  WHERE d.unique_id = $1`

const selectAbout = statement<
  DeviceAndWearer & { serial_code: string; first_name: string; last_name: string; found: boolean }
>(
  'export-about',
  `SELECT d.id AS device_id, d.real_user_id, d.serial_code, coalesce(r.first_name, '') AS first_name, coalesce(r.last_name, '') AS last_name,
     EXISTS (SELECT 1 ${EXPORTED}) AS found
   FROM device d LEFT JOIN real_user r ON r.id = d.real_user_id WHERE d.unique_id = $1`,
)

// One text per row: the event loop only hands it on. See write-workbook.ts for the order of the values.
const openCursor = statement(
  'export-open',
  `DECLARE exported NO SCROLL CURSOR FOR
   SELECT concat_ws(E'\\t', to_json(t.treatment_date) #>> '{}', t.treatment_time, t.last_intensity, t.movement,
     t.finish_flag, t.is_temp::int, t.log_file_id, array_to_string(t.intensity_record, ',')) AS line
   ${EXPORTED} ORDER BY t.treatment_date, t.log_file_id`,
)
const fetchLines = statement<{ line: string }>('export-fetch', `FETCH ${ROWS_AT_ONCE} FROM exported`)
const closeCursor = statement('export-close', 'CLOSE exported')

export const exportDevlogs = deviceReadEndpoint(
  {
    method: 'GET',
    path: '/api/v1/gamma/device/export',
    summary: 'The usage logs of a device as a spreadsheet (XLSX)',
    description:
      'The file has three sheets: the treatments of the child who wears the device now, their intensities on the 6-minute grid, and what every column means. The first two begin with the device, the initials of the child and the period; the sixth row names the columns.',
    file: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  },
  [
    [404, 'Device Log not found', 'the device is unknown, or has no log in the period'],
    [500, 'Internal error while deleting device logs', 'the database refused the read'],
  ],
)
  .input(
    z.object({
      unique_id: uniqueIdField,
      start_date: calendarDateField.meta({ description: 'The first day' }),
      end_date: calendarDateField.meta({ description: 'The last day' }),
    }),
  )
  .output(fileResponseSchema)
  .query(async ({ ctx, input: { unique_id, start_date, end_date } }) => {
    const { database } = ctx
    const chosen = [unique_id, start_date, end_date]
    await refuseUnknownDevices(ctx, [unique_id])
    try {
      const [device] = await database.query(selectAbout, chosen)
      if (device) ctx.concernsWearer(device)
      else await countUnknownDevices(ctx, 1)
      if (!device?.found) throw ctx.failure(404, 'Device Log not found')
      const workbook = await database.offload((snapshot) =>
        writeWorkbook(
          {
            serialCode: device.serial_code,
            uniqueId: unique_id,
            child: initials({
              first_name: database.keyRing.decrypt('real_user.first_name', device.first_name),
              last_name: database.keyRing.decrypt('real_user.last_name', device.last_name),
            }),
            first: start_date,
            last: end_date,
          },
          (sink) => copyRows(snapshot, chosen, sink),
        ),
      )
      return await sendUnnamedFile(`GAMMA_DEVICE_${unique_id}_${start_date}~${end_date}.xlsx`, workbook)
    } catch (error) {
      if (error instanceof Failure || isDatabaseUnavailable(error)) throw error
      ctx.log.error({ err: error, request_id: ctx.request.id }, 'device logs not exported')
      throw ctx.failure(500, 'Internal error while deleting device logs')
    }
  })

/**
 * Copies the rows into both sheets from one snapshot. A workbook is written from front to back, so the second sheet
 * takes a second pass; a short export keeps its rows and lets the connection go before it is written.
 */
async function copyRows(snapshot: Snapshot, chosen: string[], sink: WorkbookSink): Promise<void> {
  const kept = await snapshot(async (query) => {
    const fetch = async () => (await query(fetchLines, [])).map(({ line }) => line)
    for (const pass of [1, 2] as const) {
      await query(openCursor, chosen)
      let lines = await fetch()
      if (lines.length < ROWS_AT_ONCE) return lines.join('\n')
      while (lines.length > 0) {
        const [next] = await Promise.all([fetch(), sink.rows(pass, lines.join('\n'))])
        lines = next
      }
      await query(closeCursor, [])
    }
    return undefined
  })
  if (!kept) return
  await sink.rows(1, kept)
  await sink.rows(2, kept)
}
