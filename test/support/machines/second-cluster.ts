import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { openDatabase } from '@companion/server/database/database.ts'
import type { Database } from '@companion/server/database/database.ts'
import { findPrograms, findAccessiblePath } from '@companion/server/embedded-postgres/programs.ts'
import { hasEnded } from '../child-process.ts'
import { closedPort } from '../outside/local-server.ts'
import { until } from '../until.ts'

const run = promisify(execFile)

/** Copies a running cluster, as pg_basebackup does. */
export async function copyCluster({ pool }: Database, data: string, target: string): Promise<void> {
  // The same session must start and end the backup.
  const session = await pool.connect()
  await session.query("SELECT pg_backup_start('copy', true)")
  await run('cp', ['-a', data, target])
  const { rows } = await session.query<{ labelfile: string }>('SELECT labelfile FROM pg_backup_stop()')
  session.release()
  await run('sh', ['-c', `rm -rf "$0"/postmaster.* "$0"/pg_wal/*`, target])
  await writeFile(join(target, 'backup_label'), rows[0]?.labelfile ?? '')
  await run('sh', ['-c', 'chown --reference="$0" "$0"/backup_label', target])
}

export interface SecondCluster {
  database: Database
  url: string
  /** Ends the cluster; `SIGQUIT` ends it as if its machine died. */
  stop: (signal?: 'SIGINT' | 'SIGQUIT') => Promise<void>
}

/**
 * Starts a copied cluster on its own port, in the mode of a signal file: `recovery.signal` or `standby.signal`. Role
 * and password are those of `login`. Resolves once `isThere` returns true.
 */
export async function startCopy(
  data: string,
  login: string,
  signalFile: string,
  settings: Record<string, string>,
  isThere: (database: Database) => Promise<boolean>,
): Promise<SecondCluster> {
  const own = 'touch "$0"/"$1" && chown --reference="$0" "$0"/"$1"'
  await run('sh', ['-c', own, data, signalFile])
  const port = settings['port'] ?? String(await closedPort())
  const given = Object.entries({
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    timezone: 'UTC',
    ...settings,
    port,
  }).flatMap(([key, value]) => ['-c', `${key}=${value}`])
  const { directory, account } = await findPrograms(data)
  const child = spawn(
    join(directory, 'postgres'),
    ['-D', await findAccessiblePath(data, account), ...given],
    {
      cwd: data,
      env: { PATH: process.env['PATH'], LC_ALL: 'C' },
      stdio: 'ignore',
      ...account,
    },
  )
  const kill = () => child.kill('SIGKILL')
  process.once('exit', kill)
  const url = new URL(login)
  url.port = port
  const database = await openDatabase(url.href, { pool: 2 })
  await until(() => {
    if (hasEnded(child)) throw new Error(`The cluster in ${data} does not start`)
    return isThere(database).catch(() => false)
  })
  return {
    database,
    url: url.href,
    async stop(signal = 'SIGINT') {
      process.off('exit', kill)
      await database.close()
      if (hasEnded(child)) return
      const ended = once(child, 'exit')
      child.kill(signal)
      await ended
    },
  }
}
