import { errors } from 'oidc-provider'
import { asksForSmart, dataScopesOf, scopeNames } from '../http/scope-names.ts'

/**
 * Throws for scopes that are not known, in whatever case or with whatever separator they were meant, and where none opens
 * anything: the library would leave them out, ask a parent for nothing and give a token for nothing (RFC 6749, 3.3).
 */
export function assertScopes(asked = ''): void {
  const names = asked.split(' ').filter(Boolean)
  const known = new Set(scopeNames)
  const unknown = names.find((name) => !known.has(name))
  if (unknown !== undefined)
    throw new errors.InvalidScope(
      `${unknown} is not a scope of this service; scopes are separated by spaces, and their case matters`,
      unknown,
    )
  if (dataScopesOf(names).length === 0)
    throw new errors.InvalidScope('scope must name what the service wants to reach', asked)
}

/**
 * Throws where a scope of SMART is asked for and `aud` is not the address of the FHIR API: a service that was talked into sending
 * its token elsewhere would do so (SMART App Launch, "Obtain authorization code").
 */
export function assertAudience(asked: string | undefined, aud: string | undefined, fhirBase: string): void {
  if (!asksForSmart((asked ?? '').split(' '))) return
  if (aud?.replace(/\/$/, '') !== fhirBase) throw new errors.InvalidRequest(`aud must be ${fhirBase}`)
}
