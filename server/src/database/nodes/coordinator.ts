import type { Pool } from 'pg'

export interface NodeAddress {
  host: string
  port: number
}

/** Where the coordinator is, if `pool` leads to another node of a distributed database; else undefined. */
export async function findCoordinatorAddress(pool: Pool): Promise<NodeAddress | undefined> {
  const { rows: known } = await pool.query(`SELECT WHERE to_regclass('pg_dist_local_group') IS NOT NULL`)
  if (known.length === 0) return undefined
  const { rows } = await pool.query<NodeAddress>(
    `SELECT n.nodename AS host, n.nodeport AS port FROM pg_dist_node n CROSS JOIN pg_dist_local_group own
     WHERE own.groupid <> 0 AND n.groupid = 0 AND n.noderole = 'primary'`,
  )
  return rows[0]
}
