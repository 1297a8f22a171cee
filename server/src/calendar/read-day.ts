import { z } from 'zod'
import { uncheckedAccountEndpoint } from '../auth/account-endpoint.ts'
import { ACCOUNT_STATE, assertActive } from '../auth/account-state.ts'
import type { AccountState } from '../auth/account-state.ts'
import { childWithRoleSql } from '../auth/child-role.ts'
import { batchedRead } from '../database/batched-read.ts'
import { calendarDateField, idField } from '../http/fields.ts'
import type { Role } from '../http/right.ts'
import { today } from '../time/wall-clock.ts'
import { COUNTED_TREATMENT_SQL } from './counted-treatment.ts'
import { emptyEvent, eventDataSchema, decryptEvent, sendEventEtag, eventVersionSchema } from './event.ts'
import type { StoredEvent } from './event.ts'

const treatment = z
  .object({
    treatment_date: z.string().meta({ description: "The device's wall clock, ISO 8601 without zone" }),
    treatment_time: z.int().meta({ description: 'Seconds' }),
    last_intensity: z.int().meta({ description: 'The last intensity used' }),
    is_temp: z.boolean().meta({
      description:
        'The last log has not arrived: the treatment still runs, or has ended if 12 hours have passed since what is recorded',
    }),
  })
  .meta({ id: 'DayTreatment', description: 'One use of the device by a child' })

/** To the types it is a text, as every account gets it: apps save what they have read. */
const memoOrNull = z
  .string()
  .nullable()
  .pipe(
    z.any().pipe(
      z.custom<string>().meta({
        description: 'Empty without an event; null for a service without `notes:read`',
        override: { type: ['string', 'null'] },
      }),
    ),
  )

type Event = { event_id: number; version: number } & StoredEvent
type Row = AccountState & {
  is_known: boolean
  role: Role | null
  treatment_data: z.infer<typeof treatment>[]
} & (Event | { event_id: null })

/** The newest treatments of a day are listed, so that a response stays small however many a device sends. */
const MOST_TREATMENTS = 2000

// One row for any number of treatments: joined to each of thousands, the text of the event took gigabytes.
const selectDay = batchedRead<Row>(
  'calendar-day',
  ['int', 'int', 'date', 'date'],
  `SELECT ${ACCOUNT_STATE}, child.role, child.id IS NOT NULL AS is_known, e.id AS event_id, e.version, e.memo, e.event_data, t.treatment_data
   FROM root_user u
   LEFT JOIN LATERAL (${childWithRoleSql('$2', 'u.id', '$4')}) child ON true
   LEFT JOIN LATERAL events_of(child.id, $3::date, $3::date) e ON child.role IS NOT NULL
   CROSS JOIN LATERAL (
     SELECT coalesce(json_agg(newest ORDER BY treatment_date, treatment_time), '[]') AS treatment_data
     FROM (
       SELECT treatment_date, treatment_time, last_intensity, is_temp
       FROM child_treatments(child.id, $3::date, $3::date + 1)
       WHERE child.role IS NOT NULL AND ${COUNTED_TREATMENT_SQL}
       ORDER BY treatment_date DESC, treatment_time DESC
       LIMIT ${MOST_TREATMENTS}
     ) newest
   ) t
   WHERE u.id = $1`,
)

export const readDay = uncheckedAccountEndpoint(
  {
    method: 'GET',
    path: '/api/v1/beta/event',
    right: 'viewer',
    accounts: 'all',
    scope: ['usage:read', 'notes:read'],
    summary: 'One day of a child: its treatments and its note (event)',
    description:
      'The treatments are those that `GET /api/v1/beta/event/history` counts, at most the 2,000 newest. Send the version of the event when you save it, to learn of a change in between.',
    responseHeaders: ['ETag'],
  },
  [
    [400, 'Failed to read detail event', 'no such child, or it was deleted'],
    [401, 'Not authorized user', 'the child belongs to another account'],
  ],
)
  .input(
    z.object({
      real_user_id: idField,
      event_date: calendarDateField.optional().meta({
        description:
          'Send the date where the user is: without it, it is today in the time zone of the service',
      }),
    }),
  )
  .output(
    z
      .object({
        real_user_id: z.int(),
        event_id: z.int().nullable().meta({ description: 'Null without an event' }),
        treatment_data: z.array(treatment),
        memo: memoOrNull,
        event_data: eventDataSchema,
        version: eventVersionSchema,
      })
      .meta({ id: 'Day', description: 'A day of a child' }),
  )
  .query(async ({ ctx, input: { real_user_id, event_date } }) => {
    const now = today(ctx.timeZone)
    const values = [ctx.caller.rootUserId, real_user_id, event_date ?? now, now]
    const [row] = await ctx.database.query(selectDay, values)
    const day = assertActive(row, ctx.caller)
    if (!day.is_known) throw ctx.failure(400, 'Failed to read detail event')
    if (!ctx.mayAccess(day.role, real_user_id)) throw ctx.failure(401, 'Not authorized user')
    const { granted } = ctx.caller
    const treatment_data = !granted || granted.scopes.has('usage:read') ? day.treatment_data : []
    if (granted && !granted.scopes.has('notes:read'))
      return { ...emptyEvent, real_user_id, event_id: null, treatment_data, memo: null }
    return {
      real_user_id,
      event_id: day.event_id,
      treatment_data,
      ...(day.event_id === null
        ? emptyEvent
        : {
            ...decryptEvent(ctx.database.keyRing, day),
            ...sendEventEtag(ctx.request, { id: day.event_id, version: day.version }),
          }),
    }
  })
