import { answerMail } from './mailed-link.ts'
import type { Phone } from './phone.ts'
import type { Service } from './service.ts'

const WRONG = 'parnet@example.com'
const RIGHT = 'parent@example.com'

/** A parent has signed up with somebody else's address, and mends it. Starts and ends on the first screen. */
export async function mendEmail(phone: Phone, service: Service): Promise<void> {
  const { tap, type, sees, misses, comesBack, picture } = phone
  await tap(`Confirm your e-mail, ${WRONG}`)
  await sees('Until then, resetting your password also takes a code')
  await tap('Send the mail again')
  await sees(`We sent a link to ${WRONG}. It works for 7 days.`)
  await picture('en-05-email-unconfirmed')

  await answerMail(phone, service, WRONG, 'It is not mine')
  await comesBack()
  await sees('without one you cannot sign in again')
  await type('New e-mail', RIGHT)
  await type('Current password', 'not the password')
  await tap('Set an e-mail address')
  await sees('Wrong password.')
  await picture('en-05-email-rejected')
  await tap('Back')
  await sees('without one you cannot sign in again')
  await picture('en-05-no-email')
  await tap('Set an e-mail address')
  await type('New e-mail', RIGHT)
  await type('Current password', 'correct horse battery')
  await tap('Set an e-mail address')
  await sees(`We sent a link to ${RIGHT}.`)

  await answerMail(phone, service, RIGHT, 'Yes, it is mine')
  await comesBack()
  await sees('Confirmed')
  await misses('Your address changes when you open the link and confirm it, within')
  await picture('en-05-email-confirmed')
  await tap('Back')
  await misses('Confirm your e-mail')
  await misses('without one you cannot sign in again')
}
