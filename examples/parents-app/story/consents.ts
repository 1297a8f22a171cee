import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import type { Phone } from './phone.ts'

/** Of the service in this story. */
export const CONSENT_VERSIONS = JSON.stringify({ terms: '2026-11', 'health-data': '1' })

const ENGLISH = {
  email: 'E-mail',
  password: 'Password',
  signIn: 'Sign in',
  asked: 'Your consent',
  read: 'Full text',
  notAsked: 'Privacy',
  agree: ['I agree: Terms of use', 'I agree: Health data'],
  submit: 'Agree and continue',
  lastNight: 'Last night',
}

const KOREAN: typeof ENGLISH = {
  email: '이메일',
  password: '비밀번호',
  signIn: '로그인',
  asked: '동의',
  read: '전문 보기',
  notAsked: '개인정보 처리',
  agree: ['동의합니다: 이용 약관', '동의합니다: 건강 정보'],
  submit: '동의하고 계속하기',
  lastNight: '어젯밤',
}

/** A family that has not consented yet is asked before it sees anything. */
async function isAsked(
  { page, tap, type, sees, misses, picture }: Phone,
  words: typeof ENGLISH,
  name: string,
): Promise<void> {
  await type(words.email, 'demo@example.com')
  await type(words.password, 'demo-family-2026')
  await tap(words.signIn)
  await sees(words.asked)
  await misses(words.lastNight)
  await misses(words.notAsked)
  const links = process.env['EXPO_PUBLIC_CONSENT_TEXTS'] ? words.agree.length : 0
  assert.equal(await page.getByRole('button', { name: words.read }).count(), links)
  await picture(name)
  for (const each of words.agree) await tap(each, 'switch')
  await tap(words.submit)
  await sees(words.lastNight)
}

/** The family consents, and then takes all its data along. */
export async function consents(phone: Phone): Promise<void> {
  const { page, tap, type, sees, picture } = phone
  await isAsked(phone, ENGLISH, 'consent-01-asked')
  await tap('Settings', 'tab')
  await tap('Export all data')
  await tap('FHIR R4, for a clinic', 'radio')
  await type('Current password', 'not the password')
  await tap('Export')
  await sees('Wrong password.')
  await type('Current password', 'demo-family-2026')
  const downloading = page.waitForEvent('download')
  await tap('Export')
  const download = await downloading
  assert.match(download.suggestedFilename(), /^companion-fhir-\d{4}-\d\d-\d\d\.zip$/)
  const file = await readFile(await download.path())
  assert.equal(file.toString('latin1', 0, 2), 'PK')
  await sees('The file is ready.')
  await picture('consent-02-exported')
}

/** The same question in Korean. */
export const consentsInKorean = (phone: Phone): Promise<void> => isAsked(phone, KOREAN, 'consent-03-korean')
