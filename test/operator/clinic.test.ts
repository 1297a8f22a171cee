import { expect, test, vi } from 'vitest'
import { removeClinic } from '@companion/server/clinics/manage-clinics.ts'
import { addClinician, clinicOf } from '../support/clinicians.ts'
import { clinics, connectClinic, newClinic } from '../support/clinics.ts'
import { companion } from '../support/command.ts'
import { addChild, signUp } from '../support/family.ts'
import { inBetween, somebodyWaits } from '../support/lock-waits.ts'
import { OPERATOR } from '../support/operator.ts'
import { closedPort } from '../support/outside/local-server.ts'
import { useServer } from '../support/server.ts'

const server = useServer()
const run = (...args: string[]) => companion(server, 'clinic', ...args)

test('an operator adds a clinic, sees it, renames it, gives it another code and removes it', async () => {
  const { result: added } = await run(
    'add',
    '--name',
    'Seoul Sleep Clinic',
    '--url',
    'https://clinic.example.org',
    '--json',
  )
  expect(added).toEqual({
    clinic_id: expect.any(Number),
    name: 'Seoul Sleep Clinic',
    code: expect.stringMatching(/^\w{4}-\w{4}-\w{4}$/),
  })
  const id = String(added.clinic_id)
  const parent = await signUp(server)
  const { real_user_id } = await addChild(server, parent.token)
  await clinics(server).connect(parent, { code: added.code, real_user_id })

  const shown = {
    ...added,
    url: 'https://clinic.example.org',
    members: 0,
    children: 1,
    created_at: expect.any(String),
  }
  expect((await run('show', id, '--json')).result).toEqual(shown)
  expect((await run('list', '--json')).result).toEqual([shown])
  expect((await run('list')).out).toContain(added.code)
  expect((await run('show', id)).out).toContain('Seoul Sleep Clinic')

  expect((await run('rename', id, '--name', 'Clinic for Sleep', '--json')).result).toEqual({
    clinic_id: added.clinic_id,
    name: 'Clinic for Sleep',
  })
  const [connection] = (await clinics(server).listConnections(parent, real_user_id)).body
  expect(connection.clinic.name).toBe('Clinic for Sleep')
  const replaced = (await run('new-code', id, '--json')).result
  expect(replaced).toEqual({ clinic_id: added.clinic_id, code: expect.not.stringContaining(added.code) })

  expect((await run('remove', id, '--as', 'Ann', '--json')).result).toEqual({
    clinic_id: added.clinic_id,
    removed: true,
  })
  expect((await clinics(server).listConnections(parent, real_user_id)).body).toEqual([])
  expect((await run('list')).out).toBe('There is no clinic\n')
  const { rows } = await server.database.pool.query(
    `SELECT actor, operation FROM trail WHERE real_user_id = $1 AND actor_kind = 'operator'`,
    [real_user_id],
  )
  expect(rows).toEqual([{ actor: 'Ann', operation: 'companion clinic remove' }])
})

test('a clinic is removed while a family of it deletes its account', async () => {
  const owner = await signUp(server)
  const [first, second] = [await addChild(server, owner.token), await addChild(server, owner.token)]
  const clinic = await newClinic(server)
  // The younger child was connected first.
  await connectClinic(server, owner, { code: clinic.code, real_user_id: second.real_user_id })
  const { connection_id } = await connectClinic(server, owner, {
    code: clinic.code,
    real_user_id: first.real_user_id,
  })
  const [erased, removed] = await inBetween(server, {
    lock: `SELECT FROM clinic_connection WHERE id = ${connection_id} FOR UPDATE`,
    change: 'SELECT',
    async call() {
      const erasing = server.delete('/api/v1/beta/user/root-user', { token: owner.token })
      await somebodyWaits(server.database)
      return Promise.all([
        erasing,
        server.database.transaction((sql) => removeClinic(sql, clinic.clinic_id, OPERATOR)),
      ])
    },
    waiting: 2,
  })
  expect({ status: erased.status, removed }).toEqual({ status: 200, removed: true })
})

test('what is kept of the nights of its children is made anew', async () => {
  const { clinic_id, code } = await newClinic(server)
  const parent = await signUp(server)
  const { real_user_id } = await addChild(server, parent.token)
  await clinics(server).connect(parent, { code, real_user_id })
  const { children } = clinicOf(server, clinic_id)
  const doctor = await addClinician(server, clinic_id)
  const used = async () => (await children(doctor)).body.items[0].used_28
  expect(await used()).toBe(0)
  await server.database.pool.query('UPDATE clinic_connection SET used_28 = 7')
  expect(await used()).toBe(7)
  expect((await run('recount', String(clinic_id), '--json')).result).toEqual({ clinic_id, children: 1 })
  expect(await used()).toBe(0)
})

test.each([['show'], ['recount'], ['rename', '--name', 'X'], ['new-code'], ['remove']])(
  '%s of a clinic that is not there',
  async (name, ...more) => {
    expect(await run(name ?? '', '4711', ...more)).toMatchObject({
      code: 1,
      said: 'There is no clinic with this id\n',
    })
  },
)

test.each([
  ['--name', ''],
  ['--name', 'a\u202Eb'],
  ['--name', ' '],
  ['--name', '\u3164'],
  ['--name', 'a\u2028b'],
  ['--name', 'a\uFFFEb'],
  ['--name', 'x'.repeat(101)],
  ...[
    'http://clinic.example.org',
    'https:evil.example.org',
    'https://',
    'https://clinic.example.org@evil.example.org',
    'https://u:p@clinic.example.org',
    ' https://clinic.example.org',
    'https://clinic.example.org/a b',
    'https://clinic.example.org/\u202Egro',
    'https://clinic.example.org\n',
  ].map((url) => ['--name', 'A', '--url', url]),
])('%j is refused', async (...args) => {
  expect((await run('add', ...args)).code).toBe(1)
})

test('an address is kept as a browser reads it', async () => {
  const urls = {
    'https://clinic.example.org': 'https://clinic.example.org',
    'HTTPS://Clinic.example.org/Sleep': 'https://clinic.example.org/Sleep',
    'https://수면.example.org/아이': 'https://xn--e42bt3l.example.org/%EC%95%84%EC%9D%B4',
    'https://clinic.example.org\\@evil.example.org': 'https://clinic.example.org/@evil.example.org',
  }
  for (const [given, kept] of Object.entries(urls)) {
    const { clinic_id } = (await run('add', '--name', 'A', '--url', given, '--json')).result
    expect((await run('show', String(clinic_id), '--json')).result.url).toBe(kept)
  }
})

test('an invitation whose mail is not sent is void', async () => {
  const { clinic_id } = await newClinic(server)
  vi.stubEnv('SMTP_URL', `smtp://127.0.0.1:${await closedPort()}`)
  vi.stubEnv('MAIL_FROM', 'companion@example.org')
  vi.stubEnv('PUBLIC_URL', 'https://companion.example.org')
  const invited = await run('invite', String(clinic_id), 'doctor@clinic.example.org', '--role', 'admin')
  expect(invited).toMatchObject({
    code: 1,
    said: expect.stringMatching(/^The mail was not sent, and the invitation is void: .*ESOCKET/),
  })
  const { rows } = await server.database.pool.query('SELECT FROM clinic_invitation WHERE clinic_id = $1', [
    clinic_id,
  ])
  expect(rows).toEqual([])
})
