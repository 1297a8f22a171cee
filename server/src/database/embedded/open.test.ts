import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import * as fs from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import { isAlive, kill, pg, query, serve, useBench, useCluster, value } from './harness.ts'

const isRoot = process.getuid?.() === 0
const canMount =
  isRoot && process.platform === 'linux' && spawnSync('sh', ['-c', 'unshare --mount true']).status === 0
const bench = useBench()
useCluster(bench)

describe('a restart', () => {
  it('finds the data again', async () => {
    const before = await bench.open()
    await query(before.url, 'DROP TABLE IF EXISTS kept; CREATE TABLE kept AS SELECT 42 AS answer')
    await before.stop()

    const after = await bench.open()
    expect(await value(after.url, '(SELECT answer FROM kept)')).toBe(42)
    await after.stop()
  })

  it('sets a new password when the old one is gone', async () => {
    const password = join(bench.directory, 'password')
    const old = await fs.readFile(password, 'utf8')
    for (const lose of [() => fs.rm(password), () => fs.truncate(password)]) {
      await lose()
      const database = await bench.open({ settings: { log_statement: 'all' } })
      const { password: current } = new URL(database.url)
      expect(current).not.toBe(old)
      expect(await value(database.url, '1')).toBe(1)
      await expect(value(database.url.replace(current, old), '1')).rejects.toThrow('authentication failed')
      expect(await fs.readFile(join(bench.directory, 'postgres.log'), 'utf8')).not.toContain(current)
      expect((await fs.stat(password)).mode & 0o777).toBe(0o600)
      await database.stop()
    }
  })

  it('creates a dropped database again', async () => {
    const before = await bench.open()
    await query(before.url.replace(/companion$/, 'postgres'), 'DROP DATABASE companion')
    await before.stop()

    const after = await bench.open()
    expect(await value(after.url, '1')).toBe(1)
    await after.stop()
  })

  it.each([
    ['names a process that is gone', async () => undefined],
    [
      'names a process that reuses the pid',
      async () => {
        const { uid, gid } = await fs.stat(join(bench.directory, 'data'))
        const stranger = spawn('sleep', ['600'], isRoot ? { uid, gid } : {})
        bench.children.push(stranger)
        const path = join(bench.directory, 'data', 'postmaster.pid')
        const lines = await fs.readFile(path, 'utf8')
        await fs.writeFile(path, lines.replace(/^\d+/, String(stranger.pid)))
      },
    ],
    ['is empty', async () => fs.truncate(join(bench.directory, 'data', 'postmaster.pid'))],
  ])('recovers when everything was killed and postmaster.pid %s', async (_, tamper) => {
    const server = serve(bench)
    const before = await server.opened
    await query(before.url, 'DROP TABLE IF EXISTS kept; CREATE TABLE kept AS SELECT 42 AS answer')
    await kill(server.child)
    process.kill(before.pid, 'SIGKILL')
    await vi.waitFor(() => expect(isAlive(before.pid)).toBe(false))
    await tamper()

    const after = await bench.open()
    expect(after.pid).not.toBe(before.pid)
    expect(await value(after.url, '(SELECT answer FROM kept)')).toBe(42)
    await after.stop()
  })

  it('waits for a backend that outlives its killed postmaster', async () => {
    const server = serve(bench)
    const before = await server.opened
    const client = new pg.Client({ connectionString: before.url })
    client.on('error', () => {})
    await client.connect()
    const backends = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')
    const backend = backends.rows[0]?.pid ?? Number.NaN
    process.kill(backend, 'SIGSTOP')
    await kill(server.child)
    process.kill(before.pid, 'SIGKILL')

    const lines: string[] = []
    const log = (line: string) => {
      lines.push(line)
      if (line.includes('is still in use')) process.kill(backend, 'SIGCONT')
    }
    const after = await bench.open({ log })
    expect(lines.join('\n')).toContain('is still in use')
    expect(await value(after.url, '1')).toBe(1)
    await after.stop()
  })
})

describe('a failure', () => {
  it.runIf(canMount)('tells of a full disk at a restart, and leaves nothing behind', async () => {
    const disk = join(bench.root, 'disk')
    await fs.mkdir(disk)
    execFileSync('sh', ['-c', 'mount -t tmpfs -o size=80m tmpfs "$0"', disk])
    try {
      execFileSync('cp', ['-pR', bench.directory, join(disk, 'database')])
      bench.directory = join(disk, 'database')
      const filler = join(disk, 'filler')
      execFileSync('sh', ['-c', 'cat /dev/zero > "$0" 2> /dev/null || true', filler])
      const opening = bench.open()
      await expect(opening).rejects.toThrow(/did not start: postgres says FATAL.*: No space left on device$/)
      expect(execFileSync('ps', ['-eo', 'args']).toString()).not.toContain(bench.directory)

      await fs.rm(filler)
      const database = await bench.open()
      expect(await value(database.url, '1')).toBe(1)
      await database.stop()
    } finally {
      execFileSync('sh', ['-c', 'umount -l "$0"', disk])
    }
  })

  it('tells why the port is not to be had', async () => {
    const occupant = createServer().listen(0, '127.0.0.1')
    await once(occupant, 'listening')
    const address = occupant.address()
    const port = typeof address === 'object' && address ? address.port : Number.NaN
    const opening = bench.open({ settings: { port: String(port) } })
    await expect(opening).rejects.toThrow(/did not start: .*could not bind .*Address already in use/)
    occupant.close()
    await once(occupant, 'close')

    const database = await bench.open({ settings: { port: String(port) } })
    expect(new URL(database.url).port).toBe(String(port))
    await database.stop()
  })

  it('tells of a setting that PostgreSQL does not know', async () => {
    const opening = bench.open({ settings: { work_men: '1MB' } })
    await expect(opening).rejects.toThrow('unrecognized configuration parameter "work_men"')
  })
})
