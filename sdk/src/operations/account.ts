/* Made of server/openapi.json and sdk/generator/special-operations.ts by `pnpm generate`: change it there. */

import type { CallOptions } from '../call-options.ts'
import type { CompanionFile, FileOptions } from '../file-link.ts'
import {
  fileMutationMethod,
  mutationMethod,
  mutationMethodWithoutInput,
  queryMethodWithoutInput,
} from '../method-kinds.ts'
import type { MethodKind } from '../method-kinds.ts'
import type { CompanionCall } from '../safe.ts'
import type {
  Account,
  Consent,
  Done,
  Notifications,
  Outputs,
  Policy,
  TokenResponse,
  UpdatedAccount,
} from '../types.ts'
import type {
  AddPasskeyInput,
  ChangeEmailInput,
  ChangePasswordInput,
  ChangePhoneInput,
  ExportDataInput,
  GiveConsentInput,
  RemovePasskeyInput,
  SetPushTokenInput,
  UpdateAccountInput,
  UpdateNotificationsInput,
  UpdatePolicyInput,
} from './inputs.ts'
import type {
  AddPasskeyError,
  ChangeEmailError,
  ChangePasswordError,
  ChangePhoneError,
  DeleteAccountError,
  ExportDataError,
  GiveConsentError,
  ListConsentsError,
  ListPasskeysError,
  MeAccountError,
  NewPasskeyOptionsError,
  RemovePasskeyError,
  SendEmailConfirmationError,
  SetPushTokenError,
  UpdateAccountError,
  UpdateNotificationsError,
  UpdatePolicyError,
} from './errors.ts'

export interface AccountOperations {
  /**
   * The signed-in account.
   *
   * `need_personal_info_update`, `missing_consents` and `need_to_pwd_change` say what the app should ask the account
   * holder for. A clinician has no phone and no birth date: both are empty.
   *
   * Contract: `GET /api/v1/beta/user/me`.
   *
   * @returns The account holder (root user).
   * - `root_user_id`: The id of the account.
   * - `first_name`: The first name, or the full name.
   * - `last_name`: The last name; may be empty.
   * - `birthdate`: `yyyymmdd`. Such as `19880412`.
   * - `gender`: `M`: male, `F`: female, `N`: non-binary, `P`: prefers not to say.
   * - `phone`: E.164.
   * - `is_phone_number_checked`: A code sent to the phone was entered.
   * - `email`: The e-mail address; null after its reader has said that it is not theirs.
   * - `is_email_confirmed`: The holder has shown that they read the mail of the account’s address.
   * - `register_type`: `E`: by e-mail, `S`: by a social provider, `P`: by a passkey, as clinicians do.
   * - `national_code`: ISO 3166-1 alpha-2.
   * - `need_personal_info_update`: The profile was imported and not changed since, the account has no address, or a
   *   consent in force is not given.
   * - `missing_consents`: The texts in force that are not consented to, with their versions; absent when there are
   *   none.
   * - `missing_consents[].kind`: What the text is about.
   * - `missing_consents[].version`: Of the text. 1 to 50 characters.
   * - `need_to_pwd_change`: Three calendar months have passed since the last change of the password.
   * - `is_device_muted`: No alerts of devices at all.
   * - `is_device_alim_talk_enabled`: A message in the messaging app, besides the push message, when electrodes lose
   *   contact.
   * - `is_basestation_alert_enabled`: A push message when the air, light or noise around a base station leaves its
   *   bounds.
   * - `time_zone`: Where the account lives, an IANA name: times of day in responses are those of this zone. Such as
   *   `Asia/Seoul`.
   * - `language`: Of mails and alerts, Korean or English; null: that of the country.
   * - `is_child_named_in_alerts`: Messages about a child name it; others may read them on the screen of the phone.
   * - `is_bedtime_reminded`: A push message at the bedtime of a plan, while no use has begun since noon; none in quiet
   *   hours.
   * - `is_missing_night_told`: A push message on the day after a night of which nothing has arrived: the first and the
   *   second in a row, then each seventh.
   * - `missing_night_at`: When that message is sent, on the clock of `time_zone`. Such as `10:00`.
   * - `quiet_from`: When quiet hours begin, on the clock of `time_zone`; null, or the same as `quiet_to`: there are
   *   none. Such as `22:00`.
   * - `quiet_to`: When they end. Such as `07:00`.
   * @throws 401 and 423 when the session has ended; see `isSignedOut`
   */
  me: (options?: CallOptions) => CompanionCall<Account, MeAccountError>

  /**
   * Change the account holder's profile.
   *
   * A field that is left out stays as it is.
   *
   * Contract: `PATCH /api/v1/beta/user/root-user`.
   *
   * @param input
   * - `first_name`: 1 to 100 characters.
   * - `last_name`: May be empty. At most 100 characters.
   * - `birthdate`: `yyyymmdd`. Such as `20150131`.
   * - `gender`: `M`: male, `F`: female, `N`: non-binary, `P`: prefers not to say.
   * @returns The account holder's profile.
   * - `first_name`: The first name, or the full name.
   * - `last_name`: The last name; may be empty.
   * - `birthdate`: `yyyymmdd`. Such as `19880412`.
   * - `phone`: E.164.
   * - `is_phone_number_checked`: A code sent to the phone was entered.
   * - `register_type`: `E`: by e-mail, `S`: by a social provider, `P`: by a passkey, as clinicians do.
   * - `id`: The id of the account.
   * @throws 401 and 423 when the session has ended; see `isSignedOut`
   */
  update: (
    input: UpdateAccountInput,
    options?: CallOptions,
  ) => CompanionCall<UpdatedAccount, UpdateAccountError>

  /**
   * Delete the account, its children and everything known about them.
   *
   * Personal data is erased at once, and devices are disconnected. E-mail and phone stay taken for a year; only keyed
   * hashes of them are kept. The holder gets a mail at that address; so does everybody who loses access to a child by
   * this.
   *
   * The session on this phone ends too: `onSignedOut('deleted')`.
   *
   * Contract: `DELETE /api/v1/beta/user/root-user`.
   *
   * @throws 404 `Sign in type is not found`: a parallel call has deleted the account
   * @throws 401 and 423 when the session has ended; see `isSignedOut`
   */
  delete: (options?: CallOptions) => CompanionCall<Done, DeleteAccountError>

  /**
   * Give or withdraw consent to push messages and marketing.
   *
   * Agreeing to push needs a push token: one stored before, or `push_token`. A date changes only when its consent does.
   * Withdrawing keeps the stored token, unused, for the next agreement.
   *
   * Contract: `PATCH /api/v1/beta/user/policy`.
   *
   * @param input
   * - `is_push_agree`: Consent to push messages.
   * - `is_marketing_agree`: Consent to marketing.
   * - `push_token`: Stored when `is_push_agree` is true.
   * @returns The consents in force.
   * - `push_agree_date`: ISO 8601 in UTC; null before the first agreement.
   * - `marketing_agree_date`: ISO 8601 in UTC; null before the first agreement.
   * @throws 404 `User not found`: a parallel call has ended the account or its session
   * @throws 404 `User policy not found`: no consent was ever recorded for the account
   * @throws 409 `User policy update failed`: there is no push token, or `push_token` is malformed
   * @throws 401 and 423 when the session has ended; see `isSignedOut`
   */
  updatePolicy: (input: UpdatePolicyInput, options?: CallOptions) => CompanionCall<Policy, UpdatePolicyError>

  /**
   * Give or withdraw consent to a version of a text.
   *
   * The ledger keeps every change. To say again what is in force changes nothing. Where the service asks for a version,
   * `need_personal_info_update` of `account.me` is true until that version is given.
   *
   * Contract: `POST /api/v1/beta/user/consent`.
   *
   * @param input
   * - `kind`: The text that was shown.
   * - `version`: The version that was shown. Such as `2026-11`. 1 to 50 characters.
   * - `given`: false withdraws.
   * @returns A change of a consent.
   * - `kind`: What it is about.
   * - `version`: Of the text; null for push messages and marketing.
   * - `given`: false: withdrawn, or never given.
   * - `source`: Where it was said: `sign-up`, `settings`, `app` or `import`.
   * - `recorded_at`: ISO 8601 in UTC.
   * @throws 401 and 423 when the session has ended; see `isSignedOut`
   */
  giveConsent: (input: GiveConsentInput, options?: CallOptions) => CompanionCall<Consent, GiveConsentError>

  /**
   * What the account holder has consented to, and when.
   *
   * Every change of a consent, the newest first, at most the 1000 newest. The first entry of a kind is in force.
   *
   * Contract: `GET /api/v1/beta/user/consent`.
   *
   * @returns for each:
   * - `kind`: What it is about.
   * - `version`: Of the text; null for push messages and marketing.
   * - `given`: false: withdrawn, or never given.
   * - `source`: Where it was said: `sign-up`, `settings`, `app` or `import`.
   * - `recorded_at`: ISO 8601 in UTC.
   * @throws 401 and 423 when the session has ended; see `isSignedOut`
   */
  listConsents: (options?: CallOptions) => CompanionCall<Consent[], ListConsentsError>

  /**
   * All data of the family, as a zip file.
   *
   * `json`: a JSON file for each kind of record, and `dictionary.json`, which says what each field means. `fhir`:
   * `bundle.json`, an HL7 FHIR R4 Bundle of the type `transaction` that a FHIR server takes in (Patient, Device,
   * CarePlan, Observation, QuestionnaireResponse and MedicationStatement, with CodeSystem and Questionnaire), and
   * `codes.json`, the CodeSystem alone. Both have `manifest.json` with the SHA-256 and the size of each file. With
   * `real_user_id` it is what is kept about that child alone, without the account and the base stations of the home.
   *
   * Years of data take longer than other calls: give it a `timeout` of some minutes.
   *
   * Contract: `POST /api/v1/beta/user/export`.
   *
   * @param input
   * - `format`: `json`, or `fhir` for FHIR R4.
   * - `password`: At most 1,000 characters.
   * - `real_user_id`: Only this child.
   * @param options `onProgress` is told how many bytes have arrived; `signal` cancels
   * @returns `{ name, type, bytes }`; `type` is `application/zip`
   * @throws 400 `Password is invalid`: `password` is wrong, or the account has none
   * @throws 401 `Not authorized user`: the child belongs to another account
   * @throws 404 `Real user is not found`: no such child, or it was deleted
   * @throws 429 `Too many requests`: the account was exported three times within the last hour, or too many exports are
   * waiting
   * @throws 401 and 423 when the session has ended; see `isSignedOut`
   */
  exportData: (input: ExportDataInput, options?: FileOptions) => CompanionCall<CompanionFile, ExportDataError>

  /**
   * Say where push messages reach this account.
   *
   * Ask for consent to push first. A token belongs to one account at a time: setting it here takes it from any other.
   * The `data` of a message holds `alert_id`, `kind` (`device_contact` or `basestation_environment`) and the ids it is
   * about; a message with a known `alert_id` is a repetition.
   *
   * Contract: `POST /api/v1/beta/user/push/set-token`.
   *
   * @param input
   * - `token`: 16 to 4,096 printable characters without spaces.
   * @returns What was done, in English. Such as `Push token updated`.
   * @throws 400 `Push permisson denied`: the account has not agreed to push
   * @throws 409 `User push token update failed`: the token is malformed
   * @throws 401 and 423 when the session has ended; see `isSignedOut`
   */
  setPushToken: (input: SetPushTokenInput, options?: CallOptions) => CompanionCall<string, SetPushTokenError>

  /**
   * Switch alerts on and off.
   *
   * Three are set at once; the others stay as they are when they are absent.
   *
   * Contract: `PATCH /api/v1/beta/user/notification`.
   *
   * @param input
   * - `is_device_muted`: No alerts of devices at all.
   * - `is_device_alim_talk_enabled`: A message in the messaging app, besides the push message, when electrodes lose
   *   contact.
   * - `is_basestation_alert_enabled`: A push message when the air, light or noise around a base station leaves its
   *   bounds.
   * - `is_child_named_in_alerts`: Messages about a child name it; others may read them on the screen of the phone.
   * - `language`: Of mails and alerts, Korean or English; null: that of the country.
   * - `time_zone`: An IANA name. Such as `Asia/Seoul`. At most 64 characters.
   * - `is_bedtime_reminded`: A push message at the bedtime of a plan, while no use has begun since noon; none in quiet
   *   hours.
   * - `is_missing_night_told`: A push message on the day after a night of which nothing has arrived: the first and the
   *   second in a row, then each seventh.
   * - `missing_night_at`: When that message is sent, on the clock of `time_zone`. Such as `21:00`.
   * - `quiet_from`: When quiet hours begin, on the clock of `time_zone`; null, or the same as `quiet_to`: there are
   *   none. Such as `22:00`.
   * - `quiet_to`: When they end. Such as `07:00`.
   * @returns The switches and times of alerts, and the language and time zone of the account.
   * - `time_zone`: Where the account lives, an IANA name: times of day in responses are those of this zone. Such as
   *   `Asia/Seoul`.
   * - `missing_night_at`: When that message is sent, on the clock of `time_zone`. Such as `10:00`.
   * @throws 404 `User not found`: a parallel call has deleted the account
   * @throws 409 `User notification update failed`: the database refused the change
   * @throws 401 and 423 when the session has ended; see `isSignedOut`
   */
  updateNotifications: (
    input: UpdateNotificationsInput,
    options?: CallOptions,
  ) => CompanionCall<Notifications, UpdateNotificationsError>

  /**
   * Change the password.
   *
   * The response holds a new pair of tokens, so that the caller stays signed in. Every older token is void, and so is
   * every mailed link for a new password.
   *
   * The new tokens are saved on this phone before the call resolves.
   *
   * Contract: `POST /api/v1/beta/user/change-password`.
   *
   * @param input
   * - `current_password`: At most 1,000 characters.
   * - `new_password`: 8 to 128 characters.
   * @returns the tokens, which the client keeps by itself
   * @throws 400 `Password is invalid`: `current_password` is wrong, or the account has none
   * @throws 429 `Too many requests`: 10 wrong passwords within 15 minutes
   * @throws 401 and 423 when the session has ended; see `isSignedOut`
   */
  changePassword: (
    input: ChangePasswordInput,
    options?: CallOptions,
  ) => CompanionCall<TokenResponse, ChangePasswordError>

  /**
   * Change the phone number.
   *
   * Call `auth.sendSmsCode` for the new number first. The account's e-mail and its old number get a notice.
   *
   * Contract: `POST /api/v1/beta/user/change-phone`.
   *
   * @param input
   * - `phone`: E.164. Such as `+821012345678`.
   * - `validnum`: The 6-digit code; without it, the code counts as invalid. Such as `012345`. At most 200 characters.
   * - `current_password`: Required where the service asks for it. At most 1,000 characters.
   * @throws 400 `Phone number is invalid`: it is not the E.164 spelling of a number that its country assigns
   * @throws 400 `Password is invalid`: the service asks for the password, and `current_password` is wrong
   * @throws 400 `Validation code is expired`: the code is older than 180 seconds
   * @throws 400 `Validation code is invalid`: the code is wrong, used, replaced by a newer one, or was tried too often
   * @throws 403 `User previously deleted`: a deleted account had this number
   * @throws 409 `Phone number is already registered`: another account has this number
   * @throws 429 `Too many requests`: 10 wrong codes for this number within an hour
   * @throws 401 and 423 when the session has ended; see `isSignedOut`
   */
  changePhone: (input: ChangePhoneInput, options?: CallOptions) => CompanionCall<Done, ChangePhoneError>

  /**
   * Send the mail that confirms the e-mail address again.
   *
   * The link in it works for 7 days, and a new mail replaces it. An address that is confirmed already gets no mail.
   *
   * Contract: `POST /api/v1/beta/user/email/confirmation`.
   *
   * @throws 429 `Too many requests`: 3 mails for one account within an hour
   * @throws 500 `Email send failed`: the mail server failed, or the account has no address
   * @throws 401 and 423 when the session has ended; see `isSignedOut`
   */
  sendEmailConfirmation: (options?: CallOptions) => CompanionCall<Done, SendEmailConfirmationError>

  /**
   * Change the e-mail address.
   *
   * Sends a link to the new address, which works for 24 hours, and a notice to the old one. The address changes when
   * the page of the link is confirmed. Sessions stay.
   *
   * Contract: `POST /api/v1/beta/user/change-email`.
   *
   * @param input
   * - `password`: Required for an account that has a password. At most 1,000 characters.
   * - `provider`: Required, with `id_token`, for an account without a password. Such as `google`. 1 to 32 characters.
   * - `id_token`: An ID token (OpenID Connect) that is at most 10 minutes old. At most 20,000 characters.
   * - `nonce`: Required when the ID token has a `nonce`, and equal to it. At most 200 characters.
   * - `email`: The new address. Such as `parent@example.com`.
   * @throws 400 `Email is not valid`: it is not an e-mail address
   * @throws 400 `Password is invalid`: the password is wrong
   * @throws 401 `Could not validate credentials`: the ID token is not valid
   * @throws 409 `Same email is already registered`: an account has this e-mail, or a deleted one had it
   * @throws 429 `Too many requests`: 10 wrong passwords within 15 minutes
   * @throws 500 `Email send failed`: the mail server failed, and nothing has changed
   * @throws 503 `Sign-in provider is not available`: the keys of its issuer are out of reach
   * @throws 401 and 423 when the session has ended; see `isSignedOut`
   */
  changeEmail: (input: ChangeEmailInput, options?: CallOptions) => CompanionCall<Done, ChangeEmailError>

  /**
   * The passkeys of the account.
   *
   * In the order in which they were added.
   *
   * Contract: `GET /api/v1/beta/user/passkey`.
   *
   * @returns for each:
   * - `passkey_id`: The id of the passkey.
   * - `name`: What its holder calls it; null without a name.
   * - `created_at`: When it was added.
   * - `last_used_at`: When it last signed in; null if it never has.
   * @throws 401 and 423 when the session has ended; see `isSignedOut`
   */
  listPasskeys: (
    options?: CallOptions,
  ) => CompanionCall<Outputs['account']['listPasskeys'], ListPasskeysError>

  /**
   * Add a passkey.
   *
   * The holder gets a notice by mail.
   *
   * Contract: `POST /api/v1/beta/user/passkey`.
   *
   * @param input
   * - `challenge_id`: As it came with `options`. Such as `eyJhbGciOiJIUzI1NiJ9.….…`.
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
   * - `name`: By which its holder tells it from others. Such as `Office laptop`.
   * @returns A passkey by which the account signs in.
   * - `passkey_id`: The id of the passkey.
   * - `name`: What its holder calls it; null without a name.
   * - `created_at`: When it was added.
   * - `last_used_at`: When it last signed in; null if it never has.
   * @throws 400 `Passkey is not valid`: it does not verify, is known already, or its challenge was used or is older
   * than five minutes
   * @throws 401 and 423 when the session has ended; see `isSignedOut`
   */
  addPasskey: (
    input: AddPasskeyInput,
    options?: CallOptions,
  ) => CompanionCall<Outputs['account']['addPasskey'], AddPasskeyError>

  /**
   * Begin to add a passkey.
   *
   * `options` are what `navigator.credentials.create()` takes; they are good for five minutes.
   *
   * Contract: `POST /api/v1/beta/user/passkey/options`.
   *
   * @returns How to make a passkey.
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
   * @throws 401 and 423 when the session has ended; see `isSignedOut`
   */
  newPasskeyOptions: (
    options?: CallOptions,
  ) => CompanionCall<Outputs['account']['newPasskeyOptions'], NewPasskeyOptionsError>

  /**
   * Remove a passkey.
   *
   * Nobody signs in by it any more. The session stays.
   *
   * Contract: `DELETE /api/v1/beta/user/passkey/{passkey_id}`.
   *
   * @throws 404 `Passkey not found`: the account has no such passkey
   * @throws 409 `Last passkey`: it is the only one of the account
   * @throws 401 and 423 when the session has ended; see `isSignedOut`
   */
  removePasskey: (input: RemovePasskeyInput, options?: CallOptions) => CompanionCall<Done, RemovePasskeyError>
}

export const accountMethods: Record<keyof AccountOperations, MethodKind> = {
  me: queryMethodWithoutInput,
  update: mutationMethod,
  delete: mutationMethodWithoutInput,
  updatePolicy: mutationMethod,
  giveConsent: mutationMethod,
  listConsents: queryMethodWithoutInput,
  exportData: fileMutationMethod,
  setPushToken: mutationMethod,
  updateNotifications: mutationMethod,
  changePassword: mutationMethod,
  changePhone: mutationMethod,
  sendEmailConfirmation: mutationMethodWithoutInput,
  changeEmail: mutationMethod,
  listPasskeys: queryMethodWithoutInput,
  addPasskey: mutationMethod,
  newPasskeyOptions: mutationMethodWithoutInput,
  removePasskey: mutationMethod,
}
