import { companion } from '../companion/client'

/**
 * Proves that the holder of the account is here, and not somebody who has found the phone: signs in anew. Throws as a sign-in
 * does if the password is wrong, and then nothing has changed.
 */
export const proveHolder = (email: string, password: string) =>
  companion.auth.signIn({ username: email, password })
