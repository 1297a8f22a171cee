import type { Command } from 'commander'
import type { z } from 'zod'
import type { Sql } from '../database/database.ts'
import type { RegistrationOutcome } from '../devices/registration-outcome.ts'
import { createCommand, CommandError, printResult, withDatabase } from './program.ts'
import { startProgress } from './progress.ts'
import type { Progress } from './progress.ts'
import { readCsv } from './read-csv.ts'
import { formatCount } from './table.ts'

const LINES_AT_ONCE = 1000

export interface BadLine {
  line: number
  reason: string
}

interface ImportResult {
  added: number
  existing: number
  bad_lines: BadLine[]
}

/** A kind of item to register: the columns a CSV file must have, how a line is parsed, and how items are stored. */
export interface RegistrationKind<Item> {
  columns: readonly string[]
  read: (record: Record<string, string>) => z.ZodSafeParseResult<Item>
  register: (sql: Sql, items: Item[]) => Promise<RegistrationOutcome[]>
}

/** The issues of a line, each with the name of its column. */
export const formatLineIssues = ({ issues }: z.ZodError) =>
  issues.map(({ path, message }) => `${path.join('.')} ${message}`)

/**
 * Registers one item from its options, and does `then` with it. Throws `CommandError` if an option is invalid or the item conflicts
 * with another.
 */
export async function registerItem<Item>(
  { read, register }: RegistrationKind<Item>,
  record: Record<string, string>,
  then: (sql: Sql, id: number) => Promise<unknown> = async () => {},
): Promise<{ item: Item; id: number; outcome: 'added' | 'existing' }> {
  const parsed = read(record)
  if (!parsed.success) {
    const named = parsed.error.issues.map(
      ({ path, message }) => `--${path.join('.').replaceAll('_', '-')} ${message}`,
    )
    throw new CommandError(named.join('\n'))
  }
  return withDatabase(async ({ database }) => {
    const [registered] = await register(database.sql, [parsed.data])
    if (registered?.id === undefined || registered.outcome === 'conflict')
      throw new CommandError('Another device has this serial code or unique id; nothing was changed')
    const { id, outcome } = registered
    await then(database.sql, id)
    return { item: parsed.data, id, outcome }
  })
}

/** Makes the `import` command, which registers every item of a CSV file. */
export const importCommand = <Item>(
  what: string,
  registry: RegistrationKind<Item>,
  example: string,
  optional = '',
): Command =>
  createCommand('import', `register the ${what} in a CSV file; safe to repeat`, example)
    .argument('<file>', `columns ${registry.columns.join()}${optional}`)
    .action(async (file: string, options: { json?: boolean }) => {
      const progress = startProgress(what)
      const { bad_lines, ...counts } = await withDatabase(({ database }) =>
        importRegistrations(database.sql, registry, file, progress),
      ).finally(() => progress.end())
      printResult(
        { ...counts, bad_lines },
        options,
        `${counts.added} registered, ${counts.existing} were already registered, ${formatCount(bad_lines.length, 'line')} refused`,
      )
      if (bad_lines.length > 0) process.exitCode = 1
    })

/**
 * Registers the items of a CSV file of any length, `LINES_AT_ONCE` at a time. Each bad line is reported with its number
 * and skipped. The good lines stay registered, so the import can be repeated with the corrected file.
 */
async function importRegistrations<Item>(
  sql: Sql,
  { columns, read, register }: RegistrationKind<Item>,
  file: string,
  progress: Progress,
): Promise<ImportResult> {
  const result: ImportResult = { added: 0, existing: 0, bad_lines: [] }
  const refuse = (line: number, reason: string) => {
    result.bad_lines.push({ line, reason })
    progress.say(`line ${line}: ${reason}`)
  }
  let batch: { line: number; item: Item }[] = []
  const flush = async () => {
    const registered = await register(
      sql,
      batch.map(({ item }) => item),
    )
    for (const [index, { outcome }] of registered.entries()) {
      if (outcome === 'conflict')
        refuse(batch[index]?.line ?? 0, 'another device has this serial_code or unique_id')
      else result[outcome] += 1
    }
    batch = []
  }

  for await (const { line, record, progress: share } of readCsv(file, columns, refuse)) {
    const parsed = read(record)
    if (parsed.success) batch.push({ line, item: parsed.data })
    else refuse(line, formatLineIssues(parsed.error).join('; '))
    if (batch.length >= LINES_AT_ONCE) {
      await flush()
      progress.show(result.added + result.existing, share)
    }
  }
  await flush()
  result.bad_lines.sort((one, other) => one.line - other.line)
  return result
}
