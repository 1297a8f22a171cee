import { vi } from 'vitest'
import { basestationCommand } from '@companion/server/commands/basestation.ts'
import { childCommand } from '@companion/server/commands/child.ts'
import { deviceCommand } from '@companion/server/commands/device.ts'
import { command, CommandError } from '@companion/server/commands/program.ts'
import { TEST_SECRET } from './server.ts'
import type { TestServer } from './server.ts'

const program = command('companion', '')
  .enablePositionalOptions()
  .addCommand(deviceCommand)
  .addCommand(basestationCommand)
  .addCommand(childCommand)
const throwInsteadOfExiting = (command: typeof program) => {
  command.exitOverride().configureOutput({ writeErr: () => undefined })
  for (const each of command.commands) throwInsteadOfExiting(each)
}
throwInsteadOfExiting(program)

/**
 * Runs `companion device`, `basestation` and `child` in this process, without the second that a process takes to
 * start. With `--json` the output is parsed.
 */
export async function operate(
  { databaseUrl }: TestServer,
  ...args: string[]
): Promise<{ code: number; result: any; stderr: string }> {
  let [stdout, stderr] = ['', '']
  const out = vi
    .spyOn(process.stdout, 'write')
    .mockImplementation((text) => Boolean((stdout += String(text))))
  const err = vi
    .spyOn(process.stderr, 'write')
    .mockImplementation((text) => Boolean((stderr += String(text))))
  vi.stubEnv('DATABASE_URL', databaseUrl)
  vi.stubEnv('TOKEN_SECRET', TEST_SECRET)
  try {
    await program.parseAsync(args, { from: 'user' })
  } catch (error) {
    // The second kind comes from the parser and concerns an option or argument.
    if (!(error instanceof CommandError) && !(error instanceof Error && 'exitCode' in error)) throw error
    process.exitCode = 1
    stderr += error.message
  } finally {
    out.mockRestore()
    err.mockRestore()
    vi.unstubAllEnvs()
  }
  const code = Number(process.exitCode ?? 0)
  process.exitCode = undefined
  return { code, result: args.includes('--json') && stdout ? JSON.parse(stdout) : stdout, stderr }
}

/** Account and reason of the latest two security records of an action, newest first. */
export async function recorded({ database }: TestServer, action: string) {
  const { rows } = await database.pool.query(
    'SELECT root_user_id, reason FROM security_record WHERE action = $1 ORDER BY id DESC LIMIT 2',
    [action],
  )
  return rows
}
