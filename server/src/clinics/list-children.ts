import { z } from 'zod'
import { accountEndpoint } from '../auth/account-endpoint.ts'
import { idField, integerField, textField } from '../http/fields.ts'
import { cursorOf, NO_CURSOR, pageCursorField } from '../http/page-cursor.ts'
import { InvalidInput } from '../http/validation-issues.ts'
import { today } from '../time/wall-clock.ts'
import { clinicChildSchema, flagSchema, readClinicChildren, sorts } from './child.ts'
import type { Place } from './child.ts'
import { clinicErrors } from './member.ts'
import { findByName, namePlace, placeOf } from './names.ts'
import type { NamePlace } from './names.ts'

const place = z.tuple([
  z.number(),
  z.number(),
  z
    .int()
    .min(0)
    .max(2 ** 31 - 1),
])

const isNamePlace = (given: Place | NamePlace): given is NamePlace => typeof given[0] === 'string'

const counts = z.object({
  no_upload: z.int().meta({ description: 'How many have it', examples: [3] }),
  below_plan: z.int().meta({ description: 'How many have it', examples: [3] }),
  falling: z.int().meta({ description: 'How many have it', examples: [3] }),
  contact_loss: z.int().meta({ description: 'How many have it', examples: [3] }),
  clock: z.int().meta({ description: 'How many have it', examples: [3] }),
})

export const listChildren = accountEndpoint(
  {
    method: 'GET',
    path: '/api/v1/beta/clinic/{clinic_id}/child',
    right: 'viewer',
    accounts: 'all',
    summary: 'The children of a clinic, those that need a look first',
    description: `For those who work there. The figures are about the 28 evenings up to yesterday's in the time zone of the service, and their nights
are those of \`GET /api/v1/beta/insight\`.`,
  },
  clinicErrors,
)
  .input(
    z.object({
      clinic_id: idField,
      flag: flagSchema.optional().meta({ description: 'Only children with this flag' }),
      sort: z.enum(sorts).default('flags').meta({
        description:
          '`flags`: most flags first, then the longest without upload; `last_night`: the longest without a used night first; `name`: by last and first name; `since`: who came last first',
      }),
      search: textField({ least: 1, most: 200 }).optional().meta({
        description: 'Only children with exactly this record number, first name or last name, in any case',
      }),
      real_user_id: idField.optional().meta({ description: 'Only this child' }),
      after: pageCursorField(z.union([place, namePlace]), 500).optional(),
      limit: integerField(1, 200).default(50).meta({ description: 'The most children of a page' }),
    }),
  )
  .output(
    z
      .object({
        items: z.array(clinicChildSchema),
        next: z.string().nullable().meta({ description: 'For `after`; null at the end' }),
        total: z.int().meta({ description: 'How many children there are on all pages', examples: [212] }),
        flags: counts.meta({ description: 'How many children of the clinic have each flag' }),
      })
      .meta({ id: 'ClinicChildren', description: 'A page of the children of a clinic' }),
  )
  .query(async ({ ctx, input: { clinic_id, flag, sort, search, real_user_id, after, limit } }) => {
    const context = {
      database: ctx.database,
      rootUserId: ctx.caller.rootUserId,
      clinicId: clinic_id,
      today: today(ctx.timeZone),
      goal: ctx.adherenceGoalMinutes,
      timeZone: ctx.timeZone,
    }
    const isByName = sort === 'name'
    const afterName = after && isNamePlace(after) ? after : undefined
    const afterPlace = after && !isNamePlace(after) ? after : undefined
    if (isByName ? afterPlace : afterName) throw new InvalidInput(['after'], NO_CURSOR)
    const order =
      isByName || search !== undefined ? await findByName(context, { search, after: afterName }) : undefined
    const isOne = real_user_id !== undefined
    const ids = isOne ? (order?.ids ?? [real_user_id]).filter((id) => id === real_user_id) : order?.ids
    // In the order of names and without a flag, the children of the page are known.
    const known = isByName && flag === undefined ? ids : undefined
    const readBehind = async (passed: number): ReturnType<typeof readClinicChildren> => {
      const end = passed + limit + 1
      const found = await readClinicChildren(context, {
        sort,
        children: known?.slice(passed, end) ?? ids,
        flag,
        after: isByName ? [known ? 0 : passed, 1, 0] : afterPlace,
        limit: limit + 1,
      })
      // All of them may have left since.
      return known && found.children.length === 0 && end < known.length ? readBehind(end) : found
    }
    const found = await readBehind(isOne ? 0 : (order?.passed ?? 0))
    if (found.role === null) throw ctx.failure(404, 'Clinic not found')
    const items = found.children.slice(0, limit).map(({ item }) => item)
    for (const item of items) ctx.mayAccess('viewer', item.real_user_id)
    // Nothing was seen of it.
    if (isOne && items.length === 0) ctx.mayAccess(null, real_user_id)
    const last = found.children[items.length - 1]
    const isLast = last && known ? known.at(-1) === last.item.real_user_id : found.children.length <= limit
    const place = order && isByName && last ? placeOf(context, order.state, last.item) : last?.place
    return {
      items,
      next: isLast || !place ? null : cursorOf(place),
      total: known?.length ?? found.total,
      flags: found.flags,
    }
  })
