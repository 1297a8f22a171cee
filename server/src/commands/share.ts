import { Command } from 'commander'
import { readAccesses, readInvitations, readMemberships } from '../shares/read-shares.ts'
import { command, instant, print, rowLimit, wholeNumber, withDatabase } from './program.ts'

interface ListOptions {
  realUserId?: number
  email?: string
  limit: number
  json?: boolean
}

const list = command('list', 'list who may see whose child, who could, and who is invited')
  .option('--real-user-id <id>', 'only of this child', wholeNumber)
  .option('--email <email>', 'only of this account, as owner, member or invited', String)
  .option('--limit <rows>', 'maximum number of rows of each, the newest first', rowLimit, 100)
  .action(async ({ realUserId, email, limit, ...options }: ListOptions) => {
    const wanted = { realUserId, email, limit }
    const found = await withDatabase(async ({ database: { sql } }) => ({
      members: await readMemberships(sql, wanted),
      invitations: await readInvitations(sql, wanted),
    }))
    print(
      found,
      options,
      [...found.members.map(memberLine), ...found.invitations.map(invitationLine)].join('\n'),
    )
  })

type Member = Awaited<ReturnType<typeof readMemberships>>[number]
type Invitation = Awaited<ReturnType<typeof readInvitations>>[number]
type Access = Awaited<ReturnType<typeof readAccesses>>[number]

const memberLine = ({ share_id, real_user_id, role, owner, member, since, until, ended_at }: Member) =>
  [
    `share ${share_id}`,
    `child ${real_user_id} of ${owner}`,
    `${role} ${member}`,
    `since ${since.toISOString()}`,
    `until ${until ?? '-'}`,
    ended_at ? `ended ${ended_at.toISOString()}` : 'not ended',
  ].join('  ')

const invitationLine = ({ invitation_id, real_user_id, role, owner, email, until, expires_at }: Invitation) =>
  [
    `invitation ${invitation_id}`,
    `child ${real_user_id} of ${owner}`,
    `${role} ${email}`,
    `until ${until ?? '-'}`,
    `expires ${expires_at.toISOString()}`,
  ].join('  ')

interface AuditOptions {
  realUserId: number
  since?: Date
  limit: number
  json?: boolean
}

const audit = command('audit', 'show who but the owner has reached the data of a child, and by what right')
  .requiredOption('--real-user-id <id>', 'id of the child', wholeNumber)
  .option('--since <time>', 'only accesses from the hour of this time on, ISO 8601', instant)
  .option('--limit <rows>', 'maximum number of rows of each, the newest first', rowLimit, 100)
  .action(async ({ realUserId, since, limit, ...options }: AuditOptions) => {
    const found = await withDatabase(async ({ database: { sql } }) => ({
      members: await readMemberships(sql, { realUserId, limit }),
      accesses: await readAccesses(sql, { realUserId, since, limit }),
    }))
    print(found, options, [...found.members.map(memberLine), ...found.accesses.map(accessLine)].join('\n'))
  })

const accessLine = ({ hour, root_user_id, member, operation, times }: Access) =>
  [hour.toISOString(), `account ${root_user_id}`, member ?? '-', operation, `${times} times`].join('  ')

export const shareCommand = new Command('share')
  .description('see with whom children are shared')
  .addCommand(list)
  .addCommand(audit)
