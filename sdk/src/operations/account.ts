import { rawOptions } from '../call-options.ts'
import type { CallOptions } from '../call-options.ts'
import type {
  ChangePasswordInput,
  ChangePhoneInput,
  CompanionTrpc,
  SetPushTokenInput,
  UpdateAccountInput,
  UpdateNotificationsInput,
  UpdatePolicyInput,
} from '../types.ts'

export const accountOperations = (trpc: CompanionTrpc) => ({
  /**
   * The signed-in account. Contract: User endpoints, user/me.
   *
   * @returns among others `birthdate` as `yyyymmdd`, `phone` as E.164, `national_code` as ISO 3166-1 alpha-2,
   * `need_to_pwd_change` true when the password is older than 3 months
   * @throws 401 and 423 when the session has ended; see `isSignedOut`
   */
  me: (options?: CallOptions) => trpc.account.me.query({}, rawOptions(options)),

  /**
   * Deletes the account, its children and what is known of them, for good; devices are disconnected. Then the session
   * is over: `onSignedOut('deleted')`. Contract: User endpoints, DELETE root-user.
   *
   * @throws 404 `Sign in type is not found`
   * @throws 401 and 423 when the session has ended; see `isSignedOut`
   */
  delete: (options?: CallOptions) => trpc.account.delete.mutate({}, rawOptions(options)),

  /**
   * Changes the profile; what is left out stays. Contract: User endpoints, PATCH root-user.
   *
   * @param input `birthdate` as `yyyymmdd`, `gender` `M`, `F`, `N` (non-binary) or `P` (prefer not to say)
   * @throws 401 and 423 when the session has ended; see `isSignedOut`
   */
  update: (input: UpdateAccountInput, options?: CallOptions) =>
    trpc.account.update.mutate(input, rawOptions(options)),

  /**
   * Gives or withdraws consent to push messages and marketing. Contract: User endpoints, PATCH policy.
   *
   * @param input agreeing to push needs a push token: one set before, or `push_token`
   * @returns the dates are ISO 8601 in UTC, null before the first consent
   * @throws 404 `User not found`
   * @throws 404 `User policy not found`
   * @throws 409 `User policy update failed`: there is no push token
   * @throws 401 and 423 when the session has ended; see `isSignedOut`
   */
  updatePolicy: (input: UpdatePolicyInput, options?: CallOptions) =>
    trpc.account.updatePolicy.mutate(input, rawOptions(options)),

  /**
   * Says where push messages reach this phone, after consent was given. Contract: User endpoints, push/set-token.
   *
   * @param input `token` of 16 to 4096 printable characters without spaces
   * @throws 400 `Push permisson denied`: no consent
   * @throws 409 `User push token update failed`: the form of the token
   * @throws 401 and 423 when the session has ended; see `isSignedOut`
   */
  setPushToken: (input: SetPushTokenInput, options?: CallOptions) =>
    trpc.account.setPushToken.mutate(input, rawOptions(options)),

  /**
   * Switches alerts on and off, all three at once. Contract: User endpoints, PATCH notification.
   *
   * @param input `is_device_muted`: no alerts of devices; `is_device_alim_talk_enabled`: a message in the messaging app
   * when electrodes lose contact; `is_basestation_alert_enabled`: alerts of the base station's sensors
   * @throws 404 `User not found`
   * @throws 409 `User notification update failed`
   * @throws 401 and 423 when the session has ended; see `isSignedOut`
   */
  updateNotifications: (input: UpdateNotificationsInput, options?: CallOptions) =>
    trpc.account.updateNotifications.mutate(input, rawOptions(options)),

  /**
   * Changes the password. This phone stays signed in, with new tokens that are saved before this resolves; everything
   * older is worthless.
   *
   * @param input `new_password` of 8 to 128 characters
   * @throws 400 `Password is invalid`: the current one
   * @throws 429 `Too many requests`
   * @throws 401 and 423 when the session has ended; see `isSignedOut`
   */
  changePassword: (input: ChangePasswordInput, options?: CallOptions) =>
    trpc.account.changePassword.mutate(input, rawOptions(options)),

  /**
   * Changes the phone number. Call `auth.sendSmsCode` for the new one first. Contract: User endpoints, change-phone.
   *
   * @param input `phone` as E.164, `validnum` the 6 digits
   * @throws 400 `Validation code is expired`
   * @throws 400 `Validation code is invalid`
   * @throws 403 `User previously deleted`
   * @throws 409 `Phone number is already registered`
   * @throws 429 `Too many requests`: after 10 wrong codes in an hour
   * @throws 401 and 423 when the session has ended; see `isSignedOut`
   */
  changePhone: (input: ChangePhoneInput, options?: CallOptions) =>
    trpc.account.changePhone.mutate(input, rawOptions(options)),
})
