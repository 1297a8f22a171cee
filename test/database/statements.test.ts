import { globSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { addChild, devlogItem, signUp, upload } from '../support/family.ts'
import { startServer } from '../support/server.ts'

const POOL = 2

/** The names of the statements that PostgreSQL keeps for the connections of a server that has been used. */
async function keptBy(statements: 'named' | 'unnamed'): Promise<string[]> {
  const server = await startServer({
    DATABASE_STATEMENTS: statements,
    DATABASE_POOL: String(POOL),
    RATE_LIMITS: 'on',
  })
  const { token, refreshToken } = await signUp(server)
  const { unique_id, real_user_id } = await addChild(server, token)
  const responses = [
    await upload(server, [devlogItem(unique_id, '2026-03-01T21:30:00')]),
    await server.get('/api/v1/beta/user/me', { token }),
    await server.get('/api/v1/beta/chart/recent', { token, query: { real_user_id } }),
    await server.get('/api/v1/gamma/device/export', {
      query: { unique_id, start_date: '2026-03-01', end_date: '2026-03-01' },
    }),
    await server.post('/api/v1/alpha/auth/refresh-token', { json: { refresh_token: refreshToken } }),
  ]
  expect(responses.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200])
  const connections = await Promise.all(Array.from({ length: POOL }, () => server.database.pool.connect()))
  const kept = await Promise.all(
    connections.map((each) => each.query<{ name: string }>('SELECT name FROM pg_prepared_statements')),
  )
  for (const each of connections) each.release()
  await server.stop()
  return kept.flatMap(({ rows }) => rows.map(({ name }) => name))
}

test('statements have names, unless the configuration says otherwise', async () => {
  expect(await keptBy('named')).toEqual(expect.arrayContaining(['me', 'recent-chart']))
  expect(await keptBy('unnamed')).toEqual([])
})

// PostgreSQL may run it once for each row of the table, and then takes more rows than its limit: it belongs into an ARRAY().
test('no selection that takes rows up to a limit is joined to a table', () => {
  const root = new URL('../../server/src/', import.meta.url)
  const files = globSync('**/*.{ts,sql}', { cwd: root, exclude: ['**/migrations/**', '**/*.test.ts'] })
  const taking = /\bIN \(\s*SELECT\b(?:(?!\bIN \()[^;`])*?\bLIMIT\b[^;`]*?\bSKIP LOCKED/
  expect(files.filter((file) => taking.test(readFileSync(new URL(file, root), 'utf8')))).toEqual([])
})
