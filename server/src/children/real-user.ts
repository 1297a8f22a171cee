import { z } from 'zod'
import { birthdate, name, text } from '../http/fields.ts'

export const gender = z
  .enum(['M', 'F', 'N', 'P'])
  .meta({ description: '`N`: non-binary, `P`: prefers not to say' })

/** A child's profile as clients send it. */
export const realUserProfile = z.object({
  first_name: name,
  last_name: text({ most: 100 }).meta({ description: 'May be empty.' }),
  birthdate,
  gender,
})

/** A child in the format of the contract. */
export const realUser = z
  .object({
    id: z.int().meta({ description: "The child's `real_user_id`" }),
    root_user_id: z.int().meta({ description: 'Of its account' }),
    first_name: z.string(),
    last_name: z.string(),
    birthdate: z.string().meta({ description: '`yyyymmdd`' }),
    gender,
  })
  .meta({ id: 'Child' })
