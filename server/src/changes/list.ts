import { z } from 'zod'
import { accountEndpoint } from '../auth/account-endpoint.ts'
import { isClientCredentialsCaller } from '../auth/tokens/grant-token.ts'
import type { Caller } from '../auth/tokens/caller.ts'
import { findFeedHorizon } from '../database/feed-horizon.ts'
import { statement } from '../database/statement.ts'
import { isoTimestampSql } from '../database/wire-time.ts'
import { integerField } from '../http/fields.ts'
import type { Context } from '../http/context.ts'
import type { Role } from '../http/right.ts'
import { dataScopes } from '../http/scope.ts'
import { today } from '../time/wall-clock.ts'
import { positionBeforeTransaction, feedCursorSchema, encodeFeedCursor } from './feed-cursor.ts'
import type { FeedPosition } from './feed-cursor.ts'

/** The changes of one thing: their kinds, and what its id and date are. */
function changesOf<const Kinds extends [string, ...string[]], Day extends z.ZodType>(
  name: string,
  { thing, kinds, id, date }: { thing: string; kinds: Kinds; id: string; date: Day },
) {
  return z
    .object({
      kind: z.enum(kinds).meta({ description: 'What happened' }),
      real_user_id: z.int(),
      id: z.int().meta({ description: id }),
      date,
      at: z.string().meta({ format: 'date-time', description: 'When it happened' }),
    })
    .meta({ id: name, description: `A change of ${thing}` })
}

const day = (description: string) =>
  z.string().meta({ format: 'date', description, examples: ['2026-03-01'] })
const noDay = z.null().meta({ description: 'Always null' })

const item = z
  .discriminatedUnion('kind', [
    changesOf('TreatmentChange', {
      thing: 'a treatment',
      kinds: ['treatment.stored', 'treatment.completed', 'treatment.deleted', 'treatment.restored'],
      id: 'The id of the treatment',
      date: day('The day of the treatment'),
    }),
    changesOf('NoteChange', {
      thing: 'the event of a day',
      kinds: ['note.saved', 'note.deleted'],
      id: 'The id of the event',
      date: day('The day of the event'),
    }),
    changesOf('SurveyChange', {
      thing: 'a survey',
      kinds: ['survey.submitted', 'survey.deleted'],
      id: 'The id of the survey',
      date: noDay,
    }),
    changesOf('PlanChange', {
      thing: 'a plan',
      kinds: ['plan.changed'],
      id: 'The id of the plan',
      date: day('The first evening of the plan'),
    }),
    changesOf('ChildChange', {
      thing: "a child's profile",
      kinds: ['child.updated', 'child.deleted'],
      id: 'The id of the child',
      date: noDay,
    }),
    changesOf('GrantChange', {
      thing: 'the grant of a service',
      kinds: ['grant.started', 'grant.ended'],
      id: 'The id of the grant',
      date: noDay,
    }),
  ])
  .meta({
    id: 'Change',
    description:
      "A change of a child's data, by its `kind`. It says what to read again, and no more. Ignore kinds that you do not know",
  })

/** Where the feed stands for a reader, with one of the changes found, or none. */
type Row = { is_ahead: boolean; is_expired: boolean } & (
  | { scanned_xact: string; scanned_id: string }
  | { scanned_xact: null }
) &
  ((z.infer<typeof item> & { role: Role | null; xact: string; place: string }) | { kind: null })

const COLUMNS = `c.kind, c.real_user_id, c.subject_id::float8 AS id, c.date::text AS date, ${isoTimestampSql('c.at')} AS at,
  c.xact_id::text AS xact, c.id::text AS place`

/**
 * SQL for the feed as this statement sees it, with the place that `$2` and `$3` name, or the oldest, to go on behind. `$5` is the
 * horizon from before the statement. The place may be ahead of it: a transaction locks a bound that has just been passed.
 */
const FEED = `SELECT $5::xid8 AS horizon, coalesce($2::xid8 >= $5::xid8, false) AS is_ahead,
  coalesce($2::xid8, purged_xact_id) AS from_xact, coalesce($3::bigint, purged_id) AS from_id,
  $2::xid8 IS NOT NULL AND (($2::xid8, $3::bigint) < (purged_xact_id, purged_id)
    OR $2::xid8 > pg_snapshot_xmax(pg_current_snapshot())) AS is_expired
  FROM feed`

const STATE = 'feed.is_ahead, feed.is_expired'

const BEHIND = '(xact_id, id) > (feed.from_xact, feed.from_id) AND xact_id < feed.horizon'

// The children of an account, or those of one grant (`$7`): the first changes of each, from its own part of the index.
const selectForAccount = statement<Row>(
  'changes-for-account',
  `SELECT ${STATE}, NULL AS scanned_xact, NULL AS scanned_id, c.role, ${COLUMNS}
   FROM (${FEED}) feed
   LEFT JOIN LATERAL (
     SELECT child.role, found.* FROM (
       SELECT id, 'owner' AS role FROM real_user
       WHERE root_user_id = $1 AND deleted_at IS NULL AND ($7::int[] IS NULL OR id = ANY ($7))
       UNION ALL
       SELECT r.id, m.role FROM live_child_memberships($6) m JOIN real_user r ON r.id = m.real_user_id
       WHERE m.root_user_id = $1 AND r.deleted_at IS NULL AND $7 IS NULL
     ) child
     CROSS JOIN LATERAL (
       SELECT * FROM change
       WHERE real_user_id = child.id AND account_id IS NULL AND ${BEHIND} AND change_scope(kind) = ANY ($9)
       ORDER BY xact_id, id LIMIT $4
     ) found
     UNION ALL
     SELECT NULL, found.* FROM (
       SELECT * FROM change WHERE account_id = $1 AND client_id IS NOT DISTINCT FROM $8::int AND ${BEHIND}
       ORDER BY xact_id, id LIMIT $4
     ) found
   ) c ON NOT feed.is_expired
   ORDER BY c.xact_id, c.id LIMIT $4`,
)

/** How many changes of all children one call for all grants of a client looks through, whether they are for it or not. */
const MOST_SCANNED = 10_000

// Any number of children: the changes of all in their order, as far as one call looks. OFFSET 0: by the few grants of the child,
// not by the many of the client.
const selectForClient = statement<Row>(
  'changes-for-client',
  `SELECT ${STATE}, scanned.xact AS scanned_xact, scanned.id AS scanned_id, c.role, ${COLUMNS}
   FROM (${FEED}) feed
   LEFT JOIN LATERAL (
     SELECT xact_id::text AS xact, id::text AS id FROM change WHERE ${BEHIND}
     ORDER BY xact_id, change.id OFFSET ${MOST_SCANNED - 1} LIMIT 1
   ) scanned ON true
   LEFT JOIN LATERAL (
     SELECT CASE WHEN account_id IS NULL THEN 'owner' END AS role, near.* FROM (
       SELECT * FROM change WHERE ${BEHIND} ORDER BY xact_id, id LIMIT ${MOST_SCANNED}
     ) near
     WHERE client_id = $1 OR account_id IS NULL AND change_scope(kind) = ANY ($6) AND EXISTS (
       SELECT FROM access_grant_child c
       CROSS JOIN LATERAL (
         SELECT g.* FROM live_grants() g JOIN root_user u ON u.id = g.root_user_id AND is_active_account(u)
         WHERE g.id = c.grant_id OFFSET 0
       ) g
       WHERE c.real_user_id = near.real_user_id AND g.client_id = $1 AND change_scope(near.kind) = ANY (g.scopes))
     ORDER BY xact_id, id LIMIT $4
   ) c ON NOT feed.is_expired
   ORDER BY c.xact_id, c.id`,
)

/** Asks for the changes behind `from` and one more than `most`. */
function readFeed(
  { database, caller, timeZone }: Pick<Context, 'database' | 'timeZone'> & { caller: Caller },
  from: FeedPosition | undefined,
  most: number,
  horizon: string,
): Promise<Row[]> {
  const { rootUserId, granted } = caller
  const page = [...(from ?? [null, null]), most + 1, horizon]
  if (granted && isClientCredentialsCaller(caller))
    return database.query(selectForClient, [granted.clientId, ...page, [...granted.scopes]])
  const [children, scopes] = granted ? [[...granted.children], [...granted.scopes]] : [null, dataScopes]
  const reader = [today(timeZone), children, granted?.clientId ?? null, scopes]
  return database.query(selectForAccount, [rootUserId, ...page, ...reader])
}

export const list = accountEndpoint(
  {
    method: 'GET',
    path: '/api/v1/beta/changes',
    right: 'viewer',
    scope: dataScopes,
    summary: 'What has changed since the last call',
    description: `The changes of the children that the caller may see and that are shared or granted to somebody. Keep \`next\` and
send it as \`after\` with the next call: each change comes once, and the same cursor gives the same changes again. Changes
are kept for 90 days.`,
  },
  [[410, 'Cursor is expired', 'changes behind the cursor are no longer kept; begin again without one']],
)
  .input(
    z.object({
      after: feedCursorSchema.optional(),
      limit: integerField(1, 1000).default(200).meta({ description: 'The most changes of a response' }),
    }),
  )
  .output(
    z
      .object({
        items: z.array(item).meta({
          description: 'Changes by their `kind`, which says of what `id` and `date` are',
        }),
        next: z.string().meta({ description: 'The `after` of the next call' }),
        has_more: z.boolean().meta({ description: 'Whether there are more changes now' }),
      })
      .meta({ id: 'Changes', description: 'Changes in their order' }),
  )
  .query(async ({ ctx, input: { after, limit } }) => {
    const most = after === 'latest' ? 0 : limit
    const from = after === 'latest' ? undefined : after
    const horizon = await findFeedHorizon(ctx.database.query)
    const rows = await readFeed(ctx, from, most, horizon)
    const [first] = rows
    if (!first || first.is_expired) throw ctx.failure(410, 'Cursor is expired')
    const found = rows.filter((row) => row.kind !== null)
    const items = found.slice(0, most)
    for (const { role, real_user_id } of items) ctx.mayAccess(role, real_user_id)
    const last = items.at(-1)
    const end = first.is_ahead && from ? from : positionBeforeTransaction(horizon)
    const [next, has_more]: [FeedPosition, boolean] =
      most === 0
        ? [end, false]
        : found.length > most && last
          ? [[last.xact, last.place], true]
          : first.scanned_xact !== null
            ? [[first.scanned_xact, first.scanned_id], true]
            : [end, false]
    return {
      // The schema leaves out what is no field of its kind.
      items,
      next: encodeFeedCursor(next),
      has_more,
    }
  })
