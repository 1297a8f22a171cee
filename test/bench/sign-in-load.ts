/*
 * Whether hashing passwords holds up everybody else: the p99 of `GET user/me` while 50 sign-ins are always under way,
 * as a ratio of its quiet p99, in rounds on one service of its own. The aim is a ratio of 3 at most.
 *
 *   node test/bench/sign-in-load.ts
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { hashPassword } from '@companion/server/auth/passwords.ts'
import { sessionResponse } from '@companion/server/auth/token-response.ts'
import { readConfig } from '@companion/server/config/config.ts'
import { openConfiguredDatabase } from '@companion/server/database/configured.ts'
import { createLogger } from '@companion/server/http/log.ts'

const SIGN_INS = 50
const READS = 1000
const ROUNDS = 3
const PASSWORD = 'correct horse battery'
const emailOf = (n: number) => `parent-${n}@example.com`

const directory = await mkdtemp(join(tmpdir(), 'companion-bench-'))
const service = spawn(
  process.execPath,
  [fileURLToPath(import.meta.resolve('@companion/server/main.ts')), 'serve'],
  {
    env: { PATH: process.env['PATH'], PORT: '0', DATA_DIR: directory, RATE_LIMITS: 'off' },
    stdio: ['ignore', 'pipe', 'inherit'],
  },
)
const exited = once(service, 'exit')
try {
  const url = await listening()
  await addAccounts()
  const token = (await signIn(url, 0)).access_token
  const read = () => p99Of(`${url}/api/v1/beta/user/me`, token)
  // Both warmed up, as a service is that has run for a minute.
  const first = keepSigningIn(url)
  await read()
  await first.stop()
  for (let round = 1; round <= ROUNDS; round += 1) {
    const quiet = await read()
    const load = keepSigningIn(url)
    const loaded = await read()
    const { signedIn, seconds } = await load.stop()
    const figures = [
      `quiet p99 ${quiet.toFixed(2)} ms`,
      `loaded p99 ${loaded.toFixed(2)} ms`,
      `ratio ${(loaded / quiet).toFixed(2)}`,
      `${(signedIn / seconds).toFixed(0)} sign-ins a second`,
    ]
    process.stdout.write(`round ${round}: ${figures.join(', ')}\n`)
  }
} finally {
  service.kill('SIGTERM')
  await exited
  await rm(directory, { recursive: true, force: true })
}

/** As many accounts as sign-ins, so that these do not wait for each other's session. */
async function addAccounts(): Promise<void> {
  const config = readConfig({ DATA_DIR: directory })
  const { database, close } = await openConfiguredDatabase(config, createLogger('silent'))
  const password_hash = await hashPassword(PASSWORD)
  const account = {
    password_hash,
    password_changed_at: new Date(),
    first_name: 'Kim Jiyoung',
    last_name: '',
    birthdate: '19850401',
    gender: 'F',
    is_phone_number_checked: true,
    is_signup_completed: true,
    register_type: 'E',
    national_code: 'KR',
  }
  await database.sql
    .insertInto('root_user')
    .values(
      Array.from({ length: SIGN_INS }, (_, n) => ({
        ...account,
        email: emailOf(n),
        phone: `+8210${10_000_000 + n}`,
      })),
    )
    .execute()
  await close()
}

async function signIn(url: string, n: number): Promise<{ access_token: string }> {
  const response = await fetch(`${url}/api/v1/alpha/auth/email/signin`, {
    method: 'POST',
    body: new URLSearchParams({ username: emailOf(n), password: PASSWORD }),
  })
  if (!response.ok) throw new Error(`A sign-in answered ${response.status}`)
  return sessionResponse.parse(await response.json())
}

/** Keeps all sign-ins under way until stopped. */
function keepSigningIn(url: string) {
  const started = performance.now()
  const stopping = new AbortController()
  let signedIn = 0
  const all = Promise.all(
    Array.from({ length: SIGN_INS }, async (_, n) => {
      while (!stopping.signal.aborted) {
        await signIn(url, n)
        signedIn += 1
      }
    }),
  )
  return {
    async stop() {
      stopping.abort()
      await all
      return { signedIn, seconds: (performance.now() - started) / 1000 }
    },
  }
}

/** The 99th percentile of READS reads, one after the other, in milliseconds. */
async function p99Of(url: string, token: string): Promise<number> {
  const times: number[] = []
  for (let n = 0; n < READS; n += 1) {
    const started = performance.now()
    const response = await fetch(url, { headers: { authorization: `Bearer ${token}` } })
    await response.arrayBuffer()
    times.push(performance.now() - started)
    if (!response.ok) throw new Error(`user/me answered ${response.status}`)
  }
  return times.toSorted((one, other) => one - other)[Math.floor(READS * 0.99)] ?? 0
}

/** The address of the service, once its schema is there. */
function listening(): Promise<string> {
  let printed = ''
  return new Promise((resolve, reject) => {
    service.stdout.on('data', (chunk) => {
      printed += String(chunk)
      const [, port] = /"port":(\d+)/.exec(printed) ?? []
      // The purge at the start is the first thing that needs the schema.
      if (port !== undefined && printed.includes('purged')) resolve(`http://127.0.0.1:${port}`)
    })
    service.once('exit', () => reject(new Error(`The service did not start: ${printed}`)))
  })
}
