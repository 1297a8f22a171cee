import { Agent, request } from 'node:http'
import type { BenchData } from './load.ts'
import { processorTime } from './process.ts'
import type { Ask, Workload } from './workloads.ts'

/** A measured server and the content of its database. */
export interface Candidate {
  name: string
  port: number
  pid: number
  /** The processes of PostgreSQL that serve its connections, by node; the first is the one that the server is connected to. */
  backends: () => Promise<number[][]>
  data: BenchData
}

export interface Measured {
  /** Requests per second. */
  rate: number
  /** Microseconds of the server's processor time per request; NaN where Linux is not there to report it. */
  cpu: number
  /** The same of PostgreSQL's processor time, if PostgreSQL runs on this machine. */
  database: number
  /** The part of it that falls on the node that the server is connected to. */
  coordinator: number
  p50: number
  p95: number
  p99: number
  errors: number
}

const timesOf = async (pids: readonly number[]) =>
  new Map(await Promise.all(pids.map(async (pid) => [pid, await processorTime([pid])] as const)))

/** Sends requests to a server for `ms` milliseconds, always `connections` at once. */
async function measure(
  { port, pid, backends, data }: Candidate,
  workload: Workload,
  { connections, ms }: { connections: number; ms: number },
): Promise<Measured> {
  const agent = new Agent({ keepAlive: true, maxSockets: connections })
  const times: number[] = []
  let errors = 0
  const cpu = await processorTime([pid])
  const spentBefore = await timesOf((await backends()).flat())
  const start = performance.now()
  await Promise.all(
    Array.from({ length: connections }, async () => {
      while (performance.now() - start < ms) {
        const asked = performance.now()
        if ((await ask(port, agent, workload(data))) !== 200) errors += 1
        times.push(performance.now() - asked)
      }
    }),
  )
  const elapsed = performance.now() - start
  const spent = (await processorTime([pid])) - cpu
  // Connections come and go.
  let [spentByDatabase, spentByCoordinator] = [0, 0]
  for (const [n, pids] of (await backends()).entries())
    for (const [backend, time] of await timesOf(pids)) {
      spentByDatabase += time - (spentBefore.get(backend) ?? 0)
      if (n === 0) spentByCoordinator += time - (spentBefore.get(backend) ?? 0)
    }
  agent.destroy()
  times.sort((one, other) => one - other)
  const at = (share: number) => times[Math.floor(times.length * share)] ?? 0
  return {
    rate: (times.length * 1000) / elapsed,
    cpu: spent / times.length,
    database: spentByDatabase / times.length,
    coordinator: spentByCoordinator / times.length,
    p50: at(0.5),
    p95: at(0.95),
    p99: at(0.99),
    errors,
  }
}

/** Sends one request on a kept connection and resolves to its status. */
export function ask(port: number, agent: Agent, { path, token, body }: Ask): Promise<number> {
  return new Promise((resolve, reject) => {
    const sent = request(
      {
        port,
        host: '127.0.0.1',
        agent,
        path,
        method: body === undefined ? 'GET' : 'POST',
        headers: {
          // As every app and browser does.
          'accept-encoding': process.env['ACCEPT_ENCODING'] ?? 'gzip',
          ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        },
      },
      (response) => response.on('end', () => resolve(response.statusCode ?? 0)).resume(),
    )
    sent.on('error', reject).end(body)
  })
}

/**
 * Measures all servers in each round and alternates which is first, so that other load on the machine slows all. Returns
 * the rounds of each. Before each measurement the server answers the same requests for `warmUpSeconds`.
 */
export async function measureInTurn(
  candidates: readonly Candidate[],
  workload: Workload,
  {
    rounds,
    seconds,
    connections,
    warmUpSeconds = 0.5,
  }: { rounds: number; seconds: number; connections: number; warmUpSeconds?: number },
): Promise<Measured[][]> {
  const measured = candidates.map((): Measured[] => [])
  const inOrder = [...candidates.entries()]
  for (let round = 0; round < rounds; round += 1) {
    for (const [n, each] of round % 2 === 0 ? inOrder : inOrder.toReversed()) {
      await measure(each, workload, { connections, ms: 1000 * warmUpSeconds })
      measured[n]?.push(await measure(each, workload, { connections, ms: 1000 * seconds }))
    }
  }
  return measured
}

export const median = (values: number[]) =>
  values.toSorted((one, other) => one - other)[values.length >> 1] ?? 0
