import type { Command } from 'commander'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { companionCommand } from '@companion/server/commands/companion.ts'
import { companion } from '../support/command.ts'
import { addChild, devlogItem, signUp, upload } from '../support/family.ts'
import type { Account } from '../support/family.ts'
import { useServer } from '../support/server.ts'

/* Commands that touch the data of a person are put on record under the name of the operator. */

const server = useServer()
const DAY = '2026-03-01'

afterEach(() => void vi.unstubAllEnvs())

/** Commands about the service and its stock, which show and change nothing of a person. */
const IMPERSONAL = new Set([
  'serve',
  'migrate',
  'demo',
  'doctor',
  'purge',
  'device add',
  'device import',
  'device compare-contact-losses',
  'basestation add',
  'basestation import',
  'firmware key',
  'firmware sign',
  'firmware list',
  'firmware show',
  'firmware release list',
  'firmware release show',
  'devlog check-stored',
  'client add',
  'client list',
  'client show',
  'client block',
  'client unblock',
  'client rotate-secret',
  'clinic list',
  'clinic show',
  'clinic recount',
  'trail verify',
  'trail publish',
  'report verify',
  'nodes in-doubt',
  'keys rotate',
])

const leaves = (command: Command, path = ''): [string, Command][] =>
  command.commands.length === 0
    ? [[path.trim(), command]]
    : command.commands.flatMap((each) => leaves(each, `${path} ${each.name()}`))

test('every other command takes --as, and three of them --approved-by', async () => {
  const named = leaves(await companionCommand()).filter(([, { options }]) =>
    options.some(({ long }) => long === '--as'),
  )
  const personal = leaves(await companionCommand()).filter(([path]) => !IMPERSONAL.has(path))
  expect(named.map(([path]) => path)).toEqual(personal.map(([path]) => path))
  const approved = named.filter(([, { options }]) => options.some(({ long }) => long === '--approved-by'))
  expect(approved.map(([path]) => path).toSorted()).toEqual([
    'account export',
    'account unblock',
    'child transfer',
  ])
})

async function family() {
  const owner = await signUp(server)
  const child = await addChild(server, owner.token)
  await upload(server, [devlogItem(child.unique_id, `${DAY}T21:00:00`)])
  for (const memo of ['one', 'two']) {
    const json = { real_user_id: child.real_user_id, created_at: DAY, memo }
    await server.post('/api/v1/beta/event', { token: owner.token, json })
  }
  return { owner, child }
}

/** What the trail tells of operators. */
async function trailOf(realUserId: number) {
  const { rows } = await server.database.pool.query(
    `SELECT actor, operation, outcome, times, old_value FROM trail
     WHERE actor_kind = 'operator' AND real_user_id = $1 ORDER BY id`,
    [realUserId],
  )
  return rows.map(({ old_value, ...row }) => ({
    ...row,
    old_value: server.database.keyRing.decrypt('trail.old_value', old_value),
  }))
}

const recordOf = async ({ id }: Pick<Account, 'id'>, action: string) =>
  (
    await server.database.pool.query(
      `SELECT operator, approved_by, reason FROM security_record WHERE root_user_id = $1 AND action = $2 ORDER BY id`,
      [id, action],
    )
  ).rows

test("commands on a child's data are on its trail, changes with the old value", async () => {
  const { owner, child } = await family()
  const receiver = await signUp(server)
  const { unique_id, serial_code } = child
  const note = ['--real-user-id', `${child.real_user_id}`, '--date', DAY]
  const done = async (...args: string[]) => expect((await companion(server, ...args)).said).toBe('')
  await done('event', 'versions', ...note, '--as', 'Ann')
  await done('event', 'versions', ...note, '--as', 'Ann')
  vi.stubEnv('COMPANION_OPERATOR', 'Ben')
  await done('event', 'restore', ...note, '--to-version', '1')
  await server.delete('/api/v1/gamma/device/devlog', { query: { unique_id } })
  await done('devlog', 'restore', '--unique-id', unique_id, '--as', 'Ann')
  const shift = ['--from', `${DAY}T00:00:00`, '--to', `${DAY}T23:59:59`, '--by', 'PT1H']
  // A command takes back what the environment was given.
  vi.stubEnv('COMPANION_OPERATOR', 'Ben')
  const { result } = await companion(server, 'devlog', 'shift', '--unique-id', unique_id, ...shift, '--json')
  vi.stubEnv('COMPANION_OPERATOR', '')
  await done('devlog', 'unshift', String(result.shift_id))
  await done('account', 'export', owner.email)
  await done('device', 'show', serial_code)
  await done('device', 'disconnect', serial_code)
  await done('share', 'accesses', '--real-user-id', `${child.real_user_id}`)
  await done('child', 'transfer', `${child.real_user_id}`, receiver.email, '--as', 'Ann')
  const by = (actor: string, operation: string, times = 1) => ({
    actor,
    operation: `companion ${operation}`,
    outcome: 'ok',
    times,
  })
  const found = await trailOf(child.real_user_id)
  expect(found).toMatchObject([
    { ...by('Ann', 'event versions', found[0].times), old_value: null },
    ...(found[0].times === 1 ? [by('Ann', 'event versions')] : []),
    { ...by('Ben', 'event restore'), old_value: expect.stringContaining('"memo":"two"') },
    by('Ann', 'devlog restore'),
    by('Ben', 'devlog shift'),
    by('operator', 'devlog unshift'),
    by('operator', 'account export'),
    by('operator', 'device show'),
    { ...by('operator', 'device disconnect'), old_value: expect.stringContaining(serial_code) },
    by('operator', 'share accesses'),
    { ...by('Ann', 'child transfer'), old_value: `{"root_user_id":${owner.id}}` },
  ])
  expect(await recordOf(receiver, 'child_transfer')).toMatchObject([{ operator: 'Ann', approved_by: null }])
})

test('commands on an account are in the security record', async () => {
  const account = await signUp(server)
  for (const args of [
    ['account', 'show', account.email],
    ['account', 'block', account.email],
    ['account', 'unblock', account.email],
    ['security-log', '--email', account.email],
  ])
    expect((await companion(server, ...args, '--as', 'Ann')).code).toBe(0)
  expect(await recordOf(account, 'operator_read')).toEqual([
    { operator: 'Ann', approved_by: null, reason: 'companion account show' },
    { operator: 'Ann', approved_by: null, reason: 'companion security-log' },
  ])
  for (const action of ['account_block', 'account_unblock'])
    expect(await recordOf(account, action)).toMatchObject([{ operator: 'Ann' }])
})

test.each([' ', 'a\u0007b', 'x'.repeat(101)])('the name %j is refused', async (name) => {
  const { code, said } = await companion(server, 'account', 'list', '--as', name)
  expect({ code, said }).toEqual({ code: 1, said: expect.stringContaining('must be a name') })
})

describe('where two operators must agree', () => {
  const twice = (args: string[]) => {
    vi.stubEnv('OPERATOR_APPROVAL', 'required')
    return companion(server, ...args)
  }

  test('a transfer, an export and an unblocking name both', async () => {
    const { owner, child } = await family()
    const receiver = await signUp(server)
    const id = `${child.real_user_id}`
    for (const args of [
      ['account', 'unblock', owner.email],
      ['account', 'export', owner.email],
      ['child', 'transfer', id, receiver.email],
    ]) {
      expect(await twice([...args, '--as', 'Ann'])).toMatchObject({ code: 1, out: '' })
      expect((await twice([...args, '--as', 'Ann', '--approved-by', 'ann'])).said).toContain(
        'another operator',
      )
      expect(await twice([...args, '--as', 'Ann', '--approved-by', 'Ben'])).toMatchObject({ code: 0 })
    }
    const both = [{ operator: 'Ann', approved_by: 'Ben' }]
    expect(await recordOf(owner, 'account_unblock')).toMatchObject(both)
    expect(await recordOf(owner, 'account_export')).toMatchObject(both)
    expect(await recordOf(owner, 'child_transfer')).toMatchObject(both)
  })

  test('other commands do not ask', async () => {
    const { email } = await signUp(server)
    expect(await twice(['account', 'block', email])).toMatchObject({ code: 0 })
  })
})
