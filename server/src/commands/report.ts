import { readFile } from 'node:fs/promises'
import { Command } from 'commander'
import { deriveKeys } from '../auth/keys.ts'
import { readConfig } from '../config/config.ts'
import { readTokenSecret } from '../config/token-secret.ts'
import { verifySeal } from '../reports/seal.ts'
import { factsOf } from '../reports/verify-page-html.ts'
import { descriptions } from './descriptions.ts'
import { createCommand, CommandError, printResult } from './program.ts'

const verify = createCommand(
  'verify',
  'say whether this service made a report, and that nobody has changed it',
  'report verify Beta_Report.pdf',
)
  .argument('<file>', 'a report as PDF')
  .action(async (file: string, options: { json?: boolean }) => {
    const config = readConfig(process.env)
    const pdf = await readFile(file).catch((error: Error) => {
      throw new CommandError(`${file} cannot be read: ${error.message}`)
    })
    const { reportSeal } = deriveKeys(await readTokenSecret(config), config)
    const verdict = verifySeal(reportSeal, pdf)
    if (verdict.state === 'made') {
      const { code, report } = verdict
      const facts = report ? [['Child', report.child] as const, ...factsOf(report, 'en')] : []
      const lines = [...facts, ['Check code', code]].map(([label, fact]) => `${label}: ${fact}`)
      printResult(
        verdict,
        options,
        ['This service made this report, and it is unchanged.', ...lines].join('\n'),
      )
    } else {
      const said =
        verdict.state === 'changed'
          ? 'This report was changed, or another service made it'
          : 'This is no report of this service'
      if (!options.json) throw new CommandError(said)
      printResult(verdict, options, said)
      process.exitCode = 1
    }
  })

export const reportCommand = new Command('report').description(descriptions.report).addCommand(verify)
