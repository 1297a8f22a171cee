import type { Phone } from './phone.ts'
import type { Service } from './service.ts'

/** What was mistyped of a child is put right, and its device gets a name. From the settings and back to them. */
export async function correctChild({ tap, type, sees, picture }: Phone, device: () => Promise<void>) {
  await tap('Children and devices')
  await sees('DEMO-003')
  await tap('Edit Hana')
  await type("Child's name", 'Hana Kim')
  await type('Birth date', '20180204')
  await tap('Save')
  await sees('Saved.')
  await type('Device name', 'Bedroom')
  await tap('Rename the device')
  await picture('en-20-edit-child')
  await tap('Back')
  await sees('Hana Kim')
  await sees('Bedroom · DEMO-003')
  await tap('Unpair')
  await sees('Unpair this device?')
  await picture('en-20-children')
  await tap('Unpair')
  await sees('No device')
  await tap('Edit Hana Kim')
  await sees('A child can be deleted only while a device is paired.')
  await tap('Back')
  await tap('Pair a device')
  await device()
  await tap('Pair')
  await sees('DEMO-003')
  await tap('Back')
}

/** Name and phone number of the account change. From the settings and back to them. */
export async function correctAccount({ tap, type, sees, picture }: Phone, service: Service) {
  await tap('Your details, Kim Jiyoung')
  await type('Full name', 'Kim Ji-young')
  await tap('Save')
  await sees('Saved.')
  await picture('en-20-details')
  await tap('Back')
  await sees('Kim Ji-young')
  await tap('Phone number, 010-1234-5678')
  await type('Phone number', '(212) 555-0123')
  await tap('Send the code')
  await sees('We sent 6 digits to (212) 555-0123')
  await type('Code', await service.smsCode('+12125550123'))
  await tap('Verify')
  await sees('Your phone number is now (212) 555-0123.')
  await tap('Back')
  await sees('(212) 555-0123')
}

/** Signs in with an e-mail that had to be looked up. */
export async function findAccount({ tap, type, sees, picture }: Phone, service: Service) {
  await tap('Forgot your e-mail?')
  await type('Phone number', '212 555 0123')
  await tap('Send the code')
  await sees('We sent 6 digits')
  await type('Code', await service.smsCode('+12125550123'))
  await tap('Verify')
  await sees('parent@example.com')
  await picture('en-21-found')
  await tap('Sign in with this e-mail')
  await type('Password', 'correct horse battery')
  await tap('Sign in')
  await sees('Last use')
}

/** A child goes, with what was recorded of it. From the settings and back to them. */
export async function deleteChild({ tap, sees, picture }: Phone) {
  await tap('Children and devices')
  await tap('Edit Hana Kim')
  await tap('Delete the child')
  await sees('Permanently delete Hana Kim with all recorded nights and notes?')
  await picture('en-21-delete-child')
  await tap('Delete the child')
  await sees('Welcome')
  await tap('Back')
}
