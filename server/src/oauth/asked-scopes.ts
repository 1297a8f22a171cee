import { errors } from 'oidc-provider'
import { scopes } from '../http/scope.ts'

/** Names of scopes that are no data: they only say how long a token for data lasts. */
const WITHOUT_DATA = 'offline_access'

/** Whether one of these scopes opens anything. */
export const opensData = (names: readonly string[]): boolean => names.some((name) => name !== WITHOUT_DATA)

/**
 * Throws for scopes that are not known, in whatever case or with whatever separator they were meant, and where none opens
 * anything: the library would leave them out, ask a parent for nothing and give a token for nothing (RFC 6749, 3.3).
 */
export function assertScopes(asked = ''): void {
  const names = asked.split(' ').filter(Boolean)
  const known = new Set<string>(scopes)
  const unknown = names.find((name) => !known.has(name))
  if (unknown !== undefined)
    throw new errors.InvalidScope(
      `${unknown} is not a scope of this service; scopes are separated by spaces, and their case matters`,
      unknown,
    )
  if (!opensData(names))
    throw new errors.InvalidScope('scope must name what the service wants to reach', asked)
}
