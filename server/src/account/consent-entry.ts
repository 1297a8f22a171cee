import { z } from 'zod'
import type { ConsentVersions } from '../config/consent-versions.ts'
import { label } from '../http/fields.ts'

/** The texts of which an operator has versions. */
export const consentKind = z.enum(['terms', 'privacy', 'health-data', 'guardian'])
export const consentVersion = label({ least: 1, most: 50 })

declare module '../http/context.ts' {
  interface Context {
    /** The version in force of each kind; a kind without one asks for no consent. */
    consentVersions: ConsentVersions
  }
}

/** One line of an account's ledger of consents. */
export const consentEntry = z
  .object({
    kind: z.enum([...consentKind.options, 'push', 'marketing']).meta({ description: 'What it is about' }),
    version: z.string().nullable().meta({ description: 'Of the text; null for push messages and marketing' }),
    given: z.boolean().meta({ description: 'false: withdrawn, or never given' }),
    source: z.string().meta({ description: 'Where it was said: `sign-up`, `settings`, `app` or `import`' }),
    recorded_at: z.string().meta({ format: 'date-time', description: 'ISO 8601 in UTC' }),
  })
  .meta({ id: 'Consent', description: 'A change of a consent' })

type Row = Omit<z.infer<typeof consentEntry>, 'given' | 'recorded_at'> & {
  new_value: boolean
  recorded_at: Date
}

export const consentEntryOf = ({
  kind,
  version,
  new_value,
  source,
  recorded_at,
}: Row): z.infer<typeof consentEntry> => ({
  kind,
  version,
  given: new_value,
  source,
  recorded_at: recorded_at.toISOString(),
})
