import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'

/** The unprivileged account PostgreSQL runs under when we are root, which it refuses to be. */
export interface OsAccount {
  uid: number
  gid: number
}

interface Dependencies {
  account?: OsAccount | undefined
  cwd?: string
  input?: string
}

export const postgresEnvironment = { PATH: process.env['PATH'] ?? '/usr/bin:/bin', LC_ALL: 'C' }

/** Runs a program to its end. */
export async function execute(command: string, args: string[], surroundings: Dependencies = {}) {
  const { account, cwd = '/', input = '' } = surroundings
  const child = spawn(command, args, { cwd, env: postgresEnvironment, stdio: 'pipe', ...account })
  child.stdin.on('error', () => {}) // it may end without reading, which its exit code tells better
  child.stdin.end(input)
  const [[code], stdout, stderr] = await Promise.all([
    once(child, 'close'),
    text(child.stdout),
    text(child.stderr),
  ])
  return { succeeded: code === 0, stdout, stderr }
}

export async function commandSucceeds(
  command: string,
  args: string[],
  account?: OsAccount,
): Promise<boolean> {
  return await execute(command, args, { account }).then(
    ({ succeeded }) => succeeded,
    () => false,
  )
}

/** The part of a PostgreSQL program's output that says why it failed, in one line, without times and pids. */
export function errorLine(output: string): string {
  const lines = output.split('\n').map((line) => line.replace(/^[\d-]+ [\d:.]+ \S+ \[\d+\] /, '').trim())
  const telling = lines.filter((line) => /FATAL:|PANIC:|ERROR:|error:|could not/.test(line))
  return (telling.length > 0 ? telling : lines.filter(Boolean)).slice(-6).join(' / ') || 'nothing about why'
}
