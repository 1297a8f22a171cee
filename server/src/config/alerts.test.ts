import { generateKeyPairSync } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readConfig } from './config.ts'

const keyOf = (type: 'rsa' | 'ed25519') =>
  type === 'rsa'
    ? generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey
    : generateKeyPairSync('ed25519').privateKey
const pem = (type: 'rsa' | 'ed25519' = 'rsa') => String(keyOf(type).export({ type: 'pkcs8', format: 'pem' }))
const account = { project_id: 'p', client_email: 'sender@p.example.com', private_key: pem() }

test('nothing is configured by default but bounds for the air', () => {
  const { fcm, alimTalkUrl, environmentBounds } = readConfig({})
  expect({ fcm, alimTalkUrl }).toEqual({ fcm: undefined, alimTalkUrl: undefined })
  expect(environmentBounds).toEqual({ temperature: [16, 28], humidity: [25, 75] })
})

test('a service account is given as JSON or as a file', () => {
  const expected = {
    account: { ...account, token_uri: 'https://oauth2.googleapis.com/token' },
    baseUrl: 'https://fcm.googleapis.com',
  }
  const content = JSON.stringify({ ...account, type: 'service_account', client_id: '1' })
  expect(readConfig({ FCM_SERVICE_ACCOUNT: content }).fcm).toEqual(expected)
  const directory = mkdtempSync(join(tmpdir(), 'companion-fcm-'))
  try {
    const file = join(directory, 'account.json')
    writeFileSync(file, content)
    const { fcm } = readConfig({ FCM_SERVICE_ACCOUNT: file, FCM_BASE_URL: 'http://127.0.0.1:9/' })
    expect(fcm).toEqual({ ...expected, baseUrl: 'http://127.0.0.1:9' })
  } finally {
    rmSync(directory, { recursive: true })
  }
})

test.each([
  ['no such file', '/nowhere/account.json', 'names a file that cannot be read'],
  ['no JSON', '{"project_id":', 'cannot be read as JSON'],
  [
    'no key',
    JSON.stringify({ ...account, private_key: 'secret-canary' }),
    'private_key: holds no private key',
  ],
  [
    'another kind of key',
    JSON.stringify({ ...account, private_key: pem('ed25519') }),
    'holds no private key',
  ],
  ['no project', JSON.stringify({ ...account, project_id: undefined }), 'project_id'],
  ['no list of anything', '[]', 'names a file that cannot be read'],
])('%s: the issue is named, and nothing of what was given', (_name, FCM_SERVICE_ACCOUNT, issue) => {
  const read = () => readConfig({ FCM_SERVICE_ACCOUNT })
  expect(read).toThrow(/FCM_SERVICE_ACCOUNT: /)
  expect(read).toThrow(issue)
  expect(read).not.toThrow(/secret-canary|BEGIN/)
})

test('bounds are pairs of numbers, each least before most', () => {
  const bounds = { temperature: [10, 30], noise: [0, 60] }
  expect(readConfig({ ENVIRONMENT_BOUNDS: JSON.stringify(bounds) }).environmentBounds).toEqual(bounds)
  for (const wrong of ['{"temperature":[30,10]}', '{"warmth":[1,2]}', '{"noise":[1]}', '5', 'x']) {
    expect(() => readConfig({ ENVIRONMENT_BOUNDS: wrong })).toThrow(/ENVIRONMENT_BOUNDS: /)
  }
})

test('a variable that is not a URL is named', () => {
  expect(() => readConfig({ ALIMTALK_WEBHOOK_URL: 'gateway', FCM_BASE_URL: 'ftp://x' })).toThrow(
    /FCM_BASE_URL: .*\n.*ALIMTALK_WEBHOOK_URL: /,
  )
})

test('in production the webhook of the messaging app needs a secret', () => {
  const given = { NODE_ENV: 'production', ALIMTALK_WEBHOOK_URL: 'https://gateway.example.com/' }
  expect(() => readConfig(given)).toThrow(/ALIMTALK_WEBHOOK_SECRET: is required with ALIMTALK_WEBHOOK_URL/)
})
