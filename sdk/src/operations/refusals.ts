/* Made of server/openapi.json and sdk/generator/special-operations.ts by `pnpm generate`: change it there. */

import type { Refused } from '../companion-error.ts'
import type { ValidationIssue } from '../types.ts'

/** How `auth.listPhoneCountries` may be refused. */
export type ListPhoneCountriesRefusal = GenericRefusal
/** How `auth.sendSmsCode` may be refused. */
export type SendSmsCodeRefusal =
  | Refused<400, 'Phone number is invalid'>
  | Refused<409, 'Phone number is already registered'>
  | Refused<409, 'Failed to send SMS'>
  | GenericRefusal
/** How `auth.verifyPhone` may be refused. */
export type VerifyPhoneRefusal =
  | Refused<400, 'Validation code is expired'>
  | Refused<400, 'Validation code is invalid'>
  | Refused<403, 'User previously deleted'>
  | Refused<409, 'Phone number is already registered'>
  | GenericRefusal
/** How `auth.signUp` may be refused. */
export type SignUpRefusal =
  | Refused<400, 'Email is not valid'>
  | Refused<401, 'Token is invalid'>
  | Refused<409, 'Same email is already registered'>
  | Refused<500, 'Failed to sign up user'>
  | GenericRefusal
/** How `auth.signIn` may be refused. */
export type SignInRefusal =
  | Refused<400, 'Password is invalid'>
  | Refused<401, 'Sign-up not completed'>
  | Refused<403, 'SMS verification required'>
  | Refused<404, 'User not found'>
  | Refused<410, 'User is Deleted'>
  | Refused<423, 'Access denied. Account blocked'>
  | GenericRefusal
/** How `auth.refresh` may be refused. */
export type RefreshAuthRefusal =
  | Refused<401, 'Could not validate credentials'>
  | Refused<401, 'Token is expired'>
  | Refused<401, 'Refresh token is not valid'>
  | GenericRefusal
/** How `auth.signOut` may be refused. */
export type SignOutRefusal = SessionRefusal | GenericRefusal
/** How `auth.requestPasswordReset` may be refused. */
export type RequestPasswordResetRefusal =
  | Refused<400, 'User signed up using a social account'>
  | Refused<404, 'User ID not found'>
  | Refused<500, 'Email send failed'>
  | GenericRefusal
/** How `auth.confirmPasswordReset` may be refused. */
export type ConfirmPasswordResetRefusal = Refused<400, 'Reset token is invalid'> | GenericRefusal
/** How `auth.findAccount` may be refused. */
export type FindAccountRefusal =
  | Refused<400, 'Validation code is expired'>
  | Refused<400, 'Validation code is invalid'>
  | Refused<403, 'User previously deleted'>
  | Refused<404, 'User id is not found'>
  | GenericRefusal
/** How `auth.socialSignIn` may be refused. */
export type SocialSignInRefusal =
  | Refused<401, 'Sign-up not completed'>
  | Refused<401, 'Could not validate credentials'>
  | Refused<403, 'SMS verification required'>
  | Refused<404, 'User not found'>
  | Refused<410, 'User is Deleted'>
  | Refused<423, 'Access denied. Account blocked'>
  | Refused<503, 'Sign-in provider is not available'>
  | GenericRefusal
/** How `auth.socialSignUp` may be refused. */
export type SocialSignUpRefusal =
  | Refused<400, 'Email is not valid'>
  | Refused<401, 'Token is invalid'>
  | Refused<401, 'Could not validate credentials'>
  | Refused<409, 'Same email is already registered'>
  | Refused<500, 'Failed to sign up user'>
  | Refused<503, 'Sign-in provider is not available'>
  | GenericRefusal
/** How `account.me` may be refused. */
export type MeAccountRefusal = SessionRefusal | GenericRefusal
/** How `account.update` may be refused. */
export type UpdateAccountRefusal = SessionRefusal | GenericRefusal
/** How `account.delete` may be refused. */
export type DeleteAccountRefusal = Refused<404, 'Sign in type is not found'> | SessionRefusal | GenericRefusal
/** How `account.updatePolicy` may be refused. */
export type UpdatePolicyRefusal =
  | Refused<404, 'User not found'>
  | Refused<404, 'User policy not found'>
  | Refused<409, 'User policy update failed'>
  | SessionRefusal
  | GenericRefusal
/** How `account.giveConsent` may be refused. */
export type GiveConsentRefusal = SessionRefusal | GenericRefusal
/** How `account.listConsents` may be refused. */
export type ListConsentsRefusal = SessionRefusal | GenericRefusal
/** How `account.exportData` may be refused. */
export type ExportDataRefusal =
  | Refused<400, 'Password is invalid'>
  | Refused<401, 'Not authorized user'>
  | Refused<404, 'Real user is not found'>
  | SessionRefusal
  | GenericRefusal
/** How `account.setPushToken` may be refused. */
export type SetPushTokenRefusal =
  | Refused<400, 'Push permisson denied'>
  | Refused<409, 'User push token update failed'>
  | SessionRefusal
  | GenericRefusal
/** How `account.updateNotifications` may be refused. */
export type UpdateNotificationsRefusal =
  | Refused<404, 'User not found'>
  | Refused<409, 'User notification update failed'>
  | SessionRefusal
  | GenericRefusal
/** How `account.changePassword` may be refused. */
export type ChangePasswordRefusal = Refused<400, 'Password is invalid'> | SessionRefusal | GenericRefusal
/** How `account.changePhone` may be refused. */
export type ChangePhoneRefusal =
  | Refused<400, 'Password is invalid'>
  | Refused<400, 'Validation code is expired'>
  | Refused<400, 'Validation code is invalid'>
  | Refused<403, 'User previously deleted'>
  | Refused<409, 'Phone number is already registered'>
  | SessionRefusal
  | GenericRefusal
/** How `children.create` may be refused. */
export type CreateChildRefusal =
  | Refused<400, 'Serial code is not valid'>
  | Refused<401, 'Not authorized user'>
  | Refused<404, 'Not Found Device'>
  | Refused<409, 'Already Connected Device'>
  | Refused<409, 'Real user create failed'>
  | SessionRefusal
  | GenericRefusal
/** How `children.list` may be refused. */
export type ListChildRefusal = SessionRefusal | GenericRefusal
/** How `children.read` may be refused. */
export type ReadChildRefusal =
  | Refused<401, 'Not authorized user'>
  | Refused<404, 'Real user is not found'>
  | SessionRefusal
  | GenericRefusal
/** How `children.update` may be refused. */
export type UpdateChildRefusal =
  | Refused<401, 'Not authorized user'>
  | Refused<404, 'Real user is not found'>
  | SessionRefusal
  | GenericRefusal
/** How `children.delete` may be refused. */
export type DeleteChildRefusal =
  | Refused<401, 'Not authorized user'>
  | Refused<404, 'Real user is not found'>
  | Refused<409, 'Real user delete failed'>
  | SessionRefusal
  | GenericRefusal
/** How `devices.list` may be refused. */
export type ListDeviceRefusal = SessionRefusal | GenericRefusal
/** How `devices.connect` may be refused. */
export type ConnectDeviceRefusal =
  | Refused<400, 'Serial code is not valid'>
  | Refused<401, 'Not authorized user'>
  | Refused<404, 'Not Found Device'>
  | Refused<409, 'Already Connected Device'>
  | SessionRefusal
  | GenericRefusal
/** How `devices.rename` may be refused. */
export type RenameDeviceRefusal =
  | Refused<401, 'Not authorized user'>
  | Refused<404, 'Not Found Device'>
  | SessionRefusal
  | GenericRefusal
/** How `devices.disconnect` may be refused. */
export type DisconnectDeviceRefusal =
  | Refused<401, 'Not authorized user'>
  | Refused<404, 'Not Found Device'>
  | SessionRefusal
  | GenericRefusal
/** How `devices.time` may be refused. */
export type TimeDeviceRefusal = GenericRefusal
/** How `basestations.connect` may be refused. */
export type ConnectBasestationRefusal =
  | Refused<400, 'Serial code is not valid'>
  | Refused<404, 'Not Found Device'>
  | Refused<409, 'Already Connected Device'>
  | SessionRefusal
  | GenericRefusal
/** How `basestations.list` may be refused. */
export type ListBasestationRefusal = SessionRefusal | GenericRefusal
/** How `basestations.disconnect` may be refused. */
export type DisconnectBasestationRefusal =
  | Refused<403, 'This device does not belong to the user'>
  | Refused<404, 'Device not found'>
  | SessionRefusal
  | GenericRefusal
/** How `basestations.uploadEnvironment` may be refused. */
export type UploadEnvironmentRefusal =
  | Refused<404, 'Not Found Device'>
  | Refused<409, 'Not Connected Device'>
  | GenericRefusal
/** How `devlogs.upload` may be refused. */
export type UploadDevlogRefusal =
  | Refused<401, 'Not authorized user'>
  | Refused<404, 'Not Found Device'>
  | Refused<409, 'Not Connected Device'>
  | SessionRefusal
  | GenericRefusal
/** How `devlogs.delete` may be refused. */
export type DeleteDevlogRefusal =
  | Refused<404, 'Device Log not found'>
  | Refused<500, 'Internal error while deleting device logs'>
  | GenericRefusal
/** How `devlogs.history` may be refused. */
export type HistoryDevlogRefusal =
  | Refused<400, 'Invalid mode'>
  | Refused<422, 'select_data for mode 0 (week) must be between 0 and 54'>
  | Refused<422, 'select_data for mode 1 (month) must be between 0 and 12'>
  | Refused<422, 'select_data for mode 2 (quarter) must be between 0 and 4'>
  | Refused<422, 'The year must be between 1 and 9999'>
  | GenericRefusal
/** How `devlogs.detail` may be refused. */
export type DetailDevlogRefusal = Refused<400, 'Failed to read detail event'> | GenericRefusal
/** How `devlogs.export` may be refused. */
export type ExportDevlogRefusal =
  | Refused<404, 'Device Log not found'>
  | Refused<500, 'Internal error while deleting device logs'>
  | GenericRefusal
/** How `treatments.list` may be refused. */
export type ListTreatmentRefusal = Refused<401, 'Not authorized user'> | SessionRefusal | GenericRefusal
/** How `charts.recent` may be refused. */
export type RecentChartRefusal =
  | Refused<400, 'Invalid mode. Use 0 for recent 7 days or 1 for recent 30 days'>
  | Refused<401, 'Not authorized user'>
  | SessionRefusal
  | GenericRefusal
/** How `charts.analysis` may be refused. */
export type AnalysisChartRefusal =
  | Refused<400, 'Invalid mode. Use 0 for recent 7 days or 1 for recent 30 days'>
  | Refused<401, 'Not authorized user'>
  | Refused<403, 'Device not found'>
  | Refused<404, 'This device does not belong to the user'>
  | SessionRefusal
  | GenericRefusal
/** How `surveys.submit` may be refused. */
export type SubmitSurveyRefusal = Refused<401, 'Not authorized user'> | SessionRefusal | GenericRefusal
/** How `surveys.latest` may be refused. */
export type LatestSurveyRefusal = Refused<401, 'Not authorized user'> | SessionRefusal | GenericRefusal
/** How `calendar.history` may be refused. */
export type HistoryCalendarRefusal =
  | Refused<400, 'Invalid mode'>
  | Refused<401, 'Not authorized user'>
  | Refused<422, 'select_data for mode 0 (week) must be between 0 and 54'>
  | Refused<422, 'select_data for mode 1 (month) must be between 0 and 12'>
  | Refused<422, 'select_data for mode 2 (quarter) must be between 0 and 4'>
  | Refused<422, 'The year must be between 1 and 9999'>
  | SessionRefusal
  | GenericRefusal
/** How `calendar.readDay` may be refused. */
export type ReadDayRefusal =
  | Refused<400, 'Failed to read detail event'>
  | Refused<401, 'Not authorized user'>
  | SessionRefusal
  | GenericRefusal
/** How `calendar.saveEvent` may be refused. */
export type SaveEventRefusal =
  | Refused<400, 'Failed to store user event'>
  | Refused<401, 'Not authorized user'>
  | Refused<404, 'Event not found'>
  | Refused<404, 'Real User id is not valid'>
  | Refused<412, 'Event was changed meanwhile'>
  | SessionRefusal
  | GenericRefusal
/** How `reports.pdf` may be refused. */
export type PdfReportRefusal =
  | Refused<401, 'Not authorized user'>
  | Refused<403, 'This device does not belong to the user'>
  | Refused<404, 'Real user is not found'>
  | Refused<404, 'Device not found'>
  | SessionRefusal
  | GenericRefusal
/** How `reports.exportPdf` may be refused. */
export type ExportPdfRefusal =
  | Refused<401, 'Not authorized user'>
  | Refused<403, 'This device does not belong to the user'>
  | Refused<404, 'Real user is not found'>
  | Refused<404, 'Device not found'>
  | SessionRefusal
  | GenericRefusal
/** How `shares.invite` may be refused. */
export type InviteShareRefusal =
  | Refused<400, 'Email is not valid'>
  | Refused<401, 'Not authorized user'>
  | Refused<404, 'Real user is not found'>
  | Refused<409, 'Already shared'>
  | Refused<500, 'Email send failed'>
  | SessionRefusal
  | GenericRefusal
/** How `shares.accept` may be refused. */
export type AcceptShareRefusal =
  | Refused<400, 'Invitation is invalid'>
  | Refused<409, 'Already shared'>
  | SessionRefusal
  | GenericRefusal
/** How `shares.list` may be refused. */
export type ListShareRefusal = Refused<401, 'Not authorized user'> | SessionRefusal | GenericRefusal
/** How `shares.withdraw` may be refused. */
export type WithdrawShareRefusal = Refused<404, 'Invitation not found'> | SessionRefusal | GenericRefusal
/** How `shares.end` may be refused. */
export type EndShareRefusal = Refused<404, 'Share not found'> | SessionRefusal | GenericRefusal
/** How `shares.access` may be refused. */
export type AccessShareRefusal = Refused<401, 'Not authorized user'> | SessionRefusal | GenericRefusal
/** How `grants.list` may be refused. */
export type ListGrantRefusal = SessionRefusal | GenericRefusal
/** How `grants.end` may be refused. */
export type EndGrantRefusal = Refused<404, 'Grant not found'> | SessionRefusal | GenericRefusal
/** How `changes.list` may be refused. */
export type ListChangeRefusal = Refused<410, 'Cursor is expired'> | SessionRefusal | GenericRefusal
/** How `webhooks.create` may be refused. */
export type CreateWebhookRefusal =
  | Refused<409, 'Too many webhooks'>
  | Refused<409, 'Webhook verification failed'>
  | SessionRefusal
  | GenericRefusal
/** How `webhooks.list` may be refused. */
export type ListWebhookRefusal = SessionRefusal | GenericRefusal
/** How `webhooks.delete` may be refused. */
export type DeleteWebhookRefusal = Refused<404, 'Webhook not found'> | SessionRefusal | GenericRefusal
/** How `webhooks.rotateSecret` may be refused. */
export type RotateSecretRefusal = Refused<404, 'Webhook not found'> | SessionRefusal | GenericRefusal
/** How `webhooks.enable` may be refused. */
export type EnableWebhookRefusal =
  | Refused<404, 'Webhook not found'>
  | Refused<409, 'Webhook verification failed'>
  | SessionRefusal
  | GenericRefusal
/** How an operation that needs a session may be refused without one, or for its account. */
export type SessionRefusal =
  | Refused<401, 'Could not validate credentials'>
  | Refused<401, 'Token is expired'>
  | Refused<403, 'Insufficient scope'>
  | Refused<401, 'User is None'>
  | Refused<401, 'User is Deleted'>
  | Refused<423, 'Access denied. Account blocked'>
/** How any operation may be refused. */
export type GenericRefusal =
  | Refused<400, 'Request body is not valid JSON'>
  | Refused<404, 'Resource not found'>
  | Refused<405, 'Method Not Allowed'>
  | Refused<413, 'Request body is too large'>
  | Refused<415, 'Unsupported media type'>
  | Refused<426, 'Client version is not supported'>
  | Refused<429, 'Too many requests'>
  | Refused<500, 'Internal server error. Please try again later.'>
  | Refused<503, 'Part of the service is not available. Please try again later.'>
  | Refused<422, ValidationIssue[]>
