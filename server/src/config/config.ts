import { isIP } from 'node:net'
import { join, resolve } from 'node:path'
import { z } from 'zod'
import { alertConfig, alertVariables } from './alerts.ts'
import type { AlertConfig } from './alerts.ts'
import { consentVersions } from './consent-versions.ts'
import type { ConsentVersions } from './consent-versions.ts'
import { deliveryConfig, deliveryFaults } from './delivery.ts'
import type { DeliveryConfig } from './delivery.ts'
import { plainWords } from './plain-words.ts'
import type { MinClientVersions } from '../telemetry/client.ts'
import { KEEP_ALL, retentionMonths } from './retention.ts'
import type { RetentionMonths } from './retention.ts'
import { socialProviders } from './social-providers.ts'
import type { SocialProvider } from './social-providers.ts'
import { tracingConfig, tracingVariables } from './tracing.ts'
import type { TracingConfig } from './tracing.ts'
import { json, list, secret, url, whole } from './values.ts'

export interface Config extends DeliveryConfig, AlertConfig {
  production: boolean
  logLevel: string
  host: string
  port: number
  /** Base URL of links in mails and validation errors; without it, links use the host of the request. */
  publicUrl: string | undefined
  /** The number of trusted proxies, or their addresses and networks; false trusts none. */
  trustProxy: number | string[] | false
  /** Origins whose pages may call the service from a browser, such as `https://app.example.com`; `*` allows any. */
  corsOrigins: readonly string[]
  dataDirectory: string
  /** Without it, the service runs an embedded PostgreSQL under `dataDirectory`. */
  databaseUrl: string | undefined
  /** Streaming replicas that serve reads; see docs/decisions/replicas.md. */
  databaseReplicaUrls: readonly string[]
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
  /** The bearer token that `/metrics` requires; without it, anyone can read the metrics. */
  metricsToken: string | undefined
  /** The least version of each client that is served, by the name that the client sends in `X-Client`. */
  minClientVersions: MinClientVersions
  timeZone: string
  /** The usage time of a night, in minutes, that reports count as reaching the goal. */
  adherenceGoalMinutes: number
  outboxFile: string
  rateLimits: boolean
  /** How expensive the hashes of new passwords are. */
  passwordHashing: 'strong' | 'fast'
  /** Whether a change of an account's phone number asks for the password. */
  phoneChangePassword: 'off' | 'required'
  /** The version in force of each text that asks for consent. */
  consentVersions: ConsentVersions
  /** For how many months records and unused accounts are kept. */
  retention: RetentionMonths
  /** Whether a second operator must agree to a transfer, an export and an unblocking. */
  operatorApproval: 'off' | 'required'
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
  socialProviders: readonly SocialProvider[]
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

const environment = z.object({
  NODE_ENV: z.enum(['development', 'production', 'test']).default('development'),
  LOG_LEVEL: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']).default('info'),
  HOST: z.string().default('127.0.0.1'),
  PORT: whole(0, 65_535).default(3000),
  PUBLIC_URL: url('http:', 'https:')
    .transform((text) => text.replace(/\/+$/, ''))
    .optional(),
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
  CORS_ORIGINS: list.refine((origins) => origins.every(isOrigin), {
    error: 'must be a list of origins such as https://app.example.com, or *',
  }),
  DATA_DIR: z.string().default('.data'),
  DATABASE_URL: url('postgres:', 'postgresql:').optional(),
  DATABASE_REPLICA_URLS: list.refine(
    (urls) => urls.every((each) => url('postgres:', 'postgresql:').safeParse(each).success),
    { error: 'must be a list of URLs that start with postgres:// or postgresql://' },
  ),
  DATABASE_POOL: whole(1, 1000).default(10),
  DATABASE_STATEMENTS: z.enum(['named', 'unnamed']).default('named'),
  DATABASE_STATEMENT_TIMEOUT: whole(1, 3600).default(30),
  TOKEN_SECRET: secret.optional(),
  TOKEN_SECRET_PREVIOUS: secret.optional(),
  HASH_SECRET: secret.optional(),
  METRICS_TOKEN: secret.optional(),
  MIN_CLIENT_VERSIONS: json(minClientVersions).default({}),
  SERVICE_TIME_ZONE: z.string().default('America/New_York').refine(isTimeZone, {
    error: 'must be an IANA time zone such as `America/New_York`',
  }),
  ADHERENCE_GOAL_MINUTES: whole(1, 1440).default(240),
  OUTBOX_FILE: z.string().optional(),
  RATE_LIMITS: z.enum(['on', 'off']).default('on'),
  PASSWORD_HASHING: z.enum(['strong', 'fast']).default('strong'),
  PHONE_CHANGE_PASSWORD: z.enum(['off', 'required']).default('off'),
  CONSENT_VERSIONS: consentVersions.default({}),
  RETENTION: retentionMonths.default(KEEP_ALL),
  OPERATOR_APPROVAL: z.enum(['off', 'required']).default('off'),
  TOMBSTONE_DAYS: whole(1, 36_500).default(365),
  TRAIL_YEARS: whole(1, 100).default(6),
  REJECTED_DEVLOG_DAYS: whole(1, 36_500).default(365),
  READINGS_RAW_DAYS: whole(7, 36_500).default(90),
  DEVICE_READS: z.enum(['on', 'off']).default('on'),
  DEVLOG_DELETION: z.enum(['all', 'before-pairing']).default('all'),
  SOCIAL_PROVIDERS: socialProviders.default([]),
  ...alertVariables.shape,
  ...tracingVariables.shape,
})

/** Lists the mistakes in a rotation of secrets. */
function rotationFaults(given: Record<string, string | undefined>): string[] {
  const previous = given['TOKEN_SECRET_PREVIOUS']
  if (!previous) return []
  const faults: string[] = []
  if (!given['TOKEN_SECRET']) faults.push('TOKEN_SECRET: is required with TOKEN_SECRET_PREVIOUS')
  if (previous === given['TOKEN_SECRET']) faults.push('TOKEN_SECRET_PREVIOUS: equals TOKEN_SECRET')
  // Otherwise no stored hash would match any more, silently.
  if (!given['HASH_SECRET'])
    faults.push(
      'HASH_SECRET: is required with TOKEN_SECRET_PREVIOUS; set it permanently to the first TOKEN_SECRET',
    )
  return faults
}

/**
 * Reads the configuration from environment variables; an empty variable counts as absent.
 * Throws one `ConfigurationError` that names every mistake.
 */
export function readConfig(variables: Record<string, string | undefined>): Config {
  const given = Object.fromEntries(Object.entries(variables).filter(([, value]) => value !== ''))
  const parsed = environment.safeParse(given, { error: plainWords })
  const delivery = deliveryConfig.safeParse(given, { error: plainWords })
  const faults = [parsed, delivery].flatMap(({ error }) =>
    (error?.issues ?? []).map((issue) => `${issue.path.join('.')}: ${issue.message}`),
  )
  const isProduction = given['NODE_ENV'] === 'production'
  faults.push(...deliveryFaults(given, isProduction))
  if (isProduction && given['ALIMTALK_WEBHOOK_URL'] && !given['ALIMTALK_WEBHOOK_SECRET']) {
    faults.push('ALIMTALK_WEBHOOK_SECRET: is required with ALIMTALK_WEBHOOK_URL when NODE_ENV=production')
  }
  if (isProduction && given['RATE_LIMITS'] === 'off') {
    faults.push('RATE_LIMITS: must be on when NODE_ENV=production')
  }
  if (isProduction && given['PASSWORD_HASHING'] === 'fast') {
    faults.push('PASSWORD_HASHING: must be strong when NODE_ENV=production')
  }
  // Parsed separately: `parsed.data` is missing if any other variable is wrong.
  const providers = environment.shape.SOCIAL_PROVIDERS.safeParse(given['SOCIAL_PROVIDERS']).data ?? []
  for (const { name, issuer } of providers) {
    if (isProduction && !issuer.startsWith('https:')) {
      faults.push(`SOCIAL_PROVIDERS: the issuer of ${name} must be https when NODE_ENV=production`)
    }
  }
  if (given['DATABASE_URL'] && !given['TOKEN_SECRET'])
    faults.push('TOKEN_SECRET: is required with DATABASE_URL')
  if (given['DATABASE_REPLICA_URLS'] && !given['DATABASE_URL'])
    faults.push('DATABASE_URL: is required with DATABASE_REPLICA_URLS')
  faults.push(...rotationFaults(given))
  if (!parsed.success || !delivery.success || faults.length > 0) {
    throw new ConfigurationError(
      `The configuration is not valid:\n${faults.map((fault) => `  - ${fault}`).join('\n')}`,
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
    dataDirectory,
    databaseUrl: env.DATABASE_URL,
    databaseReplicaUrls: env.DATABASE_REPLICA_URLS,
    databasePool: env.DATABASE_POOL,
    namedStatements: env.DATABASE_STATEMENTS === 'named',
    statementSeconds: env.DATABASE_STATEMENT_TIMEOUT,
    tokenSecret: env.TOKEN_SECRET,
    previousTokenSecret: env.TOKEN_SECRET_PREVIOUS,
    hashSecret: env.HASH_SECRET,
    metricsToken: env.METRICS_TOKEN,
    minClientVersions: env.MIN_CLIENT_VERSIONS,
    timeZone: env.SERVICE_TIME_ZONE,
    adherenceGoalMinutes: env.ADHERENCE_GOAL_MINUTES,
    outboxFile: resolve(env.OUTBOX_FILE ?? join(dataDirectory, 'outbox.jsonl')),
    rateLimits: env.RATE_LIMITS === 'on',
    passwordHashing: env.PASSWORD_HASHING,
    phoneChangePassword: env.PHONE_CHANGE_PASSWORD,
    consentVersions: env.CONSENT_VERSIONS,
    retention: env.RETENTION,
    operatorApproval: env.OPERATOR_APPROVAL,
    tombstoneDays: env.TOMBSTONE_DAYS,
    trailYears: env.TRAIL_YEARS,
    rejectedDevlogDays: env.REJECTED_DEVLOG_DAYS,
    readingsRawDays: env.READINGS_RAW_DAYS,
    devlogDeletion: env.DEVLOG_DELETION,
    deviceReads: env.DEVICE_READS === 'on',
    socialProviders: env.SOCIAL_PROVIDERS,
    ...delivery.data,
    ...alertConfig(env),
    tracing: tracingConfig(env),
  }
}
