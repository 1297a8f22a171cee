import type { ConsentVersions } from '../config/consent-versions.ts'

/**
 * The versions that a demo asks for, unless `CONSENT_VERSIONS` is set: the demo family has agreed to them, and a visitor who
 * signs up is asked.
 */
export const DEMO_CONSENT_VERSIONS = {
  terms: 'demo',
  privacy: 'demo',
  'health-data': 'demo',
  guardian: 'demo',
} satisfies Required<ConsentVersions>
