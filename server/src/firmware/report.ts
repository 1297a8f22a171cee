import { z } from 'zod'
import { accountEndpoint } from '../auth/account-endpoint.ts'
import { childRoleSql } from '../auth/child-role.ts'
import { statement } from '../database/statement.ts'
import { wornDeviceErrors } from '../devices/pairing.ts'
import { idField, messageResponseSchema } from '../http/fields.ts'
import type { Role } from '../http/right.ts'
import { today } from '../time/wall-clock.ts'
import { keepReport, neverOffered, outcomeFields, reportSaved } from './outcome.ts'

const selectWearer = statement<{ real_user_id: number; role: Role | null }>(
  'wearer-of-device',
  `SELECT r.id AS real_user_id, ${childRoleSql('$2', '$3')} AS role
   FROM device d JOIN real_user r ON r.id = d.real_user_id AND r.deleted_at IS NULL WHERE d.id = $1`,
)

export const report = accountEndpoint(
  {
    method: 'POST',
    path: '/api/v1/beta/ota/report',
    right: 'guardian',
    summary: 'Report what became of a firmware that the phone has carried to a device',
    description:
      'The same final report again changes nothing. After `installed`, the device counts as running the firmware.',
  },
  [...wornDeviceErrors, neverOffered],
)
  .input(z.object({ device_id: idField, ...outcomeFields }))
  .output(messageResponseSchema)
  .mutation(async ({ ctx, input: { device_id, ...outcome } }) => {
    const { database, caller, timeZone } = ctx
    const [worn] = await database.query(selectWearer, [device_id, caller.rootUserId, today(timeZone)])
    if (!worn) throw ctx.failure(404, 'Not Found Device')
    if (!ctx.mayAccess(worn.role, worn.real_user_id)) throw ctx.failure(401, 'Not authorized user')
    if (!(await keepReport(database, device_id, outcome))) throw ctx.failure(404, 'Firmware not found')
    return reportSaved
  })
