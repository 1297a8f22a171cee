import { Command } from 'commander'
import { accountCommand } from './account.ts'
import { auditCommand } from './audit.ts'
import { basestationCommand } from './basestation.ts'
import { childCommand } from './child.ts'
import { demoCommand } from './demo.ts'
import { devlogCommand } from './devlog.ts'
import { deviceCommand } from './device.ts'
import { eventCommand } from './event.ts'
import { migrateCommand } from './migrate.ts'
import { purgeCommand } from './purge.ts'
import { CommandError } from './program.ts'
import { serveCommand } from './serve.ts'
import { ConfigurationError } from '../config/config.ts'

const companion = new Command('companion')
  .description('Runs and operates the Companion service. Configuration comes from environment variables.')
  .addCommand(serveCommand)
  .addCommand(migrateCommand)
  .addCommand(demoCommand)
  .addCommand(deviceCommand)
  .addCommand(basestationCommand)
  .addCommand(childCommand)
  .addCommand(devlogCommand)
  .addCommand(eventCommand)
  .addCommand(accountCommand)
  .addCommand(auditCommand)
  .addCommand(purgeCommand)
  .addHelpText(
    'after',
    '\nExit codes: 0 done, 1 refused or failed. Results go to stdout, diagnostics to stderr.',
  )

/** Runs the command that the process arguments name. An error goes to stderr and sets exit code 1. */
export async function runCompanion(): Promise<void> {
  try {
    await companion.parseAsync()
  } catch (error) {
    const isPlain = error instanceof CommandError || error instanceof ConfigurationError
    process.stderr.write(
      `${isPlain ? error.message : error instanceof Error ? error.stack : String(error)}\n`,
    )
    process.exitCode = 1
  }
}
