import { importAccount, importedAccountInput } from '../auth/import-account.ts'
import type { ImportOutcome } from '../auth/import-account.ts'
import { deriveKeys } from '../auth/keys.ts'
import { readTokenSecret } from '../config/token-secret.ts'
import { issueText } from '../config/issue-text.ts'
import { formatLineIssues } from './import-registrations.ts'
import type { BadLine } from './import-registrations.ts'
import type { Operator } from '../trail/operator.ts'
import type { CommandContext } from './program.ts'
import type { Progress } from './progress.ts'
import { readCsv } from './read-csv.ts'

export interface ImportedAccounts {
  added: number
  existing: number
  bad_lines: BadLine[]
}

const errors: Partial<Record<ImportOutcome, string>> = {
  conflict: 'another account has this phone',
  deleted: 'the account holder has deleted this account',
}

/**
 * Imports the accounts of a CSV file. Each bad line is reported with its number and skipped; the import can be repeated
 * with the corrected file. Throws `CommandError` when the file cannot be read or lacks a column.
 */
export async function importAccounts(
  { config, database }: CommandContext,
  file: string,
  progress: Progress,
  operator: Operator,
): Promise<ImportedAccounts> {
  const { tombstoneDays } = config
  const ctx = { keys: deriveKeys(await readTokenSecret(config), config), tombstoneDays, operator }
  const result: ImportedAccounts = { added: 0, existing: 0, bad_lines: [] }
  const refuse = (line: number, reason: string) => {
    result.bad_lines.push({ line, reason })
    progress.say(`line ${line}: ${reason}`)
  }
  for await (const { line, record, progress: share } of readCsv(file, ['email'], refuse)) {
    const given = Object.fromEntries(Object.entries(record).filter(([, value]) => value !== ''))
    const parsed = importedAccountInput.safeParse(given, { error: issueText })
    if (!parsed.success) {
      refuse(line, formatLineIssues(parsed.error).join('; '))
      continue
    }
    const outcome = await importAccount(database, ctx, parsed.data)
    if (outcome === 'added' || outcome === 'existing') result[outcome] += 1
    else refuse(line, errors[outcome] ?? outcome)
    progress.show(result.added + result.existing, share)
  }
  return result
}
