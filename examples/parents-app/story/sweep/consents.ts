import type { SweepPhone } from './screen.ts'

/** Of a service that asks for all consents there are. */
export const CONSENT_VERSIONS = JSON.stringify({
  terms: '2026-11',
  privacy: '2026-11',
  'health-data': '1',
  guardian: '1',
})

/** What a family sees that has not consented to the versions in force. */
export async function consents({ t, tap, type, shows }: SweepPhone): Promise<void> {
  await type(t.signIn.email, 'demo@example.com')
  await type(t.signIn.password, 'demo-family-2026')
  await tap(t.signIn.submit)
  await shows('80-consents', t.consents.title)
}
