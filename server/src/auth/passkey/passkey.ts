import { z } from 'zod'
import type { Sql } from '../../database/database.ts'
import { Failure } from '../../errors/failure.ts'
import type { ErrorDeclaration } from '../../errors/failure.ts'
import type { Context } from '../../http/context.ts'
import { listField } from '../../http/fields.ts'
import type { Challenge } from '../tokens/tokens.ts'

/*
 * Passkeys (W3C Web Authentication): discoverable credentials, whose holder is verified by the authenticator. Their JSON has the
 * names of WebAuthn, as browsers take and give it.
 */

/** Loaded when the first clinician comes: with its parsers of certificates it takes as long as the rest of a module. */
const webAuthn = () => import('@simplewebauthn/server')

const NAME = 'Companion'
const LOOPBACK = /^(127(\.\d+){3}|\[::1\])$/

/**
 * The relying party at `origin`, the service's base URL. Browsers take no address of a machine for one: at a loopback address it is
 * `localhost`, as which the pages have to be opened.
 */
export function relyingParty(origin: string): { id: string; origin: string } {
  const url = new URL(origin)
  if (LOOPBACK.test(url.hostname)) url.hostname = 'localhost'
  return { id: url.hostname, origin: url.origin }
}

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

type Request = Pick<Context, 'request'>

const bytes = (text: string) => new Uint8Array(Buffer.from(text, 'base64url'))

/** Options for a new passkey of the holder of `email`, whose other ones are `known` where they should not be made again. */
export async function creationOptions(
  { request, database }: Pick<Context, 'request' | 'database'>,
  { challenge }: Challenge,
  email: string,
  known: readonly Buffer[] = [],
): Promise<z.infer<typeof creationOptionsSchema>> {
  const { generateRegistrationOptions } = await webAuthn()
  const options = await generateRegistrationOptions({
    rpName: NAME,
    rpID: relyingParty(request.origin()).id,
    userName: email,
    // The same for all passkeys of a person, from which their address cannot be told.
    userID: new Uint8Array(database.keyRing.index('email', email)),
    challenge: bytes(challenge),
    attestationType: 'none',
    excludeCredentials: known.map((id) => ({ id: id.toString('base64url') })),
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
  })
  return creationOptionsSchema.parse(options)
}

/** Options for signing in by any passkey of this service. */
export async function requestOptions(
  { request }: Request,
  { challenge }: Challenge,
): Promise<z.infer<typeof requestOptionsSchema>> {
  const { generateAuthenticationOptions } = await webAuthn()
  const options = await generateAuthenticationOptions({
    rpID: relyingParty(request.origin()).id,
    challenge: bytes(challenge),
    userVerification: 'required',
  })
  return requestOptionsSchema.parse(options)
}

interface NewPasskey {
  credential_id: Buffer
  public_key: Buffer
  sign_count: number
  transports: string[]
}

/** The passkey that was made for `challenge`; undefined if what the caller shows is none. */
export async function verifyNewPasskey(
  { request }: Request,
  challenge: string,
  { id: credentialId, rawId, type, response }: z.infer<typeof newCredentialSchema>,
): Promise<NewPasskey | undefined> {
  const { id, origin } = relyingParty(request.origin())
  const { clientDataJSON, attestationObject } = response
  const { verifyRegistrationResponse } = await webAuthn()
  const { verified, registrationInfo } = await verifyRegistrationResponse({
    response: {
      id: credentialId,
      rawId,
      type,
      response: { clientDataJSON, attestationObject },
      clientExtensionResults: {},
    },
    expectedChallenge: challenge,
    expectedOrigin: origin,
    expectedRPID: id,
    requireUserVerification: true,
  }).catch(() => ({ verified: false, registrationInfo: undefined }))
  if (!verified || !registrationInfo) return undefined
  const { credential: made } = registrationInfo
  return {
    credential_id: Buffer.from(made.id, 'base64url'),
    public_key: Buffer.from(made.publicKey),
    sign_count: made.counter,
    transports: response.transports ?? [],
  }
}

/** The account whose passkey has signed `challenge`, with the passkey's own id; undefined if none has. */
export async function findByPasskey(
  { request, database }: Pick<Context, 'request' | 'database'>,
  challenge: string,
  { id: credentialId, rawId, type, response }: z.infer<typeof usedCredentialSchema>,
): Promise<{ id: number; root_user_id: number; sign_count: number } | undefined> {
  const known = await database.sql
    .selectFrom('passkey')
    .select(['id', 'root_user_id', 'credential_id', 'public_key', 'sign_count'])
    .where('credential_id', '=', Buffer.from(credentialId, 'base64url'))
    .executeTakeFirst()
  if (!known) return undefined
  const { id, origin } = relyingParty(request.origin())
  const { clientDataJSON, authenticatorData, signature } = response
  const { verifyAuthenticationResponse } = await webAuthn()
  const { verified, authenticationInfo } = await verifyAuthenticationResponse({
    response: {
      id: credentialId,
      rawId,
      type,
      response: { clientDataJSON, authenticatorData, signature },
      clientExtensionResults: {},
    },
    expectedChallenge: challenge,
    expectedOrigin: origin,
    expectedRPID: id,
    requireUserVerification: true,
    credential: {
      id: known.credential_id.toString('base64url'),
      publicKey: new Uint8Array(known.public_key),
      counter: Number(known.sign_count),
    },
  }).catch(() => ({ verified: false, authenticationInfo: undefined }))
  if (!verified || !authenticationInfo) return undefined
  return { id: known.id, root_user_id: known.root_user_id, sign_count: authenticationInfo.newCounter }
}

export const passkeyNotValid = [
  400,
  'Passkey is not valid',
  'it does not verify, is known already, or its challenge was used or is older than five minutes',
] as const satisfies ErrorDeclaration

/** Uses a challenge up. Resolves to whether it was good: of several calls at once one finds it so. */
export async function useChallenge(
  tx: Sql,
  { tokenId, expiresAt }: { tokenId: string; expiresAt: Date },
): Promise<boolean> {
  const used = await tx
    .insertInto('used_token')
    .values({ token_id: tokenId, expires_at: expiresAt })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst()
  return used.numInsertedOrUpdatedRows !== 0n
}

/** Stores a new passkey of an account and resolves to its id, or throws if an account has it. */
export async function storePasskey(
  tx: Sql,
  rootUserId: number,
  made: NewPasskey,
  name: string | null,
): Promise<{ id: number; created_at: Date }> {
  const created_at = new Date()
  const stored = await tx
    .insertInto('passkey')
    .values({ ...made, sign_count: BigInt(made.sign_count), root_user_id: rootUserId, name, created_at })
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .executeTakeFirst()
  if (!stored) throw new Failure(...passkeyNotValid)
  return { id: stored.id, created_at }
}
