import { expect, test } from 'vitest'
import { companion } from '../support/command.ts'
import { addChild, anyEmail, signUp } from '../support/family.ts'
import { useServer } from '../support/server.ts'
import { addMember, shares } from '../support/shares.ts'
import { until } from '../support/until.ts'

const server = useServer()
const { invite, list, end } = shares(server)

test('an operator sees who may see whose child, who could, who is invited, and who has looked', async () => {
  const owner = await signUp(server)
  const { real_user_id } = await addChild(server, owner.token)
  const former = await addMember(server, owner, { real_user_id, role: 'viewer', until: '2099-12-31' })
  await list(former, real_user_id)
  await end(former, former.share_id)
  const guardian = await addMember(server, owner, { real_user_id, role: 'guardian' })
  const email = anyEmail()
  await invite(owner, { real_user_id, email })
  // Of another family.
  const other = await signUp(server)
  await addMember(server, other, { ...(await addChild(server, other.token)), role: 'viewer' })

  const members = [
    {
      share_id: guardian.share_id,
      real_user_id,
      role: 'guardian',
      owner: owner.email,
      member: guardian.email,
      ended_at: null,
    },
    {
      share_id: former.share_id,
      role: 'viewer',
      member: former.email,
      until: '2099-12-31',
      ended_at: expect.any(String),
    },
  ]
  const run = (...args: string[]) => companion(server, 'share', ...args)
  const child = ['--real-user-id', String(real_user_id)]
  expect((await run('list', ...child, '--json')).result).toMatchObject({
    members,
    invitations: [{ email, role: 'viewer' }],
  })
  expect((await run('list', '--email', owner.email.toUpperCase(), '--json')).result.members).toHaveLength(2)
  expect((await run('list', '--email', guardian.email, '--json')).result).toMatchObject({
    members: [members[0]],
    invitations: [],
  })
  expect((await run('list', '--email', email, '--json')).result.invitations).toHaveLength(1)
  expect((await run('list', '--json')).result.members.length).toBeGreaterThanOrEqual(3)
  const { out } = await run('list', ...child)
  expect(out).toMatch(new RegExp(`^ *${former.share_id} .* viewer .*2099-12-31 +20`, 'm'))
  expect(out).toMatch(new RegExp(`viewer +${email} +- +20`))

  const audit = await until(async () => {
    const { result } = await run('accesses', ...child, '--json')
    return result.accesses.length > 0 && result
  })
  expect(audit).toMatchObject({
    members,
    accesses: [{ root_user_id: former.id, member: former.email, operation: 'shares.list', times: 1 }],
  })
  expect((await run('accesses', ...child)).out).toMatch(
    new RegExp(`${former.id} +${former.email} +- +shares.list +1`),
  )
  expect((await run('accesses', ...child, '--since', '2099-01-01', '--json')).result.accesses).toEqual([])
  expect((await run('accesses')).code).toBe(1)
  // The security record of each account has its part.
  const actions = async (of: string) =>
    (await companion(server, 'security-log', '--email', of, '--json')).result.map(
      ({ action }: { action: string }) => action,
    )
  expect(await actions(owner.email)).toEqual(expect.arrayContaining(['share_invite']))
  expect(await actions(former.email)).toEqual(expect.arrayContaining(['share_accept', 'share_end']))
})
