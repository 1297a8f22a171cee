import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { hasEnded } from '../support/child-process.ts'

export type Environment = Record<string, string>

/** Runs a `companion` command of `main` as a process of its own. */
export function command(main: string, args: string[], env: Environment) {
  const child = spawn(process.execPath, [main, ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] })
  let said = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (said += String(chunk)))
  const ended = once(child, 'exit').then(([code]) => ({ code, said }))
  return { ended, isInUse: () => said.includes('in use') || hasEnded(child) }
}
