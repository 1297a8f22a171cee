import { OctetString } from 'asn1js'
import {
  AlgorithmIdentifier,
  Certificate,
  ContentInfo,
  ExtKeyUsage,
  MessageImprint,
  PKIStatus,
  SignedData,
  TimeStampReq,
  TimeStampResp,
  TSTInfo,
} from 'pkijs'
import type { TimeStampAuthority } from '../config/time-stamps.ts'

/* Time stamps (RFC 3161): a third party says that some bytes were there at a time. */

const ASK_MS = 10_000
const SHA_256 = '2.16.840.1.101.3.4.2.1'
const GRANTED = new Set([PKIStatus.granted, PKIStatus.grantedWithMods])
const EXTENDED_KEY_USAGE = '2.5.29.37'
/** The purpose of a key (RFC 3161, 2.3). */
const TIME_STAMPING = '1.3.6.1.5.5.7.3.8'

/** A time stamp that does not say what it should, or that nobody trusted has made. */
export class TimeStampError extends Error {
  override name = 'TimeStampError'
}

type Bytes = Uint8Array<ArrayBuffer>

const digestOf = async (data: Bytes) => new Uint8Array(await crypto.subtle.digest('SHA-256', data))

/** Asks the authority for a time stamp of `data`. Resolves to its token in DER; throws if it is not one that verifies. */
export async function requestTimeStamp(
  { url = '', certificates }: TimeStampAuthority,
  data: Bytes,
): Promise<Bytes> {
  const request = new TimeStampReq({
    version: 1,
    messageImprint: new MessageImprint({
      hashAlgorithm: new AlgorithmIdentifier({ algorithmId: SHA_256 }),
      hashedMessage: new OctetString({ valueHex: await digestOf(data) }),
    }),
    certReq: true,
  })
  const response = await fetch(url, {
    method: 'POST',
    redirect: 'error',
    signal: AbortSignal.timeout(ASK_MS),
    headers: { 'content-type': 'application/timestamp-query' },
    body: request.toSchema().toBER(),
  })
  if (!response.ok) throw new TimeStampError(`the authority answered ${response.status}`)
  const bytes = await response.bytes()
  const { status, timeStampToken } = parsed(() => TimeStampResp.fromBER(bytes))
  if (!GRANTED.has(status.status) || !timeStampToken)
    throw new TimeStampError(`the authority refused with the status ${status.status}`)
  const token = new Uint8Array(timeStampToken.toSchema().toBER())
  await verifyTimeStamp({ certificates }, data, token)
  return token
}

/** Resolves to when `token` says that `data` was there. Throws `TimeStampError` if it does not say so. */
export async function verifyTimeStamp(
  { certificates }: Pick<TimeStampAuthority, 'certificates'>,
  data: Bytes,
  token: Bytes,
): Promise<Date> {
  const { signed, info } = parsed(() => {
    const read = new SignedData({ schema: ContentInfo.fromBER(token).content })
    return {
      signed: read,
      info: TSTInfo.fromBER(read.encapContentInfo.eContent?.getValue() ?? new ArrayBuffer(0)),
    }
  })
  if (info.messageImprint.hashAlgorithm.algorithmId !== SHA_256)
    throw new TimeStampError('it has another algorithm than SHA-256')
  const found = await signed
    .verify({
      signer: 0,
      data: new Uint8Array(data).buffer,
      trustedCerts: certificates.map((der) => Certificate.fromBER(der)),
      checkChain: true,
      // Certificates of authorities expire before the records that they prove.
      checkDate: info.genTime,
      extendedMode: true,
    })
    .catch((error: unknown) => {
      throw new TimeStampError(error instanceof Error ? error.message : String(error))
    })
  if (!found.signatureVerified || !found.signerCertificateVerified)
    throw new TimeStampError('its signature is not that of a trusted authority')
  const usages = found.signerCertificate?.extensions?.find(({ extnID }) => extnID === EXTENDED_KEY_USAGE)
  if (!(usages?.parsedValue instanceof ExtKeyUsage && usages.parsedValue.keyPurposes.includes(TIME_STAMPING)))
    throw new TimeStampError('the key that signed it is not one for time stamps')
  return info.genTime
}

function parsed<Value>(parse: () => Value): Value {
  try {
    return parse()
  } catch (error) {
    throw new TimeStampError('it cannot be read', { cause: error })
  }
}
