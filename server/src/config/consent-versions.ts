import { z } from 'zod'
import { jsonSetting } from './values.ts'

const version = z.string().min(1).max(50)

/** `CONSENT_VERSIONS`: JSON `{"terms": "2026-11", …}`, the version in force of each text that asks for consent. */
export const consentVersions = jsonSetting(
  z.strictObject({ terms: version, privacy: version, 'health-data': version, guardian: version }).partial(),
)

export type ConsentVersions = z.infer<typeof consentVersions>
