import * as fs from 'node:fs/promises'
import { join } from 'node:path'
import { ensureServerRunning } from './cluster.ts'
import { registerServerUser, hasNoServerUsers, lockServerStartAndStop } from './occupancy.ts'
import { shutDown } from './postmaster.ts'
import type { PostgresPaths } from './site.ts'

/** A running PostgreSQL that several processes may share. */
export interface EmbeddedPostgres {
  url: string
  pid: number
  /**
   * Leaves the server. The last to leave shuts it down, even if another process started it, and waits until it is gone; connections
   * that are still open are closed by that. Only those who opened it count: a psql would never stop it.
   */
  stop(): Promise<void>
}

export interface EmbeddedPostgresOptions {
  directory: string
  log?: (line: string) => void
  /** Takes what is waited for when that takes long; stderr by default. */
  warn?: (line: string) => void
  /** PostgreSQL's configuration parameters. They take effect at a start only: a running server keeps its own. */
  settings?: Record<string, string>
}

/** Starts the embedded PostgreSQL whose data live in `directory`, or joins the one already running there. */
export async function openEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  if (process.platform === 'win32') throw new Error('The embedded PostgreSQL does not run on Windows.')
  await fs.mkdir(options.directory, { recursive: true })
  const directory = await fs.realpath(options.directory)
  const site: PostgresPaths = {
    directory,
    data: join(directory, 'data'),
    passwordFile: join(directory, 'password'),
    logFile: join(directory, 'postgres.log'),
    settings: options.settings ?? {},
    log: options.log ?? (() => {}),
    warn: options.warn ?? ((line) => process.stderr.write(`${line}\n`)),
  }
  const endTurn = await lockServerStartAndStop(site)
  try {
    const { pid, url } = await ensureServerRunning(site, hasNoServerUsers(directory))
    const leave = registerServerUser(directory)
    let stopped: Promise<void> | undefined
    return { url, pid, stop: () => (stopped ??= stop(site, leave)) }
  } finally {
    endTurn()
  }
}

async function stop(site: PostgresPaths, leave: () => void): Promise<void> {
  leave()
  const endTurn = await lockServerStartAndStop(site)
  try {
    if (hasNoServerUsers(site.directory)) await shutDown(site)
  } finally {
    endTurn()
  }
}
