import type { Pool } from 'pg'
import { isNodeUnreachable, isValueRejectedByDatabase } from '../sql-errors.ts'
import type { RunNamedStatement, SharedStatementDefinition, SharedStatementRunner } from '../statement.ts'

/** After an attempt has failed, a lost node is left alone this long: its callers get the error at once, and send again. */
const REST_MS = 2000
/** A node that nobody has asked for is no longer known to be lost. */
const FORGET_MS = 60_000

interface Group<Call> {
  /** The nodes that hold the records; none for devices that nobody knows. */
  nodes: number[]
  calls: Call[]
}

/**
 * A circuit breaker for each node of a distributed database, half open while one call probes the node. On one machine it
 * only runs the statement.
 */
export function createBreaker<Call, Result>(
  { pool, query, querySerially }: { pool: Pool; query: RunNamedStatement; querySerially: RunNamedStatement },
  { run, devicesOf, done, failed }: SharedStatementDefinition<Call, Result>,
): SharedStatementRunner<Call, Result> {
  const lost = createLostNodes()

  async function byNodes(calls: readonly Call[]): Promise<Group<Call>[]> {
    const { rows } = await pool.query<{ device: string; node: number }>(
      `SELECT d.unique_id AS device, p.groupid AS node
       FROM device d JOIN pg_dist_placement p ON p.shardid = get_shard_id_for_distribution_column('treatment', d.id)
       WHERE d.unique_id = ANY ($1::uuid[])`,
      [calls.flatMap(devicesOf)],
    )
    const nodeOf = new Map(rows.map(({ device, node }) => [device, node]))
    const groups = new Map<string, Group<Call>>()
    for (const call of calls) {
      const found = new Set(devicesOf(call).flatMap((device) => nodeOf.get(device.toLowerCase()) ?? []))
      const nodes = [...found].toSorted((one, other) => one - other)
      const group = groups.get(nodes.join()) ?? { nodes, calls: [] }
      group.calls.push(call)
      groups.set(nodes.join(), group)
    }
    return [...groups.values()]
  }

  function fail({ nodes, calls }: Group<Call>, error: unknown): void {
    lost.note(nodes, error)
    failed(calls, error, false)
  }

  /** On a connection of their own, as a lost node may take long to say nothing. */
  async function runApart(group: Group<Call>): Promise<void> {
    try {
      done(group.calls, await run(query, group.calls))
      lost.found(group.nodes)
    } catch (error) {
      if (!isValueRejectedByDatabase(error)) return fail(group, error)
      lost.found(group.nodes)
      failed(group.calls, error, false)
    }
  }

  async function withoutLost(calls: readonly Call[]): Promise<Call[]> {
    const others: Call[] = []
    for (const group of await byNodes(calls)) {
      const state = lost.stateOf(group.nodes)
      if (state === undefined) others.push(...group.calls)
      else if (state === 'probe') void runApart(group)
      else failed(group.calls, state.error, false)
    }
    return others
  }

  return {
    async begin(calls) {
      if (lost.size > 0) calls.splice(0, calls.length, ...(await withoutLost(calls)))
      return calls.length === 0 ? undefined : run(querySerially, calls)
    },
    async settle(calls, begun) {
      try {
        const result = await begun
        if (result !== undefined) done(calls, result)
      } catch (error) {
        if (!isNodeUnreachable(error)) return failed(calls, error, true)
        const groups = await byNodes(calls).catch(() => undefined)
        if (!groups) failed(calls, error, false)
        // Alone it would only wait again, perhaps for a commit that its node had promised.
        else if (calls.length === 1) for (const group of groups) fail(group, error)
        else await Promise.all(groups.map(runApart))
      }
    },
  }
}

/** The nodes that this process could not reach. */
function createLostNodes() {
  const lost = new Map<number, { error: unknown; restsUntil: number }>()
  return {
    get size() {
      return lost.size
    },
    /** Notes that an attempt has failed. Of several nodes it is not known which has. */
    note([node, ...others]: readonly number[], error: unknown) {
      if (node === undefined || others.length > 0) return
      // An attempt that took too long, or met a deadlock, has not found the node again.
      if (isNodeUnreachable(error) || lost.has(node))
        lost.set(node, { error, restsUntil: performance.now() + REST_MS })
    },
    found(nodes: readonly number[]) {
      for (const node of nodes) lost.delete(node)
    },
    /** Why none of these is to be asked now; or `probe`, when the only one is to be asked again, which is then under way. */
    stateOf(nodes: readonly number[]): { error: unknown } | 'probe' | undefined {
      const now = performance.now()
      for (const [node, { restsUntil }] of lost) if (restsUntil + FORGET_MS < now) lost.delete(node)
      const node = nodes.find((each) => lost.has(each))
      const found = node === undefined ? undefined : lost.get(node)
      if (!found) return undefined
      if (nodes.length > 1 || found.restsUntil > now) return { error: found.error }
      found.restsUntil = Infinity
      return 'probe'
    },
  }
}
