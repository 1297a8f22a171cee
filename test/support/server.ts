import { countRepeatsInTrail } from '@companion/server/trail/repeats.ts'
import { existsSync, readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import { afterAll, beforeAll, inject } from 'vitest'
import { deriveKeys } from '@companion/server/auth/keys.ts'
import { createApp } from '@companion/server/app.ts'
import { readConfig } from '@companion/server/config/config.ts'
import type { Config } from '@companion/server/config/config.ts'
import { openDatabase } from '@companion/server/database/database.ts'
import type { Database } from '@companion/server/database/database.ts'
import { keyRingOf } from '@companion/server/encryption/key-ring.ts'
import { createSenders } from '@companion/server/delivery/configured.ts'
import { withSecurityHeaders } from '@companion/server/http/server/security-headers.ts'
import { createHttpServer } from '@companion/server/http/server/http-server.ts'
import { createLogger } from '@companion/server/telemetry/log.ts'
import { beginChains } from '@companion/server/trail/head.ts'
import { createFirmwareFiles } from '@companion/server/firmware/files.ts'
import { createTrail } from '@companion/server/trail/trail.ts'
import { labEnvironment } from '../lab/open.ts'
import { cloneDatabase } from './database.ts'
import { createClient } from './client.ts'
import type { Client } from './client.ts'
import { startHaproxy } from './machines/haproxy.ts'
import { closedPort } from './outside/local-server.ts'
import { observeHeaders } from './observed.ts'
import { assertNothingReadableIn, assertNothingToldBy } from './nothing-readable.ts'

export const TEST_SECRET = 'a secret that only the tests know, 32 bytes or more'

/** Enters the uploads of today on the trail, which the service does when the day is over. */
const COUNTED = 'at, actor_kind, actor, operation, real_user_id, outcome'
const ENTER_UPLOADS = `WITH taken AS (DELETE FROM trail_upload RETURNING *)
  INSERT INTO trail (${COUNTED}, times, is_counted, address_hash, request_id)
  SELECT ${COUNTED}, times, true, address_hash, request_id FROM taken
  ON CONFLICT (${COUNTED}) WHERE is_counted AND block IS NULL DO UPDATE SET times = trail.times + excluded.times`

export interface TestServer extends Client {
  url: string
  config: Config
  database: Database
  databaseUrl: string
  /** The log of the server. */
  log: () => string
  /** The messages sent, newest last: `{channel, to, text, code, …}`. */
  outbox: () => Promise<Record<string, string>[]>
  /** Resolves when the trail tells of all that was answered. */
  trailWritten: () => Promise<void>
}

type Environment = Record<string, string>

/**
 * Starts a real server on its own database, for one test file. It runs in this process, so that a test can move the
 * clock with `vi.setSystemTime` (with only `Date` faked, `toFake: ['Date']`). `environment` is the server's
 * configuration. As a function, it can use what starts earlier, such as the address of a provider.
 */
export function useServer(environment: Environment | (() => Environment) = {}): TestServer {
  let running: (TestServer & { stop: () => Promise<void> }) | undefined
  beforeAll(async () => {
    running = await startServer(typeof environment === 'function' ? environment() : environment)
  })
  afterAll(() => running?.stop())
  // The members are looked up when they are used, because the server starts after this function returns.
  return new Proxy({} as TestServer, {
    get: (_target, key) => {
      if (!running) throw new Error('The server is not running yet: use it inside a test or hook')
      return Reflect.get(running, key)
    },
  })
}

/** The databases of the lab if the tests run in one: see `test/lab`. */
const lab = inject('lab')

/** Whether a server is really two behind a proxy: for tests of state that one process keeps for itself. */
export const isInLab = lab !== undefined

/**
 * Starts a server without hooks, for tests that need several servers or want to stop one. In a lab it consists of two
 * servers behind a proxy, on PgBouncer and a replica.
 */
export async function startServer(
  environment: Environment = {},
  databaseUrl?: string,
): Promise<TestServer & { stop: () => Promise<void> }> {
  const cloned = databaseUrl ? undefined : await cloneDatabase()
  const directory = await mkdtemp(join(tmpdir(), 'companion-server-'))
  const outboxFile = join(directory, 'outbox.jsonl')
  const url = databaseUrl ?? cloned?.url ?? ''
  const port = lab ? await closedPort() : 0
  const config = readConfig({
    DATABASE_URL: url,
    TOKEN_SECRET: TEST_SECRET,
    OUTBOX_FILE: outboxFile,
    RATE_LIMITS: 'off',
    PASSWORD_HASHING: 'fast',
    // Behind a balancer no server knows by itself where it is reached.
    ...(lab ? { PUBLIC_URL: `http://127.0.0.1:${port}` } : {}),
    ...environment,
    ...(lab ? labEnvironment(lab, new URL(url).pathname.slice(1), environment) : {}),
  })
  let logged = ''
  const sink = new Writable({
    write(chunk, _encoding, done) {
      logged += String(chunk)
      done()
    },
  })
  const log = createLogger('info', sink)
  const instances = [await startInstance(config, log)]
  if (lab) instances.push(await startInstance(config, log))
  const proxy =
    lab &&
    (await startHaproxy(
      instances.map(({ origin }) => origin),
      { checks: false, port },
    ))
  const database = lab
    ? await openDatabase(url, {
        pool: config.databasePool,
        keyRing: keyRingOf(config, config.tokenSecret ?? TEST_SECRET),
      })
    : instances[0]?.database
  if (!database) throw new Error('There is no server')
  const origin = proxy?.url ?? instances[0]?.origin ?? ''
  return {
    ...createClient(origin),
    url: origin,
    config,
    database,
    databaseUrl: url,
    log: () => logged,
    outbox: follow(config.outboxFile),
    async trailWritten() {
      await Promise.all(instances.map((each) => each.trail.flush()))
      await database.query(countRepeatsInTrail, [])
      await database.pool.query(ENTER_UPLOADS)
    },
    async stop() {
      await proxy?.stop()
      await Promise.all(instances.map((each) => each.stop()))
      if (lab) await database.close()
      if (cloned) await assertNothingReadableIn(cloned.url)
      await cloned?.drop()
      assertNothingToldBy(logged)
      await rm(directory, { recursive: true, force: true })
    },
  }
}

/** Returns a function that reads a growing file of JSON lines. It parses each line once: some files send thousands of mails. */
function follow(path: string): () => Promise<Record<string, string>[]> {
  const lines: Record<string, string>[] = []
  let position = 0
  return async () => {
    if (!existsSync(path)) return []
    const bytes = readFileSync(path).subarray(position)
    const complete = bytes.subarray(0, bytes.lastIndexOf('\n') + 1)
    position += complete.length
    lines.push(
      ...String(complete)
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line)),
    )
    return [...lines]
  }
}

async function startInstance(config: Config, log: ReturnType<typeof createLogger>) {
  const database = await openDatabase(config.database ?? '', {
    pool: config.databasePool,
    namedStatements: config.namedStatements,
    statementSeconds: config.statementSeconds,
    replicas: config.databaseReplicas,
    keyRing: keyRingOf(config, config.tokenSecret ?? TEST_SECRET),
  })
  await database.encryption.check()
  const tokenSecret = config.tokenSecret ?? TEST_SECRET
  await beginChains(database.pool, deriveKeys(tokenSecret, config))
  const trail = createTrail(database, log)
  const firmwareFiles = createFirmwareFiles(database)
  const app = createApp({
    config,
    trail,
    firmwareFiles,
    tokenSecret,
    database,
    ...createSenders(config),
    log,
  })
  const server = createHttpServer(withSecurityHeaders(config, app), config)
  server.on('request', (_request, response) => response.once('finish', () => observeHeaders(response)))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  return {
    origin: `http://127.0.0.1:${typeof address === 'object' ? address?.port : address}`,
    database,
    trail,
    async stop() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
      await Promise.all([trail.stop(), firmwareFiles.close()])
      await database.close()
    },
  }
}
