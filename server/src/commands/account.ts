import { open, rm } from 'node:fs/promises'
import { Command, Option } from 'commander'
import { blockAccount, unblockAccount } from '../auth/block.ts'
import { eraseClinician } from '../account/erase-clinician.ts'
import { exportFamilyForOperator } from '../account/export-family.ts'
import { accountStates, listAccounts } from '../account/list-accounts.ts'
import type { AccountStateName, ListedAccount } from '../account/list-accounts.ts'
import { deriveKeys } from '../auth/keys.ts'
import { replaceEmail } from '../auth/email-address/replace-email.ts'
import { readTokenSecret } from '../config/token-secret.ts'
import { noSuchAccountMessage, SEVERAL_ACCOUNTS } from '../encrypted-columns/lookup.ts'
import { createSenders } from '../delivery/configured.ts'
import type { MailSender } from '../delivery/mail.ts'
import { noticeOf } from '../delivery/messages.ts'
import { chooseAccountLanguage } from '../http/language.ts'
import type { HolderLanguage } from '../http/language.ts'
import { descriptions } from './descriptions.ts'
import { importAccounts } from './import-accounts.ts'
import {
  twoOperatorCommand,
  requireApprovedOperator,
  recordOperatorDisclosure,
  operatorCommand,
  operatorOf,
} from './operator.ts'
import type { OperatorOptions } from './operator.ts'
import { CommandError, printResult, parseRowLimit, parseId, withDatabase } from './program.ts'
import { startProgress } from './progress.ts'
import { formatCount, fieldLines, table } from './table.ts'

const ACCOUNT = 'e-mail address or id of the account; a contact address finds nobody'

function assertOne<Account extends object>(found: Account | 'several' | undefined, name: string): Account {
  if (!found) throw new CommandError(noSuchAccountMessage(name))
  if (found === 'several') throw new CommandError(SEVERAL_ACCOUNTS)
  return found
}

const block = operatorCommand(
  'block',
  'block an account and end its session',
  'account block parent@example.com',
  'account block 1204',
)
  .argument('<account>', ACCOUNT)
  .action(async (name: string, options: OperatorOptions) => {
    const account = await withDatabase(({ database }) =>
      database.transaction((sql) => blockAccount(sql, database.keyRing, name, operatorOf(options))),
    )
    const { id } = assertOne(account, name)
    printResult({ root_user_id: id, blocked: true }, options, `Account ${id} is blocked`)
  })

const unblock = twoOperatorCommand('unblock', 'unblock an account', 'account unblock parent@example.com')
  .argument('<account>', ACCOUNT)
  .action(async (name: string, options: OperatorOptions) => {
    const account = await withDatabase(({ config, database }) => {
      const operator = requireApprovedOperator(config, options)
      return database.transaction((sql) => unblockAccount(sql, database.keyRing, name, operator))
    })
    const { id } = assertOne(account, name)
    printResult({ root_user_id: id, blocked: false }, options, `Account ${id} is not blocked`)
  })

const changeEmail = operatorCommand(
  'change-email',
  'give an account another e-mail address, which it has to confirm; both addresses get a notice',
  'account change-email 1204 --email parent@example.com',
)
  .argument('<id>', 'the account, as `account list` shows it', parseId)
  .requiredOption('--email <address>', 'the new address')
  .action(async (id: number, { email, ...options }: OperatorOptions & { email: string }) => {
    const replaced = await withDatabase(async ({ config, database }) => {
      const keys = deriveKeys(await readTokenSecret(config), config)
      const { tombstoneDays } = config
      const done = await replaceEmail(
        database,
        { keys, tombstoneDays, operator: operatorOf(options) },
        { id, email },
      )
      if (done.outcome === 'changed') await noticeBoth(createSenders(config).mail, done, email)
      return done
    })
    if (replaced.outcome !== 'changed') throw new CommandError(emailErrors[replaced.outcome])
    printResult({ root_user_id: id, email }, options, `Account ${id} has the e-mail address ${email}`)
  })

const erase = operatorCommand(
  'erase',
  'erase the account of a clinician, who asks for it; parents erase theirs in the app',
  'account erase 1204',
)
  .argument('<id>', 'the account, as `account list` shows it', parseId)
  .action(async (id: number, options: OperatorOptions) => {
    const erased = await withDatabase(async ({ config, database }) => {
      const keys = deriveKeys(await readTokenSecret(config), config)
      const holder = await database.transaction((sql) =>
        eraseClinician(sql, id, { keys, keyRing: database.keyRing, origin: operatorOf(options) }),
      )
      if (holder)
        await sendNotice(
          createSenders(config).mail,
          holder.email,
          noticeOf(chooseAccountLanguage(holder), 'account_deleted'),
        )
      return holder
    })
    if (!erased) throw new CommandError('There is no account of a clinician with this id')
    printResult({ root_user_id: id, erased: true }, options, `Account ${id} is erased`)
  })

/** Tells both addresses of the change, which stays where a notice cannot be sent. */
async function noticeBoth(
  mail: MailSender,
  { before, holder }: { before: string | null; holder: HolderLanguage },
  email: string,
): Promise<void> {
  const notice = noticeOf(chooseAccountLanguage(holder), 'email_changed')
  for (const to of new Set([email, before])) await sendNotice(mail, to, notice)
}

async function sendNotice(
  mail: MailSender,
  to: string | null,
  { subject, text }: { subject: string; text: string },
): Promise<void> {
  if (to === null) return
  await mail.sendMail({ to, subject, text }).catch((error: unknown) => {
    process.stderr.write(`The notice to ${to} was not sent: ${String(error)}\n`)
  })
}

const emailErrors = {
  'not an address': 'This is not an e-mail address',
  unknown: 'There is no account of a parent with this id',
  taken: 'Another account has this e-mail address, or a deleted one had it',
} as const

const list = operatorCommand(
  'list',
  'list the accounts, newest first',
  'account list --state blocked --limit 20',
)
  .addOption(new Option('--state <state>', 'only accounts in this state').choices(accountStates))
  .option('--limit <rows>', 'maximum number of rows', parseRowLimit, 100)
  .action(async ({ state, limit, ...options }: ListOptions) => {
    const accounts = await withDatabase(async ({ database }) => {
      await recordOperatorDisclosure(database, operatorOf(options), 'companion account list')
      return listAccounts(database, { limit, ...(state ? { state } : {}) })
    })
    printResult(accounts, { ...options, limit }, accountTable(accounts))
  })

interface ListOptions extends OperatorOptions {
  state?: AccountStateName
  limit: number
}

const accountTable = (accounts: readonly ListedAccount[]) =>
  table(
    ['account', 'email', 'state', 'children', 'created'],
    accounts.map((each) => [each.root_user_id, each.email, each.state, each.children, each.created_at]),
    'No account is listed',
  )

const show = operatorCommand('show', 'show one account', 'account show parent@example.com')
  .argument('<account>', ACCOUNT)
  .action(async (name: string, options: OperatorOptions) => {
    const shown = await withDatabase(async ({ database }) => {
      const [found, another] = await listAccounts(database, { name, limit: 2 })
      if (another) return 'several'
      const rootUserId = found?.root_user_id
      if (found)
        await recordOperatorDisclosure(database, operatorOf(options), 'companion account show', {
          rootUserId,
        })
      return found
    })
    const account = assertOne(shown, name)
    printResult(
      account,
      options,
      fieldLines({
        account: account.root_user_id,
        email: account.email,
        phone: account.phone,
        state: account.state,
        'signs in by': account.provider ?? account.register_type,
        children: account.children,
        created: account.created_at,
        'last sign-in': account.last_sign_in_at,
      }),
    )
  })

const importFile = operatorCommand(
  'import',
  'add the accounts of another system from a CSV file; safe to repeat',
  'account import accounts.csv',
)
  .argument(
    '<file>',
    'columns email and optionally phone,first_name,last_name,birthdate,gender,national_code',
  )
  .action(async (file: string, options: OperatorOptions) => {
    const progress = startProgress('accounts')
    const { bad_lines, ...counts } = await withDatabase((around) =>
      importAccounts(around, file, progress, operatorOf(options)),
    ).finally(() => progress.end())
    printResult(
      { ...counts, bad_lines },
      options,
      `${counts.added} added, ${counts.existing} already existed, ${formatCount(bad_lines.length, 'line')} refused`,
    )
    if (bad_lines.length > 0) process.exitCode = 1
  })

const exportOne = twoOperatorCommand(
  'export',
  'write all data kept about a family as JSON',
  'account export parent@example.com --output family.json',
)
  .argument('<account>', ACCOUNT)
  .option('--output <file>', 'write to this new file, which only you can read, instead of stdout')
  .action(async (name: string, { output, ...options }: OperatorOptions & { output?: string }) => {
    // Opened first: the export is put on record, so it must not fail afterwards.
    const file = output === undefined ? undefined : await open(output, 'wx', 0o600)
    try {
      const family = await withDatabase(({ config, database }) =>
        exportFamilyForOperator(database, name, requireApprovedOperator(config, options)),
      )
      if (!family) throw new CommandError(noSuchAccountMessage(name))
      if (file) await file.writeFile(`${JSON.stringify(family)}\n`)
      else printResult(family, { json: true }, '')
    } catch (error) {
      if (output !== undefined) await rm(output)
      throw error
    } finally {
      await file?.close()
    }
  })

export const accountCommand = new Command('account')
  .description(descriptions.account)
  .addCommand(block)
  .addCommand(unblock)
  .addCommand(changeEmail)
  .addCommand(erase)
  .addCommand(list)
  .addCommand(show)
  .addCommand(importFile)
  .addCommand(exportOne)
