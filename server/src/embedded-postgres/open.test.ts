import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import * as fs from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import {
  ended,
  isAlive,
  kill,
  query,
  serve,
  suspendBackend,
  useBench,
  useCluster,
  value,
} from '../../../test/support/machines/embedded-postgres.ts'

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
    await query(before.url.replace(/\/companion(?=\?|$)/, '/postgres'), 'DROP DATABASE companion')
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
    await ended(before.pid)
    await tamper()

    const after = await bench.open()
    expect(after.pid).not.toBe(before.pid)
    expect(await value(after.url, '(SELECT answer FROM kept)')).toBe(42)
    await after.stop()
  })

  it('waits for a backend that outlives its killed postmaster by minutes, and says so', async () => {
    const server = serve(bench)
    const before = await server.opened
    const backend = await suspendBackend(bench, before.url)
    await kill(server.child)
    process.kill(before.pid, 'SIGKILL')
    await ended(before.pid)

    const others = String.raw`\(postgres: companion companion .*\)`
    const warn = passMinutes(
      [new RegExp(`start to succeed: .* is still in use.*${others}`), /another start or stop/],
      () => backend.resume(),
    )
    const after = await Promise.all([bench.open({ warn }), bench.open({ warn })])
    expect(after[0].pid).toBe(after[1].pid)
    expect(await value(after[0].url, '1')).toBe(1)
  })
})

describe('a stop', () => {
  it('waits for a backend that takes minutes to end, and says so', async () => {
    const warn = passMinutes([/pid \d+ to stop; .*\(postgres: companion companion .*\)/], () =>
      backend.resume(),
    )
    const database = await bench.open({ warn })
    const backend = await suspendBackend(bench, database.url)
    await database.stop()
    expect(isAlive(database.pid)).toBe(false)
  })

  it('is content with a server that has ended by itself in this moment', async () => {
    const database = await bench.open()
    const send = process.kill.bind(process)
    const signals = vi.spyOn(process, 'kill').mockImplementation((pid, signal) => {
      if (signal !== 'SIGINT') return send(pid, signal)
      send(pid, 'SIGKILL')
      while (isAlive(pid)) execFileSync('sleep', ['0.01'])
      throw new Error('kill ESRCH')
    })
    onTestFinished(() => signals.mockRestore())
    await database.stop()
    expect(isAlive(database.pid)).toBe(false)
    expect(signals).toHaveBeenCalledWith(database.pid, 'SIGINT')
    signals.mockRestore()
    await (await bench.open()).stop()
  })
})

/** Takes warnings and sets the clock a minute forward after each; acts when each of the expected has come twice. */
function passMinutes(expected: RegExp[], act: () => void): (line: string) => void {
  const lines: string[] = []
  const now = Date.now
  vi.spyOn(Date, 'now').mockImplementation(() => now() + lines.length * 60_000)
  onTestFinished(() => void vi.restoreAllMocks())
  return (line) => {
    lines.push(line)
    if (expected.every((pattern) => lines.filter((line) => pattern.test(line)).length > 1)) act()
  }
}

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
