import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openDatabase } from '@companion/server/database/database.ts'
import { cloneDatabase } from '../support/database.ts'
import { beginExport, exportedResources } from '../support/exports.ts'
import { addChild, signUp } from '../support/family.ts'
import { askFhir } from '../support/fhir.ts'
import { somebodyWaits } from '../support/lock-waits.ts'
import { addService, connect, grantTo } from '../support/oauth.ts'
import { TEST_SECRET } from '../support/server.ts'
import { startServiceProcess } from '../support/service-process.ts'
import { until } from '../support/until.ts'

/* A process that makes an export dies in the middle of it. Another one goes on, and nothing is missing or there twice. */

const RECORDS = 20_000

test('an export goes on in another process when the one that made it was killed', async () => {
  const directories = [1, 2].map(() => mkdtemp(join(tmpdir(), 'companion-exporting-')))
  const [first = '', second = ''] = await Promise.all(directories)
  const { url: databaseUrl, drop } = await cloneDatabase()
  const environment = { TOKEN_SECRET: TEST_SECRET, DATABASE_URL: databaseUrl }
  const database = await openDatabase(databaseUrl, { pool: 2 })
  const doomed = await startServiceProcess(first, environment)
  let other: Awaited<ReturnType<typeof startServiceProcess>> | undefined
  onTestFinished(async () => {
    other?.terminate()
    await other?.exited
    await database.close()
    await drop()
    for (const directory of [first, second]) await rm(directory, { recursive: true, force: true })
  })
  await doomed.readiness(200)

  const server = { ...doomed, database }
  const parent = await signUp(server)
  const child = await addChild(server, parent.token)
  await database.pool.query(
    `INSERT INTO treatment (device_id, real_user_id, treatment_date, treatment_time, log_file_id, last_intensity, finish_flag,
       intensity_record)
     SELECT $1, $2, timestamp '2020-01-01' + n * interval '1 hour', 3600, n, 20, 1, '{1,2,3}' FROM generate_series(1, $3) n`,
    [child.device_id, child.real_user_id, RECORDS],
  )
  const service = await addService(server)
  const scopes = ['child:read', 'usage:read'] as const
  const children = [child.real_user_id]
  await grantTo(server, { rootUserId: parent.id, clientId: service.client_id, scopes, children })
  const { access_token: token } = await (await connect(doomed, service)).clientCredentials(scopes.join(' '))

  // The export comes no further than the lock: else it may be complete before this process has seen it.
  await database.pool.query(`CREATE FUNCTION hold() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN PERFORM pg_advisory_xact_lock(1); RETURN NEW; END $$`)
  await database.pool.query(`CREATE TRIGGER hold BEFORE UPDATE ON fhir_export
    FOR EACH ROW WHEN (OLD.lines > 500) EXECUTE FUNCTION hold()`)
  const holder = await database.pool.connect()
  onTestFinished(() => holder.release(true))
  await holder.query('SELECT pg_advisory_lock(1)')
  const begun = await beginExport(doomed, token)
  const { pathname } = new URL(begun.headers.get('content-location') ?? '')
  const linesOf = async () =>
    (await database.pool.query<{ lines: number; state: string }>('SELECT lines, state FROM fhir_export'))
      .rows[0]
  await somebodyWaits(database)
  process.kill(doomed.pid, 'SIGKILL')
  await doomed.exited
  const left = await linesOf()
  expect(left?.state).toBe('running')
  expect(left?.lines).toBeGreaterThan(500)
  expect(left?.lines).toBeLessThan(RECORDS)
  await holder.query('SELECT pg_advisory_unlock(1)')

  other = await startServiceProcess(second, environment)
  await other.readiness(200)
  const at = `${other.url}${pathname}`
  const { access_token: again } = await (await connect(other, service)).clientCredentials(scopes.join(' '))
  expect((await askFhir(other, at, again)).status).toBe(202)
  // As if the time had passed in which the other one might have gone on.
  await database.pool.query('UPDATE fhir_export SET claimed_until = now()')
  const { body } = await until(async () => {
    const asked = await askFhir(server, at, again)
    return asked.status === 200 ? asked : undefined
  })
  expect(body.error).toEqual([])
  const resources = await exportedResources(other, again, body)
  expect(Object.fromEntries(Object.entries(resources).map(([type, all]) => [type, all.length]))).toEqual({
    Device: 1,
    Observation: RECORDS,
    Patient: 1,
  })
  expect(new Set(resources['Observation']?.map(({ id }) => id)).size).toBe(RECORDS)
})
