import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { Command, InvalidArgumentError } from 'commander'
import { deriveKeys } from '../auth/keys.ts'
import { readConfig } from '../config/config.ts'
import type { Config } from '../config/config.ts'
import { readTokenSecret } from '../config/token-secret.ts'
import { VISIBLE } from '../http/fields.ts'
import { openConfiguredDatabase } from '../open-database.ts'
import type { Database } from '../database/database.ts'
import { beginChains } from '../trail/head.ts'

/** A user's mistake, or an error they can act on. The command prints the message without a stack and exits with 1. */
export class CommandError extends Error {
  override name = 'CommandError'
}

/** The configuration that a command runs with, and the configured database with an up-to-date schema. */
export interface CommandContext {
  config: Config
  database: Database
}

/**
 * Opens the configured database, brings its schema up to date, runs `work` and closes the database. A server may use the
 * database at the same time. Statements have no time limit.
 */
export async function withDatabase<Result>(
  work: (around: CommandContext) => Promise<Result>,
  opening?: { mayMake: boolean },
): Promise<Result> {
  const { config, database, close } = await openDatabaseForCommand(opening)
  try {
    await database.migrate()
    await prepareDatabase({ config, database })
    return await work({ config, database })
  } finally {
    await close()
  }
}

/** Sets up what the first process in a database must, and refuses one whose keys do not open what is stored. */
export async function prepareDatabase({ config, database }: CommandContext): Promise<void> {
  await database.encryption.check()
  await beginChains(database.pool, deriveKeys(await readTokenSecret(config), config))
}

/**
 * Opens the configured database, without time limits unless `isLimited`. Only `serve` and `demo` make an embedded one where
 * none is: any other command would work on nothing and say that all is well.
 */
export async function openDatabaseForCommand({ mayMake = false, isLimited = false } = {}) {
  const config = { ...readConfig(process.env), ...(!isLimited && { statementSeconds: undefined }) }
  if (
    !config.database &&
    !mayMake &&
    !existsSync(join(config.dataDirectory, 'postgres', 'data', 'PG_VERSION'))
  )
    throw new CommandError(
      `There is no database: set DATABASE_URL, or DATA_DIR to the folder of the service (${config.dataDirectory} holds none)`,
    )
  return { config, ...(await openConfiguredDatabase(config)) }
}

/** Makes a command with the `--json` option that every command has. Its help shows the examples, without `companion`. */
export const createCommand = (name: string, description: string, ...examples: string[]) =>
  new Command(name)
    .description(description)
    .option('--json', 'print JSON, for scripts')
    .addHelpText('after', examples.map((example) => `\nExample: companion ${example}`).join(''))

/**
 * Prints `result` as JSON if `json` is set, and `lines` otherwise. A list that reaches its `limit`, or one of several in
 * `result`, is told of on the standard error: it may be cut off.
 */
export function printResult(
  result: object,
  { json, limit }: { json?: boolean; limit?: number },
  lines: string,
): void {
  process.stdout.write(`${json ? JSON.stringify(result) : lines}\n`)
  const isCut = [result, ...Object.values(result)].some(
    (each) => Array.isArray(each) && each.length === limit,
  )
  if (isCut) process.stderr.write(`No more than ${limit} rows are shown; show more by --limit\n`)
}

/** Parses the value of `--limit`. */
export function parseRowLimit(text: string): number {
  if (!/^[1-9]\d{0,5}$/.test(text)) throw new InvalidArgumentError('must be a number from 1 to 999999')
  return Number(text)
}

/** Parses the value of an option that is an id. */
export function parseId(text: string): number {
  if (!/^\d{1,10}$/.test(text)) throw new InvalidArgumentError('must be a number')
  return Number(text)
}

/**
 * Makes a parser of an option that others read: one line, and something to see. Control characters and bidi overrides could make a page or a mail
 * say something else.
 */
export const parseLabel =
  (most: number) =>
  (text: string): string => {
    if (!new RegExp(`^[^\\p{C}\\p{Zl}\\p{Zp}]{1,${most}}$`, 'u').test(text) || !VISIBLE.test(text))
      throw new InvalidArgumentError(`must have 1 to ${most} printable characters`)
    return text
  }

/** Parses the value of an option that is a page for others to open: what they read is where they get to. */
export function parseWebAddress(text: string): string {
  const url = URL.parse(text)
  if (!/^https:\/\//i.test(text) || !url) throw new InvalidArgumentError('must start with https://')
  if (/[\s\p{C}]/u.test(text) || url.username || url.password)
    throw new InvalidArgumentError('must hold no user name, no space and no invisible character')
  return text === url.origin ? text : url.href
}

/** Parses the value of an option that is a moment, ISO 8601. */
export function parseTimestamp(text: string): Date {
  const at = new Date(text)
  if (Number.isNaN(at.getTime())) throw new InvalidArgumentError('must be a date and time, ISO 8601')
  return at
}
