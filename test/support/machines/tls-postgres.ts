import { execFile } from 'node:child_process'
import { chmod, copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { openDatabase } from '@companion/server/database/database.ts'
import type { Database } from '@companion/server/database/database.ts'
import { openEmbeddedPostgres } from '@companion/server/embedded-postgres/open.ts'
import { findPrograms } from '@companion/server/embedded-postgres/programs.ts'
import { issue, makeRoot } from './certificates.ts'
import type { Issued, Root } from './certificates.ts'

import { until } from '../until.ts'

export interface TlsPostgres {
  /** Where everything is kept; any account may read it. */
  directory: string
  root: Root
  /** Another authority, which has signed nothing. */
  otherRoot: Root
  /** An address with these parameters, of the database `companion` if not of another. */
  url: (parameters: Record<string, string>, database?: string) => string
  /** A connection of the operator of the server. */
  admin: Database
  /** Shows this certificate from now on. */
  show: (certificate: Issued) => Promise<void>
  /** The certificate for `localhost`, which it shows at first. */
  certificate: Issued
  /** What it has logged of connections. */
  log: () => Promise<string>
  stop: () => Promise<void>
}

/** Starts a PostgreSQL of its own that offers TLS, also on a socket and, if the machine has it, on IPv6. */
export async function startTlsPostgres(): Promise<TlsPostgres> {
  const directory = await mkdtemp(join(tmpdir(), 'companion-tls-'))
  await chmod(directory, 0o755)
  const data = join(directory, 'postgres')
  const { account } = await findPrograms(join(data, 'data'))
  const own = async (path: string) =>
    account && promisify(execFile)('chown', ['-R', `${account.uid}:${account.gid}`, path])
  const shown = join(directory, 'shown')
  await mkdir(shown)
  const root = await makeRoot(directory, 'root')
  const otherRoot = await makeRoot(directory, 'other-root')
  const certificate = await issue(root, directory, 'server', { names: 'DNS:localhost' })
  const put = async (each: Issued) => {
    await copyFile(each.certificate, join(shown, 'server.crt'))
    await copyFile(each.key, join(shown, 'server.key'))
    await chmod(join(shown, 'server.key'), 0o600)
    await own(shown)
  }
  await put(certificate)
  const postgres = await openEmbeddedPostgres({
    directory: data,
    settings: {
      fsync: 'off',
      listen_addresses: '127.0.0.1,::1',
      unix_socket_directories: shown,
      ssl: 'on',
      ssl_cert_file: join(shown, 'server.crt'),
      ssl_key_file: join(shown, 'server.key'),
      ssl_ca_file: root.certificate,
      log_connections: 'all',
    },
  })
  const admin = await openDatabase(postgres.url, { pool: 1 })
  for (const role of ['by_certificate', 'only_tls', 'only_plain'])
    await admin.pool.query(`CREATE ROLE ${role} LOGIN PASSWORD 'secret'`)
  await addRules(join(data, 'data', 'pg_hba.conf'))
  await admin.pool.query('SELECT pg_reload_conf()')
  await until(() => isRefused(postgres.url.replace(/\/\/[^:]*:[^@]*@/, '//only_tls:secret@')))
  const { port, username, password } = new URL(postgres.url)
  return {
    directory,
    root,
    otherRoot,
    certificate,
    admin,
    url({ host = 'localhost', user = username, ...parameters }, database = 'companion') {
      const secret = user === username ? password : 'secret'
      const query = new URLSearchParams(parameters).toString().replaceAll('+', '%20')
      return `postgres://${user}:${secret}@${host}:${port}/${database}?${query}`
    },
    async show(each) {
      await put(each)
      await admin.pool.query('SELECT pg_reload_conf()')
    },
    log: () => readFile(join(data, 'postgres.log'), 'utf8'),
    async stop() {
      await admin.close()
      await postgres.stop()
      await rm(directory, { recursive: true, force: true })
    },
  }
}

async function isRefused(url: string): Promise<boolean> {
  const probe = await openDatabase(url, { pool: 1 })
  const response = await probe.pool.query('SELECT').catch((error: unknown) => error)
  await probe.close()
  return response instanceof Error
}

/** Before the rules that are there: users who may come by one way only. */
async function addRules(file: string): Promise<void> {
  const rules = [
    'local all all trust',
    'hostssl all by_certificate all cert',
    'hostssl all only_tls all scram-sha-256',
    'hostnossl all only_plain all scram-sha-256',
    'host all by_certificate,only_tls,only_plain all reject',
  ]
  await writeFile(file, [...rules, await readFile(file, 'utf8')].join('\n'))
}
