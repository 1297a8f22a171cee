import type { Pool } from 'pg'
import { isOnThisMachine } from '../../config/database-address.ts'
import { listCitusTables, distributedTables, hasCitus } from './convert.ts'

export interface Node {
  name: string
  port: number
  is_active: boolean
  /** Whether it holds rows of distributed tables. */
  holds_shards: boolean
  is_coordinator: boolean
}

export interface Inspection {
  nodes: Node[]
  /** Why the database cannot be distributed as it is; empty if it can. */
  issues: string[]
}

/** Tried with 13.2. Before 11 nothing was distributed without stopping those who write. */
const OLDEST_CITUS = 13

/** Looks whether the nodes that are registered can take distributed tables. */
export async function inspectNodes(pool: Pool): Promise<Inspection> {
  const { rows: known } = await pool.query<{ version: string }>(
    `SELECT extversion AS version FROM pg_extension WHERE extname = 'citus'`,
  )
  const [citus] = known
  if (!citus)
    return {
      nodes: [],
      issues: ['the database has no extension `citus`: run CREATE EXTENSION citus on every node'],
    }
  const issues: string[] = []
  if (Number.parseInt(citus.version, 10) < OLDEST_CITUS)
    issues.push(
      `the extension citus is of version ${citus.version}, and ${OLDEST_CITUS} is the oldest that works`,
    )
  const { rows: nodes } = await pool.query<Node>(
    `SELECT nodename AS name, nodeport AS port, isactive AS is_active, shouldhaveshards AS holds_shards,
       groupid = 0 AS is_coordinator
     FROM pg_dist_node WHERE noderole = 'primary' ORDER BY groupid`,
  )
  if (!nodes.some(({ is_coordinator }) => is_coordinator))
    issues.push(`the coordinator is not registered: run SELECT citus_set_coordinator_host('its address')`)
  if (!nodes.some(({ holds_shards }) => holds_shards))
    issues.push(`no node takes rows: register workers by SELECT citus_add_node('address', port)`)
  for (const { name, port, is_active } of nodes)
    if (!is_active)
      issues.push(
        `the node ${name}:${port} is not active: run SELECT citus_activate_node('${name}', ${port})`,
      )
  if (issues.length > 0) return { nodes, issues }
  return { nodes, issues: await settingIssues(pool) }
}

interface Said {
  /** Its name and port. */
  node: string
  success: boolean
  /** What it answers, or why it does not. */
  result: string
}

/** Asks every node that is registered for one value. */
export async function askNodes(pool: Pool, sql: string): Promise<Said[]> {
  const { rows } = await pool.query<Said>(
    `SELECT n.nodename || ':' || n.nodeport AS node, coalesce(r.success, false) AS success,
       coalesce(r.result, 'it is not active') AS result
     FROM pg_dist_node n LEFT JOIN run_command_on_all_nodes($1) r USING (nodeid) WHERE n.noderole = 'primary'
     ORDER BY n.groupid`,
    [sql],
  )
  return rows
}

/** What the settings of a server or a database limit, they limit for the connections between nodes too. */
const TIMEOUTS = '{statement_timeout,idle_in_transaction_session_timeout,lock_timeout,transaction_timeout}'

/** What must be the same on all nodes, or must not be 0 or off. */
async function settingIssues(pool: Pool): Promise<string[]> {
  const rows = await askNodes(
    pool,
    `SELECT json_build_array(current_setting('server_version_num')::int / 10000, current_setting('wal_level'),
       current_setting('max_prepared_transactions')::int, current_setting('max_connections')::int,
       current_setting('output_plugin_libraries', true), (SELECT extversion FROM pg_extension WHERE extname = 'citus'),
       current_setting('synchronous_commit'),
       (SELECT json_object_agg(name, current_setting(name, true)) FROM unnest($$${TIMEOUTS}$$::text[]) name WHERE current_setting(name, true) <> '0'))`,
  )
  const issues: string[] = []
  const versions = new Set<string>()
  for (const { node, success, result } of rows) {
    if (!success) {
      issues.push(`the node ${node} does not answer: ${result}`)
      continue
    }
    const [postgres, walLevel, prepared, connections, plugins, citus, synchronous, timeouts]: unknown[] =
      JSON.parse(result)
    versions.add(`PostgreSQL ${String(postgres)} with Citus ${String(citus)}`)
    if (walLevel !== 'logical')
      issues.push(`wal_level is ${String(walLevel)} on ${node}, and must be logical`)
    if (Number(prepared) < Number(connections))
      issues.push(
        `max_prepared_transactions is ${String(prepared)} on ${node}, and must be at least max_connections, ${String(connections)}: an upload to two nodes could not be stored whole`,
      )
    // Older servers do not have the setting, and let every library copy.
    if (typeof plugins === 'string' && !plugins.split(/[\s,]+/).includes('citus'))
      issues.push(
        `output_plugin_libraries lacks citus on ${node}: no table could be copied to other nodes while others write`,
      )
    if (synchronous === 'off')
      issues.push(
        `synchronous_commit is off on ${node}: if it dies, it may forget what it was told to commit, or told others`,
      )
    for (const [name, value] of Object.entries(timeouts ?? {}))
      issues.push(
        `${name} is ${value} on ${node}, also for what other nodes ask of it: a large table could not be copied`,
      )
  }
  if (versions.size > 1) issues.push(`the nodes differ: ${[...versions].join(', ')}`)
  return issues
}

interface DistributedTable {
  name: string
  /** The column that tells the node of a row. */
  column: string
  /** 0 while all of its rows are on one machine. */
  shards: number
  bytes: number
}

/** The tables that are, or would be, distributed. */
export async function listDistributedTables(pool: Pool): Promise<DistributedTable[]> {
  const away = await listCitusTables(pool)
  const tables: DistributedTable[] = []
  for (const { table: name, column } of distributedTables) {
    const { rows } = await pool.query<{ shards: number; bytes: number }>(
      away.includes(name)
        ? `SELECT (SELECT count(*) FROM pg_dist_shard WHERE logicalrelid = $1::regclass)::int AS shards,
             citus_total_relation_size($1::regclass)::float8 AS bytes`
        : `SELECT 0 AS shards, coalesce(sum(pg_total_relation_size(coalesce(i.relid, to_regclass($1)))), 0)::float8 AS bytes
           FROM (SELECT to_regclass($1) AS own) t LEFT JOIN pg_partition_tree(own) i ON true`,
      [name],
    )
    tables.push({ name, column, shards: rows[0]?.shards ?? 0, bytes: rows[0]?.bytes ?? 0 })
  }
  return tables
}

/** The nodes to which the coordinator sends rows without encryption, or that it cannot ask, each in a sentence. */
export async function unencryptedNodes(pool: Pool): Promise<string[]> {
  if (!(await hasCitus(pool))) return []
  const said = await askNodes(
    pool,
    `SELECT coalesce(version, host(client_addr)) FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) WHERE pid = pg_backend_pid()`,
  )
  return said.flatMap(({ node, success, result }) => {
    if (!success) return [`its node ${node} cannot be asked: ${result}`]
    const isSafe = result === '' || result.startsWith('TLS') || isOnThisMachine({ host: result })
    return isSafe ? [] : [`the way to its node ${node} is not encrypted (citus.node_conninfo)`]
  })
}
