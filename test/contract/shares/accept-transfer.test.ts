import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import {
  connectBasestation,
  disconnectBasestation,
  reading,
  uploadReadings,
} from '../../support/basestations.ts'
import { follow } from '../../support/changes.ts'
import { addClinician } from '../../support/clinicians.ts'
import { clinics, connectClinic, newClinic } from '../../support/clinics.ts'
import { devices } from '../../support/devices.ts'
import { addChild, anyEmail, devlogItem, signUp, upload } from '../../support/family.ts'
import type { Account } from '../../support/family.ts'
import { grantDirectly } from '../../support/oauth.ts'
import { addMember, mailTo, shares } from '../../support/shares.ts'
import { recorded } from '../../support/security-record.ts'
import { useServer } from '../../support/server.ts'

const server = useServer()
const { invite, list, end, offerTransfer, acceptTransfer } = shares(server)
afterEach(() => void vi.useRealTimers())

let owner: Account
let guardian: Account & { share_id: number }
let child: Awaited<ReturnType<typeof addChild>>
let real_user_id: number
beforeEach(async () => {
  owner = await signUp(server)
  child = await addChild(server, owner.token)
  ;({ real_user_id } = child)
  guardian = await addMember(server, owner, { real_user_id, role: 'guardian' })
})

const notFound = { status: 404, body: { detail: 'Transfer not found' } }
const offer = () => offerTransfer(owner, { real_user_id, share_id: guardian.share_id })
async function handOver() {
  expect((await offer()).status).toBe(200)
  expect(await acceptTransfer(guardian, real_user_id)).toMatchObject({
    status: 200,
    body: { statusCode: 200, message: 'Child transferred' },
  })
}
const get = (path: string, { token }: Pick<Account, 'token'>, query: Record<string, string | number> = {}) =>
  server.get(`/api/v1/beta/${path}`, { token, query })
const roleOf = async (account: Account) =>
  (await get('user/real-user', account)).body.find(({ id }: { id: number }) => id === real_user_id)?.role
const rows = async (text: string, values: unknown[]) => (await server.database.pool.query(text, values)).rows

test('the guardian becomes the owner and the owner a guardian; device, nights, notes and members stay', async () => {
  await upload(server, [devlogItem(child.unique_id, '2026-03-01T21:00:00')])
  const note = { real_user_id, created_at: '2026-03-01', memo: 'Slept well' }
  await server.post('/api/v1/beta/event', { token: owner.token, json: note })
  const viewer = await addMember(server, owner, { real_user_id, role: 'viewer' })
  await handOver()
  expect([await roleOf(guardian), await roleOf(owner), await roleOf(viewer)]).toEqual([
    'owner',
    'guardian',
    'viewer',
  ])
  for (const account of [guardian, owner, viewer]) {
    const day = { real_user_id, event_date: '2026-03-01' }
    expect((await get('event', account, day)).body).toMatchObject({
      memo: 'Slept well',
      treatment_data: [{}],
    })
  }
  expect(await devices(server).list(guardian)).toMatchObject([{ real_user_id, unique_id: child.unique_id }])
  const { members, transfer } = (await list(guardian, real_user_id)).body
  expect(members).toMatchObject([
    { share_id: viewer.share_id },
    { role: 'guardian', email: owner.email, until: null },
  ])
  expect(transfer).toBeUndefined()
  expect((await mailTo(server, owner.email))['subject']).toBe('Companion에서 자녀를 넘겨주었습니다')
  // Nobody has lost anything.
  expect(
    await rows(`SELECT FROM alert WHERE kind = 'access_ended' AND real_user_id = $1`, [real_user_id]),
  ).toEqual([])
  const reason = `child ${real_user_id} from account ${owner.id} to ${guardian.id}, share ${guardian.share_id}`
  expect(await recorded(server, 'child_transfer')).toEqual([
    { root_user_id: guardian.id, reason },
    { root_user_id: owner.id, reason },
  ])
  expect(await acceptTransfer(guardian, real_user_id)).toMatchObject(notFound)
})

test('what the old owner gave ends: invitations, clinics, and grants, which stay for other children', async () => {
  const { real_user_id: sibling } = await addChild(server, owner.token)
  const alone = await grantDirectly(server, { rootUserId: owner.id, child: real_user_id })
  const both = await grantDirectly(server, { rootUserId: owner.id, child: real_user_id })
  await server.database.sql
    .insertInto('access_grant_child')
    .values({ grant_id: both, real_user_id: sibling })
    .execute()
  await invite(owner, { real_user_id, email: anyEmail() })
  const { clinic_id, code } = await newClinic(server)
  const doctor = await addClinician(server, clinic_id)
  await connectClinic(server, owner, { code, real_user_id })
  const read = async () => (await get('chart/recent', doctor, { real_user_id })).status
  expect(await read()).toBe(200)
  await handOver()
  expect(await read()).toBe(401)
  expect((await clinics(server).listConnections(guardian, real_user_id)).body).toEqual([])
  expect((await list(guardian, real_user_id)).body.invitations).toEqual([])
  const grants = (await get('grant', owner)).body
  expect(grants.map(({ grant_id }: { grant_id: number }) => grant_id)).not.toContain(alone)
  expect(grants).toMatchObject([{ grant_id: both, real_user_ids: [sibling] }])
})

test('the feed tells everybody of it, whatever their role', async () => {
  const viewer = await addMember(server, owner, { real_user_id, role: 'viewer' })
  const accounts = [owner, guardian, viewer]
  const from = await Promise.all(accounts.map(async ({ token }) => (await follow(server, token)).next))
  await handOver()
  for (const [n, { token }] of accounts.entries())
    expect((await follow(server, token, from[n])).items).toMatchObject([
      { kind: 'child.updated', real_user_id },
    ])
})

test('the trail stays, and names both', async () => {
  await get('chart/recent', guardian, { real_user_id })
  await server.trailWritten()
  const before = await rows('SELECT id FROM trail WHERE real_user_id = $1', [real_user_id])
  await handOver()
  await server.trailWritten()
  const after = await rows('SELECT id, operation FROM trail WHERE real_user_id = $1 ORDER BY id', [
    real_user_id,
  ])
  expect(after).toEqual(expect.arrayContaining(before.map((row) => expect.objectContaining(row))))
  expect(after.map(({ operation }) => operation)).toEqual(
    expect.arrayContaining(['shares.offerTransfer', 'shares.acceptTransfer']),
  )
  // What the new owner had read as a guardian, and what the old one reads from now on.
  await get('chart/recent', owner, { real_user_id })
  await server.trailWritten()
  const { items } = (await shares(server).access(guardian, real_user_id)).body
  const reads = items.filter(({ operation }: { operation: string }) => operation === 'charts.recent')
  expect(reads.reduce((sum: number, { times }: { times: number }) => sum + times, 0)).toBe(2)
})

test('only the guardian whom it is for accepts, within seven days and the time of the membership', async () => {
  await offer()
  const other = await addMember(server, owner, { real_user_id, role: 'guardian' })
  for (const account of [owner, other, await signUp(server)])
    expect(await acceptTransfer(account, real_user_id)).toMatchObject(notFound)
  expect(await acceptTransfer(guardian, 2 ** 31 - 1)).toMatchObject(notFound)
  await rows(`UPDATE transfer_offer SET expires_at = now() - interval '1 second' WHERE real_user_id = $1`, [
    real_user_id,
  ])
  expect(await acceptTransfer(guardian, real_user_id)).toMatchObject(notFound)
  expect((await offer()).status).toBe(200)
  await rows(`UPDATE membership SET until = current_date - 2 WHERE id = $1`, [guardian.share_id])
  expect(await acceptTransfer(guardian, real_user_id)).toMatchObject(notFound)
})

test('it goes back in the same way, and the child deleted, or the account, ends the offer', async () => {
  await handOver()
  const [{ share_id }] = (await list(guardian, real_user_id)).body.members
  expect((await offerTransfer(guardian, { real_user_id, share_id })).status).toBe(200)
  expect((await acceptTransfer(owner, real_user_id)).status).toBe(200)
  expect([await roleOf(owner), await roleOf(guardian)]).toEqual(['owner', 'guardian'])
  const [back] = (await list(owner, real_user_id)).body.members
  await offerTransfer(owner, { real_user_id, share_id: back.share_id })
  const json = { real_user_id, unique_id: child.unique_id }
  await server.delete('/api/v1/beta/user/delete-real-user', { token: owner.token, json })
  expect(await acceptTransfer(guardian, real_user_id)).toMatchObject(notFound)
  expect(await rows('SELECT FROM transfer_offer WHERE real_user_id = $1', [real_user_id])).toEqual([])
})

describe('at once', () => {
  test('of twenty acceptances exactly one succeeds', async () => {
    await offer()
    const all = await Promise.all(Array.from({ length: 20 }, () => acceptTransfer(guardian, real_user_id)))
    expect(all.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([
      200,
      ...Array.from({ length: 19 }, () => 404),
    ])
    expect(
      await rows('SELECT FROM membership WHERE real_user_id = $1 AND ended_at IS NULL', [real_user_id]),
    ).toHaveLength(1)
  })

  test('with what ends it: one of the two, never half', async () => {
    const all = ['end', 'withdraw', 'delete child', 'delete owner', 'delete guardian'] as const
    for (const against of [...all, ...all, ...all]) {
      const one = await signUp(server)
      const made = await addChild(server, one.token)
      const named = made.real_user_id
      const two = await addMember(server, one, { real_user_id: named, role: 'guardian' })
      await offerTransfer(one, { real_user_id: named, share_id: two.share_id })
      const root = '/api/v1/beta/user/root-user'
      const ways = {
        end: () => end(one, two.share_id),
        withdraw: () => shares(server).withdrawTransfer(one, named),
        'delete child': () =>
          server.delete('/api/v1/beta/user/delete-real-user', {
            token: one.token,
            json: { real_user_id: named, unique_id: made.unique_id },
          }),
        'delete owner': () => server.delete(root, { token: one.token }),
        'delete guardian': () => server.delete(root, { token: two.token }),
      }
      const [accepted, other] = await Promise.all([acceptTransfer(two, named), ways[against]()])
      expect([against, accepted.status < 500, other.status < 500]).toEqual([against, true, true])
      const [kept] = await rows('SELECT root_user_id, deleted_at FROM real_user WHERE id = $1', [named])
      expect([against, kept.root_user_id]).toEqual([against, accepted.status === 200 ? two.id : one.id])
      if (!against.startsWith('delete ') || against === 'delete child')
        expect([against, accepted.status === 200]).toEqual([against, other.status !== 200])
      const open = await rows(
        'SELECT root_user_id FROM membership WHERE real_user_id = $1 AND ended_at IS NULL',
        [named],
      )
      expect(open.map(({ root_user_id }) => root_user_id)).not.toContain(kept.root_user_id)
      // A child of an account that is gone is gone too.
      const [living] = await rows('SELECT deleted_at FROM root_user WHERE id = $1', [kept.root_user_id])
      if (living.deleted_at !== null) expect([against, kept.deleted_at]).not.toEqual([against, null])
    }
  })
})

describe('readings of base stations', () => {
  const at = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)
  const measure = async ({ unique_id }: { unique_id: string }, date: string, temperature: number) =>
    expect(
      (await uploadReadings(server, [reading(unique_id, `${date}T03:00:00`, { temperature })])).status,
    ).toBe(200)
  const temperatures = async (account: Account, current_date: string, of = real_user_id) => {
    const { status, body } = await get('chart/analysis', account, { real_user_id: of, current_date })
    expect(status).toBe(200)
    return Object.fromEntries(
      body.sleep_env_data
        .filter(({ temperature }: { temperature: number }) => temperature !== 0)
        .map(({ date, temperature }: { date: string; temperature: number }) => [date, temperature]),
    )
  }

  test('past ones stay in the charts of the child; from then on those of the new owner count', async () => {
    const { real_user_id: sibling } = await addChild(server, owner.token)
    const { real_user_id: cousin } = await addChild(server, guardian.token)
    const old = await connectBasestation(server, owner.token)
    const theirs = await connectBasestation(server, guardian.token)
    await measure(old, '2026-03-18', 18)
    await measure(theirs, '2026-03-18', 25)
    await measure(theirs, '2026-03-19', 26)
    await handOver()
    const tomorrow = at(1)
    await measure(old, tomorrow, 17)
    await measure(theirs, tomorrow, 27)
    for (const account of [guardian, owner]) {
      expect(await temperatures(account, '2026-03-20')).toEqual({ '2026-03-18': 18 })
      expect(await temperatures(account, tomorrow)).toEqual({ [tomorrow]: 27 })
    }
    expect(await temperatures(owner, tomorrow, sibling)).toEqual({ [tomorrow]: 17 })
    expect(await temperatures(guardian, '2026-03-20', cousin)).toEqual({ '2026-03-18': 25, '2026-03-19': 26 })
    // Reports have the same, with the serial number of the new owner's base station.
    const report = await get('pdf/export', guardian, {
      real_user_id,
      current_date: '2026-03-18',
      select_mode: 0,
    })
    expect(report.status).toBe(200)
  })

  test('without a base station of the new owner, the past ones still show, and a window after them does not', async () => {
    const old = await connectBasestation(server, owner.token)
    await measure(old, '2026-03-18', 18)
    await handOver()
    expect(await temperatures(guardian, '2026-03-20')).toEqual({ '2026-03-18': 18 })
    expect(await get('chart/analysis', guardian, { real_user_id, current_date: '2026-06-20' })).toMatchObject(
      {
        status: 404,
        body: { detail: 'This device does not belong to the user' },
      },
    )
    const exported = (current_date: string) =>
      get('pdf/export', guardian, { real_user_id, current_date, select_mode: 0 })
    expect((await exported('2026-03-18')).status).toBe(200)
    expect(await exported('2026-06-20')).toMatchObject({ status: 404, body: { detail: 'Device not found' } })
    const report = { real_user_id, start_date: '2026-03-10', end_date: '2026-03-20' }
    expect(
      (await get('pdf/report', guardian, { ...report, basestation_id: old.basestation_id })).status,
    ).toBe(200)
  })

  test('they outlive the account and the base station of the old owner, and go with the child', async () => {
    const old = await connectBasestation(server, owner.token)
    await measure(old, '2026-03-18', 18)
    await handOver()
    await disconnectBasestation(server, owner.token, old.basestation_id)
    await server.delete('/api/v1/beta/user/root-user', { token: owner.token })
    expect(await temperatures(guardian, '2026-03-20')).toEqual({ '2026-03-18': 18 })
    const json = { real_user_id, unique_id: child.unique_id }
    await server.delete('/api/v1/beta/user/delete-real-user', { token: guardian.token, json })
    expect(await rows('SELECT FROM past_reading_day WHERE real_user_id = $1', [real_user_id])).toEqual([])
  })

  test('through two hands, each date shows the home of that time', async () => {
    const first = await connectBasestation(server, owner.token)
    const second = await connectBasestation(server, guardian.token)
    await measure(first, '2026-03-18', 18)
    await handOver()
    await measure(second, at(1), 25)
    const [{ share_id }] = (await list(guardian, real_user_id)).body.members
    await offerTransfer(guardian, { real_user_id, share_id })
    await acceptTransfer(owner, real_user_id)
    await measure(first, at(1), 17)
    expect(await temperatures(owner, '2026-03-20')).toEqual({ '2026-03-18': 18 })
    expect(await temperatures(owner, at(1))).toEqual({ [at(1)]: 25 })
  })
})
