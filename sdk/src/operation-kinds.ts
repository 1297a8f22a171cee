import type { OperationPath } from '@companion/server/router'
import type { SignedOutReason } from './errors.ts'

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
