import { z } from 'zod'
import { genderSchema } from '../children/real-user.ts'
import type { Database } from '../database/database.ts'
import { statement } from '../database/statement.ts'
import type { NamedStatement } from '../database/statement.ts'
import { isoTimestampSql } from '../database/wire-time.ts'
import { isReadOnlyServerError } from '../database/sql-errors.ts'
import { decryptPerson } from '../encryption/person.ts'
import { lineField } from '../http/fields.ts'
import { plannedNightsSchema } from '../plans/plan.ts'
import { wholeMinutes } from '../time/whole-minutes.ts'
import type { ClinicRole } from '../auth/clinician-invitation.ts'

/** Why a child needs a look, in this order. */
export const flags = ['no_upload', 'below_plan', 'falling', 'contact_loss', 'clock'] as const
type Flag = (typeof flags)[number]
export const flagSchema = z.enum(flags).meta({
  description:
    '`no_upload`: nothing was stored for 7 days; `below_plan`: fewer than half of the planned nights of 28 reached the goal; `falling`: in 14 evenings fewer used nights by a third than in the 14 before; `contact_loss`: contact was lost in more than one of two used nights of 14; `clock`: records of the last 28 days were refused for their clock',
})

export const sorts = ['flags', 'last_night', 'name', 'since'] as const
export type Sort = (typeof sorts)[number]

const timestamp = z.string().meta({ format: 'date-time' })
const date = z.string().meta({ format: 'date' })

export const recordNumberField = lineField({ least: 1, most: 100, isVisible: true })

/** A child of a clinic, as those who work there see it. */
export const clinicChildSchema = z
  .object({
    real_user_id: z.int(),
    first_name: z.string(),
    last_name: z.string(),
    birthdate: z.string().meta({ description: '`yyyymmdd`' }),
    gender: genderSchema,
    record_number: z
      .string()
      .nullable()
      .meta({ description: 'By which the clinic knows the child', examples: ['SNU-20817'] }),
    since: timestamp.meta({ description: 'When the clinic was let in' }),
    until: date.nullable().meta({ description: 'The last day of the connection; null without an end' }),
    plan: plannedNightsSchema
      .nullable()
      .meta({ description: 'What is planned for the nights now; null without a plan' }),
    last_night: date.nullable().meta({ description: 'The newest used night; null without one' }),
    last_upload_at: timestamp
      .nullable()
      .meta({ description: 'When a record last arrived; null before the first' }),
    used_28: z.int().meta({ description: 'The used nights of the 28 evenings up to yesterday’s' }),
    reached_28: z.int().meta({ description: 'Those of them that reached the goal' }),
    median_minutes_28: z
      .int()
      .nullable()
      .meta({ description: 'The median of them, in whole minutes; null without one' }),
    used_28_before: z.int().meta({ description: 'The used nights of the 28 evenings before' }),
    contact_losses_28: z.int().meta({ description: 'How often contact was lost in the 28 evenings' }),
    flags: z.array(flagSchema).meta({ description: 'Why the child needs a look; empty if it does not' }),
    seen_at: timestamp
      .nullable()
      .meta({ description: 'When somebody of the clinic marked the child as seen' }),
    seen_by: z
      .string()
      .nullable()
      .meta({ description: 'The first name of that person', examples: ['Dr. Lee'] }),
    connection_id: z.int().optional().meta({
      description: 'By which an admin ends the connection; only admins of the clinic see it',
    }),
  })
  .meta({ id: 'ClinicChild', description: 'A child of a clinic' })

export type ClinicChild = z.infer<typeof clinicChildSchema>

/** A place in a list: two numbers by which it is ordered, and the child. */
export type Place = readonly [first: number, second: number, child: number]

/** Before every child. */
const START: Place = [-Infinity, 0, 0]

type ListedChild = Omit<ClinicChild, 'median_minutes_28' | 'connection_id'> & {
  median_seconds_28: number | null
  connection_id: number
  place: Place
}

interface Found {
  role: ClinicRole | null
  /** Whether kept figures of the clinic are out of date. */
  is_outdated: boolean
  /** How many children of the clinic have each flag. */
  flags: Record<Flag, number>
  total: number
  children: ListedChild[]
}

/** What is kept of the nights of a child, in the order in which `figures_of` says it. */
const FIGURES = `last_night, last_upload_at, silent_since, clock_refused_at, used_28, reached_28, median_seconds_28, used_28_before,
    contact_losses_28, is_below_plan, is_falling, has_contact_loss`

/** None for somebody who does not work there. */
const LIVE = 'SELECT * FROM live_clinic_connections($3::date) WHERE clinic_id = (SELECT $2::int FROM caller)'
/** By whether some are out of date: the kept figures of a clinic, or for those what `figures_of` says now. */
const figuresSql = ({ isOutdated, isAlone }: Pick<Form, 'isOutdated' | 'isAlone'>) =>
  isOutdated
    ? `figures AS MATERIALIZED (
    WITH live AS MATERIALIZED (${LIVE}${isAlone ? ' AND real_user_id = ANY ($11)' : ''}), outdated AS MATERIALIZED (SELECT outdated_children($2, $3::date, $4) AS child)
    SELECT id, real_user_id, since, figures_day, figures_goal, ${FIGURES} FROM live WHERE real_user_id NOT IN (SELECT child FROM outdated)
    UNION ALL
    SELECT c.id, c.real_user_id, c.since, NULL, NULL, f.*
    FROM outdated o JOIN live c ON c.real_user_id = o.child CROSS JOIN LATERAL figures_of(o.child, $3::date, $4, $5) f
  )`
    : `figures AS NOT MATERIALIZED (${LIVE})`

/** SQL that says whether a child with the figures `f` has a flag. Of `coalesce` PostgreSQL guesses the same for every time. */
const flagSql: Record<Flag, string> = {
  no_upload: 'coalesce(f.silent_since < $6::timestamptz, false)',
  below_plan: 'f.is_below_plan',
  falling: 'f.is_falling',
  contact_loss: 'f.has_contact_loss',
  clock: 'coalesce(f.clock_refused_at > $7::timestamptz, false)',
}

/** SQL of the two numbers by which a child with the figures `f` stands in a list. */
const order: Record<Sort, readonly [first: string, second: string]> = {
  // Most flags first, then the longest without an upload.
  flags: [
    `-(${flags.map((flag) => `(${flagSql[flag]})::int`).join(' + ')})`,
    `coalesce(date_part('epoch', f.last_upload_at), 0)`,
  ],
  last_night: [`coalesce(f.last_night - date '2000-01-01', -1)`, '0'],
  since: [`-date_part('epoch', f.since)`, '0'],
  // In the order in which they are given.
  name: ['chosen.n', '0'],
}

/** What a statement is made for. Its text says it, so that nothing is asked of each child that is the same for all. */
interface Form {
  sort: Sort
  flag: Flag | undefined
  /** Whether only given children are wanted. */
  isChosen: boolean
  /** Whether figures that are out of date are made for the list. */
  isOutdated: boolean
  /** Whether nothing is asked of the other children of the clinic, not even how many have a flag. */
  isAlone?: boolean
  /** The most children. Were it a value, PostgreSQL would plan every call, which takes 2 ms. */
  most: number
}

/** Few, because a connection keeps each statement that it has run. */
const SIZES = [51, 201]

/**
 * The children of a clinic on a day of the service: `$1` the caller, `$2` the clinic, `$3` the day, `$4` the goal of evenings without a plan,
 * `$5` the time zone, `$6` and `$7` since when a child without uploads is silent, and a refused clock of interest, `$8`…`$10` the place
 * after which the page begins, `$11` the chosen children.
 */
const childrenSql = (form: Form) => {
  const { sort, flag, isChosen, isOutdated, most } = form
  // By name and without a flag the children are those of one page. Otherwise they may be all of the clinic. PostgreSQL, which expects ten,
  // might read the clinic once for each of them; a full join it can only hash or sort. `coalesce` hides that rows of one side alone are not wanted.
  const areMany = sort !== 'name' || flag !== undefined
  const chosen = isChosen
    ? `${areMany ? 'FULL ' : ''}JOIN unnest($11::int[]) WITH ORDINALITY chosen (child, n) ON chosen.child = f.real_user_id`
    : ''
  const hasFlag = flag ? flagSql[flag] : 'true'
  const isWanted =
    isChosen && areMany ? `${hasFlag} AND coalesce(f.id, 0) > 0 AND coalesce(chosen.n, 0) > 0` : hasFlag
  const total = !isChosen
    ? `(count(*) FILTER (WHERE ${isWanted}))::int`
    : areMany
      ? `(SELECT count(*)::int FROM figures f ${chosen} WHERE ${isWanted})`
      : 'cardinality($11::int[])'
  return `
  WITH caller AS (
    SELECT role, $8::float8 AS first, $9::float8 AS second, $10::int AS child FROM clinic_member
    WHERE root_user_id = $1 AND clinic_id = $2 AND ended_at IS NULL AND ($4::int, $5::text) IS NOT NULL
  ), ${figuresSql(form)}
  SELECT (SELECT role FROM caller) AS role, counted.*,
    (SELECT coalesce(json_agg(json_build_object('real_user_id', c.real_user_id, 'first_name', r.first_name, 'last_name', r.last_name,
       'birthdate', r.birthdate, 'gender', r.gender, 'record_number', c.record_number, 'since', ${isoTimestampSql('c.since')},
       'until', c.until, 'plan', (
         SELECT json_build_object('nights_per_week', plan.nights_per_week, 'minutes', plan.minutes)
         FROM child_plan(c.real_user_id, $3::date) plan),
       'last_night', f.last_night, 'last_upload_at', ${isoTimestampSql('f.last_upload_at')}, 'used_28', f.used_28,
       'reached_28', f.reached_28, 'median_seconds_28', f.median_seconds_28, 'used_28_before', f.used_28_before,
       'contact_losses_28', f.contact_losses_28,
       'flags', array_remove(ARRAY[${flags.map((flag) => `CASE WHEN ${flagSql[flag]} THEN '${flag}' END`).join(', ')}], NULL),
       'seen_at', ${isoTimestampSql('c.seen_at')}, 'seen_by', s.first_name, 'connection_id', c.id, 'place', json_build_array(k.first, k.second, k.real_user_id))
       ORDER BY k.first, k.second, k.real_user_id), '[]')
     FROM (
       SELECT * FROM (
         SELECT f.id, f.real_user_id, (${order[sort][0]})::float8 AS first, (${order[sort][1]})::float8 AS second
         FROM figures f ${chosen} WHERE ${isWanted}
       ) wanted
       WHERE (first, second, real_user_id) > (SELECT first, second, child FROM caller)
       ORDER BY first, second, real_user_id LIMIT ${most}
     ) k
     -- OFFSET 0: looked up for each of a page. The planner would read all of the clinic again.
     CROSS JOIN LATERAL (SELECT * FROM clinic_connection WHERE id = k.id OFFSET 0) c
     ${isOutdated ? 'JOIN figures f ON f.id = k.id' : 'CROSS JOIN LATERAL (SELECT c.*) f'}
     CROSS JOIN LATERAL (SELECT * FROM real_user WHERE id = k.real_user_id OFFSET 0) r
     LEFT JOIN LATERAL (SELECT first_name FROM root_user WHERE id = c.seen_by OFFSET 0) s ON true
    ) AS children
  FROM (
    SELECT coalesce(bool_or((f.figures_day, f.figures_goal) IS DISTINCT FROM ($3::date, $4)), false) AS is_outdated,
      json_build_object(${flags.map((flag) => `'${flag}', count(*) FILTER (WHERE ${flagSql[flag]})`).join(', ')}) AS flags,
      ${total} AS total
    FROM figures f
  ) counted`
}

const statements = new Map<string, NamedStatement<Found>>()

function statementOf(form: Form): NamedStatement<Found> {
  const { sort, flag = 'all', isChosen, isOutdated, isAlone, most } = form
  const name = `clinic-children-${sort}-${flag}-${most}${isChosen ? '-chosen' : ''}${isOutdated ? '-outdated' : ''}${isAlone ? '-alone' : ''}`
  const made = statements.get(name) ?? statement(name, childrenSql(form))
  statements.set(name, made)
  return made
}

const selectOutdated = statement<{ child: number }>(
  'outdated-children',
  `SELECT child FROM clinic_member m CROSS JOIN LATERAL outdated_children($2, $3::date, $4) child
   WHERE m.root_user_id = $1 AND m.clinic_id = $2 AND m.ended_at IS NULL`,
)
const awaitRecords = statement<{ children: number[] }>(
  'await-records-of-children',
  'SELECT await_committed_records($1) AS children',
)
const keepFiguresOf = statement<never>(
  'keep-clinic-figures',
  'SELECT keep_clinic_figures($1, $2::date, $3, $4)',
)

const DAY_MS = 86_400_000
const ago = (days: number) => new Date(Date.now() - days * DAY_MS)

/** So few that an upload, which waits for a row whose figures are being kept, waits for a moment. */
const KEPT_AT_ONCE = 50

/** Makes the figures of some children, and keeps them. */
export async function keepFigures(
  { query }: Pick<Database, 'query'>,
  children: readonly number[],
  { today, goal, timeZone }: Pick<ListContext, 'today' | 'goal' | 'timeZone'>,
): Promise<void> {
  for (let start = 0; start < children.length; start += KEPT_AT_ONCE) {
    const some = children.slice(start, start + KEPT_AT_ONCE)
    // A statement of its own: it waits for uploads, which may wait for a row whose figures are being kept.
    const [found] = await query(awaitRecords, [some])
    await query(keepFiguresOf, [found?.children ?? [], today, goal, timeZone])
  }
}

/** Whose list is wanted, and on which day. */
export interface ListContext {
  database: Database
  rootUserId: number
  clinicId: number
  /** The day of the service. */
  today: string
  /** The goal of evenings without a plan, in minutes. */
  goal: number
  timeZone: string
}

interface Wanted {
  sort: Sort
  /** These alone; by name, in this order. */
  children?: readonly number[] | undefined
  flag?: Flag | undefined
  after?: Place | undefined
  limit: number
}

async function select(
  { database, rootUserId, clinicId, today, goal, timeZone }: ListContext,
  { children, after = START, limit, ...form }: Wanted & Pick<Form, 'isOutdated' | 'isAlone'>,
): Promise<Found> {
  const most = SIZES.find((size) => size >= limit) ?? limit
  const isChosen = children !== undefined
  const [found] = await database.query(statementOf({ flag: undefined, ...form, isChosen, most }), [
    rootUserId,
    clinicId,
    today,
    goal,
    timeZone,
    ago(7),
    ago(28),
    ...after,
    ...(children ? [children] : []),
  ])
  if (!found) throw new Error('A statement without a table has no row')
  return found
}

/** The children as callers see them, each with its place. */
const itemsOf = (keyRing: Database['keyRing'], { role, children }: Found) =>
  children.map(({ median_seconds_28, place, connection_id, ...child }) => {
    const item: ClinicChild = {
      ...decryptPerson(keyRing, 'real_user', child),
      record_number: keyRing.decrypt('clinic_connection.record_number', child.record_number),
      seen_by: keyRing.decrypt('root_user.first_name', child.seen_by),
      median_minutes_28: median_seconds_28 === null ? null : wholeMinutes(median_seconds_28),
      ...(role === 'admin' ? { connection_id } : {}),
    }
    return { place, item }
  })

/**
 * Reads children of a clinic. Figures that are out of date are made and read again; a database that takes no writes computes them for
 * this call alone. `role` is null for somebody who does not work there.
 */
export async function readClinicChildren(context: ListContext, wanted: Wanted) {
  const { database, rootUserId, clinicId, today, goal, timeZone } = context
  let found = await select(context, { ...wanted, isOutdated: false })
  if (found.is_outdated) {
    const findOutdated = async () =>
      (await database.query(selectOutdated, [rootUserId, clinicId, today, goal])).map(({ child: id }) => id)
    await keepFigures(database, await findOutdated(), { today, goal, timeZone }).catch((error: unknown) => {
      if (!isReadOnlyServerError(error)) throw error
    })
    // Some may be left that a running transaction is changing, or all of a database that takes no writes.
    found = await select(context, { ...wanted, isOutdated: (await findOutdated()).length > 0 })
  }
  const children = found.children.slice(0, wanted.limit)
  return { ...found, children: itemsOf(database.keyRing, { ...found, children }) }
}

/**
 * Reads one child of a clinic; undefined if it is none. Keeps no figures: an upload that must mark them would wait for the transaction that reads
 * the child.
 */
export async function readClinicChild(
  context: ListContext,
  realUserId: number,
): Promise<ClinicChild | undefined> {
  const one = { sort: 'name', children: [realUserId], limit: 1 } as const
  const found = await select(context, { ...one, isOutdated: true, isAlone: true })
  return itemsOf(context.database.keyRing, found)[0]?.item
}
