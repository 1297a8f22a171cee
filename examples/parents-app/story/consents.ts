import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import type { Phone } from './phone.ts'

/** Of the service in this story. */
export const CONSENT_VERSIONS = JSON.stringify({ terms: '2026-11', 'health-data': '1' })

/** A family that has not consented yet is asked before it sees anything, and then takes all its data along. */
export async function consents({ page, tap, type, sees, misses, picture }: Phone): Promise<void> {
  await type('E-mail', 'demo@example.com')
  await type('Password', 'demo-family-2026')
  await tap('Sign in')
  await sees('Your consent')
  await misses('Last night')
  await misses('Privacy')
  await picture('consent-01-asked')
  await tap('I agree: Terms of use', 'switch')
  await tap('I agree: Health data', 'switch')
  await tap('Agree and continue')
  await sees('Last night')

  await tap('Settings', 'tab')
  await tap('Export all data')
  await tap('FHIR R4, for a clinic', 'radio')
  await type('Current password', 'not the password')
  await tap('Export')
  await sees('Wrong password.')
  await type('Current password', 'demo-family-2026')
  const download = page.waitForEvent('download')
  await tap('Export')
  assert.match((await download).suggestedFilename(), /^companion-fhir-\d{4}-\d\d-\d\d\.zip$/)
  const file = await readFile(await (await download).path())
  assert.equal(file.toString('latin1', 0, 2), 'PK')
  await sees('The file is ready.')
  await picture('consent-02-exported')
}

/** The same question in Korean. */
export async function consentsInKorean({ type, tap, sees, misses, picture }: Phone): Promise<void> {
  await type('이메일', 'demo@example.com')
  await type('비밀번호', 'demo-family-2026')
  await tap('로그인')
  await sees('동의')
  await misses('어젯밤')
  await picture('consent-03-korean')
  await tap('동의합니다: 이용 약관', 'switch')
  await tap('동의합니다: 건강 정보', 'switch')
  await tap('동의하고 계속하기')
  await sees('어젯밤')
}
