/*
 * Starts what runs on several machines on this one, until Ctrl-C: PostgreSQL, a streaming replica of it, PgBouncer, two
 * servers, and HAProxy before them.
 *
 *   pnpm lab
 */
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startProcess } from '../bench/process.ts'
import { startHaproxy } from '../support/machines/haproxy.ts'
import { labEnvironment, openLab } from './open.ts'

const stopped = Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')])
const directory = await mkdtemp(join(tmpdir(), 'companion-machines-'))
const { poolerUrl, primaryUrl, replica, close } = await openLab(10)
try {
  const environment = {
    DATA_DIR: directory,
    TOKEN_SECRET: 'a secret for the lab only, 32 bytes or more',
    ...labEnvironment({ poolerUrl, replicaUrl: replica.url }, 'companion'),
  }
  const servers = await Promise.all([1, 2].map(() => startProcess('./serve.ts', environment)))
  const origins = servers.map(({ port }) => `http://127.0.0.1:${port}`)
  const balancer = await startHaproxy(origins)
  console.log(`the service  ${balancer.url}
its servers  ${servers.map(({ pid }, n) => `${origins[n]} (pid ${pid})`).join('  ')}
PgBouncer    ${poolerUrl}
primary      ${primaryUrl}
replica      ${replica.url}
messages     ${join(directory, 'outbox.jsonl')}`)
  await stopped
  await balancer.stop()
  await Promise.all(servers.map((server) => server.stop()))
} finally {
  await close()
  await rm(directory, { recursive: true, force: true })
}
