import { describe, expect, test } from 'vitest'
import {
  AddressError,
  isOnThisMachine,
  formatDatabaseAddress,
  readDatabaseAddress,
  environmentWithoutLibpq,
} from './database-address.ts'

const reasonOf = (text: string, environment: Record<string, string> = {}): string => {
  try {
    readDatabaseAddress(text, environment)
    return ''
  } catch (error) {
    if (!(error instanceof AddressError)) throw error
    return error.message
  }
}

test('an address has the parts of libpq, with its escapes and defaults', () => {
  expect(readDatabaseAddress('postgresql://u%40x:50%25off@db.example.com/app%2F1')).toEqual({
    host: 'db.example.com',
    port: 5432,
    user: 'u@x',
    password: '50%off',
    database: 'app/1',
    tls: {
      mode: 'prefer',
      root: undefined,
      certificate: undefined,
      key: undefined,
      keyPassword: undefined,
      revoked: undefined,
      minVersion: 'TLSv1.2',
      maxVersion: 'TLSv1.3',
      isDirect: false,
    },
    channelBinding: 'disable',
    options: '',
    applicationName: 'companion',
    connectSeconds: undefined,
    keepAlive: true,
    keepAliveSeconds: 0,
  })
  const all =
    'sslmode=require&channel_binding=require&connect_timeout=3&application_name=a&options=-c%20x.y%3D1'
  expect(readDatabaseAddress(`postgres://u@h:1/d?${all}`)).toMatchObject({
    port: 1,
    password: undefined,
    tls: { mode: 'require' },
    channelBinding: 'require',
    connectSeconds: 3,
    applicationName: 'a',
    options: '-c x.y=1',
  })
})

test.each([
  ['postgres://u:p@[::1]:5433/db', '::1', '[::1]:5433', true],
  ['postgres://u@[2001:db8::7]/db', '2001:db8::7', '[2001:db8::7]:5432', false],
  [
    'postgres:///db?host=/var/run/postgresql',
    '/var/run/postgresql',
    '/var/run/postgresql/.s.PGSQL.5432',
    true,
  ],
  ['postgres://u@/db?host=/run&port=6432', '/run', '/run/.s.PGSQL.6432', true],
  ['postgres://u@%2Frun%2Fpg/db', '/run/pg', '/run/pg/.s.PGSQL.5432', true],
  ['postgres://u@127.1.2.3/db', '127.1.2.3', '127.1.2.3:5432', true],
  ['postgres://u@127.evil.example/db', '127.evil.example', '127.evil.example:5432', false],
  ['postgres://localhost?dbname=db', 'localhost', 'localhost:5432', true],
])('%s leads to %s', (text, host, place, isHere) => {
  const address = readDatabaseAddress(text)
  expect(address).toMatchObject({ host, database: 'db' })
  expect([formatDatabaseAddress(address), isOnThisMachine(address)]).toEqual([place, isHere])
})

test.each([
  ['mysql://h/db', 'must be a URL that starts with postgres:// or postgresql://'],
  ['postgres://u:50%off@h/db', 'holds a % that begins no escape; '],
  ['postgres://u:p@ss@h/db', 'holds an @ that is no separator; '],
  ['postgres://u:p/ss@h/db', 'holds an @ that is no separator; '],
  ['postgres://h', 'names no database; '],
  ['postgres:///db', 'names no host; '],
  ['postgres://a,b/db', 'names several hosts; '],
  ['postgres://a:1,b:2/db', 'names several hosts; '],
  ['postgres://u@/db?host=a,b', 'names several hosts; '],
  ['postgres://h/db?host=other', 'says host twice'],
  ['postgres://h/db?sslmode=require&sslmode=disable', 'says sslmode twice'],
  ['postgres://[1.2.3.4]/db', 'holds no IPv6 address'],
  ['postgres://h:99999/db', 'port must be a whole number from 1 to 65535'],
  ['postgres://h/db?schema=mine', 'the parameter schema is not supported'],
  ['postgres://h/db?pgbouncer=true&x=1', 'the parameter pgbouncer, x is not supported'],
  ['postgres://h/db?target_session_attrs=read-write', 'target_session_attrs must be any'],
  ['postgres://h/db?hostaddr=1.2.3.4', 'the parameter hostaddr is not supported'],
  [
    'postgres://h/db?sslmode=no-verify',
    'sslmode must be disable, allow, prefer, require, verify-ca or verify-full',
  ],
  ['postgres://h/db?ssl=false', 'ssl must be true'],
  ['postgres://h/db?ssl=true&sslmode=disable', 'says both ssl and sslmode'],
  ['postgres://h/db?sslmode=verify-ca', 'sslmode=verify-ca needs sslrootcert'],
  ['postgres://h/db?sslmode=require&sslrootcert=system', 'sslrootcert=system needs sslmode=verify-full'],
  ['postgres://h/db?sslrootcert=/root.crt', 'sslrootcert needs sslmode=verify-full'],
  ['postgres://h/db?sslmode=disable&sslrootcert=/root.crt', 'says sslrootcert and sslmode=disable'],
  ['postgres:///db?host=/run&sslcert=/a&sslkey=/b', 'says sslcert, sslkey and a socket'],
  ['postgres://h/db?sslmode=verify-full&sslrootcert=/none', 'sslrootcert names a file that cannot be read'],
  [
    `postgres://h/db?sslmode=verify-full&sslrootcert=${import.meta.filename}`,
    'sslrootcert names a file that holds no',
  ],
  ['postgres://h/db?sslmode=require&sslcert=/a', 'sslcert and sslkey are needed together'],
  ['postgres://h/db?sslnegotiation=direct', 'sslnegotiation=direct needs sslmode=require'],
  ['postgres://h/db?channel_binding=require', 'channel_binding=require needs sslmode=require'],
  ['postgres://h/db?connect_timeout=soon', 'connect_timeout must be a whole number from 0 to 86400'],
])('%s is refused', (text, reason) => {
  expect(reasonOf(text).slice(0, reason.length)).toBe(reason)
})

test('an error repeats no part of the password', () => {
  for (const text of ['postgres://u:hid%den@h/db', 'postgres://u:hid@den@h/db', 'postgres://u:hid/den@h/db'])
    expect(reasonOf(text)).not.toMatch(/hid|den/)
})

describe("libpq's environment variables", () => {
  const environment = { PGHOST: 'from-env', PGPASSWORD: 'kept', PGSSLMODE: 'require', PGAPPNAME: 'night' }

  test('stand where the address lacks a parameter', () => {
    expect(readDatabaseAddress('postgres://u@/db', environment)).toMatchObject({
      host: 'from-env',
      password: 'kept',
      tls: { mode: 'require' },
      applicationName: 'night',
    })
    expect(readDatabaseAddress('postgres://u:own@h/db?sslmode=disable', environment)).toMatchObject({
      host: 'h',
      password: 'own',
      tls: { mode: 'disable' },
    })
  })

  test('that are not supported are refused by their name', () => {
    expect(reasonOf('postgres://h/db', { PGSERVICE: 'main' })).toBe(
      'the environment variable PGSERVICE (service) is not supported',
    )
  })

  test('do not reach an address that is read without them', () => {
    const cleared = { ...environment, PGSERVICE: 'main', ...environmentWithoutLibpq }
    expect(readDatabaseAddress('postgres://u:p@h/db', cleared)).toEqual(
      readDatabaseAddress('postgres://u:p@h/db'),
    )
  })
})
