import assert from 'node:assert/strict'
import type { Phone } from './phone.ts'
import type { Service } from './service.ts'

const PHONE = '+821012345678'

/** A parent creates an account, and makes every usual mistake. */
export async function signUp(phone: Phone, service: Service): Promise<void> {
  const { page, tap, type, sees, focuses, picture } = phone
  const asked: string[] = []
  page.on('request', (request) => asked.push(request.url()))
  const times = (operation: string) => asked.filter((url) => url.includes(operation)).length

  await sees('Quiet nights, clearly seen.')
  await picture('en-01-sign-in')
  await page.getByLabel('Password', { exact: true }).press('Enter')
  await tap('Create an account')
  assert.equal(times('auth.signIn'), 0, 'an empty sign-in was sent')

  await tap('South Korea +82', 'radio')
  await type('Phone number', '12')
  await tap('Send the code')
  await sees('Please check the number')
  await type('Phone number', '010-1234-5679')
  await picture('en-02-phone')
  await page.getByLabel('Phone number').press('Enter')
  await sees('We sent 6 digits to 010-1234-5679')
  assert.equal(times('auth.sendSmsCode'), 1)
  await tap('Back')
  await sees('Step 1 of 3')
  assert.equal(await page.getByLabel('Phone number').inputValue(), '010-1234-5679')
  await type('Phone number', '010-1234-5678')
  await tap('Send the code')
  await sees('We sent 6 digits')
  const code = await service.smsCode(PHONE)
  await type('Code', code === '000000' ? '000001' : '000000')
  await sees('That code is not right.')
  await picture('en-03-wrong-code')
  await type('Code', code)
  await sees('About you')

  await type('Birth date', '1985-04-01')
  await tap('Back')
  await sees('Step 1 of 3')
  await prove(phone, service)
  await tap('Create the account')
  await sees('Please check the address')
  await focuses(page.getByLabel('Full name'))
  await type('Full name', 'Kim Jiyoung')
  await type('E-mail', 'parnet@example.com')
  await picture('en-04-profile-issues')
  assert.equal(await page.getByLabel('Birth date').inputValue(), '1985-04-01')
  await type('Password', 'correct horse battery')
  const password = page.getByLabel('Password', { exact: true }).last()
  assert.equal(await password.getAttribute('type'), 'password')
  await tap('Show: Password')
  assert.notEqual(await password.getAttribute('type'), 'password')
  await picture('en-04-profile')
  await tap('Hide: Password')
  await tap('Female', 'radio')

  // Ten minutes later, the proof of the phone number has expired.
  await page.route(
    '**/trpc/auth.signUp*',
    (route) => route.continue({ headers: { ...route.request().headers(), authorization: 'Bearer too-old' } }),
    { times: 1 },
  )
  await tap('Create the account')
  await sees('That took too long.')
  await tap('Your phone number')
  await prove(phone, service)
  assert.equal(await page.getByLabel('Full name').inputValue(), 'Kim Jiyoung')
  await tap('Create the account')
  await sees('Add your child and pair the device.')
}

/** Requests another code and enters it. */
async function prove({ tap, type, sees }: Phone, service: Service): Promise<void> {
  await tap('Send the code')
  await sees('We sent 6 digits')
  await type('Code', await service.smsCode(PHONE))
  await sees('About you')
}
