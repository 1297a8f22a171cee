import { Command, InvalidArgumentError } from 'commander'
import { readConfig } from '../config/config.ts'
import type { Config } from '../config/config.ts'
import { openConfiguredDatabase } from '../database/configured.ts'
import type { Database } from '../database/database.ts'

/** A mistake of the person at the keyboard, or a refusal he can act on: one line, exit code 1. */
export class CommandError extends Error {
  override name = 'CommandError'
}

/** What a command finds when it runs: the configured database with an up-to-date schema. */
export interface Surroundings {
  config: Config
  database: Database
}

/** Runs `work` beside a server that may be running, on the same database. */
export async function withDatabase<Result>(work: (around: Surroundings) => Promise<Result>): Promise<Result> {
  const config = { ...readConfig(process.env), statementSeconds: undefined }
  const { database, close } = await openConfiguredDatabase(config)
  try {
    await database.migrate()
    return await work({ config, database })
  } finally {
    await close()
  }
}

/** A command with the `--json` that every command has. */
export const command = (name: string, description: string) =>
  new Command(name).description(description).option('--json', 'print JSON, for scripts')

/** Prints a result: as JSON, or as the lines meant for people. */
export function print(result: unknown, { json }: { json?: boolean }, lines: string): void {
  process.stdout.write(`${json ? JSON.stringify(result) : lines}\n`)
}

/** Reads an option that says how many rows to show. */
export function rowLimit(text: string): number {
  if (!/^[1-9]\d{0,5}$/.test(text)) throw new InvalidArgumentError('must be a number from 1 to 999999')
  return Number(text)
}
