import { describe, expect, test } from 'vitest'
import { ask } from '../support/own-connection.ts'
import { installedCitus } from '../support/machines/citus.ts'
import { urlOf } from '../support/database-url.ts'
import { useCitus } from '../support/machines/own-citus.ts'
import { until } from '../support/until.ts'

/* What tests on Citus rest on. It is skipped where no Citus is installed, in CI too. */

const TABLE = [
  'CREATE TABLE mark (id int PRIMARY KEY, word text)',
  `SELECT create_distributed_table('mark', 'id', shard_count => 4)`,
  `INSERT INTO mark SELECT n, 'template' FROM generate_series(1, 20) n`,
]
const WORDS = 'SELECT word, count(*)::int FROM mark GROUP BY 1 ORDER BY 1'

const fill = async (url: string) => {
  for (const sql of TABLE) await ask(url, sql)
}

const nameOf = (url: string) => new URL(url).pathname.slice(1)

describe.skipIf(!installedCitus()).each([0, 2] as const)('a Citus with %i workers', (workers) => {
  const citus = useCitus({ workers, lagging: workers > 0 }, fill)

  test('is cloned, and dropped, on all its nodes', async () => {
    const [one, other] = await Promise.all([citus.cloneDatabase(), citus.cloneDatabase()])
    await ask(one.url, `UPDATE mark SET word = 'one'`)
    for (const node of citus.urls) {
      expect(await ask(urlOf(node, nameOf(one.url)), WORDS)).toEqual([{ word: 'one', count: 20 }])
      expect(await ask(urlOf(node, nameOf(other.url)), WORDS)).toEqual([{ word: 'template', count: 20 }])
    }
    const holders = 'SELECT count(DISTINCT nodeport)::int AS nodes FROM citus_shards'
    expect(await ask(one.url, holders)).toEqual([{ nodes: workers || 1 }])

    await Promise.all([one.drop(), other.drop()])
    for (const node of citus.urls)
      expect(await ask(node, `SELECT datname FROM pg_database WHERE datname LIKE 'test%'`)).toEqual([])
  })

  test.runIf(workers)('shows rows late on the node to which commits come late', async () => {
    const { url } = await citus.cloneDatabase()
    const late = urlOf(citus.workers.at(-1)?.url ?? '', nameOf(url))
    const prepared = () => ask(late, 'SELECT FROM pg_prepared_xacts WHERE database = current_database()')
    citus.lagging?.lag(Infinity)
    const written = ask(url, `UPDATE mark SET word = 'written'`)
    await until(() => citus.lagging?.held())
    expect(await prepared()).not.toHaveLength(0)
    // The other node shows its rows soon.
    const seen = async () => (await ask(url, WORDS)).map(({ word }) => word)
    await expect.poll(seen).toEqual(['template', 'written'])

    citus.lagging?.lag(0)
    await written
    expect(await prepared()).toHaveLength(0)
    expect(await ask(url, WORDS)).toEqual([{ word: 'written', count: 20 }])
  })

  test.runIf(workers)('goes on when a node has died and come back', async () => {
    const { url } = await citus.cloneDatabase()
    await citus.workers[0]?.stop('SIGQUIT')
    await expect(ask(url, WORDS)).rejects.toThrow(/connection to the remote node/)
    await citus.workers[0]?.start()
    expect(await ask(url, WORDS)).toEqual([{ word: 'template', count: 20 }])
  })
})
