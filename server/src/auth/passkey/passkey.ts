import type { z } from 'zod'
import type { Sql } from '../../database/database.ts'
import { Failure } from '../../errors/failure.ts'
import type { ErrorDeclaration } from '../../errors/failure.ts'
import type { Context } from '../../http/context.ts'
import type { PasskeyChallenge } from '../tokens/tokens.ts'
import { creationOptionsSchema, requestOptionsSchema } from './webauthn-json.ts'
import type { newCredentialSchema, usedCredentialSchema } from './webauthn-json.ts'

/* Passkeys (W3C Web Authentication): discoverable credentials, whose holder is verified by the authenticator. */

/** Loaded when the first clinician comes: with its parsers of certificates it takes as long as the rest of a module. */
const webAuthn = () => import('@simplewebauthn/server')

const NAME = 'Companion'
const LOOPBACK = /^(127(\.\d+){3}|\[::1\])$/

/**
 * The service's base URL, with `localhost` for a loopback address: browsers make passkeys for names only, so that the pages have to be
 * opened there.
 */
export function nameLoopback(baseUrl: string): string {
  const url = new URL(baseUrl)
  if (LOOPBACK.test(url.hostname)) url.hostname = 'localhost'
  return url.href.replace(/\/$/, '')
}

/** The relying party at the service's base URL. */
export function relyingParty(baseUrl: string): { id: string; origin: string } {
  const { hostname, origin } = new URL(nameLoopback(baseUrl))
  return { id: hostname, origin }
}

type Request = Pick<Context, 'request'>

const bytes = (text: string) => new Uint8Array(Buffer.from(text, 'base64url'))

/** Options for a new passkey of the holder of `email`, whose other ones are `known` where they should not be made again. */
export async function creationOptions(
  { request, database }: Pick<Context, 'request' | 'database'>,
  { challenge }: PasskeyChallenge,
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
  { challenge }: PasskeyChallenge,
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

/** In bytes (https://www.w3.org/TR/webauthn-3/#credential-id). */
const LONGEST_ID = 1023

/**
 * Takes away what vouches for an authenticator, which browsers leave out too, as it is not asked for. To verify it, the library would load
 * lists of revoked certificates from addresses that the caller's own certificate names.
 */
async function withoutAttestation(attestationObject: string): Promise<string> {
  const { decodeAttestationObject, isoBase64URL, isoCBOR } = await import('@simplewebauthn/server/helpers')
  const authData = decodeAttestationObject(isoBase64URL.toBuffer(attestationObject)).get('authData')
  const plain = new Map<string, Uint8Array | string | Map<string, string>>([
    ['fmt', 'none'],
    ['attStmt', new Map()],
    ['authData', authData],
  ])
  return isoBase64URL.fromBuffer(isoCBOR.encode(plain))
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
  const { verified, registrationInfo } = await withoutAttestation(attestationObject)
    .then((attestationObject) =>
      verifyRegistrationResponse({
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
      }),
    )
    .catch(() => ({ verified: false, registrationInfo: undefined }))
  if (!verified || !registrationInfo) return undefined
  const { credential: made } = registrationInfo
  const credential_id = Buffer.from(made.id, 'base64url')
  if (credential_id.length > LONGEST_ID) return undefined
  return {
    credential_id,
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
