import { ask } from '../own-connection.ts'
import type { Node } from './citus.ts'
import { until } from '../until.ts'

/** Starts a standby that a node waits for at each commit. */
export async function startSynchronous(node: Node): Promise<Node> {
  const standby = await node.startStandby()
  await ask(node.url, `ALTER SYSTEM SET synchronous_standby_names = '*'`)
  await ask(node.url, 'SELECT pg_reload_conf()')
  const waitsFor = `SELECT FROM pg_stat_replication WHERE sync_state = 'sync'`
  await until(async () => (await ask(node.url, waitsFor)).length > 0)
  return standby
}

/** A standby that is promoted waits for nobody: it has the settings of the node that it was copied from. */
export async function promote(standby: Node): Promise<void> {
  await ask(standby.url, 'SELECT pg_promote()')
  await ask(standby.url, 'ALTER SYSTEM RESET synchronous_standby_names')
  await ask(standby.url, 'SELECT pg_reload_conf()')
}
