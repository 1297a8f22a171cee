import type { AppRouter } from '@companion/server/router'
import type { SignedOutReason } from './errors.ts'

type Rooms = AppRouter['_def']['record']

/** The name of an operation, such as `auth.signIn`. */
export type OperationPath = {
  [Room in keyof Rooms]: `${Room}.${Extract<keyof Rooms[Room], string>}`
}[keyof Rooms]

const paths = (...list: OperationPath[]): ReadonlySet<string> => new Set(list)

/** Operations whose answer is the token response of a new session. */
export const STARTS_SESSION = paths('auth.signUp', 'auth.signIn', 'auth.socialSignUp', 'auth.socialSignIn')

/** Operations of a signed-in account that answer new tokens, because they make all older ones worthless. */
export const REPLACES_TOKENS = paths('account.changePassword')

/** Operations after which nobody is signed in any more, and why. */
export const endsSession = (path: string): SignedOutReason | undefined =>
  path === ('account.delete' satisfies OperationPath)
    ? 'deleted'
    : path === ('auth.signOut' satisfies OperationPath)
      ? 'signed_out'
      : undefined

/**
 * Operations sent without an access token, those of devices among them. An upload could carry one, but then a session
 * that has ended would keep logs from reaching the service.
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
