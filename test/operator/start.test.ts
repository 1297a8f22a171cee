import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { cloneDatabase } from '../support/database.ts'
import { TEST_SECRET } from '../support/server.ts'
import { MAIN, PROCESS_ENVIRONMENT } from '../support/service-process.ts'

/* How `companion` starts as a process, and what it says when it cannot. */

let directory: string
let cloned: Awaited<ReturnType<typeof cloneDatabase>>
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'companion-start-'))
  cloned = await cloneDatabase()
})
afterAll(async () => {
  await cloned.drop()
  await rm(directory, { recursive: true })
})

async function run(args: string[], environment: Record<string, string>) {
  const child = spawn(process.execPath, [MAIN, ...args], {
    env: { ...PROCESS_ENVIRONMENT, DATA_DIR: directory, TOKEN_SECRET: TEST_SECRET, ...environment },
  })
  const [[code], out, said] = await Promise.all([
    once(child, 'close'),
    text(child.stdout),
    text(child.stderr),
  ])
  return { code, out, said }
}

async function listening() {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  return { server, port: typeof address === 'object' ? (address?.port ?? 0) : 0 }
}

test('all mistakes of the configuration are named at once, in words', async () => {
  const mistakes = { NODE_ENV: 'prod', PORT: '-1', LOG_LEVEL: 'loud', FCM_SERVICE_ACCOUNT: '/no/such/file' }
  const { code, out, said } = await run(['serve'], mistakes)
  expect({ code, out }).toEqual({ code: 1, out: '' })
  expect(said).toBe(`The configuration is not valid:
  - NODE_ENV: must be development, production or test
  - LOG_LEVEL: must be trace, debug, info, warn, error, fatal or silent
  - PORT: must be a whole number from 0 to 65535
  - FCM_SERVICE_ACCOUNT: names a file that cannot be read
`)
})

test.each([[[]], [['--workers', '2']]])(
  'a port in use is told with the variable to set (%j)',
  async (options) => {
    const { server, port } = await listening()
    try {
      const environment = { DATABASE_URL: cloned.url, PORT: String(port) }
      const { code, said } = await run(['serve', ...options], environment)
      expect({ code, said }).toEqual({
        code: 1,
        said: `Port ${port} of 127.0.0.1 is in use, perhaps by another Companion: set PORT to a free one, such as PORT=${port + 1}\n`,
      })
    } finally {
      server.close()
    }
  },
)

test('no database is made where the port is in use', async () => {
  const { server, port } = await listening()
  try {
    const { code, out } = await run(['serve'], { PORT: String(port) })
    expect({ code, out }).toEqual({ code: 1, out: '' })
    expect(existsSync(join(directory, 'postgres'))).toBe(false)
  } finally {
    server.close()
  }
})

test('an address that this machine does not have is told with the variable to set', async () => {
  const { code, said } = await run(['serve'], { DATABASE_URL: cloned.url, HOST: '192.0.2.1', PORT: '0' })
  expect(code).toBe(1)
  expect(said).toMatch(/^This machine has no address 192\.0\.2\.1: set HOST .*\n$/)
})

test('a database that cannot be used is told without its password', async () => {
  const { server, port } = await listening()
  server.close()
  const url = `postgres://somebody:hidden-password@127.0.0.1:${port}/companion`
  expect(await run(['device', 'list'], { DATABASE_URL: url })).toEqual({
    code: 1,
    out: '',
    said: `The database at 127.0.0.1:${port} cannot be used: nothing listens there (DATABASE_URL)\n`,
  })
  const missing = new URL(cloned.url)
  missing.pathname = '/no_such_database'
  expect(await run(['device', 'list'], { DATABASE_URL: String(missing) })).toEqual({
    code: 1,
    out: '',
    said: `The database at ${missing.host} cannot be used: it has no database of this name (DATABASE_URL)\n`,
  })
})

test('a service whose database does not answer yet says so in a line for each try', async () => {
  const { server, port } = await listening()
  server.close()
  const url = `postgres://somebody@127.0.0.1:${port}/companion`
  const child = spawn(process.execPath, [MAIN, 'serve'], {
    env: { ...PROCESS_ENVIRONMENT, DATABASE_URL: url, TOKEN_SECRET: TEST_SECRET, PORT: '0' },
  })
  let log = ''
  for await (const chunk of child.stdout) {
    log += String(chunk)
    if (log.split('trying again').length > 2) child.kill()
  }
  const warning = log.split('\n').find((line) => line.includes('"level":40'))
  expect(JSON.parse(warning ?? '')).toEqual({
    level: 40,
    time: expect.any(String),
    retry_ms: 100,
    msg: `The database at 127.0.0.1:${port} cannot be used: nothing listens there (DATABASE_URL); trying again`,
  })
})

test('a data directory that is none is told with its variable', async () => {
  const file = join(directory, 'a-file')
  await writeFile(file, '')
  const { code, said } = await run(['demo'], { DATA_DIR: file })
  expect(code).toBe(1)
  expect(said).toBe(
    `${join(file, 'postgres')} cannot be used: a part of the path is a file, not a folder; DATA_DIR names its folder\n`,
  )
})

test('a command makes no database where none is', async () => {
  const empty = join(directory, 'empty')
  const { code, out, said } = await run(['trail', 'verify'], { DATA_DIR: empty })
  expect({ code, out }).toEqual({ code: 1, out: '' })
  expect(said).toBe(
    `There is no database: set DATABASE_URL, or DATA_DIR to the folder of the service (${empty} holds none)\n`,
  )
  expect(existsSync(empty)).toBe(false)
})

// `script`, of util-linux, runs a program on a terminal.
const hasTerminal = spawnSync('script', ['--version']).status === 0 || process.env['CI'] === 'true'

test.skipIf(!hasTerminal)('on a terminal the log is for people', async () => {
  const environment = { DATABASE_URL: cloned.url, TOKEN_SECRET: TEST_SECRET, PORT: '0', DATA_DIR: directory }
  const child = spawn('script', ['-qec', `"${process.execPath}" "${MAIN}" serve`, '/dev/null'], {
    env: { ...PROCESS_ENVIRONMENT, NO_COLOR: '1', ...environment },
  })
  let shown = ''
  let isAsked = false
  for await (const chunk of child.stdout) {
    shown += String(chunk)
    const port = /port=(\d+)/.exec(shown)?.[1]
    if (port && !isAsked) {
      isAsked = true
      await fetch(`http://127.0.0.1:${port}/nowhere`)
    }
    if (shown.includes('answered') && shown.includes('purged')) child.stdin.end('\x03')
  }
  expect(shown).toMatch(/^\d\d:\d\d:\d\d {2}listening {2}port=\d+ host=127\.0\.0\.1\r$/m)
  expect(shown).toMatch(/^\d\d:\d\d:\d\d {2}answered {2}request_id=\S+ ms=\d+ method=GET .*status=404\r$/m)
  // Counts of nothing do not fill the screen.
  expect(shown).toMatch(/^\d\d:\d\d:\d\d {2}purged {2}purged=\{\}\r$/m)
  expect(shown).not.toContain('{"level"')
})
