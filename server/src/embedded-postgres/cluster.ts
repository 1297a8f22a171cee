import { once } from 'node:events'
import * as fs from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { errorLine, execute } from './execute.ts'
import { newPassword, readPassword, scramVerifier, writePassword } from './password.ts'
import { findPostmaster, type Postmaster, shutDown, startPostmaster } from './postmaster.ts'
import { findPrograms, findAccessiblePath, type Programs } from './programs.ts'
import { ROLE_AND_DATABASE_NAME, type PostgresPaths } from './site.ts'
import { waitFor } from './wait.ts'

/** Returns the running server of the site, or starts it. For the one who has the turn; `alone` if nobody uses it. */
export async function ensureServerRunning(
  site: PostgresPaths,
  alone: boolean,
): Promise<{ pid: number; url: string }> {
  let waitedFor = ''
  const attempt = async () => {
    const running = await findPostmaster(site.data)
    if (running?.ready) {
      const password = await readPassword(site.passwordFile)
      if (password) {
        if (alone) site.log(`adopted the PostgreSQL left running with pid ${running.pid}`)
        return reach(running, password)
      }
      if (!alone) {
        throw new Error(
          `${site.passwordFile} is gone: end all that use this PostgreSQL, and the next start sets a new password.`,
        )
      }
      await shutDown(site)
    } else if (running) {
      waitedFor = `PostgreSQL with pid ${running.pid} to start or to stop`
    } else {
      try {
        return await start(site)
      } catch (error) {
        const message = error instanceof Error ? error.message : String(error)
        if (!passes(message, site)) throw error
        waitedFor = `a start to succeed: ${message}`
      }
    }
    return undefined
  }
  return await waitFor(attempt, site, () => waitedFor)
}

/** Whether a failed start may succeed soon: a killed server's processes still end, or our port was snatched. */
function passes(failure: string, site: PostgresPaths): boolean {
  if (/shared memory block .* is still in use|lock file "postmaster.pid" already exists/.test(failure))
    return true
  return failure.includes('could not create any TCP/IP sockets') && site.settings['port'] === undefined
}

async function start(site: PostgresPaths): Promise<{ pid: number; url: string }> {
  const programs = await findPrograms(site.data)
  const initialised = await fs.access(join(site.data, 'PG_VERSION')).then(
    () => true,
    () => false,
  )
  if (!initialised) await initialise(site, programs)
  // No postmaster of these data has that pid (see findPostmaster), yet PostgreSQL refuses if another process has.
  // The shared memory segment, whose key is the inode of the data directory, still keeps a second server out.
  await fs.rm(join(site.data, 'postmaster.pid'), { force: true })
  const settings = Object.entries({
    port: String(await freePort()),
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    timezone: 'UTC',
    log_timezone: 'UTC',
    // The DETAIL line of a refused statement holds the values of the row, which are health data.
    log_error_verbosity: 'terse',
    ...site.settings,
  }).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const args = ['-D', await findAccessiblePath(site.data, programs.account), ...settings]
  const password = await prepareDatabase(site, programs, args)
  return reach(await startPostmaster(site, programs, args), password)
}

/** Runs initdb in a directory of its own and renames it, so that data which exist are complete. No password yet. */
async function initialise(site: PostgresPaths, programs: Programs): Promise<void> {
  site.log(`creating a PostgreSQL cluster in ${site.data}`)
  const { account } = programs
  for (const name of await fs.readdir(site.directory)) {
    if (!name.startsWith('data.new-')) continue
    await fs.rm(join(site.directory, name), { recursive: true, force: true, maxRetries: 5 })
  }
  const staging = await fs.mkdtemp(join(site.directory, 'data.new-'))
  if (account) await fs.chown(staging, account.uid, account.gid)
  try {
    const options = ['encoding=UTF8', 'locale=C', 'locale-provider=builtin', 'builtin-locale=C.UTF-8']
    options.push(
      'auth-host=scram-sha-256',
      'auth-local=reject',
      `username=${ROLE_AND_DATABASE_NAME}`,
      'no-instructions',
    )
    const args = ['-D', await findAccessiblePath(staging, account), ...options.map((option) => `--${option}`)]
    await run(site, programs, 'initdb', args, staging)
    await fs.rm(site.passwordFile, { force: true })
    await fs.rename(staging, site.data)
  } catch (error) {
    await fs.rm(staging, { recursive: true, force: true })
    throw error
  }
  const parent = await fs.open(site.directory)
  try {
    await parent.sync()
  } finally {
    await parent.close()
  }
}

/**
 * Creates the database and the password when there is none, by a server without network, which needs no client
 * library and takes milliseconds. The password is written last, so that one which exists is in force.
 */
async function prepareDatabase(site: PostgresPaths, programs: Programs, args: string[]): Promise<string> {
  const single = (sql: string) =>
    run(
      site,
      programs,
      'postgres',
      ['--single', ...args, '-c', 'exit_on_error=on', 'template1'],
      site.data,
      sql,
    )
  const kept = await readPassword(site.passwordFile)
  const password = kept ?? newPassword()
  const ask = `SELECT datname FROM pg_database WHERE datname = '${ROLE_AND_DATABASE_NAME}'\n`
  const set = `ALTER ROLE ${ROLE_AND_DATABASE_NAME} PASSWORD '${scramVerifier(password)}'\n`
  const response = await single(kept ? ask : set + ask)
  if (!response.includes(`datname = "${ROLE_AND_DATABASE_NAME}"`))
    await single(`CREATE DATABASE ${ROLE_AND_DATABASE_NAME}\n`)
  if (!kept) await writePassword(site.passwordFile, password)
  return password
}

function reach({ pid, port }: Postmaster, password: string): { pid: number; url: string } {
  return {
    pid,
    url: `postgres://${ROLE_AND_DATABASE_NAME}:${password}@127.0.0.1:${port}/${ROLE_AND_DATABASE_NAME}?sslmode=disable`,
  }
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
  site: PostgresPaths,
  programs: Programs,
  program: string,
  args: string[],
  cwd: string,
  input = '',
): Promise<string> {
  const command = join(programs.directory, program)
  const { account } = programs
  const { succeeded, stdout, stderr } = await execute(command, args, { account, cwd, input })
  // Unchecked: of a full disk, stderr itself tells.
  await fs.appendFile(site.logFile, stderr, { mode: 0o600 }).catch(() => {})
  if (!succeeded)
    throw new Error(`PostgreSQL in ${site.data} did not start: ${program} says ${errorLine(stderr)}`)
  return stdout
}
