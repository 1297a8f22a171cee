import { router } from '../http/endpoint.ts'
import { clinicianSignUp } from './clinician-sign-up.ts'
import { confirmEmail } from './confirm-email.ts'
import { confirmPasswordReset } from './confirm-password-reset.ts'
import { findAccount } from './find-account.ts'
import { listPhoneCountries } from './list-phone-countries.ts'
import { openClinicianInvitation } from './open-clinician-invitation.ts'
import { passkeySignInOptions } from './passkey-sign-in-options.ts'
import { passkeySignIn } from './passkey-sign-in.ts'
import { refresh } from './refresh.ts'
import { requestPasswordReset } from './request-password-reset.ts'
import { sendSmsCode } from './send-sms-code.ts'
import { signIn } from './sign-in.ts'
import { signOut } from './sign-out.ts'
import { signUp } from './sign-up.ts'
import { socialSignIn } from './social-sign-in.ts'
import { socialSignUp } from './social-sign-up.ts'
import { verifyPhone } from './verify-phone.ts'

export const auth = router({
  listPhoneCountries,
  sendSmsCode,
  verifyPhone,
  signUp,
  signIn,
  refresh,
  signOut,
  requestPasswordReset,
  confirmPasswordReset,
  confirmEmail,
  findAccount,
  socialSignIn,
  socialSignUp,
  openClinicianInvitation,
  clinicianSignUp,
  passkeySignInOptions,
  passkeySignIn,
})
