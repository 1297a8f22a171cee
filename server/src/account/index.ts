import { router } from '../http/endpoint.ts'
import { addPasskey } from './add-passkey.ts'
import { changeEmail } from './change-email.ts'
import { changePassword } from './change-password.ts'
import { changePhone } from './change-phone.ts'
import { deleteAccount } from './delete.ts'
import { exportData } from './export-data.ts'
import { giveConsent } from './give-consent.ts'
import { listConsents } from './list-consents.ts'
import { listPasskeys } from './list-passkeys.ts'
import { me } from './me.ts'
import { newPasskeyOptions } from './new-passkey-options.ts'
import { removePasskey } from './remove-passkey.ts'
import { sendEmailConfirmation } from './send-email-confirmation.ts'
import { setPushToken } from './set-push-token.ts'
import { updateNotifications } from './update-notifications.ts'
import { updatePolicy } from './update-policy.ts'
import { update } from './update.ts'

/** The operations on the signed-in account. */
export const account = router({
  me,
  update,
  updatePolicy,
  giveConsent,
  listConsents,
  exportData,
  setPushToken,
  updateNotifications,
  changePassword,
  changePhone,
  sendEmailConfirmation,
  changeEmail,
  listPasskeys,
  newPasskeyOptions,
  addPasskey,
  removePasskey,
  delete: deleteAccount,
})
