import { Command, CommanderError } from 'commander'
import { descriptions } from './descriptions.ts'

type Name = keyof typeof descriptions

/** A command is loaded when it is called: loading all of them takes a second of processor time. */
const commands: Record<Name, () => Promise<Command>> = {
  serve: async () => (await import('./serve.ts')).serveCommand,
  migrate: async () => (await import('./migrate.ts')).migrateCommand,
  demo: async () => (await import('./demo.ts')).demoCommand,
  doctor: async () => (await import('./doctor.ts')).doctorCommand,
  device: async () => (await import('./device.ts')).deviceCommand,
  firmware: async () => (await import('./firmware.ts')).firmwareCommand,
  basestation: async () => (await import('./basestation.ts')).basestationCommand,
  child: async () => (await import('./child.ts')).childCommand,
  share: async () => (await import('./share.ts')).shareCommand,
  devlog: async () => (await import('./devlog.ts')).devlogCommand,
  event: async () => (await import('./event.ts')).eventCommand,
  account: async () => (await import('./account.ts')).accountCommand,
  client: async () => (await import('./client.ts')).clientCommand,
  clinic: async () => (await import('./clinic.ts')).clinicCommand,
  report: async () => (await import('./report.ts')).reportCommand,
  'security-log': async () => (await import('./security-log.ts')).securityLogCommand,
  trail: async () => (await import('./trail.ts')).trailCommand,
  keys: async () => (await import('./keys.ts')).keysCommand,
  nodes: async () => (await import('./nodes.ts')).nodesCommand,
  purge: async () => (await import('./purge.ts')).purgeCommand,
}

/** Builds the command line. Of the commands that are not `isWanted`, it knows only name and description. */
export async function companionCommand(isWanted: (name: string) => boolean = () => true): Promise<Command> {
  const companion = new Command('companion')
    // Of `firmware release`, which has options and subcommands, these take their own.
    .enablePositionalOptions()
    .description('Runs and operates the Companion service. Configuration comes from environment variables.')
    .addHelpText(
      'after',
      '\nExit codes: 0 done, 1 refused or failed. Results go to stdout, diagnostics to stderr.',
    )
  for (const [name, description] of Object.entries(descriptions))
    companion.addCommand(
      isName(name) && isWanted(name) ? await commands[name]() : new Command(name).description(description),
    )
  throwInsteadOfExiting(companion)
  return companion
}

const isName = (name: string): name is Name => name in commands

const throwInsteadOfExiting = (command: Command): void => {
  command.exitOverride()
  for (const each of command.commands) throwInsteadOfExiting(each)
}

/** Runs the command that `args` name. An error goes to stderr and sets exit code 1. */
export async function runCompanion(args: readonly string[]): Promise<void> {
  try {
    const companion = await companionCommand((name) => args.includes(name))
    await companion.parseAsync(args, { from: 'user' })
  } catch (error) {
    if (error instanceof CommanderError) {
      // The parser has printed its help, or what is wrong with an option.
      process.exitCode = error.exitCode
      return
    }
    const { errorInWords } = await import('./error-in-words.ts')
    process.stderr.write(`${errorInWords(error) ?? (error instanceof Error ? error.stack : String(error))}\n`)
    process.exitCode = 1
  }
}
