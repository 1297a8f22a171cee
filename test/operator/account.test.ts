import { expect, test } from 'vitest'
import { eraseClinician } from '@companion/server/account/erase-clinician.ts'
import { deriveKeys } from '@companion/server/auth/keys.ts'
import {
  acceptInvitation,
  addClinician,
  authenticatorOf,
  clinicOf,
  INVITATION,
  invitationTo,
  passkeySignIn,
} from '../support/clinicians.ts'
import { newClinic } from '../support/clinics.ts'
import { companion } from '../support/command.ts'
import { addChild, anyEmail, signIn, signUp } from '../support/family.ts'
import { inBetween, somebodyWaits } from '../support/lock-waits.ts'
import { OPERATOR } from '../support/operator.ts'
import { answerConfirmation, confirmationToken } from '../support/outside/mailbox.ts'
import { TEST_SECRET, useServer } from '../support/server.ts'

const server = useServer()

test('a block ends the session within a second and keeps the account out until it is lifted', async () => {
  const account = await signUp(server)
  const me = () => server.get('/api/v1/beta/user/me', { token: account.token })
  expect((await me()).status).toBe(200)
  expect(await companion(server, 'account', 'block', account.email.toUpperCase())).toMatchObject({
    code: 0,
    out: `Account ${account.id} is blocked\n`,
  })
  expect(await me()).toMatchObject({ status: 423, body: { detail: 'Access denied. Account blocked' } })
  expect(
    await server.post('/api/v1/alpha/auth/refresh-token', { json: { refresh_token: account.refreshToken } }),
  ).toMatchObject({ status: 401, body: { detail: 'Refresh token is not valid' } })
  expect((await signIn(server, account.email)).status).toBe(423)

  await companion(server, 'account', 'unblock', account.email)
  expect(await me()).toMatchObject({ status: 401, body: { detail: 'Could not validate credentials' } })
  expect((await signIn(server, account.email)).status).toBe(200)
})

test('accounts are listed with their state, one is shown with what an operator needs', async () => {
  const account = await signUp(server)
  await addChild(server, account.token)
  const gone = await signUp(server)
  await server.delete('/api/v1/beta/user/root-user', { token: gone.token })
  const list = async (...options: string[]) =>
    JSON.parse((await companion(server, 'account', 'list', '--json', ...options)).out)
  expect((await list('--limit', '2')).map((each: { root_user_id: number }) => each.root_user_id)).toEqual([
    gone.id,
    account.id,
  ])
  expect(await list('--state', 'deleted')).toMatchObject([
    { root_user_id: gone.id, email: null, state: 'deleted' },
  ])

  const { out } = await companion(server, 'account', 'show', account.email, '--json')
  expect(JSON.parse(out)).toMatchObject({
    root_user_id: account.id,
    email: account.email,
    phone: account.phone,
    state: 'active',
    children: 1,
    last_sign_in_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
  })
  expect(out).not.toContain('argon2')
  const plain = await companion(server, 'account', 'show', account.email)
  expect(plain.out).toMatch(new RegExp(`^email +${account.email}$`, 'm'))
  expect(plain.out).toMatch(/^last sign-in +\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/m)
})

test('an account that nobody is found by its address is named by its id', async () => {
  const account = await signUp(server)
  const child = await addChild(server, account.token)
  const other = await signUp(server)
  await answerConfirmation(server, await confirmationToken(server, account.email), false)
  const id = String(account.id)
  expect(await companion(server, 'account', 'show', account.email)).toMatchObject({ code: 1 })
  expect(JSON.parse((await companion(server, 'account', 'show', id, '--json')).out)).toMatchObject({
    root_user_id: account.id,
    email: null,
    phone: account.phone,
  })
  const me = () => server.get('/api/v1/beta/user/me', { token: account.token })
  expect(await companion(server, 'account', 'block', id)).toMatchObject({
    out: `Account ${id} is blocked\n`,
  })
  expect((await me()).status).toBe(423)
  expect(await companion(server, 'account', 'unblock', id)).toMatchObject({ code: 0 })
  const exported = await companion(server, 'account', 'export', id)
  expect(JSON.parse(exported.out)).toMatchObject({ root_user: { id: account.id, email: null } })
  for (const receiver of [String(other.id), id])
    expect(await companion(server, 'child', 'transfer', String(child.real_user_id), receiver)).toMatchObject({
      code: 0,
    })
})

test.each([
  ['an id that nobody has', '2000000000'],
  ['an id that is too long', '99999999999999999'],
])('%s is refused in one line', async (_name, id) => {
  for (const command of ['show', 'block', 'unblock', 'export'])
    expect(await companion(server, 'account', command, id)).toMatchObject({
      code: 1,
      said: 'There is no account with this id\n',
    })
})

test('a deleted account is shown by its id, and not blocked', async () => {
  const gone = await signUp(server)
  await server.delete('/api/v1/beta/user/root-user', { token: gone.token })
  expect(await companion(server, 'account', 'show', String(gone.id))).toMatchObject({
    out: expect.stringMatching(/^state +deleted$/m),
  })
  expect(await companion(server, 'account', 'block', String(gone.id))).toMatchObject({ code: 1 })
})

test.each([
  ['show', 'account', 'show', anyEmail()],
  ['block', 'account', 'block', anyEmail()],
  ['export', 'account', 'export', anyEmail()],
])('%s of nobody is refused in one line', async (_name, ...args) => {
  expect(await companion(server, ...args)).toMatchObject({
    code: 1,
    out: '',
    said: 'There is no account with this e-mail\n',
  })
})

test.each([
  ['--state', 'asleep'],
  ['--limit', '0'],
  ['--limit', 'all'],
])('account list %s %s is refused', async (...options) => {
  const { code, said } = await companion(server, 'account', 'list', ...options)
  expect(code).toBe(1)
  expect(said).toContain(options[0])
})

test('the account of a clinician is found by its address, and by its id where a parent has the same', async () => {
  const { clinic_id } = await newClinic(server)
  const doctor = await addClinician(server, clinic_id)
  const shown = async (name: string) => (await companion(server, 'account', 'show', name, '--json')).result
  expect(await shown(doctor.email)).toMatchObject({
    root_user_id: doctor.id,
    email: doctor.email,
    register_type: 'P',
    state: 'active',
    last_sign_in_at: expect.any(String),
  })
  expect((await companion(server, 'account', 'list', '--state', 'active')).out).toContain(doctor.email)
  const memberships = () => clinicOf(server, clinic_id).memberships(doctor)
  expect((await companion(server, 'account', 'block', doctor.email)).code).toBe(0)
  expect((await memberships()).status).toBe(423)
  expect((await companion(server, 'account', 'unblock', doctor.email)).code).toBe(0)

  const parent = await signUp(server, { email: doctor.email })
  for (const command of ['show', 'block', 'unblock'])
    expect(await companion(server, 'account', command, doctor.email)).toMatchObject({
      code: 1,
      said: 'A parent and a clinician have this e-mail address: name the account by its id\n',
    })
  expect((await server.get('/api/v1/beta/user/me', { token: parent.token })).status).toBe(200)
})

test('an operator erases the account of a clinician, and of nobody else', async () => {
  const { clinic_id } = await newClinic(server)
  const doctor = await addClinician(server, clinic_id, { role: 'admin' })
  const open = await invitationTo(server, clinic_id, { email: doctor.email })
  const parent = await signUp(server)
  const erase = (id: number) => companion(server, 'account', 'erase', String(id), '--json')
  for (const id of [parent.id, 2 ** 31 - 1])
    expect(await erase(id)).toMatchObject({
      code: 1,
      said: 'There is no account of a clinician with this id\n',
    })
  expect(await erase(doctor.id)).toMatchObject({ code: 0, result: { root_user_id: doctor.id, erased: true } })
  expect(await erase(doctor.id)).toMatchObject({ code: 1 })
  expect(await clinicOf(server, clinic_id).memberships(doctor)).toMatchObject({
    status: 401,
    body: { detail: 'User is Deleted' },
  })
  expect((await passkeySignIn(server, doctor.authenticator)).status).toBe(401)
  expect((await server.post(INVITATION, { json: { token: open } })).status).toBe(400)
  const { rows } = await server.database.pool.query(
    'SELECT email, first_name, clinician_email_hash FROM root_user WHERE id = $1',
    [doctor.id],
  )
  expect(rows).toEqual([{ email: null, first_name: '', clinician_email_hash: null }])
  // The address is free again.
  const again = await invitationTo(server, clinic_id, { email: doctor.email })
  expect((await acceptInvitation(server, again, authenticatorOf(server))).status).toBe(200)
})

test('the account of a clinician is erased while its holder accepts an invitation', async () => {
  const { clinic_id } = await newClinic(server)
  const doctor = await addClinician(server, clinic_id)
  const token = await invitationTo(server, clinic_id, { email: doctor.email })
  const { database } = server
  const around = { keys: deriveKeys(TEST_SECRET, server.config), keyRing: database.keyRing, origin: OPERATOR }
  const [erased, accepted] = await inBetween(server, {
    lock: `SELECT FROM root_user WHERE id = ${doctor.id} FOR UPDATE`,
    change: 'SELECT',
    async call() {
      const erasing = database.transaction((sql) => eraseClinician(sql, doctor.id, around))
      await somebodyWaits(database)
      return Promise.all([erasing, acceptInvitation(server, token, authenticatorOf(server))])
    },
    waiting: 2,
  })
  expect(erased).toMatchObject({ email: doctor.email })
  expect(accepted).toMatchObject({ status: 400, body: { detail: 'Invitation is invalid' } })
})

test('the account of a clinician is erased while an admin removes them, whose invitation is open', async () => {
  const { clinic_id } = await newClinic(server)
  const admin = await addClinician(server, clinic_id, { role: 'admin' })
  const doctor = await addClinician(server, clinic_id)
  await invitationTo(server, clinic_id, { email: doctor.email })
  const { members, removeMember } = clinicOf(server, clinic_id)
  const { body } = await members(admin)
  const { member_id } = body.members.find(({ email }: { email: string }) => email === doctor.email)
  const { database } = server
  const around = { keys: deriveKeys(TEST_SECRET, server.config), keyRing: database.keyRing, origin: OPERATOR }
  const [removed, erased] = await inBetween(server, {
    lock: `SELECT FROM clinic_invitation WHERE clinic_id = ${clinic_id} FOR UPDATE`,
    change: 'SELECT',
    async call() {
      const removing = removeMember(admin, member_id)
      await somebodyWaits(database)
      return Promise.all([removing, database.transaction((sql) => eraseClinician(sql, doctor.id, around))])
    },
    waiting: 2,
  })
  expect(removed.status).toBe(200)
  expect(erased).toMatchObject({ email: doctor.email })
})
