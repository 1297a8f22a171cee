import { rawOptions } from '../call-options.ts'
import type { CallOptions } from '../call-options.ts'
import { bearer } from '../session-link.ts'
import type {
  CompanionTrpc,
  ConfirmPasswordResetInput,
  FindAccountInput,
  RequestPasswordResetInput,
  SocialSignInInput,
  SocialSignUpInput,
  SendSmsCodeInput,
  SignInInput,
  SignUpInput,
  VerifyPhoneInput,
} from '../types.ts'

export const authOperations = (trpc: CompanionTrpc) => ({
  /**
   * Sends a verification code by SMS. Contract: Authentication endpoints, send-sms-auth.
   *
   * The code has 6 digits and lives 180 seconds; a new one replaces it. A number is sent 3 codes at once, then one a
   * minute, 5 an hour.
   *
   * @param input `phone` as E.164 (`+821012345678`); `purpose` `signup` (default, also for a new number of an account)
   * or `recovery` (for a number that has an account)
   * @returns always `true`
   * @throws 400 `Phone number is invalid`
   * @throws 409 `Phone number is already registered` (only for `signup`)
   * @throws 409 `Failed to send SMS`
   * @throws 429 `Too many requests`
   */
  sendSmsCode: (input: SendSmsCodeInput, options?: CallOptions) =>
    trpc.auth.sendSmsCode.mutate(input, rawOptions(options)),

  /**
   * Verifies a phone number with the code sent to it. Contract: Authentication endpoints, phone-number-validation.
   *
   * A code may be tried 5 times and a number 10 times an hour.
   *
   * @param input `phone` as E.164, `validnum` the 6 digits
   * @returns `valid_token`, for `signUp` within 600 seconds
   * @throws 400 `Validation code is expired`
   * @throws 400 `Validation code is invalid`
   * @throws 403 `User previously deleted`
   * @throws 409 `Phone number is already registered`
   * @throws 429 `Too many requests`
   */
  verifyPhone: (input: VerifyPhoneInput, options?: CallOptions) =>
    trpc.auth.verifyPhone.mutate(input, rawOptions(options)),

  /**
   * Makes an account and signs in to it; the session is saved before this resolves. Contract: Authentication endpoints,
   * email/signup.
   *
   * @param input the answer of `verifyPhone` together with the account's data:
   * `signUp({ ...verified, email, password, … })`. `password` has 8 to 128 characters, `first_name` is the full name,
   * `last_name` an empty string, `birthdate` is `yyyymmdd`, `gender` `M`, `F` or `P` (prefer not to say), `phone` the
   * verified number, `register_type` `E` (e-mail), `national_code` ISO 3166-1 alpha-2 (`KR`)
   * @throws 400 `Email is not valid`
   * @throws 401 `Token is invalid`: the `valid_token` is older than 600 seconds, used or for another phone; verify again
   * @throws 409 `Same email is already registered`
   * @throws 500 `Failed to sign up user`
   */
  signUp: ({ valid_token, ...input }: SignUpInput, options?: CallOptions) =>
    trpc.auth.signUp.mutate(input, rawOptions(options, bearer(valid_token))),

  /**
   * Signs in with e-mail and password; the session is saved before this resolves, in place of an earlier one. Contract:
   * Authentication endpoints, email/signin.
   *
   * An account has one session: on its other phone, `onSignedOut('duplicate_login')` follows within 15 minutes.
   *
   * @param input `username` is the e-mail address, in any case
   * @throws 400 `Password is invalid`
   * @throws 401 `Sign-up not completed`
   * @throws 403 `SMS verification required`
   * @throws 404 `User not found`
   * @throws 410 `User is Deleted`
   * @throws 423 `Access denied. Account blocked`
   * @throws 429 `Too many requests`: after 10 wrong passwords in 15 minutes
   */
  signIn: (input: SignInInput, options?: CallOptions) => trpc.auth.signIn.mutate(input, rawOptions(options)),

  /**
   * Makes an account that signs in with a social provider, and signs in to it. Like `signUp`, without a password.
   *
   * @param input as of `signUp`, and `provider` (a name the service is configured with), its `id_token` and the `nonce`
   * that was asked for, if any
   * @throws 400 `Email is not valid`
   * @throws 401 `Token is invalid`: the `valid_token`; verify the phone again
   * @throws 401 `Could not validate credentials`: the ID token
   * @throws 409 `Same email is already registered`, or the social account is
   * @throws 500 `Failed to sign up user`
   * @throws 503 `Sign-in provider is not available`
   */
  socialSignUp: ({ valid_token, ...input }: SocialSignUpInput, options?: CallOptions) =>
    trpc.auth.socialSignUp.mutate(input, rawOptions(options, bearer(valid_token))),

  /**
   * Signs in with the ID token of a social provider. Like `signIn`.
   *
   * @param input `provider`, a name the service is configured with; its `id_token`; the `nonce` that was asked for: needed
   * when the token has one
   * @throws 401 `Could not validate credentials`: the ID token
   * @throws 401 `Sign-up not completed`
   * @throws 403 `SMS verification required`
   * @throws 404 `User not found`: nobody signed up with this social account
   * @throws 410 `User is Deleted`
   * @throws 423 `Access denied. Account blocked`
   * @throws 503 `Sign-in provider is not available`
   */
  socialSignIn: (input: SocialSignInInput, options?: CallOptions) =>
    trpc.auth.socialSignIn.mutate(input, rawOptions(options)),

  /**
   * Ends the session at the service, which forgets the push token too, and on this phone: `onSignedOut('signed_out')`.
   * Without network it fails and the session stays; `session.signOut()` then forgets it on this phone alone.
   *
   * @throws 401 and 423 when the session has ended; see `isSignedOut`
   */
  signOut: (options?: CallOptions) => trpc.auth.signOut.mutate({}, rawOptions(options)),

  /**
   * Sends a mail with a link to a page that sets a new password. The link works once, within 30 minutes. Contract:
   * Authentication endpoints, Password reset.
   *
   * @throws 400 `User signed up using a social account`
   * @throws 404 `User ID not found`
   * @throws 429 `Too many requests`: after 3 mails in an hour
   * @throws 500 `Email send failed`
   */
  requestPasswordReset: (input: RequestPasswordResetInput, options?: CallOptions) =>
    trpc.auth.requestPasswordReset.mutate(input, rawOptions(options)),

  /**
   * Sets a new password with the `token` of the mailed link, for apps that open the link themselves; every session of the
   * account ends.
   *
   * @param input `password` of 8 to 128 characters
   * @throws 400 `Reset token is invalid`: unknown, used or older than 30 minutes
   */
  confirmPasswordReset: (input: ConfirmPasswordResetInput, options?: CallOptions) =>
    trpc.auth.confirmPasswordReset.mutate(input, rawOptions(options)),

  /**
   * The e-mail of the account that holds a phone number. Call `sendSmsCode` with `purpose: 'recovery'` first. Contract:
   * Authentication endpoints, Account recovery.
   *
   * @param input `phone` as E.164, `validnum` the 6 digits
   * @returns `provider` is `email`, or the social provider to sign in with
   * @throws 400 `Validation code is expired`
   * @throws 400 `Validation code is invalid`
   * @throws 403 `User previously deleted`
   * @throws 404 `User id is not found`
   * @throws 429 `Too many requests`: after 10 wrong codes in an hour
   */
  findAccount: (input: FindAccountInput, options?: CallOptions) =>
    trpc.auth.findAccount.mutate(input, rawOptions(options)),
})
