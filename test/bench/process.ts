import { fork } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'

/** Linux reports processor time in hundredths of a second, on every architecture. */
const MICROSECONDS_A_TICK = 10_000

/** Starts a server script in its own process, so that it does not share a thread with the load. */
export async function startProcess(script: string, environment: Record<string, string>) {
  const child = fork(resolve(import.meta.dirname, script), {
    env: { ...process.env, RATE_LIMITS: 'off', ...environment },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  const ended = once(child, 'exit').then(() => [])
  const [port]: unknown[] = await Promise.race([once(child, 'message'), ended])
  if (typeof port !== 'number') throw new TypeError(`${script} gave no port`)
  return {
    port,
    pid: child.pid ?? 0,
    async stop() {
      child.kill()
      await ended
    },
    kill: () => void child.kill('SIGKILL'),
  }
}

/** Microseconds of user and system time that Linux reports for processes and their threads; NaN elsewhere. */
export async function processorTime(pids: readonly number[]): Promise<number> {
  let ticks = 0
  for (const pid of pids) {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')
    // The name of the process, in parentheses, may contain anything. `utime` and `stime` are fields 14 and 15.
    const [user, system] = stat.slice(stat.lastIndexOf(')')).split(' ').slice(12, 14)
    ticks += Number(user) + Number(system)
  }
  return ticks * MICROSECONDS_A_TICK
}

/** MiB of memory that Linux reports for a process: `VmRSS` is current, `VmHWM` the maximum so far. */
export async function residentMemory(pid: number, field: 'VmRSS' | 'VmHWM'): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  return Math.round(Number(new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(status)?.[1]) / 1024)
}
