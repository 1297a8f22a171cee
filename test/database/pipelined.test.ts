import { expect, test } from 'vitest'
import { statement } from '@companion/server/database/statement.ts'
import { useServer } from '../support/server.ts'

/* Statements in turn share a connection: each must still stand for itself. */

const server = useServer({ DATABASE_POOL: '3' })
const narrow = useServer({ DATABASE_POOL: '1' })

const divide = statement<{ quotient: number; pid: number }>(
  'test-divide',
  'SELECT 12 / $1::int AS quotient, pg_backend_pid() AS pid',
)
const divideInTurn = (divisor: number) => server.database.querySerially(divide, [divisor])

test('statements in turn go over one connection, in their order, each in its own transaction', async () => {
  const { database } = server
  await database.pool.query('CREATE TABLE turn (n int, transaction xid8 DEFAULT pg_current_xact_id())')
  const insert = statement<{ pid: number }>(
    'test-turn',
    'WITH i AS (INSERT INTO turn SELECT $1::int FROM pg_sleep($2)) SELECT pg_backend_pid() AS pid',
  )
  const pauses = [0.2, 0, 0.1, 0]
  const responses = await Promise.all(pauses.map((pause, n) => database.querySerially(insert, [n, pause])))
  expect(new Set(responses.flat().map(({ pid }) => pid)).size).toBe(1)
  const { rows } = await database.pool.query('SELECT n, transaction FROM turn ORDER BY ctid')
  expect(rows.map(({ n }) => n)).toEqual([0, 1, 2, 3])
  expect(new Set(rows.map(({ transaction }) => transaction)).size).toBe(4)
})

test('the error of one is its own, and what it leaves behind is not used again', async () => {
  const [first, failed, last] = await Promise.allSettled([1, 0, 2].map(divideInTurn))
  expect(first).toMatchObject({ value: [{ quotient: 12 }] })
  expect(failed).toMatchObject({ status: 'rejected', reason: { code: '22012' } })
  expect(last).toMatchObject({ value: [{ quotient: 6 }] })
  const before = first?.status === 'fulfilled' ? first.value[0]?.pid : undefined
  const [after] = await divideInTurn(1)
  expect(after?.pid).not.toBe(before)
})

test('a connection that ends fails what it had not answered, and nothing after that', async () => {
  const end = statement('test-end', 'SELECT pg_terminate_backend(pg_backend_pid())')
  const settled = await Promise.allSettled([
    divideInTurn(3),
    server.database.querySerially(end, []),
    divideInTurn(4),
  ])
  expect(settled.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected'])
  expect(await divideInTurn(6)).toMatchObject([{ quotient: 2 }])
})

test('the connection goes back when nobody waits on it', async () => {
  const { pool } = server.database
  for (let n = 1; n <= 20; n += 1) {
    await Promise.allSettled([divideInTurn(n), divideInTurn(n % 2)])
    expect(pool.totalCount).toBe(pool.idleCount)
  }
})

test('while statements follow each other without end, others get the connection too', async () => {
  const over = new AbortController()
  const stream = async () => {
    while (!over.signal.aborted) await narrow.database.querySerially(divide, [1])
  }
  const streams = [stream(), stream()]
  for (let n = 0; n < 3; n += 1) {
    expect(await narrow.database.pool.query('SELECT 1')).toMatchObject({ rowCount: 1 })
  }
  over.abort()
  await Promise.all(streams)
})
