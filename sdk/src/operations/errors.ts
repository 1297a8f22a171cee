/* Made of server/openapi.json and sdk/generator/special-operations.ts by `pnpm generate`: change it there. */

import type { ErrorResponse } from '../companion-error.ts'
import type { ValidationIssue } from '../types.ts'

/** How `auth.listPhoneCountries` may be refused. */
export type ListPhoneCountriesError = GenericError
/** How `auth.sendSmsCode` may be refused. */
export type SendSmsCodeError =
  | ErrorResponse<400, 'Phone number is invalid'>
  | ErrorResponse<409, 'Phone number is already registered'>
  | ErrorResponse<409, 'Failed to send SMS'>
  | GenericError
/** How `auth.verifyPhone` may be refused. */
export type VerifyPhoneError =
  | ErrorResponse<400, 'Phone number is invalid'>
  | ErrorResponse<400, 'Validation code is expired'>
  | ErrorResponse<400, 'Validation code is invalid'>
  | ErrorResponse<403, 'User previously deleted'>
  | ErrorResponse<409, 'Phone number is already registered'>
  | GenericError
/** How `auth.signUp` may be refused. */
export type SignUpError =
  | ErrorResponse<400, 'Phone number is invalid'>
  | ErrorResponse<400, 'Email is not valid'>
  | ErrorResponse<401, 'Token is invalid'>
  | ErrorResponse<409, 'Same email is already registered'>
  | ErrorResponse<500, 'Failed to sign up user'>
  | GenericError
/** How `auth.signIn` may be refused. */
export type SignInError =
  | ErrorResponse<400, 'Password is invalid'>
  | ErrorResponse<401, 'Sign-up not completed'>
  | ErrorResponse<403, 'SMS verification required'>
  | ErrorResponse<404, 'User not found'>
  | ErrorResponse<410, 'User is Deleted'>
  | ErrorResponse<423, 'Access denied. Account blocked'>
  | GenericError
/** How `auth.refresh` may be refused. */
export type RefreshAuthError =
  | ErrorResponse<401, 'Could not validate credentials'>
  | ErrorResponse<401, 'Token is expired'>
  | ErrorResponse<401, 'Refresh token is not valid'>
  | GenericError
/** How `auth.signOut` may be refused. */
export type SignOutError = SessionError | GenericError
/** How `auth.requestPasswordReset` may be refused. */
export type RequestPasswordResetError =
  | ErrorResponse<400, 'User signed up using a social account'>
  | ErrorResponse<404, 'User ID not found'>
  | ErrorResponse<500, 'Email send failed'>
  | GenericError
/** How `auth.confirmPasswordReset` may be refused. */
export type ConfirmPasswordResetError =
  | ErrorResponse<400, 'Reset token is invalid'>
  | ErrorResponse<400, 'Validation code is expired'>
  | ErrorResponse<400, 'Validation code is invalid'>
  | GenericError
/** How `auth.confirmEmail` may be refused. */
export type ConfirmEmailError =
  | ErrorResponse<400, 'Confirmation token is invalid'>
  | ErrorResponse<409, 'Same email is already registered'>
  | GenericError
/** How `auth.findAccount` may be refused. */
export type FindAccountError =
  | ErrorResponse<400, 'Phone number is invalid'>
  | ErrorResponse<400, 'Validation code is expired'>
  | ErrorResponse<400, 'Validation code is invalid'>
  | ErrorResponse<403, 'User previously deleted'>
  | ErrorResponse<404, 'User id is not found'>
  | GenericError
/** How `auth.socialSignIn` may be refused. */
export type SocialSignInError =
  | ErrorResponse<401, 'Sign-up not completed'>
  | ErrorResponse<401, 'Could not validate credentials'>
  | ErrorResponse<403, 'SMS verification required'>
  | ErrorResponse<404, 'User not found'>
  | ErrorResponse<410, 'User is Deleted'>
  | ErrorResponse<423, 'Access denied. Account blocked'>
  | ErrorResponse<503, 'Sign-in provider is not available'>
  | GenericError
/** How `auth.socialSignUp` may be refused. */
export type SocialSignUpError =
  | ErrorResponse<400, 'Phone number is invalid'>
  | ErrorResponse<400, 'Email is not valid'>
  | ErrorResponse<401, 'Token is invalid'>
  | ErrorResponse<401, 'Could not validate credentials'>
  | ErrorResponse<409, 'Same email is already registered'>
  | ErrorResponse<500, 'Failed to sign up user'>
  | ErrorResponse<503, 'Sign-in provider is not available'>
  | GenericError
/** How `auth.openClinicianInvitation` may be refused. */
export type OpenClinicianInvitationError = ErrorResponse<400, 'Invitation is invalid'> | GenericError
/** How `auth.clinicianSignUp` may be refused. */
export type ClinicianSignUpError =
  | ErrorResponse<400, 'Invitation is invalid'>
  | ErrorResponse<400, 'Passkey is not valid'>
  | ErrorResponse<423, 'Access denied. Account blocked'>
  | GenericError
/** How `auth.passkeySignInOptions` may be refused. */
export type PasskeySignInOptionsError = GenericError
/** How `auth.passkeySignIn` may be refused. */
export type PasskeySignInError =
  | ErrorResponse<401, 'Could not validate credentials'>
  | ErrorResponse<423, 'Access denied. Account blocked'>
  | GenericError
/** How `account.me` may be refused. */
export type MeAccountError = SessionError | GenericError
/** How `account.update` may be refused. */
export type UpdateAccountError = ErrorResponse<401, 'Not authorized user'> | SessionError | GenericError
/** How `account.delete` may be refused. */
export type DeleteAccountError =
  | ErrorResponse<401, 'Not authorized user'>
  | ErrorResponse<404, 'Sign in type is not found'>
  | SessionError
  | GenericError
/** How `account.updatePolicy` may be refused. */
export type UpdatePolicyError =
  | ErrorResponse<401, 'Not authorized user'>
  | ErrorResponse<404, 'User not found'>
  | ErrorResponse<404, 'User policy not found'>
  | ErrorResponse<409, 'User policy update failed'>
  | SessionError
  | GenericError
/** How `account.giveConsent` may be refused. */
export type GiveConsentError = ErrorResponse<401, 'Not authorized user'> | SessionError | GenericError
/** How `account.listConsents` may be refused. */
export type ListConsentsError = ErrorResponse<401, 'Not authorized user'> | SessionError | GenericError
/** How `account.exportData` may be refused. */
export type ExportDataError =
  | ErrorResponse<400, 'Password is invalid'>
  | ErrorResponse<401, 'Not authorized user'>
  | ErrorResponse<404, 'Real user is not found'>
  | SessionError
  | GenericError
/** How `account.setPushToken` may be refused. */
export type SetPushTokenError =
  | ErrorResponse<400, 'Push permisson denied'>
  | ErrorResponse<401, 'Not authorized user'>
  | ErrorResponse<409, 'User push token update failed'>
  | SessionError
  | GenericError
/** How `account.updateNotifications` may be refused. */
export type UpdateNotificationsError =
  | ErrorResponse<401, 'Not authorized user'>
  | ErrorResponse<404, 'User not found'>
  | ErrorResponse<409, 'User notification update failed'>
  | SessionError
  | GenericError
/** How `account.changePassword` may be refused. */
export type ChangePasswordError =
  | ErrorResponse<400, 'Password is invalid'>
  | ErrorResponse<401, 'Not authorized user'>
  | SessionError
  | GenericError
/** How `account.changePhone` may be refused. */
export type ChangePhoneError =
  | ErrorResponse<400, 'Phone number is invalid'>
  | ErrorResponse<400, 'Password is invalid'>
  | ErrorResponse<400, 'Validation code is expired'>
  | ErrorResponse<400, 'Validation code is invalid'>
  | ErrorResponse<401, 'Not authorized user'>
  | ErrorResponse<403, 'User previously deleted'>
  | ErrorResponse<409, 'Phone number is already registered'>
  | SessionError
  | GenericError
/** How `account.sendEmailConfirmation` may be refused. */
export type SendEmailConfirmationError =
  | ErrorResponse<401, 'Not authorized user'>
  | ErrorResponse<500, 'Email send failed'>
  | SessionError
  | GenericError
/** How `account.changeEmail` may be refused. */
export type ChangeEmailError =
  | ErrorResponse<400, 'Email is not valid'>
  | ErrorResponse<400, 'Password is invalid'>
  | ErrorResponse<401, 'Not authorized user'>
  | ErrorResponse<409, 'Same email is already registered'>
  | ErrorResponse<500, 'Email send failed'>
  | ErrorResponse<503, 'Sign-in provider is not available'>
  | SessionError
  | GenericError
/** How `account.listPasskeys` may be refused. */
export type ListPasskeysError = ErrorResponse<401, 'Not authorized user'> | SessionError | GenericError
/** How `account.addPasskey` may be refused. */
export type AddPasskeyError =
  | ErrorResponse<400, 'Passkey is not valid'>
  | ErrorResponse<401, 'Not authorized user'>
  | SessionError
  | GenericError
/** How `account.newPasskeyOptions` may be refused. */
export type NewPasskeyOptionsError = ErrorResponse<401, 'Not authorized user'> | SessionError | GenericError
/** How `account.removePasskey` may be refused. */
export type RemovePasskeyError =
  | ErrorResponse<401, 'Not authorized user'>
  | ErrorResponse<404, 'Passkey not found'>
  | ErrorResponse<409, 'Last passkey'>
  | SessionError
  | GenericError
/** How `children.create` may be refused. */
export type CreateChildError =
  | ErrorResponse<400, 'Serial code is not valid'>
  | ErrorResponse<401, 'Not authorized user'>
  | ErrorResponse<404, 'Not Found Device'>
  | ErrorResponse<409, 'Already Connected Device'>
  | ErrorResponse<409, 'Real user create failed'>
  | SessionError
  | GenericError
/** How `children.list` may be refused. */
export type ListChildError = ErrorResponse<401, 'Not authorized user'> | SessionError | GenericError
/** How `children.read` may be refused. */
export type ReadChildError =
  | ErrorResponse<401, 'Not authorized user'>
  | ErrorResponse<404, 'Real user is not found'>
  | SessionError
  | GenericError
/** How `children.update` may be refused. */
export type UpdateChildError =
  | ErrorResponse<401, 'Not authorized user'>
  | ErrorResponse<404, 'Real user is not found'>
  | SessionError
  | GenericError
/** How `children.delete` may be refused. */
export type DeleteChildError =
  | ErrorResponse<401, 'Not authorized user'>
  | ErrorResponse<404, 'Real user is not found'>
  | ErrorResponse<409, 'Real user delete failed'>
  | SessionError
  | GenericError
/** How `devices.list` may be refused. */
export type ListDeviceError = ErrorResponse<401, 'Not authorized user'> | SessionError | GenericError
/** How `devices.connect` may be refused. */
export type ConnectDeviceError =
  | ErrorResponse<400, 'Serial code is not valid'>
  | ErrorResponse<401, 'Not authorized user'>
  | ErrorResponse<404, 'Not Found Device'>
  | ErrorResponse<409, 'Already Connected Device'>
  | SessionError
  | GenericError
/** How `devices.rename` may be refused. */
export type RenameDeviceError =
  | ErrorResponse<401, 'Not authorized user'>
  | ErrorResponse<404, 'Not Found Device'>
  | SessionError
  | GenericError
/** How `devices.disconnect` may be refused. */
export type DisconnectDeviceError =
  | ErrorResponse<401, 'Not authorized user'>
  | ErrorResponse<404, 'Not Found Device'>
  | SessionError
  | GenericError
/** How `devices.time` may be refused. */
export type TimeDeviceError = GenericError
/** How `basestations.connect` may be refused. */
export type ConnectBasestationError =
  | ErrorResponse<400, 'Serial code is not valid'>
  | ErrorResponse<401, 'Not authorized user'>
  | ErrorResponse<404, 'Not Found Device'>
  | ErrorResponse<409, 'Already Connected Device'>
  | SessionError
  | GenericError
/** How `basestations.list` may be refused. */
export type ListBasestationError = ErrorResponse<401, 'Not authorized user'> | SessionError | GenericError
/** How `basestations.disconnect` may be refused. */
export type DisconnectBasestationError =
  | ErrorResponse<401, 'Not authorized user'>
  | ErrorResponse<403, 'This device does not belong to the user'>
  | ErrorResponse<404, 'Device not found'>
  | SessionError
  | GenericError
/** How `basestations.uploadEnvironment` may be refused. */
export type UploadEnvironmentError =
  | ErrorResponse<404, 'Not Found Device'>
  | ErrorResponse<409, 'Not Connected Device'>
  | GenericError
/** How `firmware.check` may be refused. */
export type CheckFirmwareError =
  | ErrorResponse<401, 'Not authorized user'>
  | ErrorResponse<404, 'Not Found Device'>
  | SessionError
  | GenericError
/** How `firmware.download` may be refused. */
export type DownloadFirmwareError =
  | ErrorResponse<401, 'Not authorized user'>
  | ErrorResponse<404, 'Not Found Device'>
  | ErrorResponse<404, 'Firmware not found'>
  | ErrorResponse<416, 'Range is not satisfiable'>
  | SessionError
  | GenericError
/** How `firmware.report` may be refused. */
export type ReportFirmwareError =
  | ErrorResponse<401, 'Not authorized user'>
  | ErrorResponse<404, 'Not Found Device'>
  | ErrorResponse<404, 'Firmware not found'>
  | SessionError
  | GenericError
/** How `firmware.checkAsDevice` may be refused. */
export type CheckAsDeviceError = ErrorResponse<404, 'Not Found Device'> | GenericError
/** How `firmware.downloadAsDevice` may be refused. */
export type DownloadAsDeviceError =
  | ErrorResponse<404, 'Not Found Device'>
  | ErrorResponse<404, 'Firmware not found'>
  | ErrorResponse<416, 'Range is not satisfiable'>
  | GenericError
/** How `firmware.reportAsDevice` may be refused. */
export type ReportAsDeviceError =
  | ErrorResponse<404, 'Not Found Device'>
  | ErrorResponse<404, 'Firmware not found'>
  | GenericError
/** How `devlogs.upload` may be refused. */
export type UploadDevlogError =
  | ErrorResponse<401, 'Not authorized user'>
  | ErrorResponse<404, 'Not Found Device'>
  | ErrorResponse<409, 'Not Connected Device'>
  | SessionError
  | GenericError
/** How `devlogs.delete` may be refused. */
export type DeleteDevlogError =
  | ErrorResponse<404, 'Device Log not found'>
  | ErrorResponse<500, 'Internal error while deleting device logs'>
  | GenericError
/** How `devlogs.history` may be refused. */
export type HistoryDevlogError =
  | ErrorResponse<400, 'Invalid mode'>
  | ErrorResponse<422, 'select_data for mode 0 (week) must be between 0 and 54'>
  | ErrorResponse<422, 'select_data for mode 1 (month) must be between 0 and 12'>
  | ErrorResponse<422, 'select_data for mode 2 (quarter) must be between 0 and 4'>
  | ErrorResponse<422, 'The year must be between 1 and 9999'>
  | GenericError
/** How `devlogs.detail` may be refused. */
export type DetailDevlogError = ErrorResponse<400, 'Failed to read detail event'> | GenericError
/** How `devlogs.export` may be refused. */
export type ExportDevlogError =
  | ErrorResponse<404, 'Device Log not found'>
  | ErrorResponse<500, 'Internal error while deleting device logs'>
  | GenericError
/** How `treatments.list` may be refused. */
export type ListTreatmentError = ErrorResponse<401, 'Not authorized user'> | SessionError | GenericError
/** How `charts.recent` may be refused. */
export type RecentChartError =
  | ErrorResponse<400, 'Invalid mode. Use 0 for recent 7 days or 1 for recent 30 days'>
  | ErrorResponse<401, 'Not authorized user'>
  | SessionError
  | GenericError
/** How `charts.recentByDate` may be refused. */
export type RecentByDateError =
  | ErrorResponse<400, 'Invalid mode. Use 0 for recent 7 days or 1 for recent 30 days'>
  | ErrorResponse<401, 'Not authorized user'>
  | SessionError
  | GenericError
/** How `charts.analysis` may be refused. */
export type AnalysisChartError =
  | ErrorResponse<400, 'Invalid mode. Use 0 for recent 7 days or 1 for recent 30 days'>
  | ErrorResponse<401, 'Not authorized user'>
  | ErrorResponse<403, 'Device not found'>
  | ErrorResponse<404, 'This device does not belong to the user'>
  | SessionError
  | GenericError
/** How `plans.list` may be refused. */
export type ListPlanError = ErrorResponse<401, 'Not authorized user'> | SessionError | GenericError
/** How `plans.set` may be refused. */
export type SetPlanError =
  | ErrorResponse<401, 'Not authorized user'>
  | ErrorResponse<409, 'Too many plans'>
  | SessionError
  | GenericError
/** How `plans.remove` may be refused. */
export type RemovePlanError =
  | ErrorResponse<401, 'Not authorized user'>
  | ErrorResponse<404, 'Plan not found'>
  | SessionError
  | GenericError
/** How `nights.insight` may be refused. */
export type InsightNightError = ErrorResponse<401, 'Not authorized user'> | SessionError | GenericError
/** How `surveys.submit` may be refused. */
export type SubmitSurveyError = ErrorResponse<401, 'Not authorized user'> | SessionError | GenericError
/** How `surveys.latest` may be refused. */
export type LatestSurveyError = ErrorResponse<401, 'Not authorized user'> | SessionError | GenericError
/** How `calendar.history` may be refused. */
export type HistoryCalendarError =
  | ErrorResponse<400, 'Invalid mode'>
  | ErrorResponse<401, 'Not authorized user'>
  | ErrorResponse<422, 'select_data for mode 0 (week) must be between 0 and 54'>
  | ErrorResponse<422, 'select_data for mode 1 (month) must be between 0 and 12'>
  | ErrorResponse<422, 'select_data for mode 2 (quarter) must be between 0 and 4'>
  | ErrorResponse<422, 'The year must be between 1 and 9999'>
  | SessionError
  | GenericError
/** How `calendar.readDay` may be refused. */
export type ReadDayError =
  | ErrorResponse<400, 'Failed to read detail event'>
  | ErrorResponse<401, 'Not authorized user'>
  | SessionError
  | GenericError
/** How `calendar.saveEvent` may be refused. */
export type SaveEventError =
  | ErrorResponse<400, 'Failed to store user event'>
  | ErrorResponse<401, 'Not authorized user'>
  | ErrorResponse<404, 'Event not found'>
  | ErrorResponse<404, 'Real User id is not valid'>
  | ErrorResponse<412, 'Event was changed meanwhile'>
  | SessionError
  | GenericError
/** How `reports.pdf` may be refused. */
export type PdfReportError =
  | ErrorResponse<401, 'Not authorized user'>
  | ErrorResponse<403, 'This device does not belong to the user'>
  | ErrorResponse<404, 'Real user is not found'>
  | ErrorResponse<404, 'Device not found'>
  | SessionError
  | GenericError
/** How `reports.exportPdf` may be refused. */
export type ExportPdfError =
  | ErrorResponse<401, 'Not authorized user'>
  | ErrorResponse<403, 'This device does not belong to the user'>
  | ErrorResponse<404, 'Real user is not found'>
  | ErrorResponse<404, 'Device not found'>
  | SessionError
  | GenericError
/** How `shares.invite` may be refused. */
export type InviteShareError =
  | ErrorResponse<400, 'Email is not valid'>
  | ErrorResponse<401, 'Not authorized user'>
  | ErrorResponse<404, 'Real user is not found'>
  | ErrorResponse<409, 'Already shared'>
  | ErrorResponse<500, 'Email send failed'>
  | SessionError
  | GenericError
/** How `shares.accept` may be refused. */
export type AcceptShareError =
  | ErrorResponse<400, 'Invitation is invalid'>
  | ErrorResponse<401, 'Not authorized user'>
  | ErrorResponse<409, 'Already shared'>
  | SessionError
  | GenericError
/** How `shares.list` may be refused. */
export type ListShareError = ErrorResponse<401, 'Not authorized user'> | SessionError | GenericError
/** How `shares.withdraw` may be refused. */
export type WithdrawShareError =
  | ErrorResponse<401, 'Not authorized user'>
  | ErrorResponse<404, 'Invitation not found'>
  | SessionError
  | GenericError
/** How `shares.end` may be refused. */
export type EndShareError =
  | ErrorResponse<401, 'Not authorized user'>
  | ErrorResponse<404, 'Share not found'>
  | SessionError
  | GenericError
/** How `shares.access` may be refused. */
export type AccessShareError = ErrorResponse<401, 'Not authorized user'> | SessionError | GenericError
/** How `shares.offerTransfer` may be refused. */
export type OfferTransferError =
  | ErrorResponse<400, 'Password is invalid'>
  | ErrorResponse<401, 'Not authorized user'>
  | ErrorResponse<404, 'Real user is not found'>
  | ErrorResponse<404, 'Share not found'>
  | ErrorResponse<409, 'Already offered'>
  | ErrorResponse<503, 'Sign-in provider is not available'>
  | SessionError
  | GenericError
/** How `shares.withdrawTransfer` may be refused. */
export type WithdrawTransferError =
  | ErrorResponse<401, 'Not authorized user'>
  | ErrorResponse<404, 'Transfer not found'>
  | SessionError
  | GenericError
/** How `shares.acceptTransfer` may be refused. */
export type AcceptTransferError =
  | ErrorResponse<401, 'Not authorized user'>
  | ErrorResponse<404, 'Transfer not found'>
  | SessionError
  | GenericError
/** How `clinics.find` may be refused. */
export type FindClinicError =
  | ErrorResponse<401, 'Not authorized user'>
  | ErrorResponse<404, 'Clinic not found'>
  | SessionError
  | GenericError
/** How `clinics.connect` may be refused. */
export type ConnectClinicError =
  | ErrorResponse<401, 'Not authorized user'>
  | ErrorResponse<404, 'Clinic not found'>
  | ErrorResponse<404, 'Real user is not found'>
  | ErrorResponse<409, 'Already shared'>
  | SessionError
  | GenericError
/** How `clinics.listConnections` may be refused. */
export type ListConnectionsError = ErrorResponse<401, 'Not authorized user'> | SessionError | GenericError
/** How `clinics.disconnect` may be refused. */
export type DisconnectClinicError = ErrorResponse<404, 'Connection not found'> | SessionError | GenericError
/** How `clinics.listMemberships` may be refused. */
export type ListMembershipsError = ErrorResponse<401, 'Not authorized user'> | SessionError | GenericError
/** How `clinics.listMembers` may be refused. */
export type ListMembersError =
  | ErrorResponse<401, 'Not authorized user'>
  | ErrorResponse<404, 'Clinic not found'>
  | SessionError
  | GenericError
/** How `clinics.inviteMember` may be refused. */
export type InviteMemberError =
  | ErrorResponse<400, 'Email is not valid'>
  | ErrorResponse<401, 'Not authorized user'>
  | ErrorResponse<404, 'Clinic not found'>
  | ErrorResponse<500, 'Email send failed'>
  | SessionError
  | GenericError
/** How `clinics.withdrawInvitation` may be refused. */
export type WithdrawInvitationError =
  | ErrorResponse<401, 'Not authorized user'>
  | ErrorResponse<404, 'Clinic not found'>
  | ErrorResponse<404, 'Invitation not found'>
  | SessionError
  | GenericError
/** How `clinics.removeMember` may be refused. */
export type RemoveMemberError =
  | ErrorResponse<401, 'Not authorized user'>
  | ErrorResponse<404, 'Clinic not found'>
  | ErrorResponse<404, 'Member not found'>
  | ErrorResponse<409, 'Last admin'>
  | SessionError
  | GenericError
/** How `clinics.listChildren` may be refused. */
export type ListChildrenError = ErrorResponse<404, 'Clinic not found'> | SessionError | GenericError
/** How `clinics.updatePlace` may be refused. */
export type UpdatePlaceError =
  | ErrorResponse<401, 'Not authorized user'>
  | ErrorResponse<404, 'Clinic not found'>
  | SessionError
  | GenericError
/** How `clinics.planNights` may be refused. */
export type PlanNightsError =
  | ErrorResponse<401, 'Not authorized user'>
  | ErrorResponse<404, 'Clinic not found'>
  | ErrorResponse<409, 'Too many plans'>
  | SessionError
  | GenericError
/** How `grants.list` may be refused. */
export type ListGrantError = ErrorResponse<401, 'Not authorized user'> | SessionError | GenericError
/** How `grants.end` may be refused. */
export type EndGrantError =
  | ErrorResponse<401, 'Not authorized user'>
  | ErrorResponse<404, 'Grant not found'>
  | SessionError
  | GenericError
/** How `changes.list` may be refused. */
export type ListChangeError =
  | ErrorResponse<401, 'Not authorized user'>
  | ErrorResponse<410, 'Cursor is expired'>
  | SessionError
  | GenericError
/** How `webhooks.create` may be refused. */
export type CreateWebhookError =
  | ErrorResponse<409, 'Too many webhooks'>
  | ErrorResponse<409, 'Already registered webhook'>
  | ErrorResponse<409, 'Webhook verification failed'>
  | SessionError
  | GenericError
/** How `webhooks.list` may be refused. */
export type ListWebhookError = SessionError | GenericError
/** How `webhooks.delete` may be refused. */
export type DeleteWebhookError = ErrorResponse<404, 'Webhook not found'> | SessionError | GenericError
/** How `webhooks.rotateSecret` may be refused. */
export type RotateSecretError = ErrorResponse<404, 'Webhook not found'> | SessionError | GenericError
/** How `webhooks.enable` may be refused. */
export type EnableWebhookError =
  | ErrorResponse<404, 'Webhook not found'>
  | ErrorResponse<409, 'Webhook verification failed'>
  | SessionError
  | GenericError
/** How `webhooks.ping` may be refused. */
export type PingWebhookError =
  | ErrorResponse<404, 'Webhook not found'>
  | ErrorResponse<409, 'Webhook verification failed'>
  | SessionError
  | GenericError
/** How an operation that needs a session may be refused without one, or for its account. */
export type SessionError =
  | ErrorResponse<401, 'Could not validate credentials'>
  | ErrorResponse<401, 'Token is expired'>
  | ErrorResponse<403, 'Insufficient scope'>
  | ErrorResponse<401, 'User is None'>
  | ErrorResponse<401, 'User is Deleted'>
  | ErrorResponse<423, 'Access denied. Account blocked'>
/** How any operation may be refused. */
export type GenericError =
  | ErrorResponse<400, 'Request body is not valid JSON'>
  | ErrorResponse<404, 'Resource not found'>
  | ErrorResponse<405, 'Method Not Allowed'>
  | ErrorResponse<409, 'Request is in progress'>
  | ErrorResponse<413, 'Request body is too large'>
  | ErrorResponse<415, 'Unsupported media type'>
  | ErrorResponse<422, 'Idempotency key was used for another request'>
  | ErrorResponse<426, 'Client version is not supported'>
  | ErrorResponse<429, 'Too many requests'>
  | ErrorResponse<500, 'Internal server error. Please try again later.'>
  | ErrorResponse<503, 'Part of the service is not available. Please try again later.'>
  | ErrorResponse<422, ValidationIssue[]>
