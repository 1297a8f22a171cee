import type { Database } from '../database/database.ts'
import { isOfAnotherNode } from '../database/refusal.ts'
import type { Devlog } from './devlog.ts'

/** After a try has failed, a lost node is left alone for so long: its devices are told at once, and send again. */
const REST_MS = 2000
/** A node that nobody has asked for is no longer known to be lost. */
const FORGET_MS = 60_000

/** The nodes of a distributed database that this process could not reach. */
export interface LostNodes {
  readonly size: number
  /** Notes that a try has failed. Of several it is not known which has. */
  note: (nodes: readonly number[], error: unknown) => void
  found: (nodes: readonly number[]) => void
  /** Why none of these is to be tried now; or `probe`, when the only one is to be tried again, which is then under way. */
  refusal: (nodes: readonly number[]) => { error: unknown } | 'probe' | undefined
}

export function createLostNodes(): LostNodes {
  const lost = new Map<number, { error: unknown; restsUntil: number }>()
  return {
    get size() {
      return lost.size
    },
    note([node, ...others], error) {
      if (node === undefined || others.length > 0) return
      // A try that took too long, or met a deadlock, has not found the node again.
      if (isOfAnotherNode(error) || lost.has(node))
        lost.set(node, { error, restsUntil: performance.now() + REST_MS })
    },
    found(nodes) {
      for (const node of nodes) lost.delete(node)
    },
    refusal(nodes) {
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

interface Upload {
  items: readonly Pick<Devlog, 'unique_id'>[]
}

interface OnNodes<Of> {
  /** Empty for devices that nobody knows. */
  nodes: number[]
  uploads: Of[]
}

/** Groups uploads by the nodes that hold the records of their devices. */
export async function byNodes<Of extends Upload>(
  { pool }: Pick<Database, 'pool'>,
  uploads: readonly Of[],
): Promise<OnNodes<Of>[]> {
  const devices = uploads.flatMap(({ items }) => items.map(({ unique_id }) => unique_id))
  const { rows } = await pool.query<{ device: string; node: number }>(
    `SELECT d.unique_id AS device, p.groupid AS node
     FROM device d JOIN pg_dist_placement p ON p.shardid = get_shard_id_for_distribution_column('treatment', d.id)
     WHERE d.unique_id = ANY ($1::uuid[])`,
    [devices],
  )
  const nodeOf = new Map(rows.map(({ device, node }) => [device, node]))
  const groups = new Map<string, OnNodes<Of>>()
  for (const upload of uploads) {
    const found = new Set(upload.items.flatMap(({ unique_id }) => nodeOf.get(unique_id.toLowerCase()) ?? []))
    const nodes = [...found].toSorted((one, other) => one - other)
    const group = groups.get(nodes.join()) ?? { nodes, uploads: [] }
    group.uploads.push(upload)
    groups.set(nodes.join(), group)
  }
  return [...groups.values()]
}

/** Sorts out the uploads that need a lost node: those to refuse now, and those by which it is tried again. */
export async function apartFromLost<Of extends Upload>(
  database: Pick<Database, 'pool'>,
  lost: LostNodes,
  uploads: readonly Of[],
): Promise<{
  others: Of[]
  refused: { upload: Of; error: unknown }[]
  probes: { node: number; uploads: Of[] }[]
}> {
  const others: Of[] = []
  const refused: { upload: Of; error: unknown }[] = []
  const probes: { node: number; uploads: Of[] }[] = []
  for (const group of await byNodes(database, uploads)) {
    const refusal = lost.refusal(group.nodes)
    const [node] = group.nodes
    if (refusal === undefined || node === undefined) others.push(...group.uploads)
    else if (refusal === 'probe') probes.push({ node, uploads: group.uploads })
    else refused.push(...group.uploads.map((upload) => ({ upload, error: refusal.error })))
  }
  return { others, refused, probes }
}
