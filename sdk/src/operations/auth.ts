/* Made of server/openapi.json and sdk/generator/special-operations.ts by `pnpm generate`: change it there. */

import type { CallOptions } from '../call-options.ts'
import {
  mutationMethod,
  mutationMethodWithoutInput,
  queryMethodWithoutInput,
  validTokenMutationMethod,
} from '../method-kinds.ts'
import type { MethodKind } from '../method-kinds.ts'
import type { CompanionCall } from '../safe.ts'
import type {
  Done,
  FoundAccount,
  Outputs,
  PhoneCountry,
  SignUpInput,
  SocialSignUpInput,
  TokenResponse,
  VerifiedPhone,
} from '../types.ts'
import type {
  ClinicianSignUpInput,
  ConfirmEmailInput,
  ConfirmPasswordResetInput,
  FindAccountInput,
  OpenClinicianInvitationInput,
  PasskeySignInInput,
  RequestPasswordResetInput,
  SendSmsCodeInput,
  SignInInput,
  SocialSignInInput,
  VerifyPhoneInput,
} from './inputs.ts'
import type {
  ClinicianSignUpError,
  ConfirmEmailError,
  ConfirmPasswordResetError,
  FindAccountError,
  ListPhoneCountriesError,
  OpenClinicianInvitationError,
  PasskeySignInError,
  PasskeySignInOptionsError,
  RequestPasswordResetError,
  SendSmsCodeError,
  SignInError,
  SignOutError,
  SignUpError,
  SocialSignInError,
  SocialSignUpError,
  VerifyPhoneError,
} from './errors.ts'

export interface AuthOperations {
  /**
   * The countries whose phone numbers get codes.
   *
   * For the form of a phone number. In the order in which the service names its countries. A number of any other
   * country is refused as invalid. The response may be cached for an hour.
   *
   * Nobody needs to be signed in.
   *
   * Contract: `GET /api/v1/alpha/auth/phone-country`.
   *
   * @returns for each:
   * - `country`: ISO 3166-1 alpha-2. Such as `KR`.
   * - `calling_code`: With which its numbers begin in E.164. Such as `+82`.
   * - `names`: Its names, for forms on engines that know none.
   * - `names.en`: In English. Such as `South Korea`.
   * - `names.ko`: In Korean. Such as `대한민국`.
   */
  listPhoneCountries: (options?: CallOptions) => CompanionCall<PhoneCountry[], ListPhoneCountriesError>

  /**
   * Send a verification code by SMS.
   *
   * The code has 6 digits and is valid for 180 seconds; a new code replaces it. A number gets at most 3 codes at once,
   * then one a minute, and 5 an hour. The text is Korean or English, by `Accept-Language` or else by the country of the
   * number, and ends so that phones fill the code in.
   *
   * Nobody needs to be signed in.
   *
   * Contract: `POST /api/v1/alpha/auth/send-sms-auth`.
   *
   * @param input
   * - `phone`: E.164. Such as `+821012345678`.
   * - `purpose`: `signup`: for a number that no account has yet, also the new number of an account; `recovery`: for any
   *   number. Default: "signup".
   * @returns Always true.
   * @throws 400 `Phone number is invalid`: it is not the E.164 spelling of a number that its country assigns, or its
   * country is not served
   * @throws 409 `Phone number is already registered`: `purpose` is `signup`, and an account has this number
   * @throws 409 `Failed to send SMS`: the provider failed, and the code is void
   * @throws 429 `Too many requests`: too many codes for one number, for numbers next to it, from one IP address, or to
   * a country where few are entered
   */
  sendSmsCode: (input: SendSmsCodeInput, options?: CallOptions) => CompanionCall<boolean, SendSmsCodeError>

  /**
   * Verify a phone number with the code sent to it.
   *
   * A code may be tried 5 times. The phone of an imported account that waited only for this is verified, and the
   * account becomes active.
   *
   * Nobody needs to be signed in.
   *
   * Contract: `POST /api/v1/alpha/auth/phone-number-validation`.
   *
   * @param input
   * - `phone`: E.164. Such as `+821012345678`.
   * - `validnum`: The 6-digit code. Such as `012345`. At most 200 characters.
   * @returns A phone number that was verified.
   * - `valid_token`: For one sign-up with this number, within 600 seconds.
   * - `country`: The country of the number, ISO 3166-1 alpha-2; null if nobody knows. Such as `KR`.
   * @throws 400 `Phone number is invalid`: it is not the E.164 spelling of a number that its country assigns
   * @throws 400 `Validation code is expired`: the code is older than 180 seconds
   * @throws 400 `Validation code is invalid`: the code is wrong, used, replaced by a newer one, or was tried too often
   * @throws 403 `User previously deleted`: a deleted account had this number
   * @throws 409 `Phone number is already registered`: an account has this number
   * @throws 429 `Too many requests`: 10 wrong codes for this number within an hour
   */
  verifyPhone: (
    input: VerifyPhoneInput,
    options?: CallOptions,
  ) => CompanionCall<VerifiedPhone, VerifyPhoneError>

  /**
   * Sign up with e-mail and password.
   *
   * An account that the operator has imported and nobody has taken yet is completed instead. A sign-up that fails
   * leaves the `valid_token` usable.
   *
   * Put the response of `auth.verifyPhone` and the data of the account together:
   * `signUp({ ...verified, email, password, … })`. The session is saved on this phone before the call resolves, in
   * place of an earlier one.
   *
   * Contract: `POST /api/v1/alpha/auth/email/signup`.
   *
   * @param input
   * - `valid_token`: The `valid_token` that `auth.verifyPhone` has answered. It is for sign-up, works once, and lives
   *   600 seconds.
   * - `email`: Such as `parent@example.com`.
   * - `first_name`: The full name. 1 to 100 characters.
   * - `last_name`: Deprecated. Send an empty string. At most 100 characters.
   * - `birthdate`: `yyyymmdd`. Such as `20150131`.
   * - `gender`: `M`: male, `F`: female, `P`: prefers not to say.
   * - `phone`: E.164. Such as `+821012345678`.
   * - `register_type`: `E`: by e-mail, `S`: by a social provider.
   * - `is_push_agree`: Consent to push messages.
   * - `is_marketing_agree`: Consent to marketing.
   * - `national_code`: ISO 3166-1 alpha-2. Such as `KR`.
   * - `password`: 8 to 128 characters.
   * @returns the tokens, which the client keeps by itself
   * @throws 400 `Phone number is invalid`: it is not the E.164 spelling of a number that its country assigns
   * @throws 400 `Email is not valid`: it is not an e-mail address
   * @throws 401 `Token is invalid`: the `valid_token` is expired, used or of another phone; verify the phone again
   * @throws 409 `Same email is already registered`: an account has this e-mail, or a deleted one had it
   * @throws 500 `Failed to sign up user`: the database refused the account
   */
  signUp: (input: SignUpInput, options?: CallOptions) => CompanionCall<TokenResponse, SignUpError>

  /**
   * Sign in with e-mail and password.
   *
   * An account has one session: the refresh token of an earlier sign-in no longer works.
   *
   * On the account's other phone, `onSignedOut('duplicate_login')` follows within 15 minutes. The session is saved on
   * this phone before the call resolves, in place of an earlier one.
   *
   * Contract: `POST /api/v1/alpha/auth/email/signin`.
   *
   * @param input
   * - `username`: The e-mail address, in any case. Such as `parent@example.com`. At most 320 characters.
   * - `password`: At most 1,000 characters.
   * @returns the tokens, which the client keeps by itself
   * @throws 400 `Password is invalid`: the password is wrong, or the account has none
   * @throws 401 `Sign-up not completed`: the account was imported, and fields are missing
   * @throws 403 `SMS verification required`: the account was imported, and its phone is not verified
   * @throws 404 `User not found`: no account has this e-mail
   * @throws 410 `User is Deleted`: the account was deleted
   * @throws 423 `Access denied. Account blocked`: the operator has blocked the account
   * @throws 429 `Too many requests`: 10 wrong passwords within 15 minutes, 100 in a row from addresses that the account
   * is not known by, or 100 failures of one IP address within 10 minutes
   */
  signIn: (input: SignInInput, options?: CallOptions) => CompanionCall<TokenResponse, SignInError>

  /**
   * Sign out.
   *
   * Ends the session and every access token issued before, and forgets the push token.
   *
   * Without network the call fails and the session stays; `session.signOut()` then ends it on this phone alone. The
   * session on this phone ends too: `onSignedOut('signed_out')`.
   *
   * Contract: `POST /api/v1/alpha/auth/signout`.
   *
   * @throws 401 and 423 when the session has ended; see `isSignedOut`
   */
  signOut: (options?: CallOptions) => CompanionCall<Done, SignOutError>

  /**
   * Send a mail with a link for a new password.
   *
   * The link opens a page of this service and works once, within 30 minutes. The mail is Korean or English, in the
   * language that the holder of the account has chosen, or else by `Accept-Language` or the country of the account.
   *
   * Nobody needs to be signed in.
   *
   * Contract: `POST /api/v1/alpha/auth/email/password-reset`.
   *
   * @param input
   * - `email`: Such as `parent@example.com`. At most 320 characters.
   * @throws 400 `User signed up using a social account`: the account has no password
   * @throws 404 `User ID not found`: no account has this e-mail
   * @throws 429 `Too many requests`: 3 mails for one account within an hour, or 100 failures of one IP address within
   * 10 minutes
   * @throws 500 `Email send failed`: the mail server failed, and the link is void
   */
  requestPasswordReset: (
    input: RequestPasswordResetInput,
    options?: CallOptions,
  ) => CompanionCall<Done, RequestPasswordResetError>

  /**
   * Set a new password with the token of the mail.
   *
   * For an app that opens the link itself. Every session of the account ends, and every other link sent to it is void.
   * An account whose address is not confirmed yet needs the SMS code of its phone too, sent by `auth.sendSmsCode` with
   * `purpose` `recovery`; a refused code leaves the token good.
   *
   * Nobody needs to be signed in.
   *
   * Contract: `POST /api/v1/alpha/auth/email/password-reset/confirm`.
   *
   * @param input
   * - `token`: The parameter `token` of the link in the mail.
   * - `password`: 8 to 128 characters.
   * - `validnum`: The 6-digit code; needed while the address of the account is not confirmed. Such as `012345`. At most
   *   200 characters.
   * @throws 400 `Reset token is invalid`: it is unknown, used or older than 30 minutes
   * @throws 400 `Validation code is expired`: the code is older than 180 seconds
   * @throws 400 `Validation code is invalid`: the code is wrong, used, replaced by a newer one, or was tried too often
   * @throws 429 `Too many requests`: 10 wrong codes for this number within an hour
   */
  confirmPasswordReset: (
    input: ConfirmPasswordResetInput,
    options?: CallOptions,
  ) => CompanionCall<Done, ConfirmPasswordResetError>

  /**
   * Say whether an e-mail address is yours, with the token of the mail.
   *
   * For an app that opens the link itself; the link opens a page of this service that does it. `is_mine: true` proves
   * the address, and makes it the account's if the mail was sent for a change of address. `is_mine: false` frees it:
   * the account lives on without an address, and its holder or an operator sets another.
   *
   * Nobody needs to be signed in.
   *
   * Contract: `POST /api/v1/alpha/auth/email/confirm`.
   *
   * @param input
   * - `token`: The parameter `token` of the link in the mail. At most 200 characters.
   * - `is_mine`: Whether the address is the reader’s own.
   * @throws 400 `Confirmation token is invalid`: it is unknown, used, replaced or too old
   * @throws 409 `Same email is already registered`: another account took the address after the mail was sent
   */
  confirmEmail: (input: ConfirmEmailInput, options?: CallOptions) => CompanionCall<Done, ConfirmEmailError>

  /**
   * Find the e-mail of the account that holds a phone number.
   *
   * Call `auth.sendSmsCode` with `purpose` `recovery` first.
   *
   * Nobody needs to be signed in.
   *
   * Contract: `POST /api/v1/alpha/auth/find-account`.
   *
   * @param input
   * - `phone`: E.164. Such as `+821012345678`.
   * - `validnum`: The 6-digit code. Such as `012345`. At most 200 characters.
   * @returns How the account with this phone number signs in.
   * - `email`: The e-mail address.
   * - `provider`: The social provider of the account, or `email`. Such as `email`.
   * @throws 400 `Phone number is invalid`: it is not the E.164 spelling of a number that its country assigns
   * @throws 400 `Validation code is expired`: the code is older than 180 seconds
   * @throws 400 `Validation code is invalid`: the code is wrong, used, replaced by a newer one, or was tried too often
   * @throws 403 `User previously deleted`: a deleted account had this number
   * @throws 404 `User id is not found`: no account has this number
   * @throws 429 `Too many requests`: 10 wrong codes for this number within an hour
   */
  findAccount: (
    input: FindAccountInput,
    options?: CallOptions,
  ) => CompanionCall<FoundAccount, FindAccountError>

  /**
   * Sign in with a social account.
   *
   * The account is the one that signed up with the same identity: the issuer and subject of the ID token, never the
   * e-mail. An account has one session: the refresh token of an earlier sign-in no longer works.
   *
   * On the account's other phone, `onSignedOut('duplicate_login')` follows within 15 minutes. The session is saved on
   * this phone before the call resolves, in place of an earlier one.
   *
   * Contract: `POST /api/v1/alpha/auth/social/signin`.
   *
   * @param input
   * - `provider`: A name from the configuration of the service. Such as `google`. 1 to 32 characters.
   * - `id_token`: The ID token (OpenID Connect). At most 20,000 characters.
   * - `nonce`: Required when the ID token has a `nonce`, and equal to it. At most 200 characters.
   * @returns the tokens, which the client keeps by itself
   * @throws 401 `Sign-up not completed`: the account was imported, and fields are missing
   * @throws 401 `Could not validate credentials`: the ID token is not valid
   * @throws 403 `SMS verification required`: the account was imported, and its phone is not verified
   * @throws 404 `User not found`: nobody has signed up with this identity
   * @throws 410 `User is Deleted`: the account was deleted
   * @throws 423 `Access denied. Account blocked`: the operator has blocked the account
   * @throws 503 `Sign-in provider is not available`: the keys of its issuer are out of reach
   */
  socialSignIn: (
    input: SocialSignInInput,
    options?: CallOptions,
  ) => CompanionCall<TokenResponse, SocialSignInError>

  /**
   * Sign up with a social account.
   *
   * The account has no password. A social identity that is registered already is refused like an e-mail that is.
   *
   * Put the response of `auth.verifyPhone` and the data of the account together, as for `auth.signUp`. The session is
   * saved on this phone before the call resolves, in place of an earlier one.
   *
   * Contract: `POST /api/v1/alpha/auth/social/signup`.
   *
   * @param input
   * - `valid_token`: The `valid_token` that `auth.verifyPhone` has answered. It is for sign-up, works once, and lives
   *   600 seconds.
   * - `email`: Such as `parent@example.com`.
   * - `first_name`: The full name. 1 to 100 characters.
   * - `last_name`: Deprecated. Send an empty string. At most 100 characters.
   * - `birthdate`: `yyyymmdd`. Such as `20150131`.
   * - `gender`: `M`: male, `F`: female, `P`: prefers not to say.
   * - `phone`: E.164. Such as `+821012345678`.
   * - `register_type`: `E`: by e-mail, `S`: by a social provider.
   * - `is_push_agree`: Consent to push messages.
   * - `is_marketing_agree`: Consent to marketing.
   * - `national_code`: ISO 3166-1 alpha-2. Such as `KR`.
   * - `provider`: A name from the configuration of the service. Such as `google`. 1 to 32 characters.
   * - `id_token`: The ID token (OpenID Connect). At most 20,000 characters.
   * - `nonce`: Required when the ID token has a `nonce`, and equal to it. At most 200 characters.
   * @returns the tokens, which the client keeps by itself
   * @throws 400 `Phone number is invalid`: it is not the E.164 spelling of a number that its country assigns
   * @throws 400 `Email is not valid`: it is not an e-mail address
   * @throws 401 `Token is invalid`: the `valid_token` is expired, used or of another phone; verify the phone again
   * @throws 401 `Could not validate credentials`: the ID token is not valid
   * @throws 409 `Same email is already registered`: an account has this e-mail, or a deleted one had it
   * @throws 500 `Failed to sign up user`: the database refused the account
   * @throws 503 `Sign-in provider is not available`: the keys of its issuer are out of reach
   */
  socialSignUp: (
    input: SocialSignUpInput,
    options?: CallOptions,
  ) => CompanionCall<TokenResponse, SocialSignUpError>

  /**
   * Read an invitation to a clinic.
   *
   * The page of the link calls it, and makes a passkey by `options`, as `navigator.credentials.create()` takes them.
   * They are good for five minutes; the invitation stays open.
   *
   * Nobody needs to be signed in.
   *
   * Contract: `POST /api/v1/alpha/auth/clinician/invitation`.
   *
   * @param input
   * - `token`: The parameter `token` of the link in the mail. Such as `Zk3pYw9q`.
   * @returns An open invitation to work in a clinic.
   * - `email`: Where the mail went, and the name of the account. Such as `lee@clinic.example.org`.
   * - `clinic`: The clinic that invites.
   * - `clinic.clinic_id`: The id of the clinic.
   * - `clinic.name`: Its name. Such as `Seoul Sleep Clinic`.
   * - `challenge_id`: As it came with `options`. Such as `eyJhbGciOiJIUzI1NiJ9.….…`.
   * - `options`: `PublicKeyCredentialCreationOptionsJSON` of WebAuthn.
   * - `options.rp`: The service.
   * - `options.rp.id`: The host at which the passkey is good.
   * - `options.rp.name`: Of the service.
   * - `options.user`: The account.
   * - `options.user.id`: The same for all passkeys of the account, base64url.
   * - `options.user.name`: The e-mail of the account.
   * - `options.user.displayName`: Empty.
   * - `options.challenge`: What the authenticator signs, 256 bits, base64url.
   * - `options.pubKeyCredParams`: The signatures that are good, the preferred one first.
   * - `options.pubKeyCredParams[].alg`: By its number in COSE.
   * - `options.pubKeyCredParams[].type`: Always the same.
   * - `options.timeout`: Milliseconds.
   * - `options.excludeCredentials`: Passkeys of the account that are there: no authenticator should make another.
   * - `options.excludeCredentials[].id`: base64url.
   * - `options.excludeCredentials[].type`: Always the same.
   * - `options.authenticatorSelection`: What the authenticator must do.
   * - `options.authenticatorSelection.residentKey`: The authenticator keeps the account too.
   * - `options.authenticatorSelection.requireResidentKey`: The same for older browsers.
   * - `options.authenticatorSelection.userVerification`: The authenticator asks for a PIN, a finger or a face.
   * - `options.attestation`: Nobody need vouch for the authenticator.
   * @throws 400 `Invitation is invalid`: it is unknown, used, withdrawn or older than seven days
   * @throws 429 `Too many requests`: 100 failures of one IP address within 10 minutes
   */
  openClinicianInvitation: (
    input: OpenClinicianInvitationInput,
    options?: CallOptions,
  ) => CompanionCall<Outputs['auth']['openClinicianInvitation'], OpenClinicianInvitationError>

  /**
   * Accept an invitation to a clinic by a new passkey.
   *
   * Makes the account of a clinician, or gives the one with this e-mail the work in the clinic and another passkey, and
   * signs in. A parent's account with the same e-mail is another one, and is not touched.
   *
   * The session is saved on this phone before the call resolves, in place of an earlier one.
   *
   * Contract: `POST /api/v1/alpha/auth/clinician/signup`.
   *
   * @param input
   * - `token`: The parameter `token` of the link in the mail. Such as `Zk3pYw9q`.
   * - `challenge_id`: As it came with `options`. Such as `eyJhbGciOiJIUzI1NiJ9.….…`.
   * - `first_name`: The full name, as parents read it; a known account keeps its own. 1 to 100 characters.
   * - `credential`: `RegistrationResponseJSON` of WebAuthn: a new passkey.
   * - `credential.id`: Of the credential, base64url. At most 10,000 characters.
   * - `credential.rawId`: The same. At most 10,000 characters.
   * - `credential.type`: Always the same.
   * - `credential.clientExtensionResults`: Is not read.
   * - `credential.authenticatorAttachment`: Is not read.
   * - `credential.response`: What the authenticator has made.
   * - `credential.response.clientDataJSON`: What the browser says it was asked for, base64url. At most 10,000
   *   characters.
   * - `credential.response.attestationObject`: The new public key and who vouches for it, base64url. At most 10,000
   *   characters.
   * - `credential.response.transports`: How the authenticator may be reached. At most 20.
   * - `credential.response.authenticatorData`: Is not read.
   * - `credential.response.publicKey`: Is not read.
   * - `credential.response.publicKeyAlgorithm`: Is not read.
   * @returns the tokens, which the client keeps by itself
   * @throws 400 `Invitation is invalid`: it is unknown, used, withdrawn or older than seven days
   * @throws 400 `Passkey is not valid`: it does not verify, is known already, or its challenge was used or is older
   * than five minutes
   * @throws 423 `Access denied. Account blocked`: the operator has blocked the account
   * @throws 429 `Too many requests`: 100 failures of one IP address within 10 minutes
   */
  clinicianSignUp: (
    input: ClinicianSignUpInput,
    options?: CallOptions,
  ) => CompanionCall<TokenResponse, ClinicianSignUpError>

  /**
   * Begin a session by a passkey.
   *
   * For clinicians. `options` are what `navigator.credentials.get()` takes; they are good for five minutes, and nothing
   * is kept of them.
   *
   * Nobody needs to be signed in.
   *
   * Contract: `POST /api/v1/alpha/auth/passkey/options`.
   *
   * @returns How to sign in by a passkey.
   * - `challenge_id`: As it came with `options`. Such as `eyJhbGciOiJIUzI1NiJ9.….…`.
   * - `options`: `PublicKeyCredentialRequestOptionsJSON` of WebAuthn.
   * - `options.challenge`: What the authenticator signs, 256 bits, base64url.
   * - `options.rpId`: The host at which the passkey is good.
   * - `options.timeout`: Milliseconds.
   * - `options.userVerification`: The authenticator asks for a PIN, a finger or a face.
   */
  passkeySignInOptions: (
    options?: CallOptions,
  ) => CompanionCall<Outputs['auth']['passkeySignInOptions'], PasskeySignInOptionsError>

  /**
   * Open a session by a passkey.
   *
   * For clinicians. An account has one session: the refresh token of an earlier sign-in no longer works.
   *
   * The session is saved on this phone before the call resolves, in place of an earlier one.
   *
   * Contract: `POST /api/v1/alpha/auth/passkey/signin`.
   *
   * @param input
   * - `challenge_id`: As it came with `options`. Such as `eyJhbGciOiJIUzI1NiJ9.….…`.
   * - `credential`: `AuthenticationResponseJSON` of WebAuthn: a passkey that has signed.
   * - `credential.id`: Of the credential, base64url. At most 10,000 characters.
   * - `credential.rawId`: The same. At most 10,000 characters.
   * - `credential.type`: Always the same.
   * - `credential.clientExtensionResults`: Is not read.
   * - `credential.authenticatorAttachment`: Is not read.
   * - `credential.response`: What the authenticator has signed.
   * - `credential.response.clientDataJSON`: What the browser says it was asked for, base64url. At most 10,000
   *   characters.
   * - `credential.response.authenticatorData`: What the authenticator says of itself, base64url. At most 10,000
   *   characters.
   * - `credential.response.signature`: Of both, base64url. At most 10,000 characters.
   * - `credential.response.userHandle`: Is not read. At most 10,000 characters.
   * @returns the tokens, which the client keeps by itself
   * @throws 401 `Could not validate credentials`: the passkey is unknown or has not signed this challenge, or the
   * challenge was used or is older than five minutes
   * @throws 423 `Access denied. Account blocked`: the operator has blocked the account
   * @throws 429 `Too many requests`: 100 failures of one IP address within 10 minutes
   */
  passkeySignIn: (
    input: PasskeySignInInput,
    options?: CallOptions,
  ) => CompanionCall<TokenResponse, PasskeySignInError>
}

export const authMethods: Record<keyof AuthOperations, MethodKind> = {
  listPhoneCountries: queryMethodWithoutInput,
  sendSmsCode: mutationMethod,
  verifyPhone: mutationMethod,
  signUp: validTokenMutationMethod,
  signIn: mutationMethod,
  signOut: mutationMethodWithoutInput,
  requestPasswordReset: mutationMethod,
  confirmPasswordReset: mutationMethod,
  confirmEmail: mutationMethod,
  findAccount: mutationMethod,
  socialSignIn: mutationMethod,
  socialSignUp: validTokenMutationMethod,
  openClinicianInvitation: mutationMethod,
  clinicianSignUp: mutationMethod,
  passkeySignInOptions: mutationMethodWithoutInput,
  passkeySignIn: mutationMethod,
}
