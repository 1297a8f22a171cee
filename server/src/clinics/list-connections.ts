import { z } from 'zod'
import { accountEndpoint } from '../auth/account-endpoint.ts'
import { childWithRoleSql } from '../auth/child-role.ts'
import { indistinctChildErrors } from '../children/real-user.ts'
import { statement } from '../database/statement.ts'
import { idField } from '../http/fields.ts'
import type { Role } from '../http/right.ts'
import { today } from '../time/wall-clock.ts'
import { CONNECTION_COLUMNS, connectionSchema } from './connection.ts'
import type { Connection } from './connection.ts'

// One row without a connection tells of a child that no clinic may see.
type Row = { role: Role } & (Connection | { connection_id: null })

const selectConnections = statement<Row>(
  'clinic-connections',
  `SELECT child.role, found.*
   FROM (${childWithRoleSql('$2', '$1', '$3::date')}) child
   LEFT JOIN LATERAL (
     SELECT ${CONNECTION_COLUMNS} FROM live_clinic_connections($3::date) c JOIN clinic k ON k.id = c.clinic_id
     WHERE c.real_user_id = child.id AND child.role IN ('owner', 'guardian')
   ) found ON true
   WHERE child.role IS NOT NULL
   ORDER BY found.since, found.connection_id`,
)

export const listConnections = accountEndpoint(
  {
    method: 'GET',
    path: '/api/v1/beta/clinic/connection',
    right: 'guardian',
    summary: 'The clinics that may see a child',
    description: 'In the order of `since`. Those that have ended are left out.',
  },
  indistinctChildErrors,
)
  .input(z.object({ real_user_id: idField }))
  .output(z.array(connectionSchema))
  .query(async ({ ctx, input: { real_user_id } }) => {
    const values = [ctx.caller.rootUserId, real_user_id, today(ctx.timeZone)]
    const rows = await ctx.database.query(selectConnections, values)
    if (!ctx.mayAccess(rows[0]?.role, real_user_id)) throw ctx.failure(401, 'Not authorized user')
    return rows.filter((row) => row.connection_id !== null)
  })
