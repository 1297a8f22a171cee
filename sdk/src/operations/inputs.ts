/* Made of server/openapi.json and sdk/generator/special-operations.ts by `pnpm generate`: change it there. */

import type { inferRouterInputs } from '@trpc/server'
import type { AppRouter } from '@companion/server/router'

type Inputs = inferRouterInputs<AppRouter>

export type SendSmsCodeInput = Inputs['auth']['sendSmsCode']
export type VerifyPhoneInput = Inputs['auth']['verifyPhone']
export type SignInInput = Inputs['auth']['signIn']
export type RequestPasswordResetInput = Inputs['auth']['requestPasswordReset']
export type ConfirmPasswordResetInput = Inputs['auth']['confirmPasswordReset']
export type FindAccountInput = Inputs['auth']['findAccount']
export type SocialSignInInput = Inputs['auth']['socialSignIn']
export type UpdateAccountInput = Inputs['account']['update']
export type UpdatePolicyInput = Inputs['account']['updatePolicy']
export type GiveConsentInput = Inputs['account']['giveConsent']
export type SetPushTokenInput = Inputs['account']['setPushToken']
export type UpdateNotificationsInput = Inputs['account']['updateNotifications']
export type ChangePasswordInput = Inputs['account']['changePassword']
export type ChangePhoneInput = Inputs['account']['changePhone']
export type CreateChildInput = Inputs['children']['create']
export type ReadChildInput = Inputs['children']['read']
export type DeleteChildInput = Inputs['children']['delete']
export type ConnectDeviceInput = Inputs['devices']['connect']
export type RenameDeviceInput = Inputs['devices']['rename']
export type DisconnectDeviceInput = Inputs['devices']['disconnect']
export type ConnectBasestationInput = Inputs['basestations']['connect']
export type DisconnectBasestationInput = Inputs['basestations']['disconnect']
export type SubmitSurveyInput = Inputs['surveys']['submit']
export type ReadDayInput = Inputs['calendar']['readDay']
export type InviteShareInput = Inputs['shares']['invite']
export type AcceptShareInput = Inputs['shares']['accept']
export type ListShareInput = Inputs['shares']['list']
export type WithdrawShareInput = Inputs['shares']['withdraw']
export type EndShareInput = Inputs['shares']['end']
export type AccessShareInput = Inputs['shares']['access']
export type EndGrantInput = Inputs['grants']['end']
