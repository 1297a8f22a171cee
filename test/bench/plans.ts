import { open } from 'node:fs/promises'
import { Agent } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import type { Pool } from 'pg'
import { ask } from './measure.ts'
import type { Candidate } from './measure.ts'
import type { Workload } from './workloads.ts'

/** The settings that a PostgreSQL must be started with for `explain`. They cost nothing until it is called. */
export const EXPLAINABLE = { shared_preload_libraries: 'auto_explain' }

const EXPLAINED = {
  log_min_duration: '0',
  log_analyze: 'on',
  log_buffers: 'on',
  log_wal: 'on',
  log_timing: 'off',
}
/** How the measured operations begin, unlike what the service does of its own accord meanwhile. */
const MEASURED = /FROM root_user u\b|device_treatments\(|store_devlogs/
/** After which a backend has read changed settings, and the log is written. */
const SETTLED_MS = 500

export interface Explained {
  /** Per request, pages of 8 kB that were found in PostgreSQL's memory, and those that were not. */
  hit: number
  read: number
  /** Pages that were changed first since a checkpoint, and bytes of the write-ahead log. */
  images: number
  wal: number
  /** The plans of one request, those inside of functions before the statement that has called them. */
  plans: string
}

/** Makes `requests` and finds out what PostgreSQL does for each. `pool` is of a superuser, `logFile` the server's log. */
export async function explain(
  { port, data }: Candidate,
  workload: Workload,
  { pool, logFile, requests }: { pool: Pool; logFile: string; requests: number },
): Promise<Explained> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const logged = async (nested: 'on' | 'off', count: number) => {
    const settings = { ...EXPLAINED, log_nested_statements: nested }
    for (const [key, value] of Object.entries(settings))
      await pool.query(`ALTER SYSTEM SET auto_explain.${key} = ${value}`)
    await pool.query('SELECT pg_reload_conf()')
    await pause(SETTLED_MS)
    const begin = await sizeOf(logFile)
    for (let n = 0; n < count; n += 1) await ask(port, agent, workload(data))
    for (const key of Object.keys(settings)) await pool.query(`ALTER SYSTEM RESET auto_explain.${key}`)
    await pool.query('SELECT pg_reload_conf()')
    await pause(SETTLED_MS)
    return textFrom(logFile, begin)
  }
  const text = await logged('off', requests)
  const plans = await logged('on', 1)
  agent.destroy()
  const sums = { hit: 0, read: 0, images: 0, wal: 0 }
  // The first node of a plan includes all others.
  for (const plan of text.split('Query Text:').filter((each) => MEASURED.test(each))) {
    const [buffers = ''] = /Buffers: shared.*/.exec(plan) ?? []
    const [wal = ''] = /WAL: .*/.exec(plan) ?? []
    const of = (line: string, key: string) => Number(new RegExp(`${key}=(\\d+)`).exec(line)?.[1] ?? 0)
    sums.hit += of(buffers, 'hit') / requests
    sums.read += of(buffers, 'read') / requests
    sums.images += of(wal, 'fpi') / requests
    sums.wal += of(wal, 'bytes') / requests
  }
  return { ...sums, plans }
}

async function sizeOf(path: string): Promise<number> {
  const file = await open(path)
  const { size } = await file.stat()
  await file.close()
  return size
}

async function textFrom(path: string, begin: number): Promise<string> {
  const file = await open(path)
  const { buffer, bytesRead } = await file.read({
    buffer: Buffer.alloc((await file.stat()).size - begin),
    position: begin,
  })
  await file.close()
  return buffer.subarray(0, bytesRead).toString()
}
