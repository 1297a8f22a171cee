import { z } from 'zod'
import type { ConsentVersions } from '../config/consent-versions.ts'
import { lineField } from '../http/fields.ts'

/** The texts of which an operator has versions. */
export const consentKindSchema = z.enum(['terms', 'privacy', 'health-data', 'guardian'])
export const consentVersionSchema = lineField({ least: 1, most: 50 })

declare module '../http/context.ts' {
  interface Context {
    /** The version in force of each kind; a kind without one asks for no consent. */
    consentVersions: ConsentVersions
  }
}

/** One line of an account's ledger of consents. */
export const consentEntrySchema = z
  .object({
    kind: z
      .enum([...consentKindSchema.options, 'push', 'marketing'])
      .meta({ description: 'What it is about' }),
    version: z.string().nullable().meta({ description: 'Of the text; null for push messages and marketing' }),
    given: z.boolean().meta({ description: 'false: withdrawn, or never given' }),
    source: z.string().meta({ description: 'Where it was said: `sign-up`, `settings`, `app` or `import`' }),
    recorded_at: z.string().meta({ format: 'date-time', description: 'ISO 8601 in UTC' }),
  })
  .meta({ id: 'Consent', description: 'A change of a consent' })

type Row = Omit<z.infer<typeof consentEntrySchema>, 'given' | 'recorded_at'> & {
  new_value: boolean
  recorded_at: Date
}

export const toConsentEntry = ({
  kind,
  version,
  new_value,
  source,
  recorded_at,
}: Row): z.infer<typeof consentEntrySchema> => ({
  kind,
  version,
  given: new_value,
  source,
  recorded_at: recorded_at.toISOString(),
})
