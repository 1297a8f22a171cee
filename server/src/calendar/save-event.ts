import { sql as raw } from 'kysely'
import { z } from 'zod'
import { accountEndpoint } from '../auth/account-endpoint.ts'
import { isValueRejectedByDatabase } from '../database/sql-errors.ts'
import { calendarDateField, idField, textField } from '../http/fields.ts'
import { lockChildAndReadRole } from '../children/child-lock.ts'
import { today } from '../time/wall-clock.ts'
import {
  emptyEvent,
  eventDataSchema,
  satisfiesIfMatch,
  memoSchema,
  decryptEvent,
  encryptEvent,
  eventDataInput,
  sendEventEtag,
  eventVersionSchema,
} from './event.ts'
import type { StoredEvent } from './event.ts'

/** An id that may be a string of digits, as in the contract's examples. */
const idOrDigits = z.union(
  [
    idField,
    z
      .string()
      .regex(/^\d{1,10}$/)
      .transform(Number)
      .pipe(idField),
  ],
  {
    error: 'must be an id',
  },
)

export const saveEvent = accountEndpoint(
  {
    method: 'POST',
    path: '/api/v1/beta/event',
    right: 'guardian',
    scope: ['notes:write'],
    summary: "Save a note: create or update the event of a child's day",
    description: `Without \`event_id\`, the event of the date is replaced whole: what is left out becomes empty. With it, that event keeps
what is left out and moves to \`created_at\`. Empty lists and no memo empty an event. The service keeps what a change
replaces.`,
    // The longest lists, in letters of four bytes.
    bodyLimit: 250_000,
    headers: {
      'If-Match': {
        description:
          'The `ETag` of the event that is meant to be changed. The service refuses any other version with 412.',
      },
    },
    responseHeaders: ['ETag'],
  },
  [
    [400, 'Failed to store user event', 'another event has that date, or the database refused'],
    [401, 'Not authorized user', 'the child belongs to another account'],
    [404, 'Event not found', '`event_id` is no event of this child'],
    [404, 'Real User id is not valid', 'no such child, or it was deleted'],
    [412, 'Event was changed meanwhile', 'the event has another version, or is not there'],
  ],
)
  .input(
    z
      .object({
        real_user_id: idOrDigits,
        created_at: calendarDateField.meta({ description: 'The date of the event' }),
        memo: memoSchema.optional(),
        event_data: eventDataInput.optional(),
        event_id: idField.optional(),
        version: textField({ most: 100 }).optional().meta({
          description:
            'The version that the event must still have, as reading or saving it answered. Over REST send it as `If-Match` instead',
        }),
      })
      .meta({
        examples: [
          {
            real_user_id: 1,
            created_at: '2026-03-01',
            memo: 'Slept through the night.',
            event_data: {
              medication: [{ medication_name: 'Methylphenidate', medication_dose: 10 }],
              hospital: ["Seoul Children's Hospital"],
            },
          },
        ],
      }),
  )
  .output(
    z
      .object({
        event_id: z.int(),
        real_user_id: z.int(),
        memo: z.string(),
        event_data: eventDataSchema,
        version: eventVersionSchema,
      })
      .meta({ id: 'Event', description: 'The event of a day, as it is now' }),
  )
  .mutation(async ({ ctx, input: { real_user_id, created_at, event_id, memo, event_data, ...input } }) => {
    const { database, caller, request, failure } = ctx
    const saved = await database
      .transaction(async (sql) => {
        // The lock keeps a concurrent deletion of the child from leaving this event behind.
        const { rootUserId } = caller
        const by = { rootUserId, today: today(ctx.timeZone) }
        const child = await lockChildAndReadRole(sql, real_user_id, by)
        if (!child) throw failure(404, 'Real User id is not valid')
        if (!ctx.mayAccess(child.role, real_user_id)) throw failure(401, 'Not authorized user')
        const {
          rows: [existing],
        } = await raw<StoredEvent & { id: number; version: number; event_date: string }>`
          SELECT id, version, event_date::text AS event_date, memo, event_data
          FROM locked_event(${real_user_id}, ${event_id ?? null}, ${created_at})`.execute(sql)
        if (!existing && event_id !== undefined) throw failure(404, 'Event not found')
        if (!satisfiesIfMatch(request.headers['if-match'] ?? input.version, existing)) {
          throw failure(412, 'Event was changed meanwhile')
        }
        if (existing) {
          const { event_date, ...content } = existing
          ctx.touches(real_user_id, { event_date, ...decryptEvent(database.keyRing, content) })
        }
        const said = { ...(memo === undefined ? {} : { memo }), ...(event_data ? { event_data } : {}) }
        const { memo: text, event_data: data } = encryptEvent(
          database.keyRing,
          event_id === undefined ? { ...emptyEvent, ...said } : said,
          existing,
        )
        const { rows } = await raw<StoredEvent & { id: number; version: number }>`
          SELECT id, version, memo, event_data FROM save_event(${real_user_id}, ${event_id ?? null}, ${created_at},
            ${text ?? null}, ${data === undefined ? null : JSON.stringify(data)}, ${new Date()}, ${rootUserId})`.execute(
          sql,
        )
        const [stored] = rows
        if (!stored) throw new Error('A note that was held is gone')
        return stored
      })
      .catch((error: unknown) => {
        if (!isValueRejectedByDatabase(error)) throw error
        // With `event_id`, this also happens if another event already has the date.
        ctx.log.warn({ err: error, request_id: request.id }, 'event not stored')
        throw failure(400, 'Failed to store user event')
      })
    return {
      event_id: saved.id,
      real_user_id,
      ...decryptEvent(database.keyRing, saved),
      ...sendEventEtag(request, saved),
    }
  })
