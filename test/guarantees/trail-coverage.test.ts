import { beforeAll, describe, expect, test } from 'vitest'
import { operations } from '@companion/server/http/operations.ts'
import { appRouter } from '@companion/server/router.ts'
import { settled } from '../support/changes.ts'
import { companion } from '../support/command.ts'
import { addChild, anyEmail, PASSWORD, signUp } from '../support/family.ts'
import type { Account } from '../support/family.ts'
import { familyCalls } from '../support/good-calls.ts'
import { connectBasestation } from '../support/basestations.ts'
import { granted, grantDirectly } from '../support/oauth.ts'
import { useServer } from '../support/server.ts'
import { invitationToken, shares } from '../support/shares.ts'
import { until } from '../support/until.ts'

/*
 * Nobody reaches a child's data without a row of the trail. The access matrix shows it of every operation that names a child or
 * something of one; this file of all others, of the pages, and of commands.
 */

const server = useServer()

/** Operations that read and change nothing of a child, each with what it is about. */
const concernNoChild: Record<string, string> = {
  'auth.sendSmsCode': 'a phone number',
  'auth.verifyPhone': 'a phone number',
  'auth.listPhoneCountries': 'phone numbers',
  'auth.signUp': 'a new account',
  'auth.signIn': 'the session of an account',
  'auth.refresh': 'the session of an account',
  'auth.signOut': 'the session of an account',
  'auth.requestPasswordReset': 'the password of an account',
  'auth.confirmPasswordReset': 'the password of an account',
  'auth.findAccount': 'the e-mail of an account',
  'auth.confirmEmail': 'the e-mail of an account',
  'auth.socialSignIn': 'the session of an account',
  'auth.socialSignUp': 'a new account',
  'account.me': 'the profile of an account',
  'account.update': 'the profile of an account',
  'account.updatePolicy': 'what an account has agreed to',
  'account.giveConsent': 'what an account has agreed to',
  'account.listConsents': 'what an account has agreed to',
  'account.setPushToken': 'the phone of an account',
  'account.updateNotifications': 'the settings of an account',
  'account.changePassword': 'the password of an account',
  'account.changePhone': 'the phone of an account',
  'account.sendEmailConfirmation': 'the e-mail of an account',
  'account.changeEmail': 'the e-mail of an account',
  'clinics.find': 'a clinic',
  'clinics.listMemberships': 'who works in a clinic',
  'clinics.listMembers': 'who works in a clinic',
  'clinics.inviteMember': 'who works in a clinic',
  'clinics.removeMember': 'who works in a clinic',
  'auth.openClinicianInvitation': 'who works in a clinic',
  'auth.clinicianSignUp': 'a new account',
  'auth.passkeySignInOptions': 'the session of an account',
  'auth.passkeySignIn': 'the session of an account',
  'account.listPasskeys': 'the passkeys of an account',
  'account.newPasskeyOptions': 'the passkeys of an account',
  'account.addPasskey': 'the passkeys of an account',
  'account.removePasskey': 'the passkeys of an account',
  'devices.time': 'the time of day',
  'webhooks.create': 'an address of a service, which is told that there is news, never whose',
  'webhooks.list': 'an address of a service',
  'webhooks.delete': 'an address of a service',
  'webhooks.rotateSecret': 'an address of a service',
  'webhooks.enable': 'an address of a service',
  'webhooks.ping': 'an address of a service',
}

interface Family {
  owner: Account
  child: number
}

/** A call of each operation that names nothing of a child and reaches one nevertheless. */
const byToken = ['children.list', 'devices.list', 'basestations.list', 'grants.list', 'changes.list'] as const
const calls: Record<string, (family: Family) => Promise<{ status: number }>> = {
  ...Object.fromEntries(byToken.map((path) => [path, ({ owner }) => familyCalls(server)[path](owner)])),
  'shares.accept': async ({ owner, child }) => {
    const email = anyEmail()
    await shares(server).invite(owner, { real_user_id: child, email })
    return shares(server).accept(await signUp(server), await invitationToken(server, email))
  },
  'account.delete': ({ owner: { token } }) => server.delete('/api/v1/beta/user/root-user', { token }),
}

/** What names a child, or something of one, wherever it stands in an input. */
const NAME =
  /"(real_user_id|device_id|basestation_id|unique_id|event_id|share_id|invitation_id|grant_id|plan_id|connection_id)":/

test('every operation names a child, is called here, or says what else it is about', () => {
  const others = operations(appRouter)
    .filter(
      ({ input }) => !NAME.test(JSON.stringify(input.toJSONSchema({ io: 'input', unrepresentable: 'any' }))),
    )
    .map(({ path }) => path)
  expect(others.toSorted()).toEqual([...Object.keys(calls), ...Object.keys(concernNoChild)].toSorted())
})

/** A family with a device, a base station and a service that may see the child. */
async function makeFamily(): Promise<Family> {
  const owner = await signUp(server)
  const { real_user_id: child } = await addChild(server, owner.token)
  await connectBasestation(server, owner.token)
  await grantDirectly(server, { rootUserId: owner.id, child })
  // Only what is shared or granted is in the feed of changes.
  const json = { real_user_id: child, created_at: '2026-03-01', memo: 'Slept' }
  await server.post('/api/v1/beta/event', { token: owner.token, json })
  return { owner, child }
}

/** What the trail tells of a child: `who operation outcome`. */
async function told(child: number): Promise<string[]> {
  await server.trailWritten()
  const { rows } = await server.database.pool.query<{ entry: string }>(
    `SELECT concat_ws(' ', actor_kind, operation, outcome) AS entry FROM trail WHERE real_user_id = $1 ORDER BY id`,
    [child],
  )
  return rows.map(({ entry }) => entry)
}

test.each(Object.entries(calls))('%s is told of the child that it reaches', async (path, call) => {
  const family = await makeFamily()
  await settled(server)
  expect((await call(family)).status).toBe(200)
  expect(await told(family.child)).toContain(`account ${path} ok`)
})

test('an export of the whole family is told of each child', async () => {
  const { owner, child } = await makeFamily()
  const other = (await addChild(server, owner.token)).real_user_id
  const json = { format: 'json', password: PASSWORD }
  expect((await server.post('/api/v1/beta/user/export', { token: owner.token, json })).status).toBe(200)
  for (const each of [child, other]) expect(await told(each)).toContain('account account.exportData ok')
})

describe('pages', () => {
  let family: Family
  beforeAll(async () => {
    family = await makeFamily()
  })

  test('who opens an invitation learns the name of the child', async () => {
    const email = anyEmail()
    await shares(server).invite(family.owner, { real_user_id: family.child, email })
    const query = { token: await invitationToken(server, email) }
    expect((await server.get('/invitation', { query })).status).toBe(200)
    expect(await told(family.child)).toContain('invitation shares.invitationPage ok')
    const before = await told(family.child)
    expect((await server.get('/invitation', { query: { token: 'unknown' } })).status).toBe(410)
    expect(await told(family.child)).toEqual(before)
  })

  test('a consent is read and given, and ended by the service', async () => {
    const { owner, child } = family
    const other = (await addChild(server, owner.token)).real_user_id
    const scope = 'child:read offline_access'
    const { revoke, tokens } = await granted(server, owner, { children: [child], scope })
    const pages = async (of: number) => (await told(of)).filter((entry) => entry.includes('oauth.'))
    const page = 'account oauth.consentPage ok'
    expect(await pages(child)).toEqual([page, page])
    // Seen, but not chosen.
    expect(await pages(other)).toEqual([page])
    await revoke(tokens.refresh_token ?? '')
    await until(async () => (await pages(child)).includes('client oauth.revoke ok'))
    expect(await pages(other)).toEqual([page])
  })
})

test('commands that list whose things there are', async () => {
  const { owner, child } = await makeFamily()
  const { unique_id } = await server
    .get('/api/v1/beta/device', { token: owner.token })
    .then(({ body }) => body[0])
  const { service } = await granted(server, owner, { children: [child] })
  await server.delete('/api/v1/gamma/device/devlog', { query: { unique_id } })
  for (const args of [
    ['device', 'list'],
    ['client', 'remove', service.client_id],
  ])
    expect(await companion(server, ...args, '--as', 'Ann')).toMatchObject({ code: 0 })
  expect((await told(child)).filter((entry) => entry.startsWith('operator'))).toEqual([
    'operator companion device list ok',
    'operator companion client remove ok',
  ])
  await companion(server, 'basestation', 'list', '--as', 'Ann')
  const { rows } = await server.database.pool.query(
    `SELECT operator FROM security_record WHERE reason = 'companion basestation list'`,
  )
  expect(rows).toEqual([{ operator: 'Ann' }])
})
