import type { SweepPhone } from './screen.ts'

/** Phone numbers, codes and addresses, of which each language has its own. */
export const PERSON = {
  en: { name: 'Kim Jiyoung', phone: '2125550161', sentTo: '+12125550161', email: 'kim@example.com' },
  ko: { name: '김지영', phone: '01022220161', sentTo: '+821022220161', email: 'jiyoung@example.com' },
} as const
export const PASSWORD = 'correct horse battery'

/** All that is seen before a sign-in, by somebody who makes mistakes. Ends signed in, with a new account. */
export async function signedOut(visit: SweepPhone): Promise<void> {
  const { t, language, service, tap, type, sees, shows } = visit
  const person = PERSON[language]
  await shows('01-sign-in', t.tagline)
  await type(t.signIn.email, 'demo@example.com')
  await type(t.signIn.password, 'not the password')
  await tap(t.signIn.submit)
  await shows('02-wrong-password', t.failures['Password is invalid'] ?? '')
  await tap(t.signIn.forgot)
  await type(t.signIn.email, 'demo@example.com')
  await shows('03-reset', t.signIn.resetHint)
  await tap(t.signIn.resetSubmit)
  await shows('04-reset-sent', t.signIn.resetSent)
  await tap(t.back)
  await tap(t.signIn.forgotEmail)
  await shows('05-find', t.signIn.findHint)
  await type(t.signUp.phone, '+821000000001')
  await tap(t.signUp.sendCode)
  await sees(t.signUp.codeTitle)
  await type(t.signUp.code, await service.smsCode('+821000000001'))
  await shows('06-found', t.signIn.found)
  await tap(t.back)

  await tap(t.signIn.create)
  await sees(t.signUp.phoneTitle)
  await tap(t.signUp.otherCountry, 'radio')
  await type(t.signUp.phone, '12')
  await tap(t.signUp.sendCode)
  await shows('07-phone', t.issues.phone)
  await type(t.signUp.phone, person.sentTo)
  await tap(t.signUp.sendCode)
  await sees(t.signUp.codeTitle)
  const code = await service.smsCode(person.sentTo)
  await type(t.signUp.code, code === '000000' ? '000001' : '000000')
  await shows('08-code', t.failures['Validation code is invalid'] ?? '')
  await type(t.signUp.code, code)
  await sees(t.signUp.profileTitle)
  await tap(t.signUp.submit)
  await shows('09-profile', t.issues.birthdate)
  await type(t.signUp.name, person.name)
  await type(t.signUp.birthdate, '1985-04-01')
  await type(t.signIn.email, person.email)
  await type(t.signIn.password, PASSWORD)
  await tap(t.signUp.submit)
}
