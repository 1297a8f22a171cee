import { spawn } from 'node:child_process'
import * as fs from 'node:fs/promises'
import { join } from 'node:path'
import { errorLine, postgresEnvironment, execute } from './execute.ts'
import type { Programs } from './programs.ts'
import { ROLE_AND_DATABASE_NAME, type PostgresPaths } from './site.ts'
import { waitFor } from './wait.ts'

/** The process that is the server. */
export interface Postmaster {
  pid: number
  port: number
  ready: boolean
}

const LOG_LIMIT = 10_000_000

export async function findPostmaster(data: string): Promise<Postmaster | undefined> {
  const content = await fs.readFile(join(data, 'postmaster.pid'), 'utf8').catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return ''
    throw error
  })
  const lines = content.split('\n')
  const pid = Number(lines[0])
  if (!(pid > 0) || !(await isPostmaster(pid, data))) return undefined
  return { pid, port: Number(lines[3]), ready: lines[7]?.trim() === 'ready' }
}

export async function startPostmaster(
  site: PostgresPaths,
  programs: Programs,
  args: string[],
): Promise<Postmaster> {
  const size = await fs.stat(site.logFile).then(
    (stats) => stats.size,
    () => 0,
  )
  if (size > LOG_LIMIT) await fs.rename(site.logFile, `${site.logFile}.1`)
  const logFile = await fs.open(site.logFile, 'a', 0o600)
  const begin = (await logFile.stat()).size
  // Detached, since a terminal's Ctrl-C reaches the whole process group, and we need the database to finish.
  const child = spawn(join(programs.directory, 'postgres'), [...args, '-c', mark(site.data)], {
    cwd: site.data,
    detached: true,
    env: postgresEnvironment,
    // oxlint-disable-next-line no-restricted-properties -- the new process gets descriptors of its own
    stdio: ['ignore', logFile.fd, logFile.fd],
    ...programs.account,
  })
  let failure: Error | undefined
  child.once('error', (error) => (failure = error))
  child.unref()
  await logFile.close()
  const attempt = async () => {
    const running = await findPostmaster(site.data)
    if (running?.ready && running.pid === child.pid) return running
    if (failure) throw new Error(`PostgreSQL could not be started: ${failure.message}.`, { cause: failure })
    if (child.exitCode !== null || child.signalCode !== null) {
      const output = (await fs.readFile(site.logFile)).subarray(begin).toString()
      throw new Error(`PostgreSQL in ${site.data} did not start: ${errorLine(output)}`)
    }
    return undefined
  }
  const running = await waitFor(attempt, site, () => `PostgreSQL with pid ${child.pid} to be ready`)
  site.log(`started PostgreSQL with pid ${running.pid} on port ${running.port}`)
  return running
}

/** Ends the server the fast way, which closes its connections, idle or not, but loses nothing committed. */
export async function shutDown(site: PostgresPaths): Promise<void> {
  const running = await findPostmaster(site.data)
  if (!running) return
  try {
    process.kill(running.pid, 'SIGINT')
  } catch (error) {
    // It may have ended in this moment.
    if (await isAlive(running.pid)) throw error
  }
  const isGone = async () => !(await isAlive(running.pid)) || undefined
  await waitFor(isGone, site, () => `PostgreSQL with pid ${running.pid} to stop`)
  site.log(`stopped PostgreSQL with pid ${running.pid}`)
}

/** A setting that means nothing to PostgreSQL but tells its process from one that reuses the pid. */
function mark(data: string): string {
  return `${ROLE_AND_DATABASE_NAME}.data=[${data}]`
}

async function isPostmaster(pid: number, data: string): Promise<boolean> {
  const command =
    process.platform === 'linux'
      ? await fs.readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')
      : (await execute('ps', ['-ww', '-o', 'command=', '-p', String(pid)])).stdout
  return command.includes(mark(data))
}

/**
 * Its command line tells less: an exiting process gives that up before its memory and sockets. Where process 1 does
 * not collect orphans (as in many containers), an ended one stays a zombie for ever.
 */
async function isAlive(pid: number): Promise<boolean> {
  try {
    process.kill(pid, 0)
    return process.platform !== 'linux' || !/\) [ZX] /.test(await fs.readFile(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return false
  }
}
