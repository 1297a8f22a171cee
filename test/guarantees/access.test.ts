import { randomUUID } from 'node:crypto'
import type { inferRouterInputs } from '@trpc/server'
import { beforeAll, describe, expect, test } from 'vitest'
import { operations } from '@companion/server/http/operations.ts'
import { appRouter } from '@companion/server/router.ts'
import type { AppRouter, OperationPath } from '@companion/server/router.ts'
import type { TestResponse } from '../support/client.ts'
import { clinicOf } from '../support/clinicians.ts'
import { newClinic } from '../support/clinics.ts'
import { addDevice, signUp } from '../support/family.ts'
import type { Account } from '../support/family.ts'
import { DAY, familyCalls, nameable } from '../support/good-calls.ts'
import type { Cell, Named } from '../support/good-calls.ts'
import { addBasestation, disconnectBasestation } from '../support/basestations.ts'
import { useServer } from '../support/server.ts'
import { share, shares } from '../support/shares.ts'

/*
 * The access matrix: two families × every operation that names a child, a device, a base station, an event, a membership,
 * an invitation or a grant × {own, the other family's for a guardian, a viewer, a former member and a stranger, deleted, absent}.
 * The table does not compile without a row for every operation and each of the names it takes.
 */

const server = useServer()

const ABSENT = 2 ** 31 - 1

const states = ['own', 'guardian', 'viewer', 'former', 'other', 'deleted', 'absent'] as const
type State = (typeof states)[number]

type Row = Record<State, string> & {
  /** The call of `support/good-calls.ts` names what is tried, unless this says what of it; the rest is the caller's own. */
  names?: (at: Named) => Partial<Cell>
  /**
   * Whose trail tells of the call: that of the child named by `real_user_id`, where there has ever been one; of the wearer of
   * the device; of all children in the home of the base station; of the caller's own child; of the child that is shared, when it
   * is done or refused to somebody who may see the child; a new child's; or of no child, as a base station measures a room (docs/decisions/trail.md).
   */
  trail?: 'child' | 'wearer' | 'home' | 'own' | 'done' | 'new' | 'none'
  /** Asks for no token, so that families do not matter. */
  isPublic?: true
}

/** The fields that name a thing with an owner, each with the row that tests it. */
const byRowOf = {
  real_user_id: 'real_user_id',
  device_id: 'device_id',
  basestation_id: 'basestation_id',
  event_id: 'event_id',
  plan_id: 'plan_id',
  share_id: 'share_id',
  invitation_id: 'invitation_id',
  grant_id: 'grant_id',
  connection_id: 'connection_id',
  unique_id: 'unique_id',
  serial_code: 'unique_id',
  /** Repeats `real_user_id`. */
  id: 'real_user_id',
} as const

/** The rows that an input calls for, by all its fields, however deep. */
type RowsOf<Input> = Input extends readonly (infer Item)[]
  ? RowsOf<Item>
  : Input extends object
    ? {
        [Name in keyof Input]-?: Name extends keyof typeof byRowOf
          ? (typeof byRowOf)[Name]
          : // A passkey has an id of its own.
            Name extends 'credential'
            ? never
            : RowsOf<Input[Name]>
      }[keyof Input]
    : never

type Inputs = inferRouterInputs<AppRouter>
type InputOf<Path> = Path extends `${infer Room extends keyof Inputs}.${infer Name}`
  ? Inputs[Room][Name & keyof Inputs[Room]]
  : never

type Matrix = { [Path in OperationPath]: Record<RowsOf<InputOf<Path>>, Row> }

const ok = '200'
const notAuthorized = '401 Not authorized user'
const childNotFound = '404 Real user is not found'
const deviceNotFound = '404 Not Found Device'
const taken = '409 Already Connected Device'
const notTheirs = '403 This device does not belong to the user'
const noLog = '404 Device Log not found'
const noInvitation = '404 Invitation not found'
const noShare = '404 Share not found'
const noTransfer = '404 Transfer not found'
const noGrant = '404 Grant not found'
const noConnection = '404 Connection not found'
const noPlan = '404 Plan not found'

type Responses = Record<'own' | 'other' | 'deleted' | 'absent', string>
type Roles = Record<'guardian' | 'viewer' | 'former', string>
/** Members are strangers here. */
const ownerOnly = <Row extends Responses>(row: Row): Row & Roles => ({
  ...row,
  guardian: row.other,
  viewer: row.other,
  former: row.other,
})
const guardianToo = <Row extends Responses>(row: Row): Row & Roles => ({
  ...ownerOnly(row),
  guardian: row.own,
})
const viewerToo = <Row extends Responses>(row: Row): Row & Roles => ({ ...guardianToo(row), viewer: row.own })

const child = { own: ok, other: notAuthorized, deleted: notAuthorized, absent: notAuthorized }
const childOr404 = { own: ok, other: notAuthorized, deleted: childNotFound, absent: childNotFound }
const wornDevice = ownerOnly({
  own: ok,
  other: notAuthorized,
  deleted: deviceNotFound,
  absent: deviceNotFound,
})
const updatedDevice = { ...guardianToo(wornDevice), viewer: notAuthorized }
/** Parents do not work in clinics, whatever they are to the child. */
const clinicNotFound = '404 Clinic not found'
const noClinic = {
  own: clinicNotFound,
  other: clinicNotFound,
  deleted: clinicNotFound,
  absent: clinicNotFound,
}
/** A device that nobody wears is offered nothing. */
const anyDevice = { own: ok, other: ok, absent: deviceNotFound }
const freeOnly = ownerOnly({ own: taken, other: taken, deleted: ok, absent: deviceNotFound })

/** Names nothing of a family. */
const nothing = {}

const matrix: Record<string, Record<string, Row>> = {
  'auth.listPhoneCountries': nothing,
  'auth.sendSmsCode': nothing,
  'auth.verifyPhone': nothing,
  'auth.signUp': nothing,
  'auth.signIn': nothing,
  'auth.refresh': nothing,
  'auth.signOut': nothing,
  'auth.requestPasswordReset': nothing,
  'auth.confirmPasswordReset': nothing,
  'auth.confirmEmail': nothing,
  'auth.findAccount': nothing,
  'auth.socialSignIn': nothing,
  'auth.socialSignUp': nothing,
  'auth.openClinicianInvitation': nothing,
  'auth.clinicianSignUp': nothing,
  'auth.passkeySignInOptions': nothing,
  'auth.passkeySignIn': nothing,
  'account.listPasskeys': nothing,
  'account.newPasskeyOptions': nothing,
  'account.addPasskey': nothing,
  'account.removePasskey': nothing,
  'account.me': nothing,
  'account.update': nothing,
  'account.delete': nothing,
  'account.updatePolicy': nothing,
  'account.giveConsent': nothing,
  'account.listConsents': nothing,
  'account.exportData': { real_user_id: ownerOnly(childOr404) },
  'account.setPushToken': nothing,
  'account.updateNotifications': nothing,
  'account.changePassword': nothing,
  'account.changePhone': nothing,
  'account.sendEmailConfirmation': nothing,
  'account.changeEmail': nothing,

  'children.list': nothing,
  'devices.list': nothing,
  'devices.time': nothing,
  'basestations.list': nothing,
  'children.create': {
    unique_id: {
      names: ({ device }) => ({ freeDevice: device }),
      trail: 'new',
      ...freeOnly,
    },
  },
  'children.read': { real_user_id: viewerToo(childOr404) },
  'children.update': { real_user_id: ownerOnly(childOr404) },
  'children.delete': {
    real_user_id: ownerOnly(childOr404),
    unique_id: {
      names: ({ device }) => ({ device }),
      trail: 'own',
      ...ownerOnly({
        own: ok,
        other: '409 Real user delete failed',
        deleted: '409 Real user delete failed',
        absent: '409 Real user delete failed',
      }),
    },
  },
  'devices.connect': {
    real_user_id: ownerOnly(child),
    unique_id: {
      names: ({ device }) => ({ freeDevice: device }),
      trail: 'own',
      ...freeOnly,
    },
  },
  'devices.rename': {
    device_id: {
      trail: 'wearer',
      ...wornDevice,
    },
  },
  'devices.disconnect': {
    device_id: {
      trail: 'wearer',
      ...wornDevice,
    },
  },
  'basestations.connect': {
    unique_id: {
      names: ({ basestation }) => ({ freeBasestation: basestation }),
      trail: 'home',
      ...freeOnly,
    },
  },
  'basestations.disconnect': {
    basestation_id: {
      trail: 'home',
      ...ownerOnly({
        own: ok,
        other: notTheirs,
        deleted: notTheirs,
        absent: '404 Device not found',
      }),
    },
  },
  'basestations.uploadEnvironment': {
    unique_id: {
      trail: 'none',
      ...ownerOnly({
        own: ok,
        other: ok,
        deleted: '409 Not Connected Device',
        absent: deviceNotFound,
      }),
      isPublic: true,
    },
  },
  'firmware.check': { device_id: { trail: 'wearer', ...updatedDevice } },
  'firmware.download': { device_id: { trail: 'wearer', ...updatedDevice } },
  'firmware.report': { device_id: { trail: 'wearer', ...updatedDevice } },
  'firmware.checkAsDevice': {
    unique_id: { trail: 'wearer', ...ownerOnly({ ...anyDevice, deleted: '204 ""' }), isPublic: true },
  },
  'firmware.downloadAsDevice': {
    unique_id: {
      trail: 'wearer',
      ...ownerOnly({ ...anyDevice, deleted: '404 Firmware not found' }),
      isPublic: true,
    },
  },
  'firmware.reportAsDevice': {
    unique_id: { trail: 'wearer', ...ownerOnly({ ...anyDevice, deleted: ok }), isPublic: true },
  },
  'devlogs.upload': {
    unique_id: {
      trail: 'wearer',
      ...ownerOnly({
        own: ok,
        other: notAuthorized,
        deleted: '409 Not Connected Device',
        absent: deviceNotFound,
      }),
    },
  },
  'devlogs.delete': {
    unique_id: {
      trail: 'wearer',
      ...ownerOnly({
        own: ok,
        other: ok,
        deleted: noLog,
        absent: noLog,
      }),
      isPublic: true,
    },
  },
  'devlogs.history': {
    unique_id: {
      trail: 'wearer',
      ...ownerOnly({
        own: ok,
        other: ok,
        deleted: ok,
        absent: ok,
      }),
      isPublic: true,
    },
  },
  'devlogs.detail': {
    unique_id: {
      trail: 'wearer',
      ...ownerOnly({
        own: ok,
        other: ok,
        deleted: ok,
        absent: '400 Failed to read detail event',
      }),
      isPublic: true,
    },
  },
  'devlogs.export': {
    unique_id: {
      trail: 'wearer',
      ...ownerOnly({
        own: ok,
        other: ok,
        deleted: noLog,
        absent: noLog,
      }),
      isPublic: true,
    },
  },
  'treatments.list': { real_user_id: viewerToo(child) },
  'charts.recent': { real_user_id: viewerToo(child) },
  'charts.recentByDate': { real_user_id: viewerToo(child) },
  'charts.analysis': { real_user_id: viewerToo(child) },
  'nights.insight': { real_user_id: viewerToo(child) },
  'plans.list': { real_user_id: viewerToo(child) },
  'plans.set': { real_user_id: guardianToo(child) },
  'plans.remove': {
    plan_id: {
      trail: 'done',
      ...guardianToo({ own: ok, other: noPlan, deleted: noPlan, absent: noPlan }),
      viewer: notAuthorized,
    },
  },
  'surveys.submit': { real_user_id: guardianToo(child) },
  'surveys.latest': { real_user_id: viewerToo(child) },
  'calendar.history': { real_user_id: viewerToo(child) },
  'calendar.readDay': {
    real_user_id: {
      ...viewerToo({
        own: ok,
        other: notAuthorized,
        deleted: '400 Failed to read detail event',
        absent: '400 Failed to read detail event',
      }),
    },
  },
  'calendar.saveEvent': {
    real_user_id: {
      ...guardianToo({
        own: ok,
        other: notAuthorized,
        deleted: '404 Real User id is not valid',
        absent: '404 Real User id is not valid',
      }),
    },
    event_id: {
      names: ({ event_id }) => ({ changedEvent: event_id }),
      trail: 'own',
      ...ownerOnly({
        own: ok,
        other: '404 Event not found',
        deleted: '404 Event not found',
        absent: '404 Event not found',
      }),
    },
  },
  'reports.pdf': {
    real_user_id: viewerToo(childOr404),
    basestation_id: {
      names: ({ basestation }) => ({ basestation }),
      trail: 'own',
      ...ownerOnly({
        own: ok,
        other: notTheirs,
        deleted: notTheirs,
        absent: '404 Device not found',
      }),
    },
  },
  'reports.exportPdf': { real_user_id: viewerToo(childOr404) },
  'shares.accept': nothing,
  'shares.invite': { real_user_id: ownerOnly(childOr404) },
  'shares.list': { real_user_id: viewerToo(child) },
  'shares.access': { real_user_id: ownerOnly(child) },
  'shares.withdraw': {
    invitation_id: {
      trail: 'done',
      ...ownerOnly({ own: ok, other: noInvitation, deleted: noInvitation, absent: noInvitation }),
    },
  },
  'shares.end': {
    // The membership of somebody else, which no other member may end.
    share_id: {
      trail: 'done',
      ...ownerOnly({ own: ok, other: noShare, deleted: noShare, absent: noShare }),
    },
  },
  'shares.offerTransfer': {
    real_user_id: ownerOnly(childOr404),
    share_id: {
      trail: 'own',
      ...ownerOnly({ own: ok, other: noShare, deleted: noShare, absent: noShare }),
      names: ({ share_id }) => ({ share_id }),
    },
  },
  // Both of a child that was just offered to its newest guardian.
  'shares.acceptTransfer': {
    real_user_id: {
      ...ownerOnly({ own: noTransfer, other: noTransfer, deleted: noTransfer, absent: noTransfer }),
      guardian: ok,
    },
  },
  'shares.withdrawTransfer': {
    real_user_id: guardianToo({ own: ok, other: noTransfer, deleted: noTransfer, absent: noTransfer }),
  },
  'clinics.find': nothing,
  'clinics.connect': { real_user_id: ownerOnly(childOr404) },
  'clinics.listConnections': { real_user_id: guardianToo(child) },
  // Those of clinicians: clinicians.test.ts.
  'clinics.listMemberships': nothing,
  'clinics.listMembers': nothing,
  'clinics.inviteMember': nothing,
  'clinics.withdrawInvitation': { invitation_id: { trail: 'none', ...ownerOnly(noClinic) } },
  'clinics.removeMember': nothing,
  'clinics.listChildren': { real_user_id: ownerOnly(noClinic) },
  'clinics.updatePlace': { real_user_id: ownerOnly(noClinic) },
  'clinics.planNights': { real_user_id: ownerOnly(noClinic) },
  'clinics.disconnect': {
    connection_id: {
      trail: 'done',
      ...ownerOnly({ own: ok, other: noConnection, deleted: noConnection, absent: noConnection }),
    },
  },
  'grants.list': nothing,
  'changes.list': nothing,
  // An account cannot call them at all: test/contract/webhooks/create.test.ts.
  'webhooks.create': nothing,
  'webhooks.list': nothing,
  'webhooks.delete': nothing,
  'webhooks.rotateSecret': nothing,
  'webhooks.enable': nothing,
  'webhooks.ping': nothing,
  'grants.end': {
    grant_id: {
      trail: 'done',
      ...ownerOnly({ own: ok, other: noGrant, deleted: noGrant, absent: noGrant }),
    },
  },
} satisfies Matrix

/** Identifiers that name nothing of a family. */
const harmless = new Set([
  'mac_id',
  'log_file_id',
  'webhook_id',
  'firmware_id',
  'clinic_id',
  'member_id',
  'passkey_id',
  'challenge_id',
])

/** The names of all fields in a JSON schema, however deep. */
function fieldsOf(schema: unknown): string[] {
  if (typeof schema !== 'object' || schema === null) return []
  const properties: unknown = Reflect.get(schema, 'properties')
  const names = typeof properties === 'object' && properties !== null ? Object.keys(properties) : []
  const parts = Object.entries(schema).filter(([name]) => !/credential$/i.test(name))
  return [...names, ...parts.flatMap(([, part]) => fieldsOf(part))]
}

const isIdentifier = (name: string) =>
  !harmless.has(name) && (/(^|_)ids?$/.test(name) || name === 'serial_code')

test.each(operations(appRouter).map(({ path, input }) => [path, input] as const))(
  'the table knows every name that %s takes',
  (path, input) => {
    const names = fieldsOf(input.toJSONSchema({ io: 'input', unrepresentable: 'any' })).filter(isIdentifier)
    const rows = new Map(Object.entries(byRowOf))
    expect(names.filter((name) => !matrix[path]?.[rows.get(name) ?? ''])).toEqual([])
  },
)

test.each(operations(appRouter).map(({ path, operation }) => [path, operation.right] as const))(
  'the table admits to %s those whom it declares to admit',
  (path, right) => {
    const row = matrix[path]?.['real_user_id']
    // What the owner cannot do says itself whom it admits.
    if (!row || right === undefined || row.own !== ok) return
    const admitted = (['guardian', 'viewer', 'former', 'other'] as const).filter(
      (role) => row[role] === row.own,
    )
    expect(admitted).toEqual(
      { self: [], owner: [], guardian: ['guardian'], viewer: ['guardian', 'viewer'] }[right],
    )
  },
)

/** New ones for each test: every call about a base station is told of each child of its family. */
const twoFamilies = async () => [await signUp(server), await signUp(server)] as const

/** Is a guardian of every child that the tests make, so that there is somebody to list and to end. */
let guardian: Account
beforeAll(async () => {
  guardian = await signUp(server)
})

const make = (account: Account) => nameable(server, account, guardian)

const calls = new Map<string, (cell: Cell) => Promise<TestResponse>>(
  Object.entries({
    ...familyCalls(server),
    'shares.acceptTransfer': ({ token, real_user_id }: Cell) =>
      shares(server).acceptTransfer({ token }, real_user_id),
  }),
)

/** Calls of clinicians, as parents make them. */
const ofClinics: Record<string, (cell: Cell) => Promise<TestResponse>> = {
  'clinics.listChildren': ({ token, real_user_id }) =>
    clinicOf(server, 1).children({ token }, { real_user_id }),
  'clinics.updatePlace': ({ token, real_user_id }) =>
    clinicOf(server, 1).updatePlace({ token }, real_user_id, { is_seen: true }),
  'clinics.withdrawInvitation': ({ token, invitation_id }) =>
    clinicOf(server, 1).withdrawInvitation({ token }, invitation_id),
  'clinics.planNights': ({ token, real_user_id }) =>
    clinicOf(server, 1).planNights({ token }, real_user_id, { nights_per_week: 5, minutes: 300 }),
}

/** One call: with whose token, at what, and what the caller has of their own for the other fields. */
async function callAt(
  path: string,
  { names = (at) => at }: Row,
  { token, at, own }: { token: string; at: Named; own: Named },
): Promise<TestResponse> {
  const call = calls.get(path) ?? ofClinics[path]
  if (!call) throw new Error(`${path} is not among the familyCalls of test/support/good-calls.ts`)
  const free = {
    freeDevice: await addDevice(server),
    freeBasestation: await addBasestation(server),
    clinicCode: (await newClinic(server)).code,
  }
  return call({ token, ...own, ...free, ...names(at) })
}

/** An open offer of the child to its newest guardian, if it has one. */
const offerToGuardian = ({ real_user_id }: Named) =>
  server.database.pool.query(
    `INSERT INTO transfer_offer (real_user_id, membership_id, expires_at)
     SELECT real_user_id, id, now() + interval '7 days' FROM membership
     WHERE real_user_id = $1 AND role = 'guardian' AND ended_at IS NULL ORDER BY id DESC LIMIT 1 ON CONFLICT DO NOTHING`,
    [real_user_id],
  )

/** Something of `others` that the caller is a member of, or was. */
async function makeShared(caller: Account, others: Account, state: 'guardian' | 'viewer' | 'former') {
  const made = await make(others)
  const role = state === 'former' ? 'guardian' : state
  const { share_id } = await share(server, others, caller, { real_user_id: made.real_user_id, role })
  if (state === 'former') await shares(server).end(others, share_id)
  return made
}

async function makeDeleted(account: Account): Promise<Named> {
  const made = await make(account)
  await server.delete('/api/v1/beta/user/delete-real-user', {
    token: account.token,
    json: { real_user_id: made.real_user_id, unique_id: made.device.unique_id },
  })
  await disconnectBasestation(server, account.token, made.basestation.basestation_id)
  return made
}

const absent = (): Named => ({
  real_user_id: ABSENT,
  device: { device_id: ABSENT, serial_code: 'CMP-NOWHERE', mac_id: '0000', unique_id: randomUUID() },
  basestation: { basestation_id: ABSENT, serial_code: 'BST-NOWHERE', unique_id: randomUUID() },
  event_id: ABSENT,
  plan_id: ABSENT,
  share_id: ABSENT,
  invitation_id: ABSENT,
  grant_id: ABSENT,
  connection_id: ABSENT,
})

/** Everything that the other family can see of what was named. */
async function seen({ token }: Account, { real_user_id }: Named): Promise<unknown[]> {
  const calls = [
    ['/api/v1/beta/user/real-user', {}],
    ['/api/v1/beta/device', {}],
    ['/api/v1/beta/basestation', {}],
    ['/api/v1/beta/event', { real_user_id, event_date: DAY }],
    ['/api/v1/beta/chart/recent', { real_user_id, current_date: '2026-03-07' }],
    ['/api/v1/beta/chart/survey/analysis', { real_user_id }],
    ['/api/v1/beta/share', { real_user_id }],
  ] as const
  const responses = await Promise.all(calls.map(([path, query]) => server.get(path, { token, query })))
  return responses.map(({ status, body }) => ({ status, body }))
}

const reads = new Set(
  operations(appRouter).flatMap(({ path, operation }) => (operation.method === 'GET' ? [path] : [])),
)

const outcome = ({ status, body }: TestResponse) =>
  status === 200 ? ok : `${status} ${typeof body?.detail === 'string' ? body.detail : JSON.stringify(body)}`

/** How often the trail tells of what. */
async function trail(): Promise<Map<string, number>> {
  await server.trailWritten()
  const { rows } = await server.database.pool.query<{ entry: string; times: number }>(
    `SELECT concat_ws(' ', real_user_id, operation, outcome) AS entry, sum(times)::int AS times FROM trail GROUP BY 1`,
  )
  return new Map(rows.map(({ entry, times }) => [entry, times]))
}

const newIn = (after: Map<string, number>, before: Map<string, number>) =>
  [...after].flatMap(([entry, times]) => Array<string>(times - (before.get(entry) ?? 0)).fill(entry))

/** What the trail has to tell of one call, and nothing else. */
function expectedTrail(
  path: string,
  { trail: whose = 'child', ...row }: Row,
  { state, named, own, home }: { state: State; named: Named; own: Named; home: readonly number[] },
): string[] {
  const isThere = !['deleted', 'absent'].includes(state)
  const told = row[state] === ok ? 'ok' : row[state]
  const entry = (child: number) => `${child} ${path} ${told}`
  const of = ({ real_user_id }: Named) => [entry(real_user_id)]
  if (whose === 'child') return state === 'absent' ? [] : of(named)
  if (whose === 'wearer') return isThere ? of(named) : []
  if (whose === 'own') return of(own)
  if (whose === 'home') return isThere || told === 'ok' ? home.map(entry) : []
  if (whose === 'none' || !['ok', notAuthorized].includes(told)) return []
  if (whose === 'new') return [expect.stringMatching(`^\\d+ ${path} ok$`)]
  return of(named)
}

/** The children of an account. */
async function childrenOf({ id }: Account): Promise<number[]> {
  const { rows } = await server.database.pool.query<{ id: number }>(
    'SELECT id FROM real_user WHERE root_user_id = $1 AND deleted_at IS NULL',
    [id],
  )
  return rows.map((row) => row.id)
}

// A comparison of ids by size would let one of the two in; for that, its own and the other's suffice.
describe.each([
  ['one family', 0, 1, states],
  ['the other', 1, 0, ['own', 'other']],
] as const)('%s', (_name, me, they, tried) => {
  const rows = Object.entries(matrix).flatMap(([path, fields]) =>
    Object.entries(fields).map(([field, row]) => ({ path, field, row })),
  )

  test.each(rows)('$path by $field', async ({ path, row }) => {
    const isRead = reads.has(path)
    const families = await twoFamilies()
    const [caller, others] = [families[me], families[they]]
    const outcomes: Record<string, string> = {}
    const before: unknown[] = []
    const after: unknown[] = []
    const untouched = await make(caller)
    for (const state of tried) {
      const own = state === 'own' ? await make(caller) : untouched
      const shared = (role: 'guardian' | 'viewer' | 'former') => () => makeShared(caller, others, role)
      const at = {
        own: () => own,
        guardian: shared('guardian'),
        viewer: shared('viewer'),
        former: shared('former'),
        other: () => make(others),
        deleted: () => makeDeleted(caller),
        absent,
      }
      const named = await at[state]()
      if (path === 'shares.acceptTransfer' || path === 'shares.withdrawTransfer') await offerToGuardian(named)
      const isTheirs = !['own', 'deleted', 'absent'].includes(state) && row[state] !== ok && !row.isPublic
      if (isTheirs && !isRead) before.push(await seen(others, named))
      const home = await childrenOf(['own', 'deleted'].includes(state) ? caller : others)
      const told = await trail()
      outcomes[state] = outcome(await callAt(path, row, { token: caller.token, at: named, own }))
      expect({ state, trail: newIn(await trail(), told).toSorted() }).toEqual({
        state,
        trail: expectedTrail(path, row, { state, named, own, home }).toSorted(),
      })
      if (isTheirs && !isRead) after.push(await seen(others, named))
    }
    expect(outcomes).toEqual(Object.fromEntries(tried.map((state) => [state, row[state]])))
    expect(after).toEqual(before)
  })
})

test('a caller without a token gets nowhere', async () => {
  const own = await make(await signUp(server))
  const asked = operations(appRouter).filter(
    ({ path, operation }) => operation.token === 'access' && matrix[path],
  )
  expect(asked.length).toBeGreaterThan(10)
  for (const { path } of asked) {
    for (const row of Object.values(matrix[path] ?? {})) {
      expect(outcome(await callAt(path, row, { token: '', at: own, own }))).toBe(
        '401 Could not validate credentials',
      )
    }
  }
})

test('no list shows anything of another family', async () => {
  const [me, they] = await twoFamilies()
  const [mine, theirs] = [await make(me), await make(they)]
  for (const path of [
    '/api/v1/beta/user/real-user',
    '/api/v1/beta/device',
    '/api/v1/beta/basestation',
    '/api/v1/beta/chart/survey/analysis',
  ]) {
    const text = JSON.stringify((await server.get(path, { token: me.token })).body)
    expect(text).not.toContain(theirs.device.unique_id)
    expect(text).not.toContain(theirs.basestation.unique_id)
    expect(text).not.toMatch(new RegExp(`"(root_user_id)":${they.id}\\b`))
  }
  const devices = await server.get('/api/v1/beta/device', { token: me.token })
  expect(JSON.stringify(devices.body)).toContain(mine.device.unique_id)
})
