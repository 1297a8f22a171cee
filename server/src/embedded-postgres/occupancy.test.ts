import { execFileSync } from 'node:child_process'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import {
  ended,
  isAlive,
  kill,
  type Opened,
  pg,
  query,
  serve,
  terminate,
  useBench,
  useCluster,
  value,
} from '../../../test/support/machines/embedded-postgres.ts'

const bench = useBench()
useCluster(bench)

describe('several processes', () => {
  it('join the running server and leave it running', async () => {
    const first = await serve(bench).opened
    const joined = await bench.open()

    expect(joined).toMatchObject({ url: first.url, pid: first.pid })
    await joined.stop()
    expect(await value(first.url, '1')).toBe(1)
  })

  it('share one server when they start at the same time', async () => {
    const opened = await Promise.all(Array.from({ length: 5 }, () => serve(bench).opened))

    expect(serversOf(opened)).toBe(1)
    expect(await value(opened[0]?.url ?? '', '1')).toBe(1)
  })

  it('share one server when a crash left a stale postmaster.pid', async () => {
    const crashed = serve(bench)
    const { pid } = await crashed.opened
    await kill(crashed.child)
    process.kill(pid, 'SIGKILL')

    const opened = await Promise.all(Array.from({ length: 5 }, () => serve(bench).opened))
    expect(serversOf(opened)).toBe(1)
    expect(opened[0]?.pid).not.toBe(pid)
  })

  it('join within one process, too', async () => {
    const [one, other] = await Promise.all([bench.open(), bench.open()])
    expect(one.pid).toBe(other.pid)
    await one.stop()
    await one.stop()
    expect(await value(other.url, '1')).toBe(1)
    await other.stop()
    expect(isAlive(one.pid)).toBe(false)
  })
})

describe('the last one out', () => {
  it('stops the server, not the one who started it', async () => {
    const command = serve(bench)
    const { pid, url } = await command.opened
    const service = serve(bench)
    await service.opened

    expect(await terminate(command.child)).toEqual([0, null])
    expect(isAlive(pid)).toBe(true)
    expect(await value(url, '1')).toBe(1)

    expect(await terminate(service.child)).toEqual([0, null])
    expect(isAlive(pid)).toBe(false)
  })

  it('stops it when all leave at the same time', async () => {
    const servers = Array.from({ length: 5 }, () => serve(bench))
    const [first] = await Promise.all(servers.map(({ opened }) => opened))
    await Promise.all(servers.map(({ child }) => terminate(child)))
    expect(isAlive(first?.pid ?? Number.NaN)).toBe(false)
  })

  it('is the one who adopts, when the others were killed', async () => {
    const command = serve(bench)
    const first = await command.opened
    const service = serve(bench)
    await service.opened
    await terminate(command.child)
    await kill(service.child)
    expect(isAlive(first.pid)).toBe(true)

    const adopted = await bench.open()
    expect(adopted).toMatchObject({ url: first.url, pid: first.pid })
    expect(await value(adopted.url, '1')).toBe(1)
    await adopted.stop()
    expect(isAlive(first.pid)).toBe(false)
  })

  it('is not held up by one who was killed', async () => {
    const killed = serve(bench)
    const { pid } = await killed.opened
    const service = serve(bench)
    await service.opened
    await kill(killed.child)

    await terminate(service.child)
    expect(isAlive(pid)).toBe(false)
  })

  it('stops the server that another one started after a crash', async () => {
    const before = await bench.open()
    process.kill(before.pid, 'SIGKILL')
    await ended(before.pid)
    const after = await bench.open()
    expect(after.pid).not.toBe(before.pid)

    await after.stop()
    expect(await value(after.url, '1')).toBe(1)
    await before.stop()
    expect(isAlive(after.pid)).toBe(false)
  })

  it('closes connections that are still open', async () => {
    const database = await bench.open()
    const pool = new pg.Pool({ connectionString: database.url })
    const lost: string[] = []
    pool.on('error', (error) => lost.push(error.message))
    for (const client of await Promise.all([pool.connect(), pool.connect()])) client.release()
    expect(pool.idleCount).toBe(2)
    const busy = query(database.url, 'SELECT pg_sleep(3600)')
    busy.catch(() => {})
    const sleeping = `SELECT FROM pg_stat_activity WHERE wait_event = 'PgSleep'`
    await vi.waitFor(async () => expect(await query(database.url, sleeping)).toHaveLength(1), 60_000)

    await database.stop()
    expect(isAlive(database.pid)).toBe(false)
    await expect(busy).rejects.toThrow('terminating connection due to administrator command')
    expect(lost).toHaveLength(2)
    await pool.end()
  })
})

describe('a password that is gone', () => {
  it('is an error for those who would join, until the last one is out', async () => {
    const service = serve(bench)
    const { pid, url } = await service.opened
    await rm(join(bench.directory, 'password'))
    await expect(bench.open()).rejects.toThrow('password is gone')
    expect(await value(url, '1')).toBe(1)

    await terminate(service.child)
    expect(isAlive(pid)).toBe(false)
  })

  it('is set again by a restart when the server was left behind', async () => {
    const service = serve(bench)
    const { pid, url } = await service.opened
    await kill(service.child)
    await rm(join(bench.directory, 'password'))

    const database = await bench.open()
    expect(database.pid).not.toBe(pid)
    expect(new URL(database.url).password).not.toBe(new URL(url).password)
    expect(await value(database.url, '1')).toBe(1)
    await database.stop()
  })
})

describe('the opening process', () => {
  it('exits 0 on SIGTERM', async () => {
    const server = serve(bench)
    const { pid } = await server.opened
    expect(await terminate(server.child)).toEqual([0, null])
    expect(isAlive(pid)).toBe(false)
  })

  it('still has its database after Ctrl-C', async () => {
    const server = serve(bench, { detached: true })
    const { pid, url } = await server.opened
    const group = groupOf(server.child.pid)
    expect(group).toBe(server.child.pid)
    expect(groupOf(pid)).not.toBe(group)
    process.kill(-group, 'SIGINT')
    expect(await value(url, '1')).toBe(1)
    expect(await terminate(server.child)).toEqual([0, null])
    expect(isAlive(pid)).toBe(false)
  })
})

/** The process group, to all of which a terminal sends its Ctrl-C. */
function groupOf(pid: number | undefined): number {
  return Number(execFileSync('ps', ['-o', 'pgid=', '-p', String(pid)]))
}

function serversOf(opened: Opened[]): number {
  return new Set(opened.map(({ pid, url }) => `${pid} ${url}`)).size
}
