import { expect, test } from 'vitest'
import { openDatabase } from '@companion/server/database/database.ts'
import { statement } from '@companion/server/database/statement.ts'
import { cloneDatabase } from '../support/database.ts'

test('a closed database holds no connection and keeps no process, no matter who used it', async () => {
  const { url, drop } = await cloneDatabase()
  const database = await openDatabase(url, { replicas: [url] })
  await database.query(statement('one', 'SELECT 1 AS one'), [])
  expect(database.pool.totalCount).toBe(1)
  await database.close()
  expect(database.pool.totalCount).toBe(0)
  await drop()
})
