import { setTimeout as pause } from 'node:timers/promises'
import type { Pool, PoolClient } from 'pg'
import { Counter } from 'prom-client'

/** How long a replica has to connect, and to say how far it is. */
export const REPLICA_TIMEOUT_MS = 500
/** How long a replica is left alone that did not serve: only those who found that out have waited for it. */
const REPLICA_REST_MS = 3000
/** A replica is usually behind by less than the first of these. */
const PAUSES_MS = [5, 20, 50]

const reads = new Counter({
  name: 'companion_replica_reads_total',
  help: 'Reads that a replica may serve, by what came of it; all but `served` went to the primary.',
  labelNames: ['outcome'],
})

// Everything that was acknowledged was flushed before. The identifier tells a replica from a stranger's database.
const selectPosition = `SELECT pg_current_wal_flush_lsn()::text AS position, system_identifier::text AS system
  FROM pg_control_system()`

const comparePosition = `SELECT pg_is_in_recovery() AND system_identifier = $2::bigint
    AND pg_last_wal_replay_lsn() >= $1::pg_lsn AS is_caught_up
  FROM pg_control_system()`

/** A connection for a while; `release` says whether it has held. */
interface Loan {
  client: PoolClient
  release: (hasHeld: boolean) => void
}

export type AcquireConnection = () => Promise<Loan>

export const createConnectionAcquirer =
  (pool: Pool): AcquireConnection =>
  async () => {
    const client = await pool.connect()
    return { client, release: (hasHeld) => client.release(!hasHeld) }
  }

export interface Replicas {
  /**
   * A connection to a replica that has replayed all that was acknowledged when it was asked for. Undefined when the
   * one whose turn it is cannot be reached or is behind.
   */
  lend(): Promise<Loan | undefined>
  /** How many there are, and how many of them are left alone for a while because they did not serve. */
  state(): { configured: number; resting: number }
}

/** Takes the servers of `pools` for replicas of `primary`. */
export function createReplicas(primary: Pool, pools: readonly Pool[]): Replicas {
  const replicas = pools.map((pool) => ({ pool, restsUntil: 0 }))
  const awake = () => replicas.filter(({ restsUntil }) => restsUntil <= performance.now())
  let turn = 0
  return {
    state: () => ({ configured: replicas.length, resting: replicas.length - awake().length }),
    async lend() {
      if (replicas.length === 0) return undefined
      const candidates = awake()
      const replica = candidates[(turn += 1) % candidates.length]
      const conclude = (outcome: 'served' | 'behind' | 'unreachable' | 'failed' | 'resting') => {
        reads.inc({ outcome })
        if (outcome !== 'served' && replica) replica.restsUntil = performance.now() + REPLICA_REST_MS
        return undefined
      }
      if (!replica) return conclude('resting')
      const loan = await createConnectionAcquirer(replica.pool)().catch(() => undefined)
      if (!loan) return conclude('unreachable')
      const isCaughtUp = await catchesUp(loan.client, primary).catch(() => undefined)
      if (!isCaughtUp) {
        loan.release(isCaughtUp !== undefined)
        return conclude(isCaughtUp === undefined ? 'unreachable' : 'behind')
      }
      return {
        client: loan.client,
        release(hasHeld) {
          loan.release(hasHeld)
          conclude(hasHeld ? 'served' : 'failed')
        },
      }
    },
  }
}

async function catchesUp(client: PoolClient, primary: Pool): Promise<boolean> {
  const { rows: positions } = await primary.query<{ position: string; system: string }>(selectPosition)
  const values = positions.flatMap(({ position, system }) => [position, system])
  for (const ms of [...PAUSES_MS, 0]) {
    // Not in the transaction that reads: its snapshot would be older than this response.
    const response = client.query<{ is_caught_up: boolean }>(comparePosition, values)
    const { rows } = await Promise.race([response, tooLate()])
    if (rows[0]?.is_caught_up) return true
    await pause(ms)
  }
  return false
}

async function tooLate(): Promise<never> {
  await pause(REPLICA_TIMEOUT_MS, undefined, { ref: false })
  throw new Error('The replica does not say how far it is')
}

/** See `offload` of database.ts. */
export async function readFromReplica<Result>(
  replicas: Replicas,
  lendPrimary: AcquireConnection,
  read: (lend: AcquireConnection) => Promise<Result>,
): Promise<Result> {
  let hasFailed = false
  const lend = async (): Promise<Loan> => {
    const loan = await replicas.lend()
    if (!loan) return lendPrimary()
    return {
      client: loan.client,
      release(hasHeld) {
        hasFailed ||= !hasHeld
        loan.release(hasHeld)
      },
    }
  }
  try {
    return await read(lend)
  } catch (error) {
    if (!hasFailed) throw error
    return read(lendPrimary)
  }
}
