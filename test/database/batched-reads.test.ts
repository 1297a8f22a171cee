import { expect, onTestFinished, test, vi } from 'vitest'
import { batchedRead } from '@companion/server/database/batched-read.ts'
import { statement } from '@companion/server/database/statement.ts'
import { addChild, devlogItem, signUp, upload } from '../support/family.ts'
import { connectBasestation } from '../support/basestations.ts'
import { useServer } from '../support/server.ts'
import { until } from '../support/until.ts'

/* Callers of one turn of the event loop share one execution of a batched read: each must still stand for itself. */

const server = useServer()

const divide = batchedRead<{ quotient: number; pid: number; at: string }>(
  'test-divide',
  ['int'],
  'SELECT 12 / $1::int AS quotient, pg_backend_pid() AS pid, statement_timestamp() AS at',
)

test('callers of one turn share one execution, and each gets its own answer', async () => {
  const divisors = [1, 2, 3, 4, 6, 12]
  const responses = await Promise.all(divisors.map((divisor) => server.database.query(divide, [divisor])))
  expect(responses.flat().map(({ quotient }) => quotient)).toEqual(divisors.map((divisor) => 12 / divisor))
  expect(new Set(responses.flat().map(({ at }) => at)).size).toBe(1)
})

test('many rows, none and null keep to the caller who asked for them, in their order', async () => {
  const count = batchedRead<{ n: number }>(
    'test-count',
    ['int', 'text'],
    'SELECT n FROM generate_series(1, $1::int) n WHERE $2::text IS NULL OR n::text = $2 ORDER BY n DESC',
  )
  const asked = [
    [3, null],
    [0, null],
    [9, '7'],
    [null, null],
    [2, '{a,"b\\'],
  ]
  const responses = await Promise.all(asked.map((values) => server.database.query(count, values)))
  expect(responses.map((rows) => rows.map(({ n }) => n))).toEqual([[3, 2, 1], [], [7], [], []])
})

test('more than share an execution are spread over several connections', async () => {
  const responses = await Promise.all(Array.from({ length: 24 }, () => server.database.query(divide, [1])))
  expect(new Set(responses.flat().map(({ pid }) => pid)).size).toBeGreaterThan(1)
})

test('a read that waits for a lock keeps nobody else waiting', async () => {
  const { database } = server
  const { pool } = database
  await pool.query('CREATE TABLE locked (a int); INSERT INTO locked VALUES (1)')
  const holder = await pool.connect()
  try {
    await holder.query('BEGIN; LOCK TABLE locked')
    let isHeld = true
    const waiting = database.query(statement('test-waits', 'UPDATE locked SET a = 2'), []).then(() => isHeld)
    const [read] = await database.query(divide, [3])
    expect(read).toMatchObject({ quotient: 4 })
    isHeld = false
    await holder.query('COMMIT')
    expect(await waiting).toBe(false)
  } finally {
    holder.release(true)
  }
})

test('an issue in one input fails nobody else', async () => {
  const [first, failed, last] = await Promise.allSettled(
    [1, 0, 2].map((divisor) => server.database.query(divide, [divisor])),
  )
  expect(first).toMatchObject({ value: [{ quotient: 12 }] })
  expect(failed).toMatchObject({ status: 'rejected', reason: { code: '22012' } })
  expect(last).toMatchObject({ value: [{ quotient: 6 }] })
})

test('a connection that ends fails those it answers, and nobody after them', async () => {
  const endOn = batchedRead(
    'test-end',
    ['int'],
    'SELECT CASE $1 WHEN 0 THEN pg_terminate_backend(pg_backend_pid()) END',
  )
  const settled = await Promise.allSettled([1, 0, 2].map((n) => server.database.query(endOn, [n])))
  expect(settled.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected'])
  expect(await server.database.query(divide, [6])).toMatchObject([{ quotient: 2 }])
})

test('a table that gains a column under a prepared statement fails it at most once', async () => {
  const { pool } = server.database
  await pool.query('CREATE TABLE grows (a int); INSERT INTO grows VALUES (1)')
  const all = batchedRead('test-grows', ['int'], 'SELECT * FROM grows WHERE a = $1')
  const both = () => Promise.all([1, 2].map((a) => server.database.query(all, [a])))
  expect(await both()).toMatchObject([[{ a: 1 }], []])
  await pool.query('ALTER TABLE grows ADD b int')
  await both().catch((error: unknown) => {
    expect(error).toMatchObject({ message: 'cached plan must not change result type' })
  })
  expect(await both()).toMatchObject([[{ a: 1, b: null }], []])
})

let families: Promise<Awaited<ReturnType<typeof family>>[]> | undefined

test.each([
  ['me', 'beta/user/me'],
  ['account-state', 'beta/user/real-user'],
  ['real-users', 'beta/user/real-user'],
  ['real-user', 'beta/user/real-user/{real_user_id}'],
  ['devices', 'beta/device'],
  ['basestations', 'beta/basestation'],
  ['recent-chart', 'beta/chart/recent?real_user_id={real_user_id}&select_mode=1&current_date=2026-03-01'],
  ['analysis-chart', 'beta/chart/analysis?real_user_id={real_user_id}&select_mode=1&current_date=2026-03-01'],
  ['latest-surveys', 'beta/chart/survey/analysis?real_user_id={real_user_id}'],
  ['calendar-history', 'beta/event/history?real_user_id={real_user_id}&select_mode=3&year=2026'],
  ['calendar-day', 'beta/event?real_user_id={real_user_id}&event_date=2026-02-20'],
  ['device-history', 'gamma/device/history?unique_id={unique_id}&select_mode=3&year=2026'],
  ['device-day', 'gamma/device/detail?unique_id={unique_id}&event_date=2026-02-20'],
])('%s answers many callers at once as it answers each alone', async (name, path) => {
  families ??= Promise.all(Array.from({ length: 8 }, (_, n) => family(n)))
  const reads = (await families).map(({ token, real_user_id, unique_id }) => {
    const url = path.replace('{real_user_id}', real_user_id).replace('{unique_id}', unique_id)
    return async () => {
      const { status, body } = await server.get(`/api/v1/${url}`, { token })
      return { status, body }
    }
  })
  const alone: Awaited<ReturnType<(typeof reads)[number]>>[] = []
  for (const read of reads) alone.push(await read())
  expect(alone.filter(({ status }) => status !== 200)).toEqual([])
  const query = vi.spyOn(server.database.pool, 'query')
  onTestFinished(() => query.mockRestore())
  await until(async () => {
    expect(await Promise.all(reads.map((read) => read()))).toEqual(alone)
    return query.mock.calls.some(
      ([asked]) => typeof asked === 'object' && Reflect.get(asked, 'name') === `${name}-together`,
    )
  })
})

/** A family whose responses differ from those of the others. */
async function family(n: number) {
  const { token } = await signUp(server)
  const { real_user_id, unique_id } = await addChild(server, token)
  await connectBasestation(server, token)
  const nights = Array.from({ length: 2 * n }, (_, night) =>
    devlogItem(unique_id, `2026-02-${20 + (night % 8)}T21:00:0${night % 10}`, {
      log_file_id: night,
      treatment_time: 600 + 60 * n,
    }),
  )
  if (n > 0) expect(await upload(server, nights)).toMatchObject({ status: 200 })
  return { token, real_user_id: String(real_user_id), unique_id }
}
