import { z } from 'zod'
import { accountEndpoint } from '../auth/account-endpoint.ts'
import { indistinctChildErrors } from '../children/real-user.ts'
import { statement } from '../database/statement.ts'
import { isoTimestampSql } from '../database/wire-time.ts'
import { idField, integerField } from '../http/fields.ts'
import { cursorOf, pageCursorField } from '../http/page-cursor.ts'
import { timestampSchema } from './member.ts'
import { ACCESS_HOUR_SQL, ACCESS_BY_OTHERS_SQL, clinicOfAccessSql } from '../trail/accesses.ts'

const item = z
  .object({
    at: timestampSchema.meta({ description: 'The beginning of the hour' }),
    kind: z.enum(['account', 'clinic', 'application']).meta({
      description: '`account`: a member; `clinic`: somebody of a clinic; `application`: another service',
    }),
    name: z.string().meta({
      description:
        'The first name of the member, or the name of the service, empty once either is deleted; of somebody of a clinic `Clinic, Person`, of which the first part stays',
    }),
    operation: z.string().meta({ description: 'The operationId, such as `charts.recent`' }),
    times: z.int().meta({ description: 'How often within the hour' }),
  })
  .meta({ id: 'Access', description: 'What one person or service did within an hour' })

const LAST_SECOND = 253_402_300_799

/** An entry, by which pages are ordered: the hour in seconds since 1970, the member (or service, negated), the operation. */
const place = z.tuple([
  z.int().min(0).max(LAST_SECOND),
  z
    .int()
    .min(1 - 2 ** 31)
    .max(2 ** 31 - 1),
  z.string().regex(/^[\w.]{1,100}$/),
])
const BEFORE_THE_NEWEST: z.infer<typeof place> = [LAST_SECOND, 0, '']

// One row without an access tells of an own child that nobody else has reached.
type Row = { at: null } | (z.infer<typeof item> & { clinic: string | null; hour: number; who: number })

// Services come with their id negated, so that one order holds for all.
const selectAccesses = statement<Row>(
  'child-accesses',
  `SELECT ${isoTimestampSql('a.hour')} AS at, extract(epoch FROM a.hour)::float8 AS hour, a.who,
     CASE WHEN u.register_type = 'P' THEN 'clinic' WHEN a.who > 0 THEN 'account' ELSE 'application' END AS kind,
     ${clinicOfAccessSql('$8')} AS clinic, coalesce(u.first_name, c.name, '') AS name, a.operation, a.times
   FROM real_user r
   LEFT JOIN LATERAL (
     SELECT hour, who, operation, max(at) AS newest, sum(times)::int AS times
     FROM (
       SELECT ${ACCESS_HOUR_SQL} AS hour, CASE actor_kind WHEN 'member' THEN actor::int ELSE -actor::int END AS who, operation, at, times
       FROM trail a
       WHERE real_user_id = r.id AND ${ACCESS_BY_OTHERS_SQL} AND ${ACCESS_HOUR_SQL} <= to_timestamp($3) AND ${ACCESS_HOUR_SQL} > $7
     ) one
     WHERE (hour, who, operation) < (to_timestamp($3), $4, $5)
     GROUP BY hour, who, operation
     ORDER BY hour DESC, who DESC, operation DESC LIMIT $6
   ) a ON true
   LEFT JOIN root_user u ON u.id = a.who
   LEFT JOIN client c ON c.id = -a.who
   WHERE r.id = $2 AND r.root_user_id = $1 AND r.deleted_at IS NULL
   ORDER BY a.hour DESC, a.who DESC, a.operation DESC`,
)

const YEAR_MS = 366 * 86_400_000

export const access = accountEndpoint(
  {
    method: 'GET',
    path: '/api/v1/beta/share/access',
    right: 'owner',
    summary: "Who but the owner has read or changed a child's data",
    description: `Newest first: one entry for each person or service, operation and hour. An access appears here within seconds and stays for a
year. The owner's own are not listed.`,
  },
  indistinctChildErrors,
)
  .input(
    z.object({
      real_user_id: idField,
      after: pageCursorField(place).optional(),
      limit: integerField(1, 500).default(100).meta({ description: 'The most entries of a page' }),
    }),
  )
  .output(
    z
      .object({
        items: z.array(item),
        next: z.string().nullable().meta({ description: 'For `after`; null at the end' }),
      })
      .meta({ id: 'AccessPage', description: 'A page of accesses, newest first' }),
  )
  .query(async ({ ctx, input: { real_user_id, after, limit } }) => {
    const since = new Date(Date.now() - YEAR_MS)
    const values = [
      ctx.caller.rootUserId,
      real_user_id,
      ...(after ?? BEFORE_THE_NEWEST),
      limit + 1,
      since,
      ctx.timeZone,
    ]
    const rows = await ctx.database.query(selectAccesses, values)
    if (rows.length === 0) throw ctx.failure(401, 'Not authorized user')
    const found = rows.filter((row) => row.at !== null)
    const page = found.slice(0, limit)
    const last = page.at(-1)
    return {
      items: page.map(({ at, kind, clinic, name, operation, times }) => ({
        at,
        kind,
        // Of a service it is not encrypted.
        name: [clinic, ctx.database.keyRing.decrypt('root_user.first_name', name)].filter(Boolean).join(', '),
        operation,
        times,
      })),
      next: found.length > limit && last ? cursorOf([last.hour, last.who, last.operation]) : null,
    }
  })
