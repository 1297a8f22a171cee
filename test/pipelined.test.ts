import { expect, test } from 'vitest'
import { shortRead, statement } from '@companion/server/database/database.ts'
import { useServer } from './support/server.ts'

/* Short reads of one turn of the event loop share a connection: each must still stand for itself. */

const server = useServer()

const divide = shortRead<{ quotient: number; pid: number }>(
  'test-divide',
  'SELECT 12 / $1::int AS quotient, pg_backend_pid() AS pid',
)
const end = shortRead('test-end', 'SELECT pg_terminate_backend(pg_backend_pid())')

test('statements of one turn go over one connection and answer each for itself', async () => {
  const divisors = [1, 2, 3, 4, 6, 12]
  const answers = await Promise.all(divisors.map((divisor) => server.database.query(divide, [divisor])))
  expect(answers.flat().map(({ quotient }) => quotient)).toEqual(divisors.map((divisor) => 12 / divisor))
  expect(new Set(answers.flat().map(({ pid }) => pid)).size).toBe(1)
})

test('more than share a connection are spread over several', async () => {
  const answers = await Promise.all(Array.from({ length: 24 }, () => server.database.query(divide, [1])))
  expect(new Set(answers.flat().map(({ pid }) => pid)).size).toBeGreaterThan(1)
})

test('what waits for a lock keeps nobody else waiting', async () => {
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
    holder.release()
  }
})

test('the error of one is its own, and what it leaves behind is not used again', async () => {
  const [first, failed, last] = await Promise.allSettled(
    [1, 0, 2].map((divisor) => server.database.query(divide, [divisor])),
  )
  expect(first).toMatchObject({ value: [{ quotient: 12 }] })
  expect(failed).toMatchObject({ status: 'rejected', reason: { code: '22012' } })
  expect(last).toMatchObject({ value: [{ quotient: 6 }] })
  const before = first?.status === 'fulfilled' ? first.value[0]?.pid : undefined
  const [after] = await server.database.query(divide, [1])
  expect(after?.pid).not.toBe(before)
})

test('a connection that ends fails what it had not answered, and nothing after that', async () => {
  const settled = await Promise.allSettled([
    server.database.query(divide, [3]),
    server.database.query(end, []),
    server.database.query(divide, [4]),
  ])
  expect(settled.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected'])
  expect(await server.database.query(divide, [6])).toMatchObject([{ quotient: 2 }])
})

test('a table that gains a column under a prepared statement fails it at most once', async () => {
  const { pool } = server.database
  await pool.query('CREATE TABLE grows (a int); INSERT INTO grows VALUES (1)')
  const all = shortRead('test-grows', 'SELECT * FROM grows')
  expect(await server.database.query(all, [])).toEqual([{ a: 1 }])
  await pool.query('ALTER TABLE grows ADD b int')
  await server.database.query(all, []).catch((error: unknown) => {
    expect(error).toMatchObject({ message: 'cached plan must not change result type' })
  })
  expect(await server.database.query(all, [])).toEqual([{ a: 1, b: null }])
})
