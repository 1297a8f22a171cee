import { z } from 'zod'
import { accountEndpoint } from '../auth/account-endpoint.ts'
import { idField, integerField, textField } from '../http/fields.ts'
import { cursorOf, pageCursorField } from '../http/page-cursor.ts'
import { today } from '../time/wall-clock.ts'
import { clinicChildSchema, flagSchema, readClinicChildren, sorts } from './child.ts'
import type { Place } from './child.ts'
import { clinicErrors } from './member.ts'
import { findByName } from './names.ts'

const place = z.tuple([
  z.number(),
  z.number(),
  z
    .int()
    .min(0)
    .max(2 ** 31 - 1),
])

/** How many children are not after a place, in the order of their names. Others may have come or gone since. */
const passedBy = (children: readonly number[], [position, , child]: Place): number =>
  children.indexOf(child) + 1 || Math.max(0, position - 1)

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
      after: pageCursorField(place).optional(),
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
  .query(async ({ ctx, input: { clinic_id, flag, sort, search, after, limit } }) => {
    const context = {
      database: ctx.database,
      rootUserId: ctx.caller.rootUserId,
      clinicId: clinic_id,
      today: today(ctx.timeZone),
      goal: ctx.adherenceGoalMinutes,
      timeZone: ctx.timeZone,
    }
    const named = sort === 'name' || search !== undefined ? await findByName(context, search) : undefined
    const isByName = named !== undefined && sort === 'name'
    const passed = isByName && after ? passedBy(named, after) : 0
    // In the order of names and without a flag, the children of the page are known.
    const isKnown = isByName && flag === undefined
    const found = await readClinicChildren(context, {
      sort,
      children: isKnown ? named.slice(passed, passed + limit + 1) : named,
      flag,
      after: isByName ? [isKnown ? 0 : passed, 1, 0] : after,
      limit: limit + 1,
    })
    if (found.role === null) throw ctx.failure(404, 'Clinic not found')
    const page = found.children.slice(0, limit)
    for (const { item } of page) ctx.mayAccess('viewer', item.real_user_id)
    const last = page.at(-1)?.place
    return {
      items: page.map(({ item }) => item),
      next:
        found.children.length > limit && last
          ? cursorOf(isKnown ? [passed + last[0], 0, last[2]] : last)
          : null,
      total: isKnown ? named.length : found.total,
      flags: found.flags,
    }
  })
