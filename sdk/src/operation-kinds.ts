import type { OperationPath } from '@companion/server/router'
import type { SignedOutReason } from './errors.ts'

const paths = (...list: OperationPath[]): ReadonlySet<string> => new Set(list)

/** Operations that start a session: their response is its token response. */
export const SESSION_STARTING_OPERATIONS = paths(
  'auth.signUp',
  'auth.signIn',
  'auth.socialSignUp',
  'auth.socialSignIn',
  'auth.clinicianSignUp',
  'auth.passkeySignIn',
)

/** Operations that answer new tokens for the current session, because they invalidate the account's older tokens. */
export const TOKEN_REPLACING_OPERATIONS = paths('account.changePassword')

/** Operations that end the session, with the reason. */
export const endsSession = (path: string): SignedOutReason | undefined =>
  path === ('account.delete' satisfies OperationPath)
    ? 'deleted'
    : path === ('auth.signOut' satisfies OperationPath)
      ? 'signed_out'
      : undefined
