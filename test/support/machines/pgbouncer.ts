import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDatabase } from '@companion/server/database/database.ts'
import { hasEnded } from '../child-process.ts'
import { closedPort } from '../outside/local-server.ts'
import { until } from '../until.ts'

const EXECUTABLE = process.env['PGBOUNCER'] ?? '/usr/sbin/pgbouncer'

/** Whether Debian's package `pgbouncer` is missing. */
export const hasNoPgBouncer = !existsSync(EXECUTABLE)

/** Starts PgBouncer in transaction mode before the PostgreSQL of `url`, with few connections to it. */
export async function startPgBouncer(
  url: string,
  poolSize = 3,
): Promise<{ url: string; stop: () => Promise<void> }> {
  const { hostname, port, pathname, username, password } = new URL(url)
  const directory = await mkdtemp(join(tmpdir(), 'companion-pgbouncer-'))
  const listening = await closedPort()
  const settings = `[databases]
* = host=${hostname} port=${port}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${listening}
unix_socket_dir =
auth_type = plain
auth_file = ${directory}/users
pool_mode = transaction
default_pool_size = ${poolSize}
max_client_conn = 1000
ignore_startup_parameters = options,extra_float_digits
`
  await writeFile(join(directory, 'pgbouncer.ini'), settings)
  await writeFile(join(directory, 'users'), `"${username}" "${decodeURIComponent(password)}"\n`)
  // PgBouncer refuses to run as root, and other users may not read the files of root.
  await chmod(directory, 0o755)
  const asNobody = process.getuid?.() === 0 ? ['-u', 'nobody'] : []
  const child = spawn(EXECUTABLE, [...asNobody, join(directory, 'pgbouncer.ini')], { stdio: 'ignore' })
  const kill = () => child.kill('SIGKILL')
  process.once('exit', kill)
  const pooled = `postgres://${username}:${password}@127.0.0.1:${listening}${pathname}`
  const probe = await openDatabase(pooled, { pool: 1 })
  await until(() => {
    if (hasEnded(child)) throw new Error('PgBouncer does not start')
    return probe.pool.query('SELECT').then(
      () => true,
      () => false,
    )
  })
  await probe.close()
  return {
    url: pooled,
    async stop() {
      process.off('exit', kill)
      const ended = !hasEnded(child) && once(child, 'exit')
      kill()
      await ended
      await rm(directory, { recursive: true, force: true })
    },
  }
}
