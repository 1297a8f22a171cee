import { existsSync } from 'node:fs'
import { isIP } from 'node:net'
import { join, resolve } from 'node:path'
import { z } from 'zod'
import { alertConfig, alertVariablesSchema } from './alerts.ts'
import type { AlertConfig } from './alerts.ts'
import { consentVersions } from './consent-versions.ts'
import type { ConsentVersions } from './consent-versions.ts'
import {
  AddressError,
  isOnThisMachine,
  formatDatabaseAddress,
  readDatabaseAddress,
} from './database-address.ts'
import type { DatabaseAddress } from './database-address.ts'
import { deliveryConfigSchema, findDeliverySettingIssues, deliveryVariables } from './delivery.ts'
import type { DeliveryConfig } from './delivery.ts'
import { dataKeysSchema } from './data-keys.ts'
import type { DataKey } from '../encryption/key-ring.ts'
import { firmwareKeys } from './firmware-keys.ts'
import type { FirmwareKey } from './firmware-keys.ts'
import { issueText } from './issue-text.ts'
import type { MinClientVersions } from './min-client-versions.ts'
import { NO_RETENTION_LIMITS, retentionMonths } from './retention.ts'
import type { RetentionMonths } from './retention.ts'
import { socialProvidersSchema } from './social-providers.ts'
import type { SocialProvider } from './social-providers.ts'
import { timeStampConfig, timeStampVariablesSchema } from './time-stamps.ts'
import type { TimeStampAuthority } from './time-stamps.ts'
import { tracingConfig, tracingVariablesSchema } from './tracing.ts'
import type { TracingConfig } from './tracing.ts'
import { jsonSetting, listSettingSchema, secretSettingSchema, urlSetting, integerSetting } from './values.ts'

export interface Config extends DeliveryConfig, AlertConfig {
  production: boolean
  logLevel: string
  host: string
  port: number
  /** Base URL of links in mails and validation errors; without it, `http://HOST:PORT` as listened on. */
  publicUrl: string | undefined
  /** The number of trusted proxies, or their addresses and networks; false trusts none. */
  trustProxy: number | string[] | false
  /** Origins whose pages may call the service from a browser, such as `https://app.example.com`; `*` allows any. */
  corsOrigins: readonly string[]
  /** The folder with the build of the web application for clinicians; without it, there is none. */
  clinicApp: string | undefined
  dataDirectory: string
  /** Without it, the service runs an embedded PostgreSQL under `dataDirectory`. */
  database: DatabaseAddress | undefined
  /** Streaming replicas that serve reads; see docs/decisions/replicas.md. */
  databaseReplicas: readonly DatabaseAddress[]
  databasePool: number
  /** Whether frequent statements are prepared by name; a connection pooler may not support this. */
  namedStatements: boolean
  /** Time limit of a statement in seconds; undefined, as for commands, means no limit. */
  statementSeconds: number | undefined
  tokenSecret: string | undefined
  /** The secret before a rotation: tokens signed with it are still accepted. */
  previousTokenSecret: string | undefined
  /** Permanent key for the hashes of phones and addresses; defaults to `tokenSecret`. */
  hashSecret: string | undefined
  /** The keys of encrypted columns; the first encrypts. Without any, one is derived from `hashSecret`. */
  dataKeys: readonly DataKey[]
  /** The bearer token that `/metrics` requires; without it, anyone can read the metrics. */
  metricsToken: string | undefined
  /** The least version of each client that is served, by the name that the client sends in `X-Client`. */
  minClientVersions: MinClientVersions
  timeZone: string
  /** The usage time of a night, in minutes, that reports count as reaching the goal. */
  adherenceGoalMinutes: number
  /** The base of the URIs that name records and codes in FHIR: of the product, so that no host name changes them. */
  fhirSystem: string
  outboxFile: string
  rateLimits: boolean
  /** How expensive the hashes of new passwords are. */
  passwordHashing: 'strong' | 'fast'
  /** Whether a change of an account's phone number asks for the password. */
  phoneChangePassword: 'off' | 'required'
  /** The version in force of each text that asks for consent. */
  consentVersions: ConsentVersions
  /** Whether a second operator must agree to a transfer, an export and an unblocking. */
  operatorApproval: 'off' | 'required'
  /** For how many months records and unused accounts are kept. */
  retention: RetentionMonths
  tombstoneDays: number
  /** For how many years the trail is kept, by whole months. */
  trailYears: number
  /** For how many days rejected usage logs are kept for the operator. */
  rejectedDevlogDays: number
  readingsRawDays: number
  /** Which of a device's usage logs the public deletion may delete. */
  devlogDeletion: 'all' | 'before-pairing'
  /** Whether a device's history, day and spreadsheet can be read without a token. */
  deviceReads: boolean
  /** Whether clients of hawkBit may load firmware. */
  firmwareDdi: boolean
  /** Whose signatures under the manifests of firmware are accepted. */
  firmwareKeys: readonly FirmwareKey[]
  socialProviders: readonly SocialProvider[]
  timeStamps: TimeStampAuthority
  /** Undefined turns tracing off. */
  tracing: TracingConfig | undefined
}

/** An invalid configuration; the message lists every mistake and no secret. */
export class ConfigurationError extends Error {
  override name = 'ConfigurationError'
}

const minClientVersions = z.record(
  z.string().regex(/^[\w.-]{1,64}$/),
  z
    .string('must be a version such as "0.2.0"')
    .regex(/^\d{1,9}(\.\d{1,9}){0,2}$/, 'must be a version such as "0.2.0"'),
  'must be an object of names and versions such as {"companion-sdk": "0.2.0"}',
)

const isTimeZone = (name: string) => {
  try {
    return Boolean(new Intl.DateTimeFormat('en', { timeZone: name }))
  } catch {
    return false
  }
}

/** Accepts an IP address or a network in CIDR notation; `proxy-addr` throws for anything else. */
const isNetwork = (entry: string) => {
  const [, address = '', bits = '1'] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(entry) ?? []
  const most = { 4: 32, 6: 128 }[isIP(address)] ?? 0
  return Number(bits) >= 1 && Number(bits) <= most
}

const isProxyList = (list: string[]) =>
  list.every((entry) => isNetwork(entry) || ['loopback', 'linklocal', 'uniquelocal'].includes(entry))

const isOrigin = (entry: string) =>
  entry === '*' || (/^https?:/.test(entry) && URL.canParse(entry) && new URL(entry).origin === entry)

const baseUrl = urlSetting('http:', 'https:')
  .refine((text) => !/[?#@]/.test(text), { error: 'must have no query, fragment or user' })
  .transform((text) => text.replace(/\/+$/, ''))

const environment = z.object({
  NODE_ENV: z.enum(['development', 'production', 'test']).default('development'),
  LOG_LEVEL: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']).default('info'),
  HOST: z.string().default('127.0.0.1'),
  PORT: integerSetting(0, 65_535).default(3000),
  PUBLIC_URL: baseUrl.optional(),
  TRUST_PROXY: z
    .string()
    .default('0')
    .transform((text) =>
      /^\d{1,2}$/.test(text) ? Number(text) || false : text.split(',').map((entry) => entry.trim()),
    )
    .refine((value) => !Array.isArray(value) || isProxyList(value), {
      error:
        'must be a number of proxies or a list of addresses, networks, `loopback`, `linklocal`, `uniquelocal`',
    }),
  CORS_ORIGINS: listSettingSchema.refine((origins) => origins.every(isOrigin), {
    error: 'must be a list of origins such as https://app.example.com, or *',
  }),
  CLINIC_APP: z
    .string()
    .transform((folder) => resolve(folder))
    .refine((folder) => existsSync(join(folder, 'index.html')), {
      error: 'must be the folder of a build, with its index.html',
    })
    .optional(),
  DATA_DIR: z.string().default('.data'),
  DATABASE_URL: z.string().optional(),
  DATABASE_REPLICA_URLS: listSettingSchema,
  DATABASE_POOL: integerSetting(1, 1000).default(10),
  DATABASE_STATEMENTS: z.enum(['named', 'unnamed']).default('named'),
  DATABASE_STATEMENT_TIMEOUT: integerSetting(1, 3600).default(30),
  TOKEN_SECRET: secretSettingSchema.optional(),
  TOKEN_SECRET_PREVIOUS: secretSettingSchema.optional(),
  HASH_SECRET: secretSettingSchema.optional(),
  DATA_KEYS: dataKeysSchema.default([]),
  METRICS_TOKEN: secretSettingSchema.optional(),
  MIN_CLIENT_VERSIONS: jsonSetting(minClientVersions).default({}),
  SERVICE_TIME_ZONE: z.string().default('America/New_York').refine(isTimeZone, {
    error: 'must be an IANA time zone such as `America/New_York`',
  }),
  ADHERENCE_GOAL_MINUTES: integerSetting(1, 1440).default(240),
  FHIR_SYSTEM: baseUrl.default('https://companion.example/fhir'),
  OUTBOX_FILE: z.string().optional(),
  RATE_LIMITS: z.enum(['on', 'off']).default('on'),
  PASSWORD_HASHING: z.enum(['strong', 'fast']).default('strong'),
  PHONE_CHANGE_PASSWORD: z.enum(['off', 'required']).default('off'),
  CONSENT_VERSIONS: consentVersions.default({}),
  OPERATOR_APPROVAL: z.enum(['off', 'required']).default('off'),
  RETENTION: retentionMonths.default(NO_RETENTION_LIMITS),
  TOMBSTONE_DAYS: integerSetting(1, 36_500).default(365),
  TRAIL_YEARS: integerSetting(1, 100).default(6),
  REJECTED_DEVLOG_DAYS: integerSetting(1, 36_500).default(365),
  READINGS_RAW_DAYS: integerSetting(7, 36_500).default(14),
  DEVICE_READS: z.enum(['on', 'off']).default('on'),
  DEVLOG_DELETION: z.enum(['all', 'before-pairing']).default('all'),
  FIRMWARE_DDI: z.enum(['on', 'off']).default('off'),
  FIRMWARE_KEYS: jsonSetting(firmwareKeys).default([]),
  SOCIAL_PROVIDERS: socialProvidersSchema.default([]),
  ...alertVariablesSchema.shape,
  ...timeStampVariablesSchema.shape,
  ...tracingVariablesSchema.shape,
})

/** Lists the mistakes in a rotation of secrets. */
function rotationIssues(given: Record<string, string | undefined>): string[] {
  const previous = given['TOKEN_SECRET_PREVIOUS']
  if (!previous) return []
  const issues: string[] = []
  if (!given['TOKEN_SECRET']) issues.push('TOKEN_SECRET: is required with TOKEN_SECRET_PREVIOUS')
  if (previous === given['TOKEN_SECRET']) issues.push('TOKEN_SECRET_PREVIOUS: equals TOKEN_SECRET')
  // Otherwise no stored hash would match any more, silently.
  if (!given['HASH_SECRET'])
    issues.push(
      'HASH_SECRET: is required with TOKEN_SECRET_PREVIOUS; set it permanently to the first TOKEN_SECRET',
    )
  return issues
}

/** Without white space at the ends, which files and templates add; what is empty then counts as absent. */
const trimmed = (variables: Record<string, string | undefined>) =>
  Object.fromEntries(
    Object.entries(variables)
      .map(([name, value]) => [name, value?.trim()] as const)
      .filter(([, value]) => value),
  )

/** Of settings that are not JSON, those that hold what only a mistake puts there. */
function spellingIssues(given: Record<string, string | undefined>): string[] {
  const names = [...Object.keys(environment.shape), ...deliveryVariables]
  return names.flatMap((name) => {
    const value = given[name] ?? ''
    if (/^(["'])[^]*\1$/.test(value)) return [`${name}: is wrapped in quotes, which would be part of it`]
    return /^[[{]/.test(value) || !/\p{Cc}/u.test(value)
      ? []
      : [`${name}: holds a line break or control character`]
  })
}

/** Reads one address, or adds to `issues` why it cannot be used. */
function databaseAddress(
  variable: string,
  text: string,
  given: Record<string, string | undefined>,
  issues: string[],
): DatabaseAddress[] {
  try {
    const address = readDatabaseAddress(text, given)
    const isEncrypted = !['allow', 'prefer', 'disable'].includes(address.tls.mode)
    const isOpenOnPurpose = address.tls.mode === 'disable'
    if (given['NODE_ENV'] === 'production' && !isEncrypted && !isOpenOnPurpose && !isOnThisMachine(address))
      issues.push(
        `${variable}: the way to ${formatDatabaseAddress(address)} must be encrypted when NODE_ENV=production: add sslmode=verify-full, or sslmode=disable where nobody else is on that network`,
      )
    return [address]
  } catch (error) {
    if (!(error instanceof AddressError)) throw error
    issues.push(`${variable}: ${error.message}`)
    return []
  }
}

/**
 * Reads the configuration from environment variables, without white space at their ends; an empty one counts as absent.
 * Throws one `ConfigurationError` that names every mistake.
 */
export function readConfig(variables: Record<string, string | undefined>): Config {
  const given = trimmed(variables)
  const parsed = environment.safeParse(given, { error: issueText })
  const delivery = deliveryConfigSchema.safeParse(given, { error: issueText })
  const issues = [parsed, delivery].flatMap(({ error }) =>
    (error?.issues ?? []).map((issue) => `${issue.path.join('.')}: ${issue.message}`),
  )
  issues.push(...spellingIssues(given))
  const isProduction = given['NODE_ENV'] === 'production'
  issues.push(...findDeliverySettingIssues(given, isProduction))
  if (isProduction && given['ALIMTALK_WEBHOOK_URL'] && !given['ALIMTALK_WEBHOOK_SECRET']) {
    issues.push('ALIMTALK_WEBHOOK_SECRET: is required with ALIMTALK_WEBHOOK_URL when NODE_ENV=production')
  }
  if (isProduction && given['RATE_LIMITS'] === 'off') {
    issues.push('RATE_LIMITS: must be on when NODE_ENV=production')
  }
  if (isProduction && given['NODE_TLS_REJECT_UNAUTHORIZED'] === '0') {
    issues.push(
      'NODE_TLS_REJECT_UNAUTHORIZED: must not be 0 when NODE_ENV=production: no certificate would be verified; NODE_EXTRA_CA_CERTS names further roots',
    )
  }
  if (isProduction && !given['DATA_KEYS']) {
    issues.push('DATA_KEYS: is required when NODE_ENV=production')
  }
  if (isProduction && given['PASSWORD_HASHING'] === 'fast') {
    issues.push('PASSWORD_HASHING: must be strong when NODE_ENV=production')
  }
  // Parsed separately: `parsed.data` is missing if any other variable is wrong.
  const providers = environment.shape.SOCIAL_PROVIDERS.safeParse(given['SOCIAL_PROVIDERS']).data ?? []
  for (const { name, issuer } of providers) {
    if (isProduction && !issuer.startsWith('https:')) {
      issues.push(`SOCIAL_PROVIDERS: the issuer of ${name} must be https when NODE_ENV=production`)
    }
  }
  const [database] = given['DATABASE_URL']
    ? databaseAddress('DATABASE_URL', given['DATABASE_URL'], given, issues)
    : []
  const databaseReplicas = listSettingSchema
    .parse(given['DATABASE_REPLICA_URLS'])
    .flatMap((each) => databaseAddress('DATABASE_REPLICA_URLS', each, given, issues))
  if (given['TSA_URL'] && !given['TSA_CERTIFICATES'])
    issues.push('TSA_CERTIFICATES: is required with TSA_URL')
  if (given['DATABASE_URL'] && !given['TOKEN_SECRET'])
    issues.push('TOKEN_SECRET: is required with DATABASE_URL')
  if (given['DATABASE_REPLICA_URLS'] && !given['DATABASE_URL'])
    issues.push('DATABASE_URL: is required with DATABASE_REPLICA_URLS')
  const publicUrl = environment.shape.PUBLIC_URL.safeParse(given['PUBLIC_URL']).data
  if (given['CLINIC_APP'] && publicUrl !== undefined && new URL(publicUrl).pathname !== '/')
    issues.push('CLINIC_APP: is served only where PUBLIC_URL has no path')
  issues.push(...rotationIssues(given))
  if (!parsed.success || !delivery.success || issues.length > 0) {
    throw new ConfigurationError(
      `The configuration is not valid:\n${issues.map((issue) => `  - ${issue}`).join('\n')}`,
    )
  }
  const env = parsed.data
  const dataDirectory = resolve(env.DATA_DIR)
  return {
    production: env.NODE_ENV === 'production',
    logLevel: env.LOG_LEVEL,
    host: env.HOST,
    port: env.PORT,
    publicUrl: env.PUBLIC_URL,
    trustProxy: env.TRUST_PROXY,
    corsOrigins: env.CORS_ORIGINS,
    clinicApp: env.CLINIC_APP,
    dataDirectory,
    database,
    databaseReplicas,
    databasePool: env.DATABASE_POOL,
    namedStatements: env.DATABASE_STATEMENTS === 'named',
    statementSeconds: env.DATABASE_STATEMENT_TIMEOUT,
    tokenSecret: env.TOKEN_SECRET,
    previousTokenSecret: env.TOKEN_SECRET_PREVIOUS,
    hashSecret: env.HASH_SECRET,
    dataKeys: env.DATA_KEYS,
    metricsToken: env.METRICS_TOKEN,
    minClientVersions: env.MIN_CLIENT_VERSIONS,
    timeZone: env.SERVICE_TIME_ZONE,
    adherenceGoalMinutes: env.ADHERENCE_GOAL_MINUTES,
    fhirSystem: env.FHIR_SYSTEM,
    outboxFile: resolve(env.OUTBOX_FILE ?? join(dataDirectory, 'outbox.jsonl')),
    rateLimits: env.RATE_LIMITS === 'on',
    passwordHashing: env.PASSWORD_HASHING,
    phoneChangePassword: env.PHONE_CHANGE_PASSWORD,
    consentVersions: env.CONSENT_VERSIONS,
    operatorApproval: env.OPERATOR_APPROVAL,
    retention: env.RETENTION,
    tombstoneDays: env.TOMBSTONE_DAYS,
    trailYears: env.TRAIL_YEARS,
    rejectedDevlogDays: env.REJECTED_DEVLOG_DAYS,
    readingsRawDays: env.READINGS_RAW_DAYS,
    devlogDeletion: env.DEVLOG_DELETION,
    deviceReads: env.DEVICE_READS === 'on',
    firmwareDdi: env.FIRMWARE_DDI === 'on',
    firmwareKeys: env.FIRMWARE_KEYS,
    socialProviders: env.SOCIAL_PROVIDERS,
    ...delivery.data,
    ...alertConfig(env),
    ...timeStampConfig(env),
    tracing: tracingConfig(env),
  }
}
