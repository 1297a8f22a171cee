import { describe, expect, test } from 'vitest'
import { ConfigurationError, readConfig } from './config.ts'

const PUBLIC_URL = 'https://companion.example.com'
const SECRET = 'a secret of at least thirty-two bytes'

function issuesOf(variables: Record<string, string>): string[] {
  try {
    readConfig(variables)
    return []
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error
    return error.message
      .split('\n')
      .slice(1)
      .map((line) => line.replace(/^ {2}- /, ''))
  }
}

const twilio = {
  PUBLIC_URL,
  SMS_PROVIDER: 'twilio',
  TWILIO_ACCOUNT_SID: 'AC1',
  TWILIO_AUTH_TOKEN: 'token',
  TWILIO_FROM: '+12025550123',
}

test('without configuration everything goes to the outbox', () => {
  expect(readConfig({})).toMatchObject({
    smsProvider: { name: 'outbox' },
    smsCountries: undefined,
    smsDailyCap: undefined,
    smsAppHash: undefined,
    smtp: undefined,
    socialProviders: [],
  })
})

test('Twilio has its own address unless another is given', () => {
  expect(readConfig(twilio).smsProvider).toEqual({
    name: 'twilio',
    accountSid: 'AC1',
    authToken: 'token',
    from: '+12025550123',
    baseUrl: 'https://api.twilio.com',
  })
  expect(readConfig({ ...twilio, TWILIO_BASE_URL: 'http://localhost:9/' }).smsProvider).toMatchObject({
    baseUrl: 'http://localhost:9',
  })
})

test.each([
  ['?requireTLS=true&tls.servername=mail.example.com', []],
  ['?ignoreTLS=true', []],
  [
    '?sslmode=require',
    [
      'SMTP_URL: the parameter sslmode is not supported; requireTLS, ignoreTLS, name, authMethod, tls.servername, tls.minVersion, tls.rejectUnauthorized are',
    ],
  ],
])('a parameter of SMTP_URL that nothing would read is refused by its name: %s', (query, issues) => {
  const mail = { PUBLIC_URL, MAIL_FROM: 'us@example.com', SMTP_URL: `smtp://mail.example.com${query}` }
  expect(issuesOf(mail)).toEqual(issues)
})

test('every missing variable of a provider is named at once', () => {
  expect(issuesOf({ SMS_PROVIDER: 'twilio' }).map((issue) => issue.split(':')[0])).toEqual([
    'TWILIO_ACCOUNT_SID',
    'TWILIO_AUTH_TOKEN',
    'TWILIO_FROM',
    'PUBLIC_URL',
  ])
  expect(issuesOf({ SMS_PROVIDER: 'webhook', PUBLIC_URL, SMS_WEBHOOK_SECRET: 'too short' })).toEqual([
    'SMS_WEBHOOK_URL: is missing',
    'SMS_WEBHOOK_SECRET: must be at least 32 bytes',
  ])
  expect(issuesOf({ SMTP_URL: 'smtps://mail.example.com' })).toEqual([
    'MAIL_FROM: is required with SMTP_URL',
    'PUBLIC_URL: is required when messages leave the service',
  ])
})

test.each([
  ['SMS_COUNTRIES', 'KR, US', { smsCountries: ['KR', 'US'] }],
  ['SMS_COUNTRIES', 'all', { smsCountries: undefined }],
  ['SMS_DAILY_CAP', '5000', { smsDailyCap: 5000 }],
  ['SMS_DAILY_CAP', 'none', { smsDailyCap: undefined }],
  ['SMS_APP_HASH', 'FA+9qCX9VSu', { smsAppHash: 'FA+9qCX9VSu' }],
])('%s=%j', (name, value, meant) => {
  expect(readConfig({ [name]: value })).toMatchObject(meant)
})

test.each([
  ['SMS_COUNTRIES', 'Korea'],
  ['SMS_COUNTRIES', 'KR,'],
  ['SMS_COUNTRIES', 'kr'],
  ['SMS_COUNTRIES', 'KR,all'],
  ['SMS_DAILY_CAP', '0'],
  ['SMS_DAILY_CAP', 'many'],
  ['SMS_APP_HASH', 'too short'],
  ['SMTP_URL', 'mail.example.com'],
  ['MAIL_FROM', 'nobody'],
  ['SOCIAL_PROVIDERS', 'google'],
  ['SOCIAL_PROVIDERS', '{}'],
  ['SOCIAL_PROVIDERS', '[{"name":"google"}]'],
  ['SOCIAL_PROVIDERS', '[{"name":"google","client_ids":[]}]'],
  ['SOCIAL_PROVIDERS', '[{"name":"google","client_ids":["a"],"web":{"client_id":"w"}}]'],
  ['SOCIAL_PROVIDERS', '[{"name":"Google","client_ids":["a"]}]'],
  ['SOCIAL_PROVIDERS', '[{"name":"email","client_ids":["a"],"issuer":"https://id.example.com"}]'],
  ['SOCIAL_PROVIDERS', '[{"name":"other","client_ids":["a"]}]'],
  ['SOCIAL_PROVIDERS', '[{"name":"other","client_ids":["a"],"issuer":"id.example.com"}]'],
  ['SOCIAL_PROVIDERS', '[{"name":"google","client_ids":["a"]},{"name":"google","client_ids":["b"]}]'],
])('%s=%j is refused', (name, value) => {
  const issues = issuesOf({ PUBLIC_URL, MAIL_FROM: 'a@example.com', [name]: value })
  expect(issues).toHaveLength(1)
  expect(issues[0]).toMatch(new RegExp(`^${name}`))
})

test('a bound that is neither is told so', () => {
  expect(issuesOf({ SMS_COUNTRIES: 'Korea', SMS_DAILY_CAP: 'many' })).toEqual([
    'SMS_COUNTRIES.0: must be all or a list of country codes such as KR,US',
    'SMS_DAILY_CAP: must be a whole number from 1 to 100000000',
  ])
})

describe('sign-in providers', () => {
  test('the well-known ones need no issuer, others do', () => {
    const given = [
      { name: 'google', client_ids: ['a', 'b'], web: { client_id: 'w', client_secret: 's' } },
      { name: 'apple', client_ids: ['c'] },
      { name: 'kakao', client_ids: ['d'] },
      { name: 'other', issuer: 'https://id.example.com', client_ids: ['e'] },
    ]
    const web = { clientId: 'w', clientSecret: 's' }
    expect(readConfig({ SOCIAL_PROVIDERS: JSON.stringify(given) }).socialProviders).toEqual([
      { name: 'google', issuer: 'https://accounts.google.com', clientIds: ['a', 'b'], web },
      { name: 'apple', issuer: 'https://appleid.apple.com', clientIds: ['c'] },
      { name: 'kakao', issuer: 'https://kauth.kakao.com', clientIds: ['d'] },
      { name: 'other', issuer: 'https://id.example.com', clientIds: ['e'] },
    ])
  })
})

test('production keeps neither SMS nor mail in a file, and trusts no issuer over plain HTTP', () => {
  const production = {
    ...twilio,
    NODE_ENV: 'production',
    TOKEN_SECRET: SECRET,
    DATA_KEYS: 'key1:h3qRkLq1eyDvXn0c0b3lW6mJ8sX2yT4uZ9aB5dF7gHk=',
    SMTP_URL: 'smtps://mail.example.com',
    MAIL_FROM: 'no-reply@example.com',
    SMS_COUNTRIES: 'KR',
    SMS_DAILY_CAP: '5000',
  }
  expect(issuesOf(production)).toEqual([])
  expect(issuesOf({ ...production, SMS_COUNTRIES: 'all', SMS_DAILY_CAP: 'none' })).toEqual([])
  expect(issuesOf({ ...production, SMS_COUNTRIES: '', SMS_DAILY_CAP: '' })).toEqual([
    'SMS_COUNTRIES: is required when NODE_ENV=production; say all to serve every country',
    'SMS_DAILY_CAP: is required when NODE_ENV=production; say none to set no cap',
  ])
  const names = (variables: Record<string, string>) => issuesOf(variables).map((issue) => issue.split(':')[0])
  expect(names({ ...production, SMTP_URL: '' })).toEqual(['SMTP_URL'])
  expect(names({ ...production, SMS_PROVIDER: '' })).toEqual(['SMS_PROVIDER'])
  const plain = [{ name: 'other', issuer: 'http://id.example.com', client_ids: ['e'] }]
  expect(names({ ...production, SOCIAL_PROVIDERS: JSON.stringify(plain) })).toEqual(['SOCIAL_PROVIDERS'])
})
