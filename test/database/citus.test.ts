import { describe, expect, test } from 'vitest'
import { openDatabase } from '@companion/server/database/database.ts'
import { installedCitus } from '../support/citus.ts'
import { urlOf } from '../support/database-url.ts'
import { useCitus } from '../support/own-citus.ts'
import { until } from '../support/until.ts'

/* What the tests of a distributed database rest on. */

const CREATED = [
  'CREATE TABLE mark (id int PRIMARY KEY, word text)',
  `SELECT create_distributed_table('mark', 'id', shard_count => 4)`,
  `INSERT INTO mark SELECT n, 'template' FROM generate_series(1, 20) n`,
]

async function ask<Row extends object>(url: string, sql: string): Promise<Row[]> {
  const database = await openDatabase(url, { pool: 1 })
  try {
    return (await database.pool.query<Row>(sql)).rows
  } finally {
    await database.close()
  }
}

const fill = async (url: string) => {
  for (const sql of CREATED) await ask(url, sql)
}

describe.skipIf(!installedCitus()).each([0, 2] as const)('a Citus with %i workers', (workers) => {
  const citus = useCitus({ workers }, fill)
  const holders = `SELECT DISTINCT nodeport AS port FROM citus_shards WHERE table_name = 'mark'::regclass ORDER BY 1`

  test('is cloned, and dropped, on all its nodes', async () => {
    const clones = await Promise.all([citus.cloneDatabase(), citus.cloneDatabase()])
    const [first, second] = clones
    await ask(first.url, `UPDATE mark SET word = 'first'`)
    expect(await ask(first.url, 'SELECT DISTINCT word FROM mark')).toEqual([{ word: 'first' }])
    expect(await ask(second.url, 'SELECT word, count(*)::int FROM mark GROUP BY 1')).toEqual([
      { word: 'template', count: 20 },
    ])
    const expected = (workers === 0 ? citus.urls : citus.urls.slice(1)).map((url) => ({
      port: Number(new URL(url).port),
    }))
    expect(await ask(first.url, holders)).toEqual(expected.toSorted((a, b) => a.port - b.port))

    for (const clone of clones) await clone.drop()
    for (const node of citus.urls)
      expect(await ask(node, `SELECT datname FROM pg_database WHERE datname LIKE 'test%'`)).toEqual([])
  })
})

describe.skipIf(!installedCitus())('a Citus with a lagging worker', () => {
  const citus = useCitus({ workers: 2, lagging: true }, fill)

  test('counts a transaction as ended before its rows are seen there', async () => {
    const { url } = await citus.cloneDatabase()
    const last = urlOf(citus.workers[1]?.url ?? '', new URL(url).pathname.slice(1))
    const prepared = async () =>
      (await ask(last, 'SELECT FROM pg_prepared_xacts WHERE database = current_database()')).length
    const words = () =>
      ask(url, 'SELECT word, count(*)::int FROM mark GROUP BY 1 ORDER BY 1').then((rows) =>
        rows.map((row) => Object.values(row).join(' ')),
      )
    citus.lagging?.lag(Infinity)
    const written = ask(url, `UPDATE mark SET word = 'written'`)
    await until(() => citus.lagging?.held())
    // The other worker has committed its own.
    const seen = await until(async () => {
      const rows = await words()
      return rows.length === 2 && rows
    })
    expect(seen).toEqual([expect.stringMatching(/^template \d+$/), expect.stringMatching(/^written \d+$/)])
    expect(await prepared()).toBeGreaterThan(0)

    citus.lagging?.lag(0)
    await written
    expect(await prepared()).toBe(0)
    expect(await words()).toEqual(['written 20'])
  })

  test('delays a commit for a while', async () => {
    const { url } = await citus.cloneDatabase()
    citus.lagging?.lag(50)
    await ask(url, `UPDATE mark SET word = 'late'`)
    citus.lagging?.lag(0)
    expect(await ask(url, 'SELECT DISTINCT word FROM mark')).toEqual([{ word: 'late' }])
    expect(citus.lagging?.held()).toBe(0)
  })

  test('goes on after a worker has died and come back', async () => {
    const { url } = await citus.cloneDatabase()
    const [worker] = citus.workers
    await worker?.stop('SIGQUIT')
    await expect(ask(url, 'SELECT count(*) FROM mark')).rejects.toThrow()
    await worker?.start()
    expect(await ask(url, 'SELECT count(*)::int FROM mark')).toEqual([{ count: 20 }])
  })
})
