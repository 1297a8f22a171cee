import { X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { z } from 'zod'
import { urlSetting } from './values.ts'

/** A time stamp authority (RFC 3161). */
export interface TimeStampAuthority {
  /** Undefined if none is asked for time stamps; those that were made before can still be verified. */
  url: string | undefined
  /** Of the authorities that are trusted, in DER. */
  certificates: readonly Uint8Array<ArrayBuffer>[]
}

const PEM = /-----BEGIN CERTIFICATE-----[^]+?-----END CERTIFICATE-----/g

const certificates = z.string().transform((file, context) => {
  const fail = (message: string) => {
    context.addIssue({ code: 'custom', message })
    return z.NEVER
  }
  try {
    const found = readFileSync(file, 'utf8').match(PEM) ?? []
    if (found.length === 0) return fail('names a file that holds no certificate')
    return found.map((pem) => new Uint8Array(new X509Certificate(pem).raw))
  } catch (error) {
    const isFile = error instanceof Error && 'path' in error
    return fail(isFile ? 'names a file that cannot be read' : 'names a file that holds no certificate')
  }
})

/** The environment variables of time stamps. */
export const timeStampVariablesSchema = z.object({
  TSA_URL: urlSetting('https:', 'http:').optional(),
  TSA_CERTIFICATES: certificates.optional(),
})

/** Builds the configuration of time stamps from its parsed environment variables. */
export const timeStampConfig = (
  env: z.infer<typeof timeStampVariablesSchema>,
): { timeStamps: TimeStampAuthority } => ({
  timeStamps: { url: env.TSA_URL, certificates: env.TSA_CERTIFICATES ?? [] },
})
