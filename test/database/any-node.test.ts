import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDatabase } from '@companion/server/database/database.ts'
import { describe, expect, onTestFinished, test } from 'vitest'
import { ask } from '../support/own-connection.ts'
import { installedCitus } from '../support/machines/citus.ts'
import { urlOf } from '../support/database-url.ts'
import { addChild, devlogItem, signUp, upload } from '../support/family.ts'
import { useCitus } from '../support/machines/own-citus.ts'
import { TEST_SECRET } from '../support/server.ts'
import { startServiceProcess } from '../support/service-process.ts'
import { storedOn, uploadSteadily } from '../support/steady-uploads.ts'
import { promote, startSynchronous } from '../support/machines/synchronous-standby.ts'
import { until } from '../support/until.ts'

/* A process that is pointed at any node works on the coordinator: docs/operations/distributed.md. */

describe.skipIf(!installedCitus())('a process that is pointed at a worker', () => {
  const citus = useCitus({ workers: 2 })

  /** Starts the service, and opens the database on the coordinator beside it. */
  async function start(options: readonly string[]) {
    const { url } = await citus.cloneDatabase()
    const name = new URL(url).pathname.slice(1)
    const directory = await mkdtemp(join(tmpdir(), 'companion-any-node-'))
    const service = await startServiceProcess(
      directory,
      { DATABASE_URL: urlOf(citus.workers[0]?.url ?? '', name), TOKEN_SECRET: TEST_SECRET },
      options,
    )
    onTestFinished(async () => {
      service.terminate()
      await service.exited
      await rm(directory, { recursive: true })
    })
    await service.readiness(200)
    return { name, service, open: (at = url) => openDatabase(at, { pool: 2 }) }
  }

  test('serves with several processes', async () => {
    const { service, open } = await start(['--workers', '2'])
    const database = await open()
    const { token } = await signUp(service)
    const { unique_id, real_user_id } = await addChild({ ...service, database }, token)
    for (let log_file_id = 1; log_file_id <= 8; log_file_id += 1) {
      // On a connection of its own, so that each process gets some.
      const response = await upload(
        service,
        [devlogItem(unique_id, '2026-03-02T21:30:00', { log_file_id })],
        {
          connection: 'close',
        },
      )
      expect(response.status).toBe(200)
    }
    const day = await service.get(`/api/v1/beta/event?real_user_id=${real_user_id}&event_date=2026-03-02`, {
      token,
    })
    expect(day.body.treatment_data).toHaveLength(8)
    await database.close()
  })

  test('finds the coordinator that takes the place of a lost one', async () => {
    const { name, service, open } = await start([])
    const before = await open()
    const { token } = await signUp(service)
    const { unique_id, device_id } = await addChild({ ...service, database: before }, token)
    await before.close()
    const standby = await startSynchronous(citus.coordinator)
    const uploads = uploadSteadily(service.url, unique_id)
    const more = (than: number) => until(() => uploads.acknowledged.length > than + 10)
    await more(0)

    await citus.coordinator.stop('SIGQUIT')
    await until(() => uploads.failures.size > 0)
    await promote(standby)
    const promoted = urlOf(standby.url, name)
    await ask(promoted, `SELECT citus_set_coordinator_host('127.0.0.1', $1)`, [
      Number(new URL(promoted).port),
    ])
    await service.readiness(200)
    await more(uploads.acknowledged.length)
    const sent = await uploads.finish()

    const after = await open(promoted)
    expect(await storedOn(after, device_id)).toEqual(sent)
    await after.close()
    await standby.stop('SIGQUIT')
  })
})
