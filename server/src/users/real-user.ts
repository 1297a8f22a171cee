import { z } from 'zod'
import { birthdate, name, text } from '../http/fields.ts'

/** What a child's profile says, as it is sent. */
export const realUserProfile = z.object({
  first_name: name,
  last_name: text({ most: 100 }).meta({ description: 'May be empty.' }),
  birthdate,
  gender: z.enum(['M', 'F', 'N', 'P']),
})

/** A child as the read call answers it. */
export const realUser = z.object({
  id: z.int(),
  root_user_id: z.int(),
  first_name: z.string(),
  last_name: z.string(),
  birthdate: z.string().meta({ description: '`yyyymmdd`' }),
  gender: z.enum(['M', 'F', 'N', 'P']),
})
