import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, globSync } from 'node:fs'
import { chown, mkdtemp, open, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { errorLine, execute, commandSucceeds } from '@companion/server/embedded-postgres/execute.ts'
import type { OsAccount } from '@companion/server/embedded-postgres/execute.ts'
import { findPrograms } from '@companion/server/embedded-postgres/programs.ts'
import { hasEnded } from '../child-process.ts'
import { ask } from '../own-connection.ts'
import { urlOf } from '../database-url.ts'
import { startLaggingCommit } from './lagging-commit.ts'
import type { LaggingCommit } from './lagging-commit.ts'
import { closedPort } from '../outside/local-server.ts'
import { placeForData } from './place-for-data.ts'
import { until } from '../until.ts'

/** The folder of the programs of a PostgreSQL with the extension `citus`, or undefined; `CITUS_PG` may name its parent. */
export function installedCitus(): string | undefined {
  const { CITUS_PG } = process.env
  if (CITUS_PG) return join(CITUS_PG, 'bin')
  return globSync('/usr/lib/postgresql/*/bin').toSorted().findLast(hasExtension)
}

function hasExtension(programs: string): boolean {
  const tell = join(programs, 'pg_config')
  if (!existsSync(tell)) return false
  const shared = execFileSync(tell, ['--sharedir'], { encoding: 'utf8' }).trim()
  return existsSync(join(shared, 'extension', 'citus.control'))
}

export interface Node {
  url: string
  /** Ends it; `SIGQUIT` ends it as if its machine died. */
  stop: (signal?: 'SIGINT' | 'SIGQUIT') => Promise<void>
  /** Starts it again, on its port, or a copy of it there. */
  start: (copy?: Copy) => Promise<void>
  /** Copies its data while it runs, as a nightly backup does. Resolves to the directory of the copy. */
  backUp: () => Promise<string>
  /** Starts a streaming standby of it, on a port of its own. */
  startStandby: () => Promise<Node>
}

interface Copy {
  data: string
  signalFile: 'recovery.signal' | 'standby.signal'
  settings: Record<string, string>
}

export interface Citus {
  coordinator: Node
  workers: Node[]
  /** The coordinator first. */
  urls: string[]
  /** Stands before the last worker, if it was asked for. */
  lagging: LaggingCommit | undefined
  /** Creates a database on all nodes, whose shards lie on the workers, or on the coordinator if there are none. */
  createDatabase: (name: string) => Promise<string>
  /** Starts one more worker and adds it to the nodes of a database, which moves no shard to it. */
  addWorker: (name: string) => Promise<Node>
  stop: () => Promise<void>
}

export interface CitusOptions {
  workers: 0 | 2
  /** Whether commits to the last worker can be delayed. */
  lagging?: boolean
  /** Of each node. */
  settings?: Record<string, string>
}

const SETTINGS = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  timezone: 'UTC',
  shared_preload_libraries: 'citus',
  'citus.enable_statistics_collection': 'off',
  'citus.local_hostname': '127.0.0.1',
  'citus.node_conninfo': 'sslmode=disable',
  max_connections: '300',
  max_prepared_transactions: '600',
  // Citus takes one for each database, and some for each shard that is moved.
  max_worker_processes: '100',
  wal_level: 'logical',
  jit: 'off',
  // No data need to survive a crash of the machine, but what was committed survives that of a node.
  fsync: 'off',
  full_page_writes: 'off',
}

/** Starts an installed Citus: a coordinator and its workers. */
export async function startCitus({
  workers: count,
  lagging: lags = false,
  settings = {},
}: CitusOptions): Promise<Citus> {
  const programs = installedCitus()
  if (!programs) throw new Error('No PostgreSQL with the extension citus is installed')
  const directory = await mkdtemp(join(await placeForData(), 'companion-citus-'))
  const { account } = await findPrograms(directory)
  if (account) await chown(directory, account.uid, account.gid)
  const leftovers = clearWhenOver(directory)
  const create = (n: number) => createNode({ programs, account, settings }, join(directory, String(n)))
  const nodes = await Promise.all(Array.from({ length: count + 1 }, (_, n) => create(n)))
  const [coordinator, ...workers] = nodes
  const urls = nodes.map(({ url }) => url)
  const last = workers.at(-1)
  if (!coordinator) throw new Error('There is no coordinator')
  const lagging = lags && last ? await startLaggingCommit(portOf(last.url)) : undefined
  const createOn = async ({ url }: Node, name: string) => {
    await ask(url, `CREATE DATABASE ${name}`)
    await ask(urlOf(url, name), 'CREATE EXTENSION citus')
  }
  return {
    coordinator,
    workers,
    urls,
    lagging,
    async createDatabase(name) {
      await Promise.all(nodes.map((node) => createOn(node, name)))
      const url = urlOf(coordinator.url, name)
      const port = portOf(url)
      await ask(url, `SELECT citus_set_coordinator_host('127.0.0.1', ${port})`)
      if (workers.length === 0)
        await ask(url, `SELECT citus_set_node_property('127.0.0.1', ${port}, 'shouldhaveshards', true)`)
      for (const worker of workers) {
        const reached = worker === last && lagging ? lagging.port : portOf(worker.url)
        await ask(url, `SELECT citus_add_node('127.0.0.1', ${reached})`)
      }
      return url
    },
    async addWorker(name) {
      const worker = await create(nodes.length)
      nodes.push(worker)
      urls.push(worker.url)
      await createOn(worker, name)
      await ask(urlOf(coordinator.url, name), `SELECT citus_add_node('127.0.0.1', ${portOf(worker.url)})`)
      return worker
    },
    async stop() {
      await lagging?.close()
      await Promise.all(nodes.map((node) => node.stop('SIGQUIT')))
      await leftovers.clear()
    },
  }
}

/**
 * Ends the nodes below a directory, and removes it, when this process is over, however it ends. Told to end, nodes would wait
 * for each other's connections for ever.
 */
function clearWhenOver(directory: string): { clear: () => Promise<void> } {
  const script = `cat
    for file in "$0"/*/postmaster.pid; do kill -QUIT "$(head -n 1 "$file")"; done
    until rm -rf "$0"; do sleep 0.1; done`
  const child = spawn('sh', ['-c', script, directory], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  child.unref()
  return {
    async clear() {
      const ended = once(child, 'exit')
      child.ref()
      child.stdin.end()
      await ended
    },
  }
}

const portOf = (url: string) => Number(new URL(url).port)

interface Making {
  programs: string
  account: OsAccount | undefined
  settings: Record<string, string>
}

async function createNode(making: Making, data: string): Promise<Node> {
  const { programs, account, settings } = making
  await runProgram(making, 'initdb', [
    '-D',
    data,
    '--username=postgres',
    '--auth=trust',
    '--encoding=UTF8',
    '--locale=C.UTF-8',
    '--no-sync',
  ])
  // Since 2026 PostgreSQL lets nobody copy what is written to another node by a library that it does not list.
  const knowsList = await commandSucceeds(
    join(programs, 'postgres'),
    ['-C', 'output_plugin_libraries', '-D', data],
    account,
  )
  const plugins = knowsList ? { output_plugin_libraries: 'pgoutput, citus' } : {}
  const node = await nodeOn({ programs, account, settings: { ...SETTINGS, ...plugins, ...settings } }, data)
  await node.start()
  return node
}

async function runProgram({ programs, account }: Making, name: string, args: string[]): Promise<void> {
  const done = await execute(join(programs, name), args, { account })
  if (!done.succeeded) throw new Error(`${name} says ${errorLine(done.stderr)}`)
}

/** A node of these data, on a free port, that has to be started. */
async function nodeOn(making: Making, own: string): Promise<Node> {
  const { programs, account } = making
  const port = await closedPort()
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`
  let copies = 0
  let stop: Node['stop'] = () => Promise.resolve()
  const node: Node = {
    url,
    stop: (signal) => stop(signal),
    async start(copy) {
      const data = copy?.data ?? own
      if (copy) {
        const signal = join(data, copy.signalFile)
        await writeFile(signal, '')
        if (account) await chown(signal, account.uid, account.gid)
      }
      const settings = Object.entries({ ...making.settings, ...copy?.settings, port }).flatMap(
        ([name, value]) => ['-c', `${name}=${value}`],
      )
      const log = `${data}.log`
      const output = await open(log, 'a')
      const child = spawn(join(programs, 'postgres'), ['-D', data, ...settings], {
        cwd: data,
        env: { PATH: process.env['PATH'], LC_ALL: 'C' },
        // oxlint-disable-next-line no-restricted-properties -- the new process gets descriptors of its own
        stdio: ['ignore', output.fd, output.fd],
        ...account,
      })
      await output.close()
      stop = async (signal = 'SIGINT') => {
        if (hasEnded(child)) return
        const ended = once(child, 'exit')
        child.kill(signal)
        await ended
      }
      await until(async () => {
        if (hasEnded(child)) throw new Error(`A node says ${errorLine(await readFile(log, 'utf8'))}`)
        return ask(url, 'SELECT').then(
          () => true,
          () => false,
        )
      })
    },
    async backUp() {
      copies += 1
      const target = `${own}-${copies}`
      await runProgram(making, 'pg_basebackup', [
        `--dbname=${url}`,
        `--pgdata=${target}`,
        '--checkpoint=fast',
        '--no-sync',
      ])
      return target
    },
    async startStandby() {
      const data = await node.backUp()
      const standby = await nodeOn(making, data)
      const primary_conninfo = `host=127.0.0.1 port=${port} user=postgres`
      await standby.start({ data, signalFile: 'standby.signal', settings: { primary_conninfo } })
      return standby
    },
  }
  return node
}
