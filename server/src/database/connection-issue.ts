import { z } from 'zod'
import { formatDatabaseAddress } from '../config/database-address.ts'
import type { DatabaseAddress } from '../config/database-address.ts'
import { DatabaseRequirementError } from './negotiated-client.ts'

/**
 * Says in a sentence why the database at `address` cannot be used, if an error is about its connection; undefined otherwise.
 * Names no password. Without `address`, the database is the embedded one.
 */
export function connectionIssue(
  error: unknown,
  address: DatabaseAddress | undefined,
  variable = 'DATABASE_URL',
): string | undefined {
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause) {
    const reason = reasonOf(cause, address)
    if (reason === undefined) continue
    const where = address ? `The database at ${formatDatabaseAddress(address)}` : 'The embedded database'
    return `${where} cannot be used: ${reason}${address ? ` (${variable})` : ''}`
  }
  return undefined
}

/** Says what is wrong with a connection, to a database if it has an `address`, if an error is about that. */
export function reasonOf(error: Error, address?: DatabaseAddress): string | undefined {
  if (error instanceof DatabaseRequirementError) return error.message
  const code = String(Reflect.get(error, 'code'))
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID')
    return `its certificate is not for ${String(Reflect.get(error, 'host'))}, but for ${namesIn(error)}`
  if (NO_ROOT.test(code))
    return address?.tls.root
      ? `its certificate is signed by no root of sslrootcert=${address.tls.root}`
      : `its certificate is signed by no root that this machine trusts: name the file of the right one by ${address ? 'sslrootcert' : 'NODE_EXTRA_CA_CERTS'}`
  // Of a server that asks for a certificate of this side. It may also be what the server's own log has.
  if (/^ERR_SSL_.*ALERT/.test(code)) return `it breaks TLS off: ${alertIn(error.message)} (sslcert)`
  if (code.startsWith('ERR_SSL_')) return `it speaks no TLS that is good enough: ${alertIn(error.message)}`
  if (Reflect.get(error, 'syscall') === 'connect' && code in reasonsOfSockets) return reasonsOfSockets[code]
  if (code === '28000') return lockedOut(error.message)
  if (/^SASL|password must be/.test(error.message) && /empty string/.test(error.message))
    return 'it asks for a password, and the address has none'
  if (/timeout|terminated/i.test(error.message)) return 'it does not answer'
  return reasons[code]
}

const NO_ROOT =
  /^(UNABLE_TO_(VERIFY_LEAF_SIGNATURE|GET_ISSUER_CERT(_LOCALLY)?)|(SELF_SIGNED_CERT_IN_CHAIN|DEPTH_ZERO_SELF_SIGNED_CERT)|CERT_SIGNATURE_FAILURE|CERT_UNTRUSTED)$/

const refusedCertificate = z.object({
  cert: z.object({
    subjectaltname: z.string().optional(),
    subject: z.object({ CN: z.string().optional() }).optional(),
  }),
})

/** The names that the certificate of an error of Node.js has. */
function namesIn(error: Error): string {
  const { cert } = refusedCertificate.safeParse(error).data ?? {}
  return cert?.subjectaltname?.replaceAll(/DNS:|IP Address:/g, '') ?? cert?.subject?.CN ?? 'another'
}

/** OpenSSL's own words, without numbers and file names. */
const alertIn = (message: string) => /:SSL routines:[^:]*:([^:]*):/.exec(message)?.[1] ?? message

/** Of "no pg_hba.conf entry for host …, no encryption", or what else PostgreSQL says. */
const lockedOut = (message: string) =>
  /pg_hba\.conf .*no encryption/.test(message)
    ? 'it lets this user in by TLS alone: add sslmode=verify-full'
    : `it refuses this user: ${message}`

const reasonsOfSockets: Partial<Record<string, string>> = {
  ENOENT: 'there is no such socket',
  EACCES: 'this user may not use the socket',
}

const reasons: Partial<Record<string, string>> = {
  CERT_HAS_EXPIRED: 'its certificate has expired',
  CERT_NOT_YET_VALID: 'its certificate is not valid yet, or the clock of this machine is slow',
  CERT_REVOKED: 'its certificate is revoked by sslcrl',
  UNABLE_TO_GET_CRL: 'sslcrl has no list of the issuer of its certificate',
  CRL_HAS_EXPIRED: 'the list of sslcrl has expired',
  INVALID_PURPOSE: 'its certificate is not one for servers',
  ECONNREFUSED: 'nothing listens there',
  ENOTFOUND: 'there is no host of this name',
  EAI_AGAIN: 'the name of its host cannot be looked up',
  ETIMEDOUT: 'it does not answer',
  EHOSTUNREACH: 'its host cannot be reached',
  ENETUNREACH: 'its network cannot be reached',
  ECONNRESET: 'it closes the connection',
  EPROTO: 'it speaks no TLS',
  '28P01': 'it refuses the user name or the password',
  '3D000': 'it has no database of this name',
  '42501': 'this user may not create tables in it: make the user its owner (ALTER DATABASE … OWNER TO …)',
  '42P07': 'it holds tables of something else: name an empty database',
  '53300': 'it takes no more connections',
  '57P03': 'it is starting or shutting down',
  '25006': 'it takes no writes',
}
