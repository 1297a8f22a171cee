import { chmodSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { PostgresPaths } from './site.ts'
import { waitFor } from './wait.ts'

/**
 * Waits until nobody else starts or stops the server of the site, and keeps the others from it until the
 * function it returns is called. A caller that enters or asks whether it is empty must have the turn.
 */
export async function lockServerStartAndStop(site: PostgresPaths): Promise<() => void> {
  const turn = () => lock(join(site.directory, 'turn.lock'), 'BEGIN IMMEDIATE')
  return await waitFor(turn, site, () => `another start or stop of the PostgreSQL in ${site.directory}`)
}

/** Counts the caller among those who use the server, until it calls what this returns. */
export function registerServerUser(directory: string): () => void {
  const leave = lock(join(directory, 'users.lock'), 'BEGIN; SELECT 1 FROM sqlite_schema')
  if (!leave) throw new Error(`Another program has locked ${join(directory, 'users.lock')}.`)
  return leave
}

/** Whether nobody uses the server, this process included. */
export function hasNoServerUsers(directory: string): boolean {
  const release = lock(join(directory, 'users.lock'), 'BEGIN EXCLUSIVE')
  release?.()
  return release !== undefined
}

const held = new Set<DatabaseSync>()

/**
 * A lock of the kernel, which SQLite takes for us: it ends with the process however that dies, so no live holder
 * is ever to be told from a dead one by its pid. Nothing here may open the file by other means: closing a
 * descriptor of it would drop the lock. The set keeps the garbage collector from doing so. A journal on disk
 * would survive a kill and ask the next one for a lock of its own.
 */
function lock(path: string, statement: string): (() => void) | undefined {
  let database: DatabaseSync | undefined
  try {
    database = new DatabaseSync(path)
    database.exec(`PRAGMA journal_mode = MEMORY; ${statement}`)
    chmodSync(path, 0o600)
  } catch (error) {
    database?.close()
    if (error instanceof Error && 'errcode' in error && error.errcode === 5) return undefined // SQLITE_BUSY
    throw new Error(`Cannot lock ${path}: ${error instanceof Error ? error.message : String(error)}.`, {
      cause: error,
    })
  }
  const locked = database
  held.add(locked)
  return () => {
    if (held.delete(locked)) locked.close()
  }
}
