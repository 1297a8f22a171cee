import { createPrivateKey, X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { userInfo } from 'node:os'
import { z } from 'zod'
import { issueText } from './issue-text.ts'
import { findOverriddenSettings } from './session-settings.ts'
import { integerSetting } from './values.ts'

/** What libpq calls `sslmode`, from nothing to certificate and host name. */
const SSL_MODES = ['disable', 'allow', 'prefer', 'require', 'verify-ca', 'verify-full'] as const

/** How the connection to a database is encrypted, as libpq understands it. */
export interface DatabaseTls {
  mode: (typeof SSL_MODES)[number]
  /** A file of root certificates, or `system`; without it, those that Node.js trusts. */
  root: string | undefined
  /** Files of this side's own certificate and its key. */
  certificate: string | undefined
  key: string | undefined
  keyPassword: string | undefined
  /** A file of revoked certificates. */
  revoked: string | undefined
  minVersion: 'TLSv1.2' | 'TLSv1.3'
  maxVersion: 'TLSv1.2' | 'TLSv1.3'
  /** Whether TLS begins without asking first. */
  isDirect: boolean
}

/** Where a PostgreSQL is, as whom to sign in, and how the way there is kept. */
export interface DatabaseAddress {
  /** A host name, an IP address, or the absolute path of a folder of sockets. */
  host: string
  port: number
  user: string
  password: string | undefined
  database: string
  tls: DatabaseTls
  /** `require`: only a server that proves by the password that it is the one with this certificate. */
  channelBinding: 'disable' | 'prefer' | 'require'
  /** Further `-c name=value` of the session. */
  options: string
  applicationName: string
  /** 0 waits without end; undefined leaves it to the service. */
  connectSeconds: number | undefined
  keepAlive: boolean
  keepAliveSeconds: number
}

/** An address that cannot be used. The message follows the name of its variable and holds no value, which may be secret. */
export class AddressError extends Error {
  override name = 'AddressError'
}

const HOW_TO_ESCAPE =
  'write each % as %25, @ as %40, / as %2F, : as %3A and ? as %3F in user name and password'

/** libpq's parameters that are supported, by its names. */
const parameters = z.strictObject(
  {
    host: z.string(),
    port: integerSetting(1, 65_535).default(5432),
    user: z.string().default(() => userInfo().username),
    password: z.string().optional(),
    dbname: z.string(),
    sslmode: z.enum(SSL_MODES).optional(),
    ssl: z.literal('true').optional(),
    sslnegotiation: z.enum(['postgres', 'direct']).default('postgres'),
    sslrootcert: z.string().optional(),
    sslcert: z.string().optional(),
    sslkey: z.string().optional(),
    sslpassword: z.string().optional(),
    sslcrl: z.string().optional(),
    ssl_min_protocol_version: z.enum(['TLSv1.2', 'TLSv1.3']).default('TLSv1.2'),
    ssl_max_protocol_version: z.enum(['TLSv1.2', 'TLSv1.3']).default('TLSv1.3'),
    channel_binding: z.enum(['disable', 'prefer', 'require']).default('disable'),
    options: z.string().default(''),
    application_name: z.string().optional(),
    fallback_application_name: z.string().optional(),
    connect_timeout: integerSetting(0, 86_400).optional(),
    keepalives: z.enum(['0', '1']).default('1'),
    keepalives_idle: integerSetting(0, 86_400).default(0),
    // Accepted, because some addresses hold them, as far as they say what is done anyway.
    client_encoding: z.enum(['UTF8', 'UTF-8', 'utf8', 'utf-8', 'auto']).optional(),
    gssencmode: z.enum(['disable', 'prefer']).optional(),
    target_session_attrs: z.literal('any').optional(),
    load_balance_hosts: z.literal('disable').optional(),
    uselibpqcompat: z.literal('true').optional(),
  },
  {
    error: (issue) =>
      issue.code === 'unrecognized_keys'
        ? `the parameter ${issue.keys.join(', ')} is not supported`
        : undefined,
  },
)

/** libpq's environment variables, and the parameter for which each stands where the address lacks it. */
const environmentOfLibpq: Readonly<Record<string, string>> = {
  PGHOST: 'host',
  PGHOSTADDR: 'hostaddr',
  PGPORT: 'port',
  PGDATABASE: 'dbname',
  PGUSER: 'user',
  PGPASSWORD: 'password',
  PGPASSFILE: 'passfile',
  PGREQUIREAUTH: 'require_auth',
  PGCHANNELBINDING: 'channel_binding',
  PGSERVICE: 'service',
  PGOPTIONS: 'options',
  PGAPPNAME: 'application_name',
  PGSSLMODE: 'sslmode',
  PGREQUIRESSL: 'requiressl',
  PGSSLNEGOTIATION: 'sslnegotiation',
  PGSSLCOMPRESSION: 'sslcompression',
  PGSSLCERT: 'sslcert',
  PGSSLKEY: 'sslkey',
  PGSSLCERTMODE: 'sslcertmode',
  PGSSLROOTCERT: 'sslrootcert',
  PGSSLCRL: 'sslcrl',
  PGSSLCRLDIR: 'sslcrldir',
  PGSSLSNI: 'sslsni',
  PGREQUIREPEER: 'requirepeer',
  PGSSLMINPROTOCOLVERSION: 'ssl_min_protocol_version',
  PGSSLMAXPROTOCOLVERSION: 'ssl_max_protocol_version',
  PGGSSENCMODE: 'gssencmode',
  PGKRBSRVNAME: 'krbsrvname',
  PGGSSLIB: 'gsslib',
  PGGSSDELEGATION: 'gssdelegation',
  PGCONNECT_TIMEOUT: 'connect_timeout',
  PGCLIENTENCODING: 'client_encoding',
  PGTARGETSESSIONATTRS: 'target_session_attrs',
  PGLOADBALANCEHOSTS: 'load_balance_hosts',
}

/** An environment in which none of libpq's variables counts. */
export const environmentWithoutLibpq = Object.fromEntries(
  Object.keys(environmentOfLibpq).map((name) => [name, '']),
)

/**
 * Reads the address of a database as libpq does: a URI of PostgreSQL, with the variables of `environment` where a parameter is
 * missing. Nothing is passed over: a parameter that is not supported, comes twice, or contradicts another, throws `AddressError`,
 * as does a file that cannot be used.
 */
export function readDatabaseAddress(
  text: string,
  environment: Readonly<Record<string, string | undefined>> = {},
): DatabaseAddress {
  const given = readUri(text)
  if (given['ssl'] && given['sslmode']) throw new AddressError('says both ssl and sslmode')
  const whole: Record<string, string> = { ...fromEnvironment(given, environment), ...given }
  const hosts = (whole['host'] ?? '').split(',')
  if (hosts.length > 1)
    throw new AddressError(
      'names several hosts; name one, such as that of a proxy which knows the server that takes writes',
    )
  if (!whole['host'])
    throw new AddressError(
      'names no host; for a socket add ?host= and the folder, such as ?host=/var/run/postgresql',
    )
  if (!whole['dbname']) throw new AddressError('names no database; end it with / and its name')
  const parsed = parameters.safeParse(whole, { error: issueText })
  if (!parsed.success) throw new AddressError(parsed.error.issues.map(issueOf).join('; '))
  const read = parsed.data
  const touched = findOverriddenSettings(read.options)
  if (touched.length > 0)
    throw new AddressError(`options says ${touched.join(', ')}, which the service sets itself`)
  return {
    host: read.host,
    port: read.port,
    user: read.user,
    password: read.password,
    database: read.dbname,
    tls: tlsOf(read, given),
    channelBinding: read.channel_binding,
    options: read.options,
    applicationName: read.application_name ?? read.fallback_application_name ?? 'companion',
    connectSeconds: read.connect_timeout,
    keepAlive: read.keepalives === '1',
    keepAliveSeconds: read.keepalives_idle,
  }
}

const issueOf = ({ path, message }: { path: PropertyKey[]; message: string }) =>
  [...path.map(String), message].join(' ')

/** The parameters that the URI itself holds. */
function readUri(text: string): Record<string, string> {
  const [, rest] = /^postgres(?:ql)?:\/\/(.*)$/s.exec(text) ?? []
  if (rest === undefined)
    throw new AddressError('must be a URL that starts with postgres:// or postgresql://')
  const [, credentials, authority = '', database, query = ''] =
    /^(?:([^@/]*)@)?([^/?]*)(?:\/([^?]*))?(?:\?(.*))?$/s.exec(rest) ?? []
  if (authority.includes('@') || database?.includes('@'))
    throw new AddressError(`holds an @ that is no separator; ${HOW_TO_ESCAPE}`)
  const [, user, password] = /^([^:]*)(?::(.*))?$/s.exec(credentials ?? '') ?? []
  const given: Record<string, string> = {}
  const set = (name: string, value: string | undefined) => {
    if (!value) return
    if (name in given) throw new AddressError(`says ${name} twice`)
    given[name] = decoded(value)
  }
  set('user', user)
  set('password', password)
  if (authority.includes(',')) set('host', authority)
  else {
    const [, bracketed, host, port] = /^(?:\[([^\]]*)\]|([^:]*))(?::(.*))?$/s.exec(authority) ?? []
    if (bracketed !== undefined && isIP(bracketed) !== 6)
      throw new AddressError('holds no IPv6 address between [ and ]')
    set('host', bracketed ?? host)
    set('port', port)
  }
  set('dbname', database)
  for (const pair of query.split('&').filter(Boolean)) {
    const [name = '', ...value] = pair.split('=')
    set(decoded(name), value.join('='))
  }
  return given
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    throw new AddressError(`holds a % that begins no escape; ${HOW_TO_ESCAPE}`)
  }
}

function fromEnvironment(
  given: Readonly<Record<string, string>>,
  environment: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  const found: Record<string, string> = {}
  for (const [variable, name] of Object.entries(environmentOfLibpq)) {
    const value = environment[variable]
    if (!value || given[name]) continue
    if (!(name in parameters.shape))
      throw new AddressError(`the environment variable ${variable} (${name}) is not supported`)
    if (name === 'sslmode' && given['ssl']) continue
    found[name] = value
  }
  return found
}

function tlsOf(read: z.infer<typeof parameters>, given: Readonly<Record<string, string>>): DatabaseTls {
  const isSocket = read.host.startsWith('/')
  const isSystem = read.sslrootcert === 'system'
  const written = read.sslmode ?? (read.ssl ? 'require' : undefined)
  // As libpq: with a root, `require` verifies the certificate too.
  const mode = written ?? (isSystem ? 'verify-full' : 'prefer')
  const needsTls = SSL_MODES.indexOf(mode) >= SSL_MODES.indexOf('require')
  if (isSystem && mode !== 'verify-full')
    throw new AddressError(
      'sslrootcert=system needs sslmode=verify-full: anybody gets a certificate of these',
    )
  if (mode === 'verify-ca' && !read.sslrootcert)
    throw new AddressError('sslmode=verify-ca needs sslrootcert, the file of the root certificate')
  if (read.sslnegotiation === 'direct' && !needsTls)
    throw new AddressError('sslnegotiation=direct needs sslmode=require or more')
  if (read.channel_binding === 'require' && !needsTls)
    throw new AddressError('channel_binding=require needs sslmode=require or more')
  if (read.ssl_min_protocol_version > read.ssl_max_protocol_version)
    throw new AddressError('ssl_min_protocol_version is above ssl_max_protocol_version')
  const idle = ['sslrootcert', 'sslcert', 'sslkey', 'sslpassword', 'sslcrl'].filter((name) => given[name])
  if (idle.length > 0 && (mode === 'disable' || isSocket))
    throw new AddressError(
      `says ${idle.join(', ')} and ${isSocket ? 'a socket, which has no TLS' : 'sslmode=disable'}`,
    )
  if (given['sslrootcert'] && !needsTls)
    throw new AddressError('sslrootcert needs sslmode=verify-full (or verify-ca): nothing less looks at it')
  const tls: DatabaseTls = {
    mode: isSocket ? 'disable' : mode === 'require' && read.sslrootcert ? 'verify-ca' : mode,
    root: read.sslrootcert,
    certificate: read.sslcert,
    key: read.sslkey,
    keyPassword: read.sslpassword,
    revoked: read.sslcrl,
    minVersion: read.ssl_min_protocol_version,
    maxVersion: read.ssl_max_protocol_version,
    isDirect: read.sslnegotiation === 'direct',
  }
  if (tls.mode !== 'disable') checkFiles(tls)
  return tls
}

/** Throws if a file that `tls` names cannot be used. */
function checkFiles({ root, certificate, key, keyPassword, revoked }: DatabaseTls): void {
  if (root && root !== 'system') readCertificate('sslrootcert', root)
  if (revoked && !read('sslcrl', revoked).includes('X509 CRL'))
    throw new AddressError('sslcrl names a file that holds no list of revoked certificates')
  if (Boolean(certificate) !== Boolean(key)) throw new AddressError('sslcert and sslkey are needed together')
  if (!certificate || !key) return
  const own = readCertificate('sslcert', certificate)
  const pem = read('sslkey', key)
  let isOwn: boolean
  try {
    isOwn = own.checkPrivateKey(createPrivateKey({ key: pem, passphrase: keyPassword ?? '' }))
  } catch {
    throw new AddressError(
      'sslkey names a file that holds no key which can be read (sslpassword decrypts it)',
    )
  }
  if (!isOwn) throw new AddressError('sslkey names the key of another certificate than sslcert')
}

function readCertificate(name: string, file: string): X509Certificate {
  const pem = read(name, file)
  try {
    return new X509Certificate(pem)
  } catch {
    throw new AddressError(`${name} names a file that holds no certificate`)
  }
}

function read(name: string, file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    throw new AddressError(`${name} names a file that cannot be read`)
  }
}

/** Whether nobody can listen on the way there. */
export const isOnThisMachine = ({ host }: Pick<DatabaseAddress, 'host'>): boolean =>
  host.startsWith('/') ||
  host === 'localhost' ||
  host === '::1' ||
  (isIP(host) === 4 && host.startsWith('127.'))

/** For messages: host and port, or the folder of the socket. */
export const formatDatabaseAddress = ({ host, port }: Pick<DatabaseAddress, 'host' | 'port'>): string => {
  if (host.startsWith('/')) return `${host}/.s.PGSQL.${port}`
  return `${isIP(host) === 6 ? `[${host}]` : host}:${port}`
}
