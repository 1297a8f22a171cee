import { Command, CommanderError } from 'commander'
import { accountCommand } from './account.ts'
import { securityLogCommand } from './security-log.ts'
import { basestationCommand } from './basestation.ts'
import { childCommand } from './child.ts'
import { clientCommand } from './client.ts'
import { demoCommand } from './demo.ts'
import { doctorCommand } from './doctor.ts'
import { devlogCommand } from './devlog.ts'
import { deviceCommand } from './device.ts'
import { eventCommand } from './event.ts'
import { errorInWords } from './error-in-words.ts'
import { keysCommand } from './keys.ts'
import { migrateCommand } from './migrate.ts'
import { nodesCommand } from './nodes.ts'
import { purgeCommand } from './purge.ts'
import { reportCommand } from './report.ts'
import { shareCommand } from './share.ts'
import { serveCommand } from './serve.ts'
import { trailCommand } from './trail.ts'

/** The whole command line. */
export const companionCommand = new Command('companion')
  .description('Runs and operates the Companion service. Configuration comes from environment variables.')
  .addCommand(serveCommand)
  .addCommand(migrateCommand)
  .addCommand(demoCommand)
  .addCommand(doctorCommand)
  .addCommand(deviceCommand)
  .addCommand(basestationCommand)
  .addCommand(childCommand)
  .addCommand(shareCommand)
  .addCommand(devlogCommand)
  .addCommand(eventCommand)
  .addCommand(accountCommand)
  .addCommand(clientCommand)
  .addCommand(reportCommand)
  .addCommand(securityLogCommand)
  .addCommand(trailCommand)
  .addCommand(keysCommand)
  .addCommand(nodesCommand)
  .addCommand(purgeCommand)
  .addHelpText(
    'after',
    '\nExit codes: 0 done, 1 refused or failed. Results go to stdout, diagnostics to stderr.',
  )

const throwInsteadOfExiting = (command: Command): void => {
  command.exitOverride()
  for (const each of command.commands) throwInsteadOfExiting(each)
}
throwInsteadOfExiting(companionCommand)

/** Runs the command that `args` name. An error goes to stderr and sets exit code 1. */
export async function runCompanion(args: readonly string[]): Promise<void> {
  try {
    await companionCommand.parseAsync(args, { from: 'user' })
  } catch (error) {
    if (error instanceof CommanderError) {
      // The parser has printed its help, or what is wrong with an option.
      process.exitCode = error.exitCode
      return
    }
    process.stderr.write(`${errorInWords(error) ?? (error instanceof Error ? error.stack : String(error))}\n`)
    process.exitCode = 1
  }
}
