import type { Phone } from './phone.ts'
import type { Service } from './service.ts'

/** Corrects a child's details and names the device. Starts and ends in the settings. */
export async function correctChild({ tap, type, sees, picture }: Phone, device: () => Promise<void>) {
  await tap('Children and devices')
  await sees('DEMO-003')
  await tap('Edit Hana')
  await type("Child's name", 'Hana Kim')
  await type('Birth date', '2018-02-04')
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

/** Changes the name and phone number of the account. Starts and ends in the settings. */
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
  await sees('Your phone number is now (212) 555-0123.')
  await tap('Back')
  await sees('(212) 555-0123')
}

/** Finds the forgotten e-mail of the account and signs in with it. */
export async function findAccount({ tap, type, sees, picture }: Phone, service: Service) {
  await tap('Forgot your e-mail?')
  await type('Phone number', '212 555 0123')
  await tap('Send the code')
  await sees('We sent 6 digits')
  await type('Code', await service.smsCode('+12125550123'))
  await sees('parent@example.com')
  await picture('en-21-found')
  await tap('Sign in with this e-mail')
  await type('Password', 'correct horse battery')
  await tap('Sign in')
  await sees('Last night')
}

/** Deletes a child and all their records. Starts and ends in the settings. */
export async function deleteChild({ tap, type, sees, picture }: Phone) {
  await tap('Children and devices')
  await tap('Edit Hana Kim')
  await tap('Delete the child')
  await sees('All nights, notes and surveys of Hana Kim are deleted at once')
  await sees('Nobody but you has access.')
  await type('Current password', 'not the password')
  await tap('Delete the child')
  await sees('Wrong password.')
  await picture('en-21-delete-child')
  await type('Current password', 'correct horse battery')
  await tap('Delete the child')
  await sees('Welcome')
  await tap('Back')
}
