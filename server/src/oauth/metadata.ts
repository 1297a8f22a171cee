import { smartScopes } from '../http/scope-names.ts'
import { scopes } from '../http/scope.ts'

/** What the library says of OpenID Connect, which is of no use to OAuth alone. */
const OF_OPENID = new Set([
  'claims_parameter_supported',
  'claims_supported',
  'id_token_signing_alg_values_supported',
  'request_uri_parameter_supported',
  'subject_types_supported',
])

/**
 * The metadata of the authorization server (RFC 8414), from what the library says: what works here, and nothing else. With
 * `isOpenId` it is that of OpenID Connect Discovery.
 */
export function metadataOf(
  said: Record<string, unknown>,
  issuer: string,
  isOpenId: boolean,
): Record<string, unknown> {
  const kept = Object.entries(said).filter(([name]) => isOpenId || !OF_OPENID.has(name))
  const methods = said['token_endpoint_auth_methods_supported']
  const algorithms = said['token_endpoint_auth_signing_alg_values_supported']
  return {
    ...Object.fromEntries(kept),
    // Without them, Basic alone would be supported there (RFC 8414, 2).
    ...Object.fromEntries(
      ['revocation', 'introspection'].flatMap((endpoint) => [
        [`${endpoint}_endpoint_auth_methods_supported`, methods],
        [`${endpoint}_endpoint_auth_signing_alg_values_supported`, algorithms],
      ]),
    ),
    response_modes_supported: ['query'],
    // Each by one name; the library would list them all.
    scopes_supported: [...new Set([...scopes, ...smartScopes])],
    service_documentation: `${issuer}/docs`,
    ui_locales_supported: ['ko', 'en'],
  }
}
