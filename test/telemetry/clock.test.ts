import { dirname } from 'node:path'
import { afterEach, expect, test, vi } from 'vitest'
import { signUp } from '../support/family.ts'
import { startServer, TEST_SECRET } from '../support/server.ts'
import type { TestServer } from '../support/server.ts'
import { startServiceProcess } from '../support/service-process.ts'
import { temporaryFile } from '../support/temporary-file.ts'
import { until } from '../support/until.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE

afterEach(() => {
  vi.useRealTimers()
})
const move = (ms: number) => vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + ms })

async function withServer(run: (server: TestServer) => Promise<void>) {
  const server = await startServer()
  try {
    await run(server)
  } finally {
    await server.stop()
  }
}

const readiness = async (server: TestServer) => (await server.get('/readyz')).body
const fine = { status: 'ready' }
const suspect = { status: 'ready', clock: 'suspect' }
const linesOf = (server: TestServer) =>
  server
    .log()
    .split('\n')
    .filter((line) => line.includes('clock'))

test('a clock that stands before the newest record is suspect, in /readyz, the metrics and once in the log', () =>
  withServer(async (server) => {
    expect(await readiness(server)).toEqual(fine)
    await signUp(server)
    // As when the service was started so: nothing has jumped.
    await server.database.pool.query(
      `INSERT INTO security_record (recorded_at, action) VALUES (now() + interval '59 seconds', 'sign_in')`,
    )
    expect(await readiness(server)).toEqual(fine)
    await server.database.pool.query(
      `INSERT INTO security_record (recorded_at, action) VALUES (now() + interval '10 years', 'sign_in')`,
    )
    for (let n = 0; n < 3; n += 1)
      expect(await server.get('/readyz')).toMatchObject({ status: 200, body: suspect })
    expect((await server.get('/metrics')).body).toContain('\ncompanion_clock_suspect 1\n')
    expect(linesOf(server)).toHaveLength(1)
    expect(JSON.parse(linesOf(server)[0] ?? '')).toMatchObject({
      level: 50,
      msg: 'clock suspect',
      newest_record: expect.stringMatching(/^\d{4}-/),
    })

    // The next record is written by a clock that is right.
    await signUp(server)
    expect(await readiness(server)).toEqual(fine)
    expect((await server.get('/metrics')).body).toContain('\ncompanion_clock_suspect 0\n')
    expect(
      linesOf(server)
        .slice(1)
        .map((line) => JSON.parse(line).msg),
    ).toEqual(['clock right again'])
  }))

test.each([
  ['forward', 61 * MINUTE, suspect],
  ['back', -61 * MINUTE, suspect],
  ['forward, by less than an hour', 59 * MINUTE, fine],
  ['back, by less than an hour', -59 * MINUTE, fine],
])('a clock that jumps %s', (_way, ms, shown) =>
  withServer(async (server) => {
    expect(await readiness(server)).toEqual(fine)
    move(ms)
    expect(await readiness(server)).toEqual(shown)
    move(-ms)
    expect(await readiness(server)).toEqual(fine)
    move(10 * ms)
    expect(await readiness(server)).toEqual(suspect)
  }),
)

test('a process that nobody asks tells it in its log', () =>
  withServer(async ({ database, databaseUrl }) => {
    await database.pool.query(
      `INSERT INTO security_record (recorded_at, action) VALUES (now() + interval '1 day', 'sign_in')`,
    )
    const directory = dirname(await temporaryFile('file', ''))
    const environment = { DATABASE_URL: databaseUrl, TOKEN_SECRET: TEST_SECRET }
    const service = await startServiceProcess(directory, environment)
    await until(() => service.log().includes('clock suspect'))
    service.terminate()
    expect(await service.exited).toBe(0)
  }))

test('with the database gone nothing is said of the clock', () =>
  withServer(async (server) => {
    move(2 * HOUR)
    await server.database.pool.query('ALTER TABLE migration RENAME TO away')
    const response = await server.get('/readyz')
    await server.database.pool.query('ALTER TABLE away RENAME TO migration')
    expect(response.status).toBe(503)
    expect(Object.keys(response.body)).toEqual(['status'])
  }))
