import { Command } from 'commander'
import { readAccesses, readInvitations, readMemberships } from '../shares/read-shares.ts'
import { descriptions } from './descriptions.ts'
import { recordOperatorDisclosure, operatorCommand, operatorOf } from './operator.ts'
import type { OperatorOptions } from './operator.ts'
import { parseTimestamp, printResult, parseRowLimit, parseId, withDatabase } from './program.ts'
import { table } from './table.ts'

interface ListOptions extends OperatorOptions {
  realUserId?: number
  email?: string
  limit: number
}

const list = operatorCommand(
  'list',
  'list who may see whose child, who could, and who is invited',
  'share list --real-user-id 17',
)
  .option('--real-user-id <id>', 'only of this child', parseId)
  .option('--email <email>', 'only of this account, as owner, member or invited', String)
  .option('--limit <rows>', 'maximum number of rows of each, the newest first', parseRowLimit, 100)
  .action(async ({ realUserId, email, limit, ...options }: ListOptions) => {
    const wanted = { realUserId, email, limit }
    const found = await withDatabase(async ({ database }) => {
      const members = await readMemberships(database, wanted)
      const invitations = await readInvitations(database, wanted)
      const realUserIds = [...members, ...invitations].map(({ real_user_id }) => real_user_id)
      await recordOperatorDisclosure(database, operatorOf(options), 'companion share list', { realUserIds })
      return { members, invitations }
    })
    printResult(
      found,
      { ...options, limit },
      `${memberTable(found.members)}\n\n${invitationTable(found.invitations)}`,
    )
  })

type Member = Awaited<ReturnType<typeof readMemberships>>[number]
type Invitation = Awaited<ReturnType<typeof readInvitations>>[number]
type Access = Awaited<ReturnType<typeof readAccesses>>[number]

const memberTable = (members: readonly Member[]) =>
  table(
    ['share', 'child', 'owner', 'role', 'member', 'since', 'until', 'ended'],
    members.map((each) => [
      each.share_id,
      each.real_user_id,
      each.owner,
      each.role,
      each.member,
      each.since,
      each.until,
      each.ended_at,
    ]),
    'Nobody shares a child',
  )

const invitationTable = (invitations: readonly Invitation[]) =>
  table(
    ['invitation', 'child', 'owner', 'role', 'invited', 'until', 'expires'],
    invitations.map((each) => [
      each.invitation_id,
      each.real_user_id,
      each.owner,
      each.role,
      each.email,
      each.until,
      each.expires_at,
    ]),
    'No invitation is open',
  )

interface SecurityLogOptions extends OperatorOptions {
  realUserId: number
  since?: Date
  limit: number
}

const accesses = operatorCommand(
  'accesses',
  "show who besides the owner has accessed a child's data, and by which role",
  'share accesses --real-user-id 17 --since 2026-03-01',
)
  .requiredOption('--real-user-id <id>', 'id of the child', parseId)
  .option('--since <time>', 'only accesses from the hour of this time on, ISO 8601', parseTimestamp)
  .option('--limit <rows>', 'maximum number of rows of each, the newest first', parseRowLimit, 100)
  .action(async ({ realUserId, since, limit, ...options }: SecurityLogOptions) => {
    const found = await withDatabase(async ({ database }) => {
      await recordOperatorDisclosure(database, operatorOf(options), 'companion share accesses', {
        realUserIds: [realUserId],
      })
      return {
        members: await readMemberships(database, { realUserId, limit }),
        accesses: await readAccesses(database, { realUserId, since, limit }),
      }
    })
    printResult(
      found,
      { ...options, limit },
      `${memberTable(found.members)}\n\n${accessTable(found.accesses)}`,
    )
  })

const accessTable = (accesses: readonly Access[]) =>
  table(
    ['hour', 'account', 'member', 'client', 'operation', 'times'],
    accesses.map((each) => [
      each.hour,
      each.root_user_id,
      each.member,
      each.client_id,
      each.operation,
      each.times,
    ]),
    'Nobody has accessed the child',
  )

export const shareCommand = new Command('share')
  .description(descriptions.share)
  .addCommand(list)
  .addCommand(accesses)
