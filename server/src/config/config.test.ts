import { randomBytes } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { ConfigurationError, readConfig } from './config.ts'

const SECRET = 'a secret of at least thirty-two bytes, for sure'

const issuesOf = (variables: Record<string, string>): string[] => {
  try {
    readConfig(variables)
    return []
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error
    return error.message
      .split('\n')
      .slice(1)
      .map((line) => line.replace('  - ', '').split(':')[0] ?? '')
  }
}

test('without variables, everything has its documented default', () => {
  expect(readConfig({})).toMatchObject({
    production: false,
    host: '127.0.0.1',
    port: 3000,
    publicUrl: undefined,
    trustProxy: false,
    corsOrigins: [],
    dataDirectory: expect.stringMatching(/\/\.data$/),
    outboxFile: expect.stringMatching(/\/\.data\/outbox\.jsonl$/),
    database: undefined,
    timeZone: 'America/New_York',
    adherenceGoalMinutes: 240,
    fhirSystem: 'https://companion.example/fhir',
    rateLimits: true,
    passwordHashing: 'strong',
    tombstoneDays: 365,
    consentVersions: {},
    retention: {
      treatments: 'none',
      readings: 'none',
      notes: 'none',
      surveys: 'none',
      inactive_accounts: 'none',
      trail: 'none',
    },
  })
})

test('white space at both ends of every setting is dropped, and quotes and line breaks in it are refused', () => {
  // The page of the settings lists all of them, and two lines name several at once.
  const page = readFileSync(new URL('../../../docs/operations/settings.md', import.meta.url), 'utf8')
  const listed = new Set(
    [...page.matchAll(/^\| (`[^|]*`) +\|/gm)].flatMap(([, cell = '']) =>
      [...cell.matchAll(/[A-Z][A-Z_]+/g)].map(String),
    ),
  )
  listed.delete('OTEL_EXPORTER_OTLP_')
  listed.delete('COMPANION_OPERATOR')
  listed.delete('CLINIC_APP')
  expect(listed.size).toBeGreaterThan(40)
  for (const name of listed) {
    expect([name, readConfig({ [name]: ' \r\n' })]).toEqual([name, readConfig({})])
    expect(issuesOf({ [name]: '"quoted"' })).toContain(name)
    expect(issuesOf({ [name]: 'a\nb' })).toContain(name)
  }
  const spaced = {
    PORT: ' 4000\r',
    METRICS_TOKEN: `${SECRET}\n`,
    PUBLIC_URL: 'https://a.example/ \n',
    HOST: '::1 ',
  }
  expect(readConfig(spaced)).toMatchObject({
    port: 4000,
    metricsToken: SECRET,
    publicUrl: 'https://a.example',
    host: '::1',
  })
})

test.each([
  'https://a.example/?x=1',
  'https://a.example/#f',
  'https://u:p@a.example/',
  'https://a.example/a b',
])('PUBLIC_URL %s is refused', (url) => {
  expect(issuesOf({ PUBLIC_URL: url })).toEqual(['PUBLIC_URL'])
})

test('an empty variable counts as absent', () => {
  expect(readConfig({ PORT: '', DATABASE_URL: '', TOKEN_SECRET: '', PUBLIC_URL: '' })).toEqual(readConfig({}))
})

test('given variables replace the defaults', () => {
  const given = {
    PORT: '0',
    HOST: '0.0.0.0',
    PUBLIC_URL: 'https://api.example.com/companion//',
    DATA_DIR: '/var/lib/companion',
    DATABASE_URL: 'postgres://somewhere/db',
    TOKEN_SECRET: SECRET,
    SERVICE_TIME_ZONE: 'Asia/Seoul',
    ADHERENCE_GOAL_MINUTES: '360',
    FHIR_SYSTEM: 'https://records.example.org/',
    RATE_LIMITS: 'off',
    PASSWORD_HASHING: 'fast',
    TOMBSTONE_DAYS: '1',
  }
  expect(readConfig(given)).toMatchObject({
    port: 0,
    host: '0.0.0.0',
    publicUrl: 'https://api.example.com/companion',
    dataDirectory: '/var/lib/companion',
    outboxFile: '/var/lib/companion/outbox.jsonl',
    database: expect.objectContaining({ host: 'somewhere', port: 5432, database: 'db' }),
    tokenSecret: SECRET,
    timeZone: 'Asia/Seoul',
    adherenceGoalMinutes: 360,
    fhirSystem: 'https://records.example.org',
    rateLimits: false,
    passwordHashing: 'fast',
    tombstoneDays: 1,
  })
})

test.each([
  ['PORT', '65536'],
  ['NODE_ENV', 'prod'],
  ['PORT', '-1'],
  ['PORT', '0x50'],
  ['PUBLIC_URL', 'api.example.com'],
  ['PUBLIC_URL', 'ftp://api.example.com'],
  ['DATABASE_URL', 'mysql://somewhere'],
  ['DATABASE_POOL', '0'],
  ['DATABASE_STATEMENT_TIMEOUT', '0'],
  ['TOKEN_SECRET', 'x'.repeat(31)],
  ['SERVICE_TIME_ZONE', 'Mars/Olympus'],
  ['ADHERENCE_GOAL_MINUTES', '0'],
  ['ADHERENCE_GOAL_MINUTES', '1441'],
  ['RATE_LIMITS', 'true'],
  ['MIN_CLIENT_VERSIONS', 'companion-sdk=1'],
  ['MIN_CLIENT_VERSIONS', '["0.2.0"]'],
  ['MIN_CLIENT_VERSIONS', '{"companion-sdk": "latest"}'],
  ['MIN_CLIENT_VERSIONS', '{"companion-sdk": 2}'],
  ['MIN_CLIENT_VERSIONS', '{"": "0.2.0"}'],
  ['TOMBSTONE_DAYS', '0'],
  ['TOMBSTONE_DAYS', '1e3'],
  ['REJECTED_DEVLOG_DAYS', '0'],
  ['OTEL_EXPORTER_OTLP_ENDPOINT', 'localhost:4318'],
  ['OTEL_TRACES_SAMPLER', 'jaeger_remote'],
  ['OTEL_TRACES_SAMPLER_ARG', '1.5'],
  ['LOG_LEVEL', 'loud'],
  ['SMS_PROVIDER', 'pigeon'],
])('%s=%j is refused', (name, value) => {
  expect(issuesOf({ TOKEN_SECRET: SECRET, PUBLIC_URL: 'https://api.example.com', [name]: value })).toEqual([
    name,
  ])
})

test('32 bytes are enough for a secret, counted as bytes', () => {
  expect(issuesOf({ TOKEN_SECRET: '0123456789abcdef0123456789abcdef' })).toEqual([])
  expect(issuesOf({ TOKEN_SECRET: 'éàüöäßçñéàüöäßçñ' })).toEqual([])
})

describe('TRUST_PROXY', () => {
  test.each([
    ['0', false],
    ['1', 1],
    ['2', 2],
    ['loopback', ['loopback']],
    ['10.0.0.1', ['10.0.0.1']],
    ['10.0.0.0/8, 2001:db8::/32,uniquelocal', ['10.0.0.0/8', '2001:db8::/32', 'uniquelocal']],
  ])('%j', (value, meant) => {
    expect(readConfig({ TRUST_PROXY: value }).trustProxy).toEqual(meant)
  })

  test.each([
    'true',
    'yes',
    '-1',
    'proxy.example.com',
    '10.0.0',
    '10.0.0.0/33',
    '10.0.0.0/0',
    '10.0.0.0/',
    '10.0.0.0/x',
    '10.0.0.0/8/8',
    '2001:db8::/129',
    'loopback/8',
    'loopback,,',
    '*',
  ])('%j is refused', (value) => expect(issuesOf({ TRUST_PROXY: value })).toEqual(['TRUST_PROXY']))
})

test('CORS_ORIGINS is a list of origins as browsers send them', () => {
  expect(readConfig({ CORS_ORIGINS: 'https://app.example.com, http://localhost:8081' }).corsOrigins).toEqual([
    'https://app.example.com',
    'http://localhost:8081',
  ])
  expect(readConfig({ CORS_ORIGINS: '*' }).corsOrigins).toEqual(['*'])
})

test.each([
  ['postgres://u:hidden@db.example.com/db', ['DATABASE_URL']],
  ['postgres://u@db.example.com/db?sslmode=prefer', ['DATABASE_URL']],
  ['postgres://u@db.example.com/db?sslmode=require', []],
  ['postgres://u@db.example.com/db?sslmode=disable', []],
  ['postgres://u@127.0.0.1/db', []],
  ['postgres://u@[::1]/db', []],
  ['postgres:///db?host=/var/run/postgresql', []],
])('production wants the way to %s encrypted: %j', (url, issues) => {
  const named = (more: Record<string, string>) =>
    issuesOf({ NODE_ENV: 'production', TOKEN_SECRET: SECRET, ...more }).filter((name) =>
      name.startsWith('DATABASE'),
    )
  expect(named({ DATABASE_URL: url })).toEqual(issues)
  expect(named({ DATABASE_URL: 'postgres://localhost/db', DATABASE_REPLICA_URLS: url })).toEqual(
    issues.map(() => 'DATABASE_REPLICA_URLS'),
  )
})

test('DATABASE_REPLICA_URLS is a list of PostgreSQL servers, which need a primary', () => {
  const primary = { DATABASE_URL: 'postgres://somewhere/db', TOKEN_SECRET: SECRET }
  const urls = ['postgres://one/db', 'postgresql://two/db']
  const given = { ...primary, DATABASE_REPLICA_URLS: urls.join(', ') }
  expect(readConfig(given).databaseReplicas.map(({ host }) => host)).toEqual(['one', 'two'])
  expect(readConfig(primary).databaseReplicas).toEqual([])
  expect(issuesOf({ ...primary, DATABASE_REPLICA_URLS: 'postgres://one/db,two' })).toEqual([
    'DATABASE_REPLICA_URLS',
  ])
  expect(issuesOf({ DATABASE_REPLICA_URLS: 'postgres://one/db' })).toEqual(['DATABASE_URL'])
})

test.each([
  'app.example.com',
  'https://app.example.com/',
  'https://app.example.com/x',
  'null',
  'file://',
  'x',
])('CORS_ORIGINS=%j is refused', (value) =>
  expect(issuesOf({ CORS_ORIGINS: value })).toEqual(['CORS_ORIGINS']),
)

test.each([
  'x'.repeat(40),
  'abc'.repeat(20),
  'change-me-change-me-change-me-0123456789',
  'REPLACE with openssl rand 0123456789',
])('a secret from an example is refused: %s', (value) => {
  for (const name of ['TOKEN_SECRET', 'METRICS_TOKEN', 'HASH_SECRET']) {
    expect(issuesOf({ [name]: value })).toEqual([name])
  }
})

test('a rotation needs a new token secret and a separate hash secret', () => {
  const next = 'the next secret of at least thirty-two bytes'
  const given = { TOKEN_SECRET: next, TOKEN_SECRET_PREVIOUS: SECRET, HASH_SECRET: SECRET }
  expect(readConfig(given)).toMatchObject({
    tokenSecret: next,
    previousTokenSecret: SECRET,
    hashSecret: SECRET,
  })
  expect(issuesOf({ ...given, TOKEN_SECRET: SECRET })).toEqual(['TOKEN_SECRET_PREVIOUS'])
  expect(issuesOf({ ...given, TOKEN_SECRET_PREVIOUS: 'short' })).toEqual(['TOKEN_SECRET_PREVIOUS'])
  expect(issuesOf({ ...given, HASH_SECRET: '' })).toEqual(['HASH_SECRET'])
  expect(issuesOf({ ...given, TOKEN_SECRET: '' })).toEqual(['TOKEN_SECRET'])
})

test('every mistake is named in one message, and no secret in it', () => {
  const short = 'a-secret-too-short'
  const issues = issuesOf({
    PORT: 'x',
    RATE_LIMITS: 'x',
    TOKEN_SECRET: short,
    TRUST_PROXY: 'x',
    TOMBSTONE_DAYS: 'x',
  })
  expect(issues.toSorted()).toEqual(['PORT', 'RATE_LIMITS', 'TOKEN_SECRET', 'TOMBSTONE_DAYS', 'TRUST_PROXY'])
  expect(() => readConfig({ TOKEN_SECRET: short })).toThrow(/^(?!.*a-secret-too-short)/s)
})

test('an issuer without https is named in production beside any other mistake', () => {
  const SOCIAL_PROVIDERS = '[{"name":"own","issuer":"http://id.example.com","client_ids":["a"]}]'
  const issues = issuesOf({ NODE_ENV: 'production', PORT: 'x', SOCIAL_PROVIDERS })
  expect(issues).toEqual(expect.arrayContaining(['PORT', 'SOCIAL_PROVIDERS']))
})

test('an external database needs a secret of its own', () => {
  expect(issuesOf({ DATABASE_URL: 'postgres://somewhere/db' })).toEqual(['TOKEN_SECRET'])
})

test('production verifies the certificates of others', () => {
  const given = { NODE_TLS_REJECT_UNAUTHORIZED: '0' }
  expect(issuesOf({ ...given, NODE_ENV: 'production' })).toContain('NODE_TLS_REJECT_UNAUTHORIZED')
  expect(issuesOf(given)).toEqual([])
})

test('production has no outbox and no missing limits', () => {
  const issues = issuesOf({ NODE_ENV: 'production', RATE_LIMITS: 'off', PASSWORD_HASHING: 'fast' })
  expect(issues).toEqual(
    expect.arrayContaining(['SMS_PROVIDER', 'SMTP_URL', 'RATE_LIMITS', 'PASSWORD_HASHING', 'DATA_KEYS']),
  )
})

test('versions of consents are read, and each mistake in them is told', () => {
  expect(readConfig({ CONSENT_VERSIONS: '{"terms": "2026-11"}' }).consentVersions).toEqual({
    terms: '2026-11',
  })
  for (const value of ['terms', '[]', '{"terms": 2}', '{"term": "2"}', '{"terms": ""}'])
    expect(issuesOf({ CONSENT_VERSIONS: value })).toEqual(['CONSENT_VERSIONS'])
})

test('RETENTION is months or none, and what it leaves out is kept', () => {
  const retention = (text: string) => readConfig({ RETENTION: text }).retention
  expect(retention('{"treatments": 60, "trail": "none"}')).toMatchObject({ treatments: 60, notes: 'none' })
  for (const wrong of [
    '{"treatments": 0}',
    '{"notes": 1.5}',
    '{"events": 1}',
    '{"surveys": "never"}',
    '[]',
    'x',
  ])
    expect([wrong, issuesOf({ RETENTION: wrong })]).toEqual([wrong, ['RETENTION']])
})

test('keys of encrypted columns are read in order, and each mistake in them is told without the key', () => {
  const key = randomBytes(32)
  const text = key.toString('base64')
  expect(readConfig({}).dataKeys).toEqual([])
  const other = randomBytes(32)
  const given = `2027-02:${text}, 2026-11:${other.toString('base64')}`
  expect(readConfig({ DATA_KEYS: given }).dataKeys).toEqual([
    { id: '2027-02', key },
    { id: '2026-11', key: other },
  ])
  const zeros = Buffer.alloc(32).toString('base64')
  for (const value of [
    text,
    `a:${text},`,
    `a:${text},a:${text}`,
    `a:${text.slice(4)}`,
    `a b:${text}`,
    `a:${zeros}`,
  ]) {
    expect([value, issuesOf({ DATA_KEYS: value })]).toEqual([value, ['DATA_KEYS']])
    expect(() => readConfig({ DATA_KEYS: value })).not.toThrow(text)
  }
})

test('a time stamp authority needs the certificates that are trusted', () => {
  const directory = mkdtempSync(join(tmpdir(), 'companion-config-'))
  onTestFinished(() => rmSync(directory, { recursive: true }))
  const TSA_URL = 'https://stamps.example'
  expect(issuesOf({ TSA_URL })).toEqual(['TSA_CERTIFICATES'])
  expect(issuesOf({ TSA_URL: 'ftp://stamps.example', TSA_CERTIFICATES: join(directory, 'none') })).toEqual([
    'TSA_URL',
    'TSA_CERTIFICATES',
  ])
  const [empty, wrong] = [join(directory, 'empty'), join(directory, 'wrong')]
  writeFileSync(empty, '')
  writeFileSync(wrong, '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n')
  for (const TSA_CERTIFICATES of [empty, wrong])
    expect(() => readConfig({ TSA_URL, TSA_CERTIFICATES })).toThrow(
      'TSA_CERTIFICATES: names a file that holds no certificate',
    )
})
