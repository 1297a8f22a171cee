import { z } from 'zod'

/** What the owner of a child can make somebody else. */
export const memberRoleSchema = z.enum(['guardian', 'viewer']).meta({
  description:
    '`guardian`: reads everything of the child, saves events, submits surveys and gets alerts; `viewer`: reads',
})

export type MemberRole = z.infer<typeof memberRoleSchema>

/** The last day of a membership, as it is answered. */
export const membershipUntilSchema = z
  .string()
  .nullable()
  .meta({ description: 'The last day, `yyyy-mm-dd`, in the time zone of the service; null without an end' })

export const timestampSchema = z.string().meta({ format: 'date-time' })
