import { z } from 'zod'
import { lineField } from '../http/fields.ts'

/** What a clinician calls a passkey, to tell it from others. */
export const passkeyNameField = lineField({ most: 100 })

/** A passkey as its holder sees it. */
export const passkeySchema = z
  .object({
    passkey_id: z.int().meta({ description: 'The id of the passkey' }),
    name: z.string().nullable().meta({ description: 'What its holder calls it; null without a name' }),
    created_at: z.string().meta({ format: 'date-time', description: 'When it was added' }),
    last_used_at: z
      .string()
      .nullable()
      .meta({ format: 'date-time', description: 'When it last signed in; null if it never has' }),
  })
  .meta({ id: 'Passkey', description: 'A passkey by which the account signs in' })

/** What the challenge is for by which an account gets another passkey. */
export const additionPurpose = (rootUserId: number) => `add ${rootUserId}`
