import { Command } from 'commander'
import { accountCommand } from './commands/account.ts'
import { auditCommand } from './commands/audit.ts'
import { basestationCommand } from './commands/basestation.ts'
import { childCommand } from './commands/child.ts'
import { demoCommand } from './commands/demo.ts'
import { devlogCommand } from './commands/devlog.ts'
import { deviceCommand } from './commands/device.ts'
import { eventCommand } from './commands/event.ts'
import { migrateCommand } from './commands/migrate.ts'
import { purgeCommand } from './commands/purge.ts'
import { CommandError } from './commands/program.ts'
import { serveCommand } from './commands/serve.ts'
import { ConfigurationError } from './config/config.ts'

const companion = new Command('companion')
  .description('The Companion service and its operation. Configuration comes from environment variables.')
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
    '\nExit codes: 0 done, 1 refused or failed. Results go to stdout, everything else to stderr.',
  )

try {
  await companion.parseAsync()
} catch (error) {
  const isPlain = error instanceof CommandError || error instanceof ConfigurationError
  process.stderr.write(`${isPlain ? error.message : error instanceof Error ? error.stack : String(error)}\n`)
  process.exitCode = 1
}
