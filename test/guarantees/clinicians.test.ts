import { beforeAll, describe, expect, test } from 'vitest'
import { operations } from '@companion/server/http/operations.ts'
import { appRouter } from '@companion/server/router.ts'
import { anyInput, call } from '../support/any-input.ts'
import type { TestResponse } from '../support/client.ts'
import { clinics, connectClinic, newClinic } from '../support/clinics.ts'
import type { AddedClinic } from '../support/clinics.ts'
import {
  acceptInvitation,
  addClinician,
  authenticatorOf,
  clinicOf,
  INVITATION,
  invitationTo,
} from '../support/clinicians.ts'
import type { Clinician } from '../support/clinicians.ts'
import { companion } from '../support/command.ts'
import { addChild, addDevice, signUp } from '../support/family.ts'
import type { Account } from '../support/family.ts'
import { addBasestation } from '../support/basestations.ts'
import { familyCalls, nameable } from '../support/good-calls.ts'
import type { Cell, Named } from '../support/good-calls.ts'
import { useServer } from '../support/server.ts'
import { shares } from '../support/shares.ts'
import { until } from '../support/until.ts'

/*
 * The access matrix of clinicians: those who work in the clinic that a child is connected with, no longer work there, or work in
 * another one, and each operation.
 */

const server = useServer()

const served = operations(appRouter)
const withToken = served.filter(({ operation }) => operation.token === 'access' && !operation.serviceOnly)

let owner: Account
let named: Named
let clinic: AddedClinic
let admin: Clinician
let doctor: Clinician
let former: Clinician
let stranger: Clinician

beforeAll(async () => {
  owner = await signUp(server)
  named = await nameable(server, owner, await signUp(server))
  clinic = await newClinic(server)
  await connectClinic(server, owner, { code: clinic.code, real_user_id: named.real_user_id })
  admin = await addClinician(server, clinic.clinic_id, { role: 'admin' })
  doctor = await addClinician(server, clinic.clinic_id, { first_name: 'Dr. Seo' })
  former = await addClinician(server, clinic.clinic_id)
  const { members, removeMember } = clinicOf(server, clinic.clinic_id)
  const { body } = await members(admin)
  const gone = body.members.find(({ email }: { email: string }) => email === former.email)
  await removeMember(admin, gone.member_id)
  stranger = await addClinician(server, (await newClinic(server)).clinic_id, { role: 'admin' })
})

const outcome = ({ status, body }: TestResponse) => (status === 200 ? '200' : `${status} ${body.detail}`)

const ofParents = withToken.filter(({ operation }) => (operation.accounts ?? 'parents') === 'parents')
const ofClinicians = withToken.filter(({ operation }) => operation.accounts === 'clinicians')

test('operations are for parents unless they say otherwise', () => {
  expect(ofParents.length).toBeGreaterThan(30)
  expect(ofClinicians.length).toBeGreaterThan(3)
})

test.each(ofParents.map((each) => [each.path, each] as const))(
  '%s is for parents alone',
  async (_path, each) => {
    const input = {
      ...anyInput(each),
      ...('real_user_id' in each.input.shape ? { real_user_id: named.real_user_id } : {}),
    }
    for (const { token } of [admin, doctor])
      expect(outcome(await call(server, each, input, token))).toBe('401 Not authorized user')
  },
)

test.each(ofClinicians.map((each) => [each.path, each] as const))(
  '%s is for clinicians alone',
  async (_path, each) => {
    expect(outcome(await call(server, each, anyInput(each), owner.token))).toBe('401 Not authorized user')
  },
)

/** The operations that tell of a child, which a viewer may use; those of a clinic are tested with it. */
const ofChild = withToken.filter(
  ({ path, operation, input }) =>
    operation.accounts === 'all' &&
    operation.right === 'viewer' &&
    'real_user_id' in input.shape &&
    !path.startsWith('clinics.'),
)

describe('of a connected child', () => {
  const calls: Partial<Record<string, (cell: Cell) => Promise<TestResponse>>> = familyCalls(server)
  const as = async ({ token }: Clinician, path: string, at: Named = named) => {
    const cell = {
      ...at,
      token,
      freeDevice: await addDevice(server),
      freeBasestation: await addBasestation(server),
      clinicCode: clinic.code,
    }
    const made = calls[path]
    if (!made) throw new Error(`There is no call of ${path}`)
    return outcome(await made(cell))
  }

  test('there is something to read', () => {
    expect(ofChild.map(({ path }) => path).toSorted()).toEqual([
      'calendar.history',
      'calendar.readDay',
      'charts.analysis',
      'charts.recent',
      'charts.recentByDate',
      'children.read',
      'nights.insight',
      'plans.list',
      'reports.exportPdf',
      'reports.pdf',
      'surveys.latest',
      'treatments.list',
    ])
  })

  test.each(ofChild.map(({ path }) => path))('%s is read by those who work in the clinic', async (path) => {
    for (const member of [admin, doctor]) expect(await as(member, path)).toBe('200')
    for (const other of [former, stranger]) expect(await as(other, path)).toBe('401 Not authorized user')
    const unconnected = await nameable(server, owner, await signUp(server))
    expect(await as(doctor, path, unconnected)).toBe('401 Not authorized user')
  })
})

test.each(["email_hash = '\\x01'", "password_hash = 'any'", 'is_contact_email = false'])(
  'the database refuses %s of a clinician: nothing of a parent finds them or signs them in',
  async (change) => {
    const { id } = await addClinician(server, (await newClinic(server)).clinic_id)
    await expect(
      server.database.pool.query(`UPDATE root_user SET ${change} WHERE id = $1`, [id]),
    ).rejects.toThrow('root_user_clinician_check')
  },
)

test('a connection that ends, by the owner, an admin, the clinic or its last day, ends the access at once', async () => {
  const { real_user_id } = named
  const query = { real_user_id }
  const read = async ({ token }: Clinician) =>
    (await server.get('/api/v1/beta/chart/recent', { token, query })).status
  const ends: ((connection_id: number, code: AddedClinic) => Promise<unknown>)[] = [
    (connection_id) => clinics(server).disconnect(owner, connection_id),
    async (connection_id, { clinic_id }) => {
      const chief = await addClinician(server, clinic_id, { role: 'admin' })
      return clinics(server).disconnect(chief, connection_id)
    },
    (_id, { clinic_id }) => companion(server, 'clinic', 'remove', String(clinic_id)),
    (connection_id) =>
      server.database.pool.query(`UPDATE clinic_connection SET until = current_date - 3 WHERE id = $1`, [
        connection_id,
      ]),
  ]
  for (const end of ends) {
    const other = await newClinic(server)
    const { connection_id } = await connectClinic(server, owner, { code: other.code, real_user_id })
    const colleague = await addClinician(server, other.clinic_id)
    expect(await read(colleague)).toBe(200)
    // Only an admin of this clinic, and no clinician, may end it.
    for (const nobody of [colleague, admin])
      expect(outcome(await clinics(server).disconnect(nobody, connection_id))).toBe(
        '404 Connection not found',
      )
    await end(connection_id, other)
    expect(await read(colleague)).toBe(401)
    expect((await server.get('/api/v1/beta/user/me', { token: colleague.token })).status).toBe(200)
  }
})

test('the owner sees which person of which clinic has looked', async () => {
  const { real_user_id } = named
  await server.get('/api/v1/beta/chart/recent', { token: doctor.token, query: { real_user_id } })
  const seen = await until(async () => {
    const { items } = (await shares(server).access(owner, real_user_id)).body
    return items.find(
      (each: { name: string; operation: string }) =>
        each.name.includes('Dr. Seo') && each.operation === 'charts.recent',
    )
  })
  expect(seen).toMatchObject({
    kind: 'clinic',
    name: 'Seoul Sleep Clinic, Dr. Seo',
    operation: 'charts.recent',
  })
  const exported = await server.database.pool.query(
    `SELECT count(*)::int AS n FROM trail WHERE real_user_id = $1 AND actor = $2 AND actor_kind = 'member' AND outcome = 'ok'`,
    [real_user_id, String(doctor.id)],
  )
  expect(exported.rows[0].n).toBeGreaterThan(0)
})

test('a clinic whose last day has passed is not named for what somebody does for another one', async () => {
  const { real_user_id } = await addChild(server, owner.token)
  const [before, now] = [await newClinic(server, 'Busan'), await newClinic(server, 'Daegu')]
  const busy = await addClinician(server, before.clinic_id, { first_name: 'Dr. Oh' })
  const token = await invitationTo(server, now.clinic_id, { email: busy.email })
  const { body: joined } = await acceptInvitation(server, token, authenticatorOf(server))
  await connectClinic(server, owner, { code: before.code, real_user_id })
  await server.database.pool.query(
    `UPDATE clinic_connection SET since = now() - interval '9 days', until = current_date - 3 WHERE real_user_id = $1`,
    [real_user_id],
  )
  await server.database.pool.query(
    `UPDATE clinic_member SET since = now() - interval '9 days' WHERE root_user_id = $1`,
    [busy.id],
  )
  await connectClinic(server, owner, { code: now.code, real_user_id })
  const caller = { token: joined.access_token }
  expect((await clinicOf(server, now.clinic_id).children(caller)).body.total).toBe(1)
  await server.trailWritten()
  expect((await shares(server).access(owner, real_user_id)).body.items).toMatchObject([
    { name: 'Daegu, Dr. Oh', operation: 'clinics.listChildren' },
  ])
})

test.each([true, false])(
  'of two clinics of a person the one is named that still has the child, ended within the hour, before this minute: %s',
  async (isEarlier) => {
    const { real_user_id } = await addChild(server, owner.token)
    const [first, second] = [await newClinic(server, 'Jeju'), await newClinic(server, 'Ulsan')]
    const busy = await addClinician(server, first.clinic_id, { first_name: 'Dr. Oh' })
    const token = await invitationTo(server, second.clinic_id, { email: busy.email })
    const { body: joined } = await acceptInvitation(server, token, authenticatorOf(server))
    const { connection_id } = await connectClinic(server, owner, { code: first.code, real_user_id })
    await connectClinic(server, owner, { code: second.code, real_user_id })
    const query = { real_user_id }
    const { status } = await server.get('/api/v1/beta/chart/recent', { token: busy.token, query })
    expect(status).toBe(200)
    await clinics(server).disconnect(owner, connection_id)
    if (isEarlier)
      await server.database.pool.query(
        `UPDATE clinic_connection SET since = now() - interval '9 minutes', ended_at = now() - interval '2 minutes' WHERE id = $1`,
        [connection_id],
      )
    expect(
      (await clinicOf(server, second.clinic_id).children({ token: joined.access_token })).body.total,
    ).toBe(1)
    await server.trailWritten()
    const { items } = (await shares(server).access(owner, real_user_id)).body
    expect(items).toContainEqual(
      expect.objectContaining({ name: 'Ulsan, Dr. Oh', operation: 'clinics.listChildren' }),
    )
  },
)

test('what a clinician was refused stands on the trail of the child', async () => {
  const { real_user_id } = named
  const json = { real_user_id, attention_score: 1, impulsivity_score: 1, disorder_score: 1 }
  expect((await server.post('/api/v1/beta/survey', { token: doctor.token, json })).status).toBe(401)
  await server.trailWritten()
  const { rows } = await server.database.pool.query(
    `SELECT outcome FROM trail WHERE real_user_id = $1 AND actor = $2 AND operation = 'surveys.submit'`,
    [real_user_id, String(doctor.id)],
  )
  // Reads and errors are counted by the minute.
  expect(new Set(rows.map(({ outcome: told }) => told))).toEqual(new Set(['401 Not authorized user']))
})

test('with the child go its connections, and with the account of a clinician their passkeys, work and invitations', async () => {
  const parent = await signUp(server)
  const child = await nameable(server, parent, await signUp(server))
  await connectClinic(server, parent, { code: clinic.code, real_user_id: child.real_user_id })
  const { real_user_id, device } = child
  await server.delete('/api/v1/beta/user/delete-real-user', {
    token: parent.token,
    json: { real_user_id, unique_id: device.unique_id },
  })
  const left = await server.database.pool.query('SELECT FROM clinic_connection WHERE real_user_id = $1', [
    real_user_id,
  ])
  expect(left.rows).toEqual([])
  const leaving = await addClinician(server, clinic.clinic_id)
  const { email } = leaving
  const token = await invitationTo(server, clinic.clinic_id, { email })
  await server.database.pool.query('UPDATE root_user SET deleted_at = now() WHERE id = $1', [leaving.id])
  const { rows } = await server.database.pool.query(
    `SELECT (SELECT count(*) FROM passkey WHERE root_user_id = $1)::int AS passkeys, clinician_email_hash,
       (SELECT count(*) FROM clinic_member WHERE root_user_id = $1 AND ended_at IS NULL)::int AS work
     FROM root_user WHERE id = $1`,
    [leaving.id],
  )
  expect(rows).toEqual([{ passkeys: 0, clinician_email_hash: null, work: 0 }])
  expect((await server.post(INVITATION, { json: { token } })).status).toBe(400)
})
