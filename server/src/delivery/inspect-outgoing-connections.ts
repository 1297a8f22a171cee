import { isIP } from 'node:net'
import { connect, TLSSocket } from 'node:tls'
import { promisify } from 'node:util'
import SMTPConnection from 'nodemailer/lib/smtp-connection'
import type { Config } from '../config/config.ts'
import { isOnThisMachine } from '../config/database-address.ts'
import { reasonOf } from '../database/connection-issue.ts'
import { DELIVERY_TIMEOUT_MS } from './timeout.ts'
import { smtpTransport } from './smtp.ts'

/** How one way out of the service is kept, as it was found. */
export interface OutgoingConnection {
  /** What it is for, such as `mail`. */
  way: string
  /** Where it leads: host and port. */
  to: string
  /** The version of TLS; null where the way is not encrypted. */
  encryption: string | null
  /** Whether somebody else could not pose as the other side. */
  is_verified: boolean
  /** Why it cannot be used, or is not good enough for production. */
  issue: string | null
}

type Kept = Pick<OutgoingConnection, 'encryption' | 'is_verified' | 'issue'>

interface Address {
  way: string
  url: string
  /** Whether anything about a person goes there; true if not given. */
  isPersonal?: boolean
}

/** The ways to other services that the configuration names, by URL. */
function addressesOf(config: Config): Address[] {
  const { smsProvider, fcm, alimTalkUrl, socialProviders, tracing } = config
  return [
    ...(smsProvider.name === 'twilio' ? [{ way: 'SMS (Twilio)', url: smsProvider.baseUrl }] : []),
    ...(smsProvider.name === 'webhook' ? [{ way: 'SMS (gateway)', url: smsProvider.url }] : []),
    ...(fcm ? [{ way: 'push', url: fcm.baseUrl }] : []),
    ...(fcm ? [{ way: 'push (token)', url: fcm.account.token_uri }] : []),
    ...(alimTalkUrl === undefined ? [] : [{ way: 'messaging app', url: alimTalkUrl }]),
    ...socialProviders.map(({ name, issuer }) => ({ way: `sign-in (${name})`, url: issuer })),
    ...(tracing ? [{ way: 'traces', url: tracing.url, isPersonal: false }] : []),
  ]
}

/** Opens each way to another service that the configuration names, and sends nothing but what signs in to the mail server. */
export function inspectOutgoingConnections(config: Config): Promise<OutgoingConnection[]> {
  return Promise.all([
    ...(config.smtp ? [inspectMail(config.smtp)] : []),
    ...addressesOf(config).map(async ({ way, url, isPersonal = true }) => {
      const { protocol, hostname, port } = new URL(url)
      const isTls = protocol === 'https:'
      const place = { host: hostname.replaceAll(/[[\]]/g, ''), port: Number(port) || (isTls ? 443 : 80) }
      const kept = isTls ? await inspectTls(place) : plain(isPersonal && !isOnThisMachine(place))
      return { way, to: `${hostname}:${place.port}`, ...kept }
    }),
  ])
}

const plain = (isBad: boolean): Kept => ({
  encryption: null,
  is_verified: false,
  issue: isBad ? 'it is not encrypted: use an address that starts with https://' : null,
})

function inspectTls(place: { host: string; port: number }): Promise<Kept> {
  return new Promise((resolve) => {
    const socket = connect({
      ...place,
      ...(isIP(place.host) === 0 && { servername: place.host }),
      timeout: DELIVERY_TIMEOUT_MS,
    })
    const finish = (kept: Kept) => {
      socket.destroy()
      resolve(kept)
    }
    socket.once('secureConnect', () =>
      finish({
        encryption: socket.getProtocol(),
        is_verified: socket.authorized,
        issue: socket.authorized
          ? null
          : 'its certificate is not verified: take NODE_TLS_REJECT_UNAUTHORIZED out of the environment',
      }),
    )
    socket.once('timeout', () => finish(failed('it does not answer')))
    socket.once('error', (error) => finish(failed(inWords(error))))
  })
}

const failed = (issue: string): Kept => ({ encryption: null, is_verified: false, issue })

const inWords = (error: Error) => reasonOf(error) ?? error.message

/** Connects to the mail server as a mail would, and signs in. */
async function inspectMail({ url }: { url: string }): Promise<OutgoingConnection> {
  const { options, auth } = smtpTransport(url)
  const { host = 'localhost', secure = false, requireTLS = false, ignoreTLS = false } = options
  const connection = new SMTPConnection(options)
  const way = { way: 'mail', to: `${host}:${options.port ?? (secure ? 465 : 587)}` }
  try {
    await new Promise<void>((resolve, reject) => {
      // What fails on the way comes as an event.
      connection.on('error', reject)
      connection.connect((error) => (error ? reject(error) : resolve()))
    })
    if (auth) await promisify(connection.login.bind(connection))(auth)
    const { _socket: socket } = connection
    const encryption = socket instanceof TLSSocket ? socket.getProtocol() : null
    const isVerified = socket instanceof TLSSocket && socket.authorized
    const isOpenOnPurpose = ignoreTLS || isOnThisMachine({ host })
    const issue = isOpenOnPurpose ? null : issueOfMail(encryption, secure || requireTLS, isVerified)
    return { ...way, encryption, is_verified: isVerified, issue }
  } catch (error) {
    return { ...way, ...failed(error instanceof Error ? inWords(error) : String(error)) }
  } finally {
    connection.close()
  }
}

function issueOfMail(encryption: string | null, isForced: boolean, isVerified: boolean): string | null {
  if (encryption && !isForced)
    return 'without encryption it would be used too, if somebody on the way hid that it is offered: use smtps://, or add ?requireTLS=true'
  if (!encryption)
    return 'it is not encrypted: use smtps:// or ?requireTLS=true, or ?ignoreTLS=true where nobody else is on that network'
  return isVerified ? null : 'its certificate is not verified: take tls.rejectUnauthorized out of SMTP_URL'
}
