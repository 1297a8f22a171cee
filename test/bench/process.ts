import { fork } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'

/** Runs a server script in a process of its own, so that it does not share a thread with the load. */
export async function startProcess(script: string, environment: Record<string, string>) {
  const child = fork(new URL(script, import.meta.url), {
    env: { ...process.env, RATE_LIMITS: 'off', ...environment },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  const ended = once(child, 'exit').then(() => [])
  const [port]: unknown[] = await Promise.race([once(child, 'message'), ended])
  if (typeof port !== 'number') throw new TypeError(`${script} gave no port`)
  return { port, pid: child.pid ?? 0, stop: () => void child.kill(), kill: () => void child.kill('SIGKILL') }
}

/** MiB that Linux says a process has in memory, its threads included: `VmRSS` now, `VmHWM` at most so far. */
export async function residentMemory(pid: number, field: 'VmRSS' | 'VmHWM'): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  return Math.round(Number(new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(status)?.[1]) / 1024)
}
