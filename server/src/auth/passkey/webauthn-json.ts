import { z } from 'zod'
import { listField } from '../../http/fields.ts'

/* What browsers take and give as JSON to make passkeys and to sign by them (https://www.w3.org/TR/webauthn-3/#sctn-parseCreationOptionsFromJSON). */

const base64url = z.string().max(10_000)
const kind = z.literal('public-key').meta({ description: 'Always the same' })
/** Words of WebAuthn; a browser may know newer ones. */
const transports = listField(z.string().regex(/^[a-z-]{1,50}$/), 20)

export const challengeIdField = z.string().meta({
  description: 'As it came with `options`',
  examples: ['eyJhbGciOiJIUzI1NiJ9.….…'],
})

const clientData = base64url.meta({ description: 'What the browser says it was asked for, base64url' })
const authenticatorData = base64url.meta({ description: 'What the authenticator says of itself, base64url' })

// Browsers send more than is read. It may be anything.
const credential = z.object({
  id: base64url.meta({ description: 'Of the credential, base64url' }),
  rawId: base64url.meta({ description: 'The same' }),
  type: kind,
  clientExtensionResults: z.unknown().optional().meta({ description: 'Is not read' }),
  authenticatorAttachment: z.unknown().optional().meta({ description: 'Is not read' }),
})

const CREDENTIAL_EXAMPLE = {
  id: 'passkey-1',
  rawId: 'passkey-1',
  type: 'public-key' as const,
  clientExtensionResults: {},
}
const CLIENT_DATA_EXAMPLE = 'client-data'

/** What `navigator.credentials.create()` has given, as JSON. */
export const newCredentialSchema = credential
  .extend({
    response: z
      .object({
        clientDataJSON: clientData,
        attestationObject: base64url.meta({
          description: 'The new public key and who vouches for it, base64url',
        }),
        transports: transports.optional().meta({ description: 'How the authenticator may be reached' }),
        authenticatorData: z.unknown().optional().meta({ description: 'Is not read' }),
        publicKey: z.unknown().optional().meta({ description: 'Is not read' }),
        publicKeyAlgorithm: z.unknown().optional().meta({ description: 'Is not read' }),
      })
      .meta({ description: 'What the authenticator has made' }),
  })
  .meta({
    id: 'NewCredential',
    description: '`RegistrationResponseJSON` of WebAuthn: a new passkey',
    examples: [
      {
        ...CREDENTIAL_EXAMPLE,
        response: {
          clientDataJSON: CLIENT_DATA_EXAMPLE,
          attestationObject: 'attestation-object',
          transports: ['internal'],
        },
      },
    ],
  })

/** What `navigator.credentials.get()` has given, as JSON. */
export const usedCredentialSchema = credential
  .extend({
    response: z
      .object({
        clientDataJSON: clientData,
        authenticatorData,
        signature: base64url.meta({ description: 'Of both, base64url' }),
        userHandle: base64url.optional().meta({ description: 'Is not read' }),
      })
      .meta({ description: 'What the authenticator has signed' }),
  })
  .meta({
    id: 'UsedCredential',
    description: '`AuthenticationResponseJSON` of WebAuthn: a passkey that has signed',
    examples: [
      {
        ...CREDENTIAL_EXAMPLE,
        response: {
          clientDataJSON: CLIENT_DATA_EXAMPLE,
          authenticatorData: 'authenticator-data',
          signature: 'signature',
        },
      },
    ],
  })

const milliseconds = z.number().meta({ description: 'Milliseconds' }).optional()
const challengeField = z.string().meta({ description: 'What the authenticator signs, 256 bits, base64url' })
const CHALLENGE_EXAMPLE = 'challenge-of-256-bits'
const userVerification = z
  .literal('required')
  .meta({ description: 'The authenticator asks for a PIN, a finger or a face' })

/** How a browser makes a passkey. */
export const creationOptionsSchema = z
  .object({
    rp: z
      .object({
        id: z.string().meta({ description: 'The host at which the passkey is good' }),
        name: z.string().meta({ description: 'Of the service' }),
      })
      .meta({ description: 'The service' }),
    user: z
      .object({
        id: z.string().meta({ description: 'The same for all passkeys of the account, base64url' }),
        name: z.string().meta({ description: 'The e-mail of the account' }),
        displayName: z.string().meta({ description: 'Empty' }),
      })
      .meta({ description: 'The account' }),
    challenge: challengeField,
    pubKeyCredParams: z
      .array(z.object({ alg: z.int().meta({ description: 'By its number in COSE' }), type: kind }))
      .meta({ description: 'The signatures that are good, the preferred one first' }),
    timeout: milliseconds,
    excludeCredentials: z
      .array(z.object({ id: z.string().meta({ description: 'base64url' }), type: kind }))
      .meta({ description: 'Passkeys of the account that are there: no authenticator should make another' }),
    authenticatorSelection: z
      .object({
        residentKey: z.literal('required').meta({ description: 'The authenticator keeps the account too' }),
        requireResidentKey: z.literal(true).meta({ description: 'The same for older browsers' }),
        userVerification,
      })
      .meta({ description: 'What the authenticator must do' }),
    attestation: z.literal('none').meta({ description: 'Nobody need vouch for the authenticator' }),
  })
  .meta({
    id: 'CreationOptions',
    description: '`PublicKeyCredentialCreationOptionsJSON` of WebAuthn',
    examples: [
      {
        rp: { id: 'companion.example.org', name: 'Companion' },
        user: { id: 'passkey-1', name: 'lee@clinic.example.org', displayName: '' },
        challenge: CHALLENGE_EXAMPLE,
        pubKeyCredParams: [{ alg: -7, type: 'public-key' }],
        timeout: 60_000,
        excludeCredentials: [],
        authenticatorSelection: {
          residentKey: 'required',
          requireResidentKey: true,
          userVerification: 'required',
        },
        attestation: 'none',
      },
    ],
  })

/** How a browser lets a passkey sign. */
export const requestOptionsSchema = z
  .object({
    challenge: challengeField,
    rpId: z.string().meta({ description: 'The host at which the passkey is good' }),
    timeout: milliseconds,
    userVerification,
  })
  .meta({
    id: 'RequestOptions',
    description: '`PublicKeyCredentialRequestOptionsJSON` of WebAuthn',
    examples: [
      {
        challenge: CHALLENGE_EXAMPLE,
        rpId: 'companion.example.org',
        timeout: 60_000,
        userVerification: 'required',
      },
    ],
  })
