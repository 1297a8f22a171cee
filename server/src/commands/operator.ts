import { InvalidArgumentError, Option } from 'commander'
import type { Command } from 'commander'
import { recordSecurityEvent } from '../auth/security-record.ts'
import type { Config } from '../config/config.ts'
import type { Database } from '../database/database.ts'
import { recordCommand } from '../trail/operator.ts'
import type { Operator } from '../trail/operator.ts'
import { createCommand, CommandError } from './program.ts'

/** The options of every command that touches the data of a person. */
export interface OperatorOptions {
  as: string
  approvedBy?: string
  json?: boolean
}

const NOBODY_NAMED = 'operator'

function operatorName(text: string): string {
  // An empty variable counts as absent, like those of the configuration.
  if (text === '') return NOBODY_NAMED
  if (!/^[^\p{C}]{1,100}$/u.test(text.trim())) throw new InvalidArgumentError('must be a name')
  return text.trim()
}

/** Makes a command that touches the data of a person: it asks who runs it, and puts that on record. */
export const operatorCommand = (name: string, description: string, ...examples: string[]): Command =>
  createCommand(name, description, ...examples).addOption(
    new Option('--as <name>', 'who runs the command, for the record')
      .env('COMPANION_OPERATOR')
      .default(NOBODY_NAMED)
      .argParser(operatorName),
  )

/** Makes one to which a second operator must agree where `OPERATOR_APPROVAL=required`. */
export const twoOperatorCommand = (name: string, description: string, ...examples: string[]): Command =>
  operatorCommand(name, description, ...examples).option(
    '--approved-by <name>',
    'another operator, who has agreed to it; required where OPERATOR_APPROVAL=required',
    operatorName,
  )

export const operatorOf = ({ as, approvedBy }: OperatorOptions): Operator => ({ operator: as, approvedBy })

/** The same for a command that needs two. Throws where the second is required and missing, or is no other. */
export function requireApprovedOperator(
  { operatorApproval }: Pick<Config, 'operatorApproval'>,
  options: OperatorOptions,
): Operator {
  const { operator, approvedBy } = operatorOf(options)
  if (operatorApproval === 'required' && approvedBy === undefined)
    throw new CommandError('Two operators must agree: --approved-by names the other one; nothing was changed')
  if (approvedBy?.toLowerCase() === operator.toLowerCase())
    throw new CommandError('--approved-by must name another operator than --as; nothing was changed')
  return { operator, approvedBy }
}

/**
 * Puts what a command has shown on record: on the trail of each child, or, where there is none, in the security record, for
 * the account if there is one.
 */
export async function recordOperatorDisclosure(
  { sql }: Pick<Database, 'sql'>,
  operator: Operator,
  operation: string,
  {
    realUserIds = [],
    rootUserId,
  }: { realUserIds?: readonly (number | null)[]; rootUserId?: number | undefined } = {},
): Promise<void> {
  const children = realUserIds.filter((child) => child !== null)
  await recordCommand(sql, operator, { operation, realUserIds: children, isChange: false })
  if (children.length === 0)
    await recordSecurityEvent(sql, operator, { action: 'operator_read', rootUserId, reason: operation })
}
