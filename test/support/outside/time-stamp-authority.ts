import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { onTestFinished } from 'vitest'
import { makeRoot } from '../machines/certificates.ts'
import { listen } from './local-server.ts'

const run = promisify(execFile)

const SETTINGS = `
[ authority ]
serial = serial
signer_digest = sha256
default_policy = 1.2.3.4.1
digests = sha256
ess_cert_id_alg = sha256
`
/** The type of what a time stamp says (RFC 3161, 2.4.2). */
const TST_INFO = '1.2.840.113549.1.9.16.1.4'
/** A PKIStatusInfo alone, with the status `rejection`. */
const REJECTION = Buffer.from('30053003020102', 'hex')

export interface TimeStampAuthority {
  url: string
  /** The file of the certificate that has signed the authority's. */
  certificates: string
  /** What it does with the next requests. */
  behave: (as: 'honest' | 'repeating' | 'refusing' | 'away') => void
  /** What OpenSSL says of a token for `data`. */
  verdict: (data: string, token: Buffer) => Promise<string>
  /** Signs what a token says once more, by a key of the same root that is not for time stamps. */
  signOtherwise: (token: Buffer) => Promise<Buffer>
}

/** Starts a time stamp authority (RFC 3161) for one test: OpenSSL makes the stamps. */
export async function startTimeStampAuthority(): Promise<TimeStampAuthority> {
  const directory = await mkdtemp(join(tmpdir(), 'companion-tsa-'))
  onTestFinished(() => rm(directory, { recursive: true, force: true }))
  const path = (name: string) => join(directory, name)
  const openssl = (...args: string[]) => run('openssl', args, { cwd: directory })
  const root = await makeRoot(directory, 'root')
  await writeFile(path('settings'), SETTINGS)
  await writeFile(path('serial'), '01')
  for (const purpose of ['timeStamping', 'emailProtection']) {
    await writeFile(path('extensions'), `extendedKeyUsage=critical,${purpose}`)
    const key = [
      '-newkey',
      'ec',
      '-pkeyopt',
      'ec_paramgen_curve:prime256v1',
      '-nodes',
      '-subj',
      `/CN=${purpose}`,
    ]
    await openssl('req', ...key, '-keyout', `${purpose}.key`, '-out', 'request')
    const by = ['-CA', root.certificate, '-CAkey', root.key, '-CAcreateserial', '-extfile', 'extensions']
    await openssl('x509', '-req', '-in', 'request', ...by, '-days', '30', '-out', `${purpose}.crt`)
  }

  let behaviour: Parameters<TimeStampAuthority['behave']>[0] = 'honest'
  let last: Buffer | undefined
  async function reply(query: Buffer): Promise<Buffer> {
    if (behaviour === 'refusing') return REJECTION
    if (behaviour === 'repeating' && last) return last
    await writeFile(path('query'), query)
    const signer = ['-signer', 'timeStamping.crt', '-inkey', 'timeStamping.key']
    const settings = ['-config', 'settings', '-section', 'authority']
    await openssl('ts', '-reply', '-queryfile', 'query', ...signer, ...settings, '-out', 'reply')
    last = await readFile(path('reply'))
    return last
  }

  const { url } = await listen((response, { bytes }) => {
    if (behaviour === 'away') response.writeHead(503).end()
    else
      reply(bytes).then(
        (stamp) => response.setHeader('content-type', 'application/timestamp-reply').end(stamp),
        (error: unknown) => response.writeHead(500).end(String(error)),
      )
  })
  return {
    url,
    certificates: root.certificate,
    behave: (as) => void (behaviour = as),
    async verdict(data, token) {
      await writeFile(path('data'), data)
      await writeFile(path('token'), token)
      const trusted = ['-CAfile', root.certificate, '-untrusted', 'timeStamping.crt']
      return (await openssl('ts', '-verify', '-data', 'data', '-in', 'token', '-token_in', ...trusted)).stdout
    },
    async signOtherwise(token) {
      await writeFile(path('token'), token)
      await openssl('cms', '-verify', '-noverify', '-inform', 'DER', '-in', 'token', '-out', 'said')
      const signer = ['-signer', 'emailProtection.crt', '-inkey', 'emailProtection.key', '-md', 'sha256']
      const form = ['-binary', '-nodetach', '-econtent_type', TST_INFO, '-outform', 'DER']
      await openssl('cms', '-sign', '-in', 'said', ...form, ...signer, '-out', 'other')
      return readFile(path('other'))
    },
  }
}
