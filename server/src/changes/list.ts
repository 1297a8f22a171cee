import { z } from 'zod'
import { accountEndpoint } from '../auth/account-endpoint.ts'
import { statement } from '../database/statement.ts'
import { wireTime } from '../database/wire-time.ts'
import { integer } from '../http/fields.ts'
import type { Role } from '../http/right.ts'
import { today } from '../time/wall-clock.ts'
import { beforeTransaction, feedCursor, feedCursorOf } from './feed-cursor.ts'

const kinds = [
  'treatment.stored',
  'treatment.completed',
  'treatment.deleted',
  'treatment.restored',
  'note.saved',
  'survey.submitted',
  'child.updated',
  'child.deleted',
  'grant.started',
  'grant.ended',
] as const

const item = z
  .object({
    kind: z.enum(kinds).meta({ description: 'What happened' }),
    real_user_id: z.int(),
    id: z.int().meta({
      description: 'Of the treatment, the event, the survey, the child or the grant, as `kind` says',
    }),
    date: z.string().nullable().meta({
      description: 'The day of the treatment or the note, `yyyy-mm-dd`; null for other kinds',
    }),
    at: z.string().meta({ format: 'date-time', description: 'When it happened' }),
  })
  .meta({ id: 'Change', description: "A change of a child's data. It says what to read again, and no more" })

/** Where the feed stands for a reader, with one of the changes found, or none. */
type Row = { horizon: string; is_expired: boolean } & (
  | (z.infer<typeof item> & { role: Role | null; xact: string; place: string })
  | { kind: null }
)

const COLUMNS = `c.kind, c.real_user_id, c.subject_id::float8 AS id, c.date::text AS date, ${wireTime('c.at')} AS at,
  c.xact_id::text AS xact, c.id::text AS place`

/**
 * SQL for the feed as this statement sees it, with the place that `$2` and `$3` name, or the oldest, to go on behind. All
 * transactions before `horizon` have ended: the statement sees all of them, and none can come to them any more.
 */
const FEED = `SELECT pg_snapshot_xmin(pg_current_snapshot()) AS horizon,
  coalesce($2::xid8, purged_xact_id) AS from_xact, coalesce($3::bigint, purged_id) AS from_id,
  $2::xid8 IS NOT NULL AND (($2::xid8, $3::bigint) < (purged_xact_id, purged_id)
    OR $2::xid8 > pg_snapshot_xmax(pg_current_snapshot())) AS is_expired
  FROM feed`

const STATE = 'feed.horizon::text AS horizon, feed.is_expired'

const BEHIND = '(xact_id, id) > (feed.from_xact, feed.from_id) AND xact_id < feed.horizon'

// A few children: the first changes of each, from its own part of the index.
const selectForAccount = statement<Row>(
  'changes-for-account',
  `SELECT ${STATE}, c.role, ${COLUMNS}
   FROM (${FEED}) feed
   LEFT JOIN LATERAL (
     SELECT child.role, found.* FROM (
       SELECT id, 'owner' AS role FROM real_user WHERE root_user_id = $1 AND deleted_at IS NULL
       UNION ALL
       SELECT r.id, m.role FROM live_membership($5) m JOIN real_user r ON r.id = m.real_user_id
       WHERE m.root_user_id = $1 AND r.deleted_at IS NULL
     ) child
     CROSS JOIN LATERAL (
       SELECT * FROM change WHERE real_user_id = child.id AND account_id IS NULL AND ${BEHIND}
       ORDER BY xact_id, id LIMIT $4
     ) found
     UNION ALL
     SELECT NULL, found.* FROM (
       SELECT * FROM change WHERE account_id = $1 AND client_id IS NULL AND ${BEHIND}
       ORDER BY xact_id, id LIMIT $4
     ) found
   ) c ON NOT feed.is_expired
   ORDER BY c.xact_id, c.id LIMIT $4`,
)

export const list = accountEndpoint(
  {
    method: 'GET',
    path: '/api/v1/beta/changes',
    right: 'viewer',
    summary: 'What has changed since the last call',
    description: `The changes of the children that the caller may see and that are shared or granted to somebody. Keep \`next\` and
send it as \`after\` with the next call: each change comes once, and the same cursor gives the same changes again. Changes
are kept for 90 days.`,
  },
  [[410, 'Cursor is expired', 'changes behind the cursor are no longer kept; begin again without one']],
)
  .input(
    z.object({
      after: feedCursor.optional(),
      limit: integer(1, 1000).default(200).meta({ description: 'The most changes of an answer' }),
    }),
  )
  .output(
    z
      .object({
        items: z.array(item),
        next: z.string().meta({ description: 'The `after` of the next call' }),
        has_more: z.boolean().meta({ description: 'Whether there are more changes now' }),
      })
      .meta({ id: 'Changes', description: 'Changes in their order' }),
  )
  .query(async ({ ctx, input: { after, limit } }) => {
    const from: readonly (string | null)[] = after === undefined || after === 'latest' ? [null, null] : after
    const most = after === 'latest' ? 0 : limit
    const rows = await ctx.database.query(selectForAccount, [
      ctx.caller.rootUserId,
      ...from,
      most + 1,
      today(ctx.timeZone),
    ])
    const [first] = rows
    if (!first || first.is_expired) throw ctx.failure(410, 'Cursor is expired')
    const found = rows.filter((row) => row.kind !== null).slice(0, most)
    const last = found.at(-1)
    const hasMore = most > 0 && rows.length > most
    for (const { role, real_user_id } of found) ctx.reaches(role, real_user_id)
    return {
      items: found.map(({ kind, real_user_id, id, date, at }) => ({ kind, real_user_id, id, date, at })),
      next: feedCursorOf(hasMore && last ? [last.xact, last.place] : beforeTransaction(first.horizon)),
      has_more: hasMore,
    }
  })
