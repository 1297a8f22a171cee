import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:https'
import type { AddressInfo, Server } from 'node:net'
import { promisify } from 'node:util'
import { SMTPServer } from 'smtp-server'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { hasNoOpenssl, issue } from '../support/machines/certificates.ts'
import type { Issued } from '../support/machines/certificates.ts'
import { closedPort } from '../support/outside/local-server.ts'
import { TEST_SECRET } from '../support/server.ts'
import { MAIN, PROCESS_ENVIRONMENT } from '../support/service-process.ts'
import { startTlsPostgres } from '../support/machines/tls-postgres.ts'
import type { TlsPostgres } from '../support/machines/tls-postgres.ts'

interface Way {
  way: string
  to: string
  encryption: string | null
  is_verified: boolean
  clock_ahead?: number
  issue: string | null
}

/** Runs the command as a process, because Node.js reads its further roots when it starts. */
async function doctor(environment: Record<string, string>, ...options: string[]) {
  const done = await promisify(execFile)(process.execPath, [MAIN, 'doctor', ...options], {
    env: { ...PROCESS_ENVIRONMENT, TOKEN_SECRET: TEST_SECRET, ...environment },
  }).catch((error: unknown) => error)
  const read = (name: string) => String(Reflect.get(Object(done), name) ?? '')
  return { code: Number(read('code') || 0), out: read('stdout'), said: read('stderr') }
}

async function inspect(environment: Record<string, string>): Promise<{ code: number; ways: Way[] }> {
  const { code, out, said } = await doctor(environment, '--json')
  expect(said).toBe('')
  return { code, ways: JSON.parse(out).ways }
}

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => new Promise<void>((resolve) => void server.close(() => resolve())))
  return portOf(server)
}

const portOf = (server: Server) => (server.address() as AddressInfo).port

describe.skipIf(hasNoOpenssl && !process.env['CI'])('companion doctor', () => {
  let postgres: TlsPostgres
  let trusted: Record<string, string>
  beforeAll(async () => {
    postgres = await startTlsPostgres()
    trusted = {
      DATABASE_URL: postgres.url({ sslmode: 'verify-full', sslrootcert: postgres.root.certificate }),
      NODE_EXTRA_CA_CERTS: postgres.root.certificate,
    }
  })
  afterAll(() => postgres?.stop())

  const contents = async ({ certificate, key }: Issued) => ({
    cert: await readFile(certificate),
    key: await readFile(key),
  })
  const startHttps = async (certificate: Issued) => listen(createServer(await contents(certificate)))

  async function startMail(certificate: Issued, more: object = {}): Promise<number> {
    const server = new SMTPServer({
      ...(await contents(certificate)),
      authOptional: true,
      onAuth: ({ username, password }, _session, done) =>
        password === 'right' ? done(null, { user: username }) : done(new Error('wrong')),
      ...more,
    })
    server.on('error', () => undefined)
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => new Promise<void>((resolve) => server.close(resolve)))
    return portOf(server.server)
  }

  test('every way that is as production requires: exit 0', async () => {
    const [https, mail] = [await startHttps(postgres.certificate), await startMail(postgres.certificate)]
    const { code, ways } = await inspect({
      ...trusted,
      DATABASE_REPLICA_URLS: trusted['DATABASE_URL'] ?? '',
      SMTP_URL: `smtp://me:right@localhost:${mail}?requireTLS=true`,
      MAIL_FROM: 'no-reply@example.com',
      PUBLIC_URL: 'https://companion.example.com',
      SMS_PROVIDER: 'webhook',
      SMS_WEBHOOK_URL: `https://localhost:${https}/sms`,
      SMS_WEBHOOK_SECRET: TEST_SECRET,
      SOCIAL_PROVIDERS: JSON.stringify([
        { name: 'clinic', issuer: `https://localhost:${https}`, client_ids: ['app'] },
      ]),
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318',
    })
    const kept = { encryption: 'TLSv1.3', is_verified: true, issue: null }
    const ofDatabase = {
      ...kept,
      to: expect.stringMatching(/^localhost:\d+$/),
      clock_ahead: 0,
    }
    expect(ways).toEqual([
      { way: 'database', ...ofDatabase },
      { way: 'replica', ...ofDatabase },
      { way: 'mail', to: `localhost:${mail}`, ...kept },
      { way: 'SMS (gateway)', to: `localhost:${https}`, ...kept },
      { way: 'sign-in (clinic)', to: `localhost:${https}`, ...kept },
      { way: 'traces', to: '127.0.0.1:4318', encryption: null, is_verified: false, issue: null },
    ])
    expect(code).toBe(0)
  })

  test('for people it is a table, with the time', async () => {
    const { code, out } = await doctor(trusted)
    expect(code).toBe(0)
    expect(out).toMatch(
      /^It is \d{4}-\d\d-\d\dT[\d:.]+Z\n\nWAY +TO +ENCRYPTION +VERIFIED +CLOCK +NOT RIGHT\n/,
    )
    expect(out).toMatch(/^database +localhost:\d+ +TLSv1\.3 +yes +\+0 s +-\n$/m)
  })

  test('what is not right is said of each way, and the exit code is 1', async () => {
    const stranger = await issue(postgres.otherRoot, postgres.directory, 'stranger', {
      names: 'DNS:localhost',
    })
    const other = await issue(postgres.root, postgres.directory, 'another', { names: 'DNS:sms.example.com' })
    const old = await issue(postgres.root, postgres.directory, 'outdated', {
      names: 'DNS:localhost',
      isExpired: true,
    })
    const [unknown, misnamed, expired] = await Promise.all([stranger, other, old].map(startHttps))
    const { code, ways } = await inspect({
      ...trusted,
      DATABASE_REPLICA_URLS: postgres.url({
        sslmode: 'verify-full',
        sslrootcert: postgres.otherRoot.certificate,
      }),
      SMTP_URL: `smtp://me:wrong@localhost:${await startMail(postgres.certificate)}`,
      MAIL_FROM: 'no-reply@example.com',
      PUBLIC_URL: 'https://companion.example.com',
      SMS_PROVIDER: 'webhook',
      SMS_WEBHOOK_URL: 'http://sms.example.com/send',
      SMS_WEBHOOK_SECRET: TEST_SECRET,
      ALIMTALK_WEBHOOK_URL: `https://localhost:${misnamed}/`,
      SOCIAL_PROVIDERS: JSON.stringify([
        { name: 'one', issuer: `https://localhost:${unknown}`, client_ids: ['app'] },
        { name: 'two', issuer: `https://localhost:${expired}`, client_ids: ['app'] },
        { name: 'three', issuer: `https://localhost:${await closedPort()}`, client_ids: ['app'] },
      ]),
    })
    expect(code).toBe(1)
    expect(Object.fromEntries(ways.map(({ way, issue }) => [way, issue]))).toEqual({
      database: null,
      replica: expect.stringMatching(
        /^The database at localhost:\d+ cannot be used: its certificate is signed by no root of sslrootcert=\S+ \(DATABASE_REPLICA_URLS\)$/,
      ),
      mail: expect.stringContaining('Invalid login'),
      'SMS (gateway)': 'it is not encrypted: use an address that starts with https://',
      'messaging app': 'its certificate is not for localhost, but for sms.example.com',
      'sign-in (one)':
        'its certificate is signed by no root that this machine trusts: name the file of the right one by NODE_EXTRA_CA_CERTS',
      'sign-in (two)': 'its certificate has expired',
      'sign-in (three)': 'nothing listens there',
    })
  })

  test('a mail server that is not forced to encrypt is told by its address alone', async () => {
    const plain = await startMail(postgres.certificate, { disabledCommands: ['STARTTLS'] })
    const mail = async (query: string) => {
      const { ways } = await inspect({
        ...trusted,
        SMTP_URL: `smtp://localhost:${plain}${query}`,
        MAIL_FROM: 'no-reply@example.com',
        PUBLIC_URL: 'https://companion.example.com',
      })
      return ways.find(({ way }) => way === 'mail')
    }
    expect(await mail('')).toMatchObject({ encryption: null, is_verified: false, issue: null })
    expect(await mail('?requireTLS=true')).toMatchObject({ issue: expect.stringContaining('STARTTLS') })
  })

  test('an encoding other than UTF-8 is refused before anything is stored', async () => {
    await postgres.admin.pool.query(
      `CREATE DATABASE bytes ENCODING 'SQL_ASCII' LOCALE 'C' TEMPLATE template0`,
    )
    const DATABASE_URL = postgres.url({ sslmode: 'require' }, 'bytes')
    expect(await inspect({ DATABASE_URL })).toMatchObject({
      code: 1,
      ways: [{ issue: 'its encoding is SQL_ASCII, and must be UTF8' }],
    })
    const migrated = await promisify(execFile)(process.execPath, [MAIN, 'migrate'], {
      env: { ...PROCESS_ENVIRONMENT, TOKEN_SECRET: TEST_SECRET, DATABASE_URL },
    }).catch((error: unknown) => error)
    expect(migrated).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(
        /^The database at localhost:\d+ cannot be used: its encoding is SQL_ASCII: name one that was made by CREATE DATABASE … ENCODING 'UTF8' TEMPLATE template0 \(DATABASE_URL\)\n$/,
      ),
    })
  })
})

test('a folder without a database is told, and none is made', async () => {
  expect(await doctor({ DATA_DIR: '/tmp/companion-nothing-here' })).toMatchObject({
    code: 1,
    said: expect.stringMatching(/^There is no database: set DATABASE_URL/),
  })
})
