import { describe, expect, test } from 'vitest'
import { ask } from '../support/own-connection.ts'
import { installedCitus } from '../support/machines/citus.ts'
import { companion } from '../support/command.ts'
import { urlOf } from '../support/database-url.ts'
import { addChild, signUp } from '../support/family.ts'
import { useCitus } from '../support/machines/own-citus.ts'
import { startProxy } from '../support/machines/proxy.ts'
import { startServer } from '../support/server.ts'
import { storedOn, uploadSteadily } from '../support/steady-uploads.ts'
import { promote, startSynchronous } from '../support/machines/synchronous-standby.ts'
import { until } from '../support/until.ts'

/* A node is lost with its machine, and its synchronous standby takes its place, while devices send: docs/operations/distributed.md. */

const portOf = (url: string) => Number(new URL(url).port)

describe.skipIf(!installedCitus()).each(['a worker', 'the coordinator'])('on Citus, %s is lost', (lost) => {
  const citus = useCitus({ workers: 2 })

  test('its standby takes its place, and no acknowledged upload is lost or doubled', async () => {
    const { url } = await citus.cloneDatabase()
    // What a virtual address or a TCP balancer is in production.
    const address = await startProxy(url)
    const server = await startServer({}, address.url)
    const { token } = await signUp(server)
    const { rows: nodes } = await server.database.pool.query<{ nodeid: number; nodeport: number }>(
      'SELECT nodeid, nodeport FROM pg_dist_node WHERE groupid <> 0',
    )
    const [worker] = citus.workers
    const node = lost === 'a worker' ? worker : citus.coordinator
    if (!node || !worker) throw new Error('There is no such node')
    const devices: Awaited<ReturnType<typeof addChild>>[] = []
    for (let n = 0; n < 4; n += 1) devices.push(await addChild(server, token))
    const standby = await startSynchronous(node)

    const uploads = devices.map(({ unique_id }) => uploadSteadily(server.url, unique_id))
    const more = async () => {
      const counts = uploads.map(({ acknowledged }) => acknowledged.length)
      await until(() => uploads.every(({ acknowledged }, n) => acknowledged.length > (counts[n] ?? 0) + 10))
    }
    await more()
    await node.stop('SIGQUIT')
    await until(() => uploads.some(({ failures }) => failures.size > 0))
    await promote(standby)
    const name = new URL(url).pathname.slice(1)
    if (lost === 'a worker') {
      const dead = nodes.find(({ nodeport }) => nodeport === portOf(node.url))
      await ask(url, `SELECT citus_update_node($1, '127.0.0.1', $2)`, [dead?.nodeid, portOf(standby.url)])
    } else {
      const promoted = urlOf(standby.url, name)
      await ask(promoted, `SELECT citus_set_coordinator_host('127.0.0.1', $1)`, [portOf(standby.url)])
      address.leadTo(promoted)
    }
    await more()
    const sent = await Promise.all(uploads.map((each) => each.finish()))

    const resolved = await companion(server, 'nodes', 'in-doubt', '--resolve', '--json')
    expect(resolved).toMatchObject({ code: 0, result: { transactions: [], silent: [] } })
    const stored = await Promise.all(devices.map(({ device_id }) => storedOn(server.database, device_id)))
    expect(stored).toEqual(sent)
    expect((await companion(server, 'devlog', 'check-stored', '--json')).code).toBe(0)
    await server.stop()
    await address.close()
    await standby.stop('SIGQUIT')
  })
})
