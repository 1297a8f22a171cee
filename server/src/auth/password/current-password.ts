import type { Context } from '../../http/context.ts'
import { verifyPassword } from './passwords.ts'

/**
 * Whether `password` is that of a signed-in account; an account without a password has none that is right. A stolen
 * phone must not be a place to guess it: 10 wrong ones in 15 minutes, not counted with those of sign-in, then 429.
 */
export async function isCurrentPassword(
  { limits }: Context,
  { id, password_hash }: { id: number; password_hash: string | null },
  password: string,
): Promise<boolean> {
  const bucket = `change ${id}`
  await limits.consume('failedSignInsPerAccount', bucket)
  if (!password_hash || !(await verifyPassword(password, password_hash))) return false
  await limits.giveBack('failedSignInsPerAccount', bucket)
  return true
}
