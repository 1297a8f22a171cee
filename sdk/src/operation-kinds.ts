import type { AppRouter } from '@companion/server/router'
import type { SignedOutReason } from './errors.ts'

type Rooms = AppRouter['_def']['record']

/** The name of an operation, such as `auth.signIn`. */
export type OperationPath = {
  [Room in keyof Rooms]: `${Room}.${Extract<keyof Rooms[Room], string>}`
}[keyof Rooms]

const paths = (...list: OperationPath[]): ReadonlySet<string> => new Set(list)

/** Operations that start a session: their answer is its token response. */
export const STARTS_SESSION = paths('auth.signUp', 'auth.signIn', 'auth.socialSignUp', 'auth.socialSignIn')

/** Operations that answer new tokens for the current session, because they invalidate the account's older tokens. */
export const REPLACES_TOKENS = paths('account.changePassword')

/** Operations that end the session, with the reason. */
export const endsSession = (path: string): SignedOutReason | undefined =>
  path === ('account.delete' satisfies OperationPath)
    ? 'deleted'
    : path === ('auth.signOut' satisfies OperationPath)
      ? 'signed_out'
      : undefined

/**
 * Operations that are sent without an access token, those of devices included. An upload may carry a token, but then
 * an ended session would keep logs from reaching the service.
 */
export const NEEDS_NO_SESSION = paths(
  'auth.sendSmsCode',
  'auth.verifyPhone',
  'auth.requestPasswordReset',
  'auth.confirmPasswordReset',
  'auth.findAccount',
  'basestations.uploadEnvironment',
  'devlogs.upload',
  'devlogs.delete',
  'devlogs.history',
  'devlogs.detail',
  'devlogs.export',
)
