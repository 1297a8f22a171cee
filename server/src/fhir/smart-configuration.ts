import { ASSERTION_ALGORITHMS } from '../oauth/provider.ts'
import { smartScopes } from '../http/scope-names.ts'
import { scopes } from '../http/scope.ts'

/** What SMART App Launch 2 asks to be told (https://hl7.org/fhir/smart-app-launch/conformance.html). */
export const smartConfiguration = (issuer: string) => ({
  issuer,
  jwks_uri: `${issuer}/oauth/jwks`,
  authorization_endpoint: `${issuer}/oauth/authorize`,
  token_endpoint: `${issuer}/oauth/token`,
  revocation_endpoint: `${issuer}/oauth/revoke`,
  introspection_endpoint: `${issuer}/oauth/introspect`,
  grant_types_supported: ['authorization_code', 'refresh_token', 'client_credentials'],
  token_endpoint_auth_methods_supported: [
    'client_secret_basic',
    'client_secret_post',
    'private_key_jwt',
    'none',
  ],
  token_endpoint_auth_signing_alg_values_supported: [...ASSERTION_ALGORITHMS],
  response_types_supported: ['code'],
  code_challenge_methods_supported: ['S256'],
  scopes_supported: [...new Set([...smartScopes, ...scopes])],
  capabilities: [
    'launch-standalone',
    'context-standalone-patient',
    'client-public',
    'client-confidential-symmetric',
    'client-confidential-asymmetric',
    'sso-openid-connect',
    'permission-offline',
    'permission-online',
    'permission-patient',
    'permission-v1',
    'permission-v2',
  ],
})
