import { keyRingOf } from '@companion/server/encryption/key-ring.ts'
import { emailConditionSql } from '@companion/server/encrypted-columns/lookup.ts'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { callTRPCProcedure, TRPCError } from '@trpc/server'
import { expect, onTestFinished, test } from 'vitest'
import { createServices } from '@companion/server/app.ts'
import { readConfig } from '@companion/server/config/config.ts'
import { addClinic } from '@companion/server/clinics/manage-clinics.ts'
import { storeGrant } from '@companion/server/grants/grant.ts'
import { addClient } from '@companion/server/oauth/manage-clients.ts'
import { oauthAdapter } from '@companion/server/oauth/adapter.ts'
import { openDatabase } from '@companion/server/database/database.ts'
import { createSenders } from '@companion/server/delivery/configured.ts'
import { Failure } from '@companion/server/errors/failure.ts'
import { trpcProcedureCaller } from '@companion/server/http/call-trpc-procedure.ts'
import type { Context } from '@companion/server/http/context.ts'
import { FileResponse } from '@companion/server/http/file-response.ts'
import { operations } from '@companion/server/http/operations.ts'
import type { ServedOperation } from '@companion/server/http/operations.ts'
import { validationIssues } from '@companion/server/http/validation-issues.ts'
import { appRouter } from '@companion/server/router.ts'
import { createLogger } from '@companion/server/telemetry/log.ts'
import { createAuthenticator } from '../support/authenticator.ts'
import { invitationTo } from '../support/clinicians.ts'
import { anyInput } from '../support/any-input.ts'
import { cloneDatabase } from '../support/database.ts'
import { childProfile, devlogItem, signUpBody } from '../support/family.ts'
import { OFFERED_FIRMWARE, offerFirmware } from '../support/firmware.ts'
import { reading } from '../support/basestations.ts'
import { OPERATOR } from '../support/operator.ts'
import { SERVICE } from '../support/oauth.ts'
import { useOpenIdProvider } from '../support/outside/openid.ts'
import type { OpenIdProvider } from '../support/outside/openid.ts'
import type { LocalServer } from '../support/outside/local-server.ts'
import { startReceiver } from '../support/outside/receiver.ts'
import { TEST_SECRET } from '../support/server.ts'

/*
 * The service calls procedures by a walk of its own over their steps (`call-trpc-procedure.ts`), tRPC by another. Two services on
 * equal databases are told the same things, one by each walk: every operation with input that it takes, with much that
 * it does not take, and without its tables. Answers, errors, headers and what is stored must be the same.
 */

const provider = useOpenIdProvider()
const served = new Map(operations(appRouter).map((each) => [each.path, each]))

type Walk = (operation: ServedOperation, ctx: Context, input: unknown) => Promise<unknown>

const ourWalk: Walk = (operation, ctx, input) =>
  trpcProcedureCaller(operation.procedure, operation)(ctx, async () => input)

const walkOfTrpc: Walk = (operation, ctx, input) =>
  callTRPCProcedure({
    router: appRouter,
    path: operation.path,
    type: operation.type,
    ctx,
    getRawInput: async () => input,
    signal: undefined,
    batchIndex: 0,
  })

/** One call as far as its caller can tell. */
interface Told {
  path: string
  input: unknown
  response?: unknown
  error?: unknown
  headers: [name: string, value: string][]
}

/** A service without HTTP on a database of its own, whose operations are called by `walk`. */
async function openWorld(walk: Walk) {
  const { url, drop } = await cloneDatabase()
  const directory = await mkdtemp(join(tmpdir(), 'companion-walk-'))
  const config = readConfig({
    DATABASE_URL: url,
    TOKEN_SECRET: TEST_SECRET,
    OUTBOX_FILE: join(directory, 'outbox.jsonl'),
    RATE_LIMITS: 'off',
    SOCIAL_PROVIDERS: provider.configuration,
  })
  const database = await openDatabase(url, { keyRing: keyRingOf(config, TEST_SECRET) })
  onTestFinished(async () => {
    await database.close()
    await drop()
    await rm(directory, { recursive: true, force: true })
  })
  const log = createLogger('silent')
  const services = createServices({
    config,
    tokenSecret: TEST_SECRET,
    database,
    ...createSenders(config),
    log,
  })
  const told: Told[] = []

  /** Calls an operation; resolves to its response, or to nothing when it is refused. */
  async function call(
    path: string,
    input: unknown,
    { token, headers = {} }: { token?: string | undefined; headers?: Record<string, string> } = {},
  ): Promise<any> {
    const operation = served.get(path)
    if (!operation) throw new RangeError(`There is no operation ${path}`)
    const responseHeaders: Told['headers'] = []
    const ctx: Context = {
      ...services,
      request: {
        id: 'a-request-of-this-test',
        address: '192.0.2.1',
        headers: { ...headers, ...(token === undefined ? {} : { authorization: `Bearer ${token}` }) },
        surface: 'rest',
        origin: () => 'https://api.example.com',
        responseHeader: (name, value) => void responseHeaders.push([name, value]),
      },
    }
    const call = { path, input, headers: responseHeaders }
    try {
      const response = await walk(operation, ctx, input)
      told.push({ ...call, response: await plain(response) })
      return response
    } catch (error) {
      told.push({ ...call, error: describe(error, input) })
      return undefined
    }
  }

  return {
    told,
    call,
    database,
    trail: services.trail,
    outbox: async (to: string): Promise<Record<string, string>> =>
      (await readFile(config.outboxFile, 'utf8'))
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line))
        .findLast((message) => message.to === to),
  }
}

type World = Awaited<ReturnType<typeof openWorld>>

/** A response as it can be compared. A file is answered to a HEAD that nobody sent, so that it lets go of what it holds. */
async function plain(response: unknown): Promise<unknown> {
  if (!(response instanceof FileResponse)) return response
  const request = new IncomingMessage(new Socket())
  request.method = 'HEAD'
  await response.send(new ServerResponse(request), 'application/octet-stream')
  return { file: response.name, isEmpty: response.size === 0 }
}

function describe(error: unknown, input: unknown): unknown {
  if (!(error instanceof TRPCError)) return { thrown: String(error) }
  const { name, code, message } = error
  const failure = error instanceof Failure && [error.status, error.detail, error.headers]
  return { name, code, message, failure, issues: validationIssues(error, input, '') }
}

/** With names in place of what differs between any two services: tokens, codes, random ids, cursors and the time. */
const comparable = (told: readonly Told[]): unknown[] =>
  JSON.parse(
    JSON.stringify(told)
      .replaceAll(/eyJ[\w-]+\.[\w-]+\.[\w-]+/g, '<token>')
      .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<time>')
      // Cursors of the feed hold numbers of transactions.
      .replaceAll(/"next":"[\w-]+"/g, '"next":"<cursor>"')
      .replaceAll(/"id":"[\da-f-]{36}"/g, '"id":"<uuid>"')
      // What is left of a token that is answered again.
      .replaceAll(/"(refresh_)?expires_in":\d+/g, '"$1expires_in":"<seconds>"')
      // What an authenticator makes.
      .replaceAll(
        /"(challenge|id|rawId|clientDataJSON|attestationObject|authenticatorData|signature)":"[\w-]+"/g,
        '"$1":"<bytes>"',
      )
      .replaceAll(/"(validnum|token|secret|code)":"[^"]+"/g, '"$1":"<secret>"'),
  )

/** How many rows each table has, but the trail and the security record, which count by the minute. */
async function rowCounts({ database }: World): Promise<unknown> {
  const { rows } = await database.pool.query(
    `SELECT relname, (xpath('//c/text()', query_to_xml(format('SELECT count(*) AS c FROM %I', relname), true, true, '')))[1]::text AS rows
     FROM pg_class WHERE relkind IN ('r', 'p') AND NOT relispartition AND relname !~ '^(trail|security_record)'
       AND relnamespace = 'public'::regnamespace ORDER BY relname`,
  )
  return rows
}

const DAY = '2026-03-01'
const EMAIL = 'jiyoung@example.com'
const PHONE = '+821012345678'
const DEVICES = [1, 2].map((n) => ({
  serial_code: `CMP-00000${n}`,
  mac_id: 'AB12',
  unique_id: `0b3ad1a6-6a8e-4f0e-9c1c-1f6a4c2b7d1${n}`,
}))
const [WORN, SPARE] = DEVICES
const STATION = { serial_code: 'BST-000001', unique_id: '5f0e9c1c-6a8e-4f0e-9c1c-1f6a4c2b7d10' }

async function codeFor({ call, outbox }: World, phone: string, purpose?: 'recovery'): Promise<string> {
  await call('auth.sendSmsCode', { phone, ...(purpose ? { purpose } : {}) })
  return (await outbox(phone))['code'] ?? ''
}

async function signUp(world: World, phone: string, email: string, password: string): Promise<string> {
  const validnum = await codeFor(world, phone)
  const { valid_token } = await world.call('auth.verifyPhone', { phone, validnum })
  const body = { ...signUpBody(phone, email), password }
  return (await world.call('auth.signUp', body, { token: valid_token })).access_token
}

/** Everything that a family does, so that each operation succeeds at least once. */
async function live(
  world: World,
  { signIn: signInAtProvider }: OpenIdProvider,
  receiver: LocalServer,
): Promise<void> {
  const { call, database, trail } = world
  await database.sql
    .insertInto('device')
    .values(DEVICES.map((device) => ({ ...device, device_alias: device.serial_code })))
    .execute()
  await database.sql.insertInto('basestation').values(STATION).execute()
  await signUp(world, PHONE, EMAIL, 'a first password')
  const session = await call('auth.signIn', { username: EMAIL, password: 'a first password' })
  const { refresh_token } = session
  const idempotent = { headers: { 'idempotency-key': 'a key of some length' } }
  const first = await call('auth.refresh', { refresh_token }, idempotent)
  await call('auth.refresh', { refresh_token }, idempotent)
  const token = { token: first.access_token }
  await call('account.me', {}, token)
  await call('account.sendEmailConfirmation', {}, token)
  await call('account.changeEmail', { email: 'new@example.com', password: 'a first password' }, token)
  await call('account.update', { first_name: 'Jiyoung' }, token)
  await call(
    'account.updatePolicy',
    { is_push_agree: true, push_token: 'a-push-token-of-some-length' },
    token,
  )
  await call('account.setPushToken', { token: 'another-push-token-of-some-length' }, token)
  const alerts = {
    is_device_muted: true,
    is_device_alim_talk_enabled: 0,
    is_basestation_alert_enabled: false,
  }
  await call('account.updateNotifications', alerts, token)

  const { real_user_id } = await call('children.create', { ...childProfile, ...WORN }, token)
  await call('children.list', {}, token)
  await call('children.read', { real_user_id }, token)
  await call('children.update', { real_user_id, id: real_user_id, last_name: 'Kim' }, token)
  const { device_id } = await call('devices.connect', { real_user_id, ...SPARE }, token)
  await call('devices.list', {}, token)
  await call('auth.listPhoneCountries', {})
  await call('devices.rename', { device_id, device_alias: 'The spare one' }, token)
  await offerFirmware(world, device_id)
  await call('firmware.check', { device_id }, token)
  await call('firmware.download', { device_id, firmware_id: OFFERED_FIRMWARE }, token)
  await call('firmware.report', { device_id, firmware_id: OFFERED_FIRMWARE, outcome: 'installed' }, token)
  await call('devices.disconnect', { device_id }, token)
  const { basestation_id } = await call('basestations.connect', STATION, token)
  await call('basestations.list', {}, token)
  const readings = [reading(STATION.unique_id, `${DAY}T22:00:00`)]
  await call('basestations.uploadEnvironment', { items: readings })

  const unique_id = WORN?.unique_id ?? ''
  const item = devlogItem(unique_id, `${DAY}T21:00:00`)
  await call('devlogs.upload', { items: [item] })
  await call(
    'devlogs.upload',
    { items: [item, { ...item, log_file_id: -1 }, devlogItem(unique_id, '2026-03-02T21:00:00'), 5] },
    { headers: { prefer: 'handling=lenient' } },
  )
  await call('firmware.checkAsDevice', { unique_id })
  const worn = await world.database.pool.query('SELECT id FROM device WHERE unique_id = $1', [unique_id])
  await offerFirmware(world, worn.rows[0]?.id)
  await call('firmware.downloadAsDevice', { unique_id, firmware_id: OFFERED_FIRMWARE })
  await call('firmware.reportAsDevice', { unique_id, firmware_id: OFFERED_FIRMWARE, outcome: 'installed' })
  await call('devlogs.history', { unique_id })
  await call('devlogs.detail', { unique_id, event_date: DAY })
  await call('devlogs.export', { unique_id, start_date: DAY, end_date: DAY })
  await call('treatments.list', { real_user_id, start_date: DAY, end_date: DAY }, token)
  await call('charts.recent', { real_user_id, current_date: DAY }, token)
  await call('charts.recentByDate', { real_user_id, current_date: DAY }, token)
  const goal = { real_user_id, nights_per_week: 5, minutes: 420 }
  const { plan_id } = await call('plans.set', goal, token)
  await call('plans.list', { real_user_id, current_date: DAY }, token)
  await call('nights.insight', { real_user_id, current_date: DAY }, token)
  await call('plans.remove', { plan_id }, token)
  await call('charts.analysis', { real_user_id, select_mode: 1, year: 2026, select_data: 3 }, token)
  const scores = { attention_score: 1, impulsivity_score: 2, disorder_score: 3 }
  await call('surveys.submit', { real_user_id, ...scores }, token)
  await call('surveys.latest', { real_user_id }, token)
  await call('calendar.saveEvent', { real_user_id, created_at: DAY, memo: 'Slept well' }, token)
  await call('calendar.readDay', { real_user_id, event_date: DAY }, token)
  await call('calendar.history', { real_user_id, select_mode: 1, year: 2026, select_data: 3 }, token)
  await call('reports.pdf', { real_user_id, basestation_id, start_date: DAY, end_date: DAY }, token)
  await call('reports.exportPdf', { real_user_id, current_date: DAY, select_mode: 0 }, token)

  await call('account.giveConsent', { kind: 'terms', version: '1', given: true }, token)
  await call('account.listConsents', {}, token)
  await call('account.exportData', { format: 'json', password: 'a first password' }, token)

  const guest = { email: 'grandmother@example.com', phone: '+821012345671' }
  const member = { token: await signUp(world, guest.phone, guest.email, 'a password of her own') }
  const offer = { real_user_id, role: 'guardian' }
  const { invitation_id } = await call('shares.invite', { ...offer, email: 'nobody@example.com' }, token)
  await call('shares.withdraw', { invitation_id }, token)
  await call('shares.invite', { ...offer, email: guest.email }, token)
  const invited = new URL((await world.outbox(guest.email))['link'] ?? '').searchParams.get('token')
  const { share_id } = await call('shares.accept', { token: invited }, member)
  await call('shares.list', { real_user_id }, member)
  await call('charts.recent', { real_user_id, current_date: DAY }, member)
  await trail.flush()
  await call('shares.access', { real_user_id }, token)
  const handed = { real_user_id, share_id, password: 'a first password' }
  await call('shares.offerTransfer', handed, token)
  await call('shares.withdrawTransfer', { real_user_id }, token)
  await call('shares.offerTransfer', handed, token)
  await call('shares.acceptTransfer', { real_user_id }, member)
  const { members } = await call('shares.list', { real_user_id }, member)
  const back = { real_user_id, share_id: members[0].share_id }
  await call('shares.offerTransfer', { ...back, password: 'a password of her own' }, member)
  await call('shares.acceptTransfer', { real_user_id }, token)
  const again = await call('shares.list', { real_user_id }, token)
  await call('shares.end', { share_id: again.members[0].share_id }, member)

  const { id } = await database.sql
    .selectFrom('root_user')
    .select('id')
    .where(emailConditionSql(database.keyRing, EMAIL))
    .executeTakeFirstOrThrow()
  const grant_id = await database.transaction(async (sql) => {
    const { client_id } = await addClient(sql, { ...SERVICE, client_id: 'sleep-study', is_public: true })
    return storeGrant(sql, {
      rootUserId: id,
      clientId: client_id,
      scopes: ['child:read'],
      children: [real_user_id],
      expiresAt: null,
    })
  })
  const { code, clinic_id } = await database.transaction((sql) =>
    addClinic(sql, { name: 'Seoul Sleep Clinic', url: null }, OPERATOR),
  )
  await call('clinics.find', { code }, token)
  await liveAsClinician(world, { code, real_user_id, clinic_id, token })
  const { connection_id } = await call('clinics.connect', { code, real_user_id }, token)
  await call('clinics.listConnections', { real_user_id }, token)
  await call('clinics.disconnect', { connection_id }, token)
  await call('grants.list', {}, token)
  await call('grants.end', { grant_id }, token)

  await oauthAdapter(database)('ClientCredentials').upsert(
    'a-token-of-the-service',
    { clientId: 'sleep-study', scope: 'child:read' },
    900,
  )
  const service = { token: 'a-token-of-the-service' }
  const { webhook_id } = await call('webhooks.create', { url: receiver.url }, service)
  await call('webhooks.list', {}, service)
  await call('webhooks.rotateSecret', { webhook_id }, service)
  await call('webhooks.enable', { webhook_id }, service)
  await call('webhooks.ping', { webhook_id }, service)
  await call('webhooks.delete', { webhook_id }, service)

  await call('devlogs.delete', { unique_id })
  await call('basestations.disconnect', { basestation_id }, token)
  await call('children.delete', { real_user_id, unique_id }, token)
  const validnum = await codeFor(world, PHONE, 'recovery')
  await call('auth.findAccount', { phone: PHONE, validnum })
  await signUp(world, '+821012345672', 'confirming@example.com', 'a password of its own')
  const passwords = { current_password: 'a first password', new_password: 'a second password' }
  const changed = { token: (await call('account.changePassword', passwords, token)).access_token }
  const phone = '+821012345679'
  await call('account.changePhone', { phone, validnum: await codeFor(world, phone) }, changed)
  const guestLink = new URL((await world.outbox('confirming@example.com'))['link'] ?? '')
  await call('auth.confirmEmail', { token: guestLink.searchParams.get('token'), is_mine: true })
  await call('auth.requestPasswordReset', { email: EMAIL })
  const { link = '' } = await world.outbox(EMAIL)
  const reset = new URL(link).searchParams.get('token')
  await call('auth.confirmPasswordReset', {
    token: reset,
    password: 'a third password',
    validnum: await codeFor(world, phone, 'recovery'),
  })
  const credentials = { username: EMAIL, password: 'a third password' }
  await call('auth.signOut', {}, { token: (await call('auth.signIn', credentials)).access_token })
  await call('account.delete', {}, { token: (await call('auth.signIn', credentials)).access_token })

  const other = '+821012345670'
  const { valid_token } = await call('auth.verifyPhone', {
    phone: other,
    validnum: await codeFor(world, other),
  })
  const social = async (nonce: string) => ({
    provider: 'example',
    id_token: await signInAtProvider('mina', nonce),
    nonce,
  })
  const { password: _, ...profile } = signUpBody(other, 'mina@example.com')
  const newAccount = { ...profile, ...(await social('the first nonce')) }
  await call('auth.socialSignUp', newAccount, { token: valid_token })
  await call('auth.socialSignIn', await social('the second nonce'))
}

/** After these the caller's token is worth nothing. */
const ENDING = ['auth.signOut', 'account.delete']

/** What clinicians do. Each world has passkeys of its own, and nothing of them is told in clear. */
async function liveAsClinician(
  { call, database }: World,
  {
    token: parent,
    clinic_id,
    ...connected
  }: { code: string; real_user_id: number; clinic_id: number; token: { token: string } },
): Promise<void> {
  const authenticator = createAuthenticator('https://api.example.com')
  const accept = async (email: string, role: 'admin' | 'clinician') => {
    const token = await invitationTo({ database }, clinic_id, { email, role })
    const { challenge_id, options } = await call('auth.openClinicianInvitation', { token })
    const credential = authenticator.create(options)
    return call('auth.clinicianSignUp', { token, challenge_id, first_name: 'Dr. Han', credential })
  }
  await accept('doctor@clinic.example.org', 'clinician')
  await accept('admin@clinic.example.org', 'admin')
  const { challenge_id, options } = await call('auth.passkeySignInOptions', {})
  const signed = authenticator.get(options)
  const { access_token } = await call('auth.passkeySignIn', { challenge_id, credential: signed })
  const admin = { token: access_token }
  const creation = await call('account.newPasskeyOptions', {}, admin)
  const added = await call(
    'account.addPasskey',
    { challenge_id: creation.challenge_id, credential: authenticator.create(creation.options) },
    admin,
  )
  await call('account.listPasskeys', {}, admin)
  await call('account.removePasskey', { passkey_id: added.passkey_id }, admin)
  await call('clinics.listMemberships', {}, admin)
  const invited = { clinic_id, email: 'new@clinic.example.org', role: 'clinician' }
  const { invitation_id } = await call('clinics.inviteMember', invited, admin)
  await call('clinics.withdrawInvitation', { clinic_id, invitation_id }, admin)
  const { real_user_id } = connected
  const { connection_id } = await call('clinics.connect', connected, parent)
  await call('clinics.planNights', { clinic_id, real_user_id, nights_per_week: 5, minutes: 300 }, admin)
  await call('clinics.updatePlace', { clinic_id, real_user_id, record_number: 'A-1', is_seen: true }, admin)
  await call('clinics.listChildren', { clinic_id }, admin)
  await call('clinics.disconnect', { connection_id }, admin)
  const { members } = await call('clinics.listMembers', { clinic_id }, admin)
  await call('clinics.removeMember', { clinic_id, member_id: members[0].member_id }, admin)
}

/** Asks every operation for what it cannot do, with a token and without one. */
async function provoke(world: World): Promise<void> {
  const token = await signUp(world, '+821012345600', 'provoking@example.com', 'a password of its own')
  const others = [...served.values()].filter(({ path }) => !ENDING.includes(path))
  const last = ENDING.flatMap((path) => served.get(path) ?? [])
  for (const operation of [...others, ...last]) {
    const input = anyInput(operation)
    const invalid = Object.keys(operation.input.shape).map((field) => ({
      ...input,
      [field]: { wrong: field },
    }))
    for (const each of [undefined, null, 'text', [], ...invalid, {}, input]) {
      for (const caller of [undefined, 'no token', token])
        await world.call(operation.path, each, { token: caller })
    }
  }
}

/** Asks every operation while the database has lost its tables, for errors that no operation foresees. */
async function unsettle(world: World): Promise<void> {
  const token = await signUp(world, '+821012345601', 'unsettled@example.com', 'a password of its own')
  const rename = (from: string, to: string) =>
    world.database.pool.query(`ALTER SCHEMA ${from} RENAME TO ${to}`)
  await rename('public', 'mislaid')
  for (const operation of served.values()) await world.call(operation.path, anyInput(operation), { token })
  await rename('mislaid', 'public')
}

test('every operation answers, refuses and stores the same by both walks', async () => {
  const worlds = [await openWorld(ourWalk), await openWorld(walkOfTrpc)] as const
  const receiver = await startReceiver()
  for (const world of worlds) {
    await live(world, provider, receiver)
    await provoke(world)
    await unsettle(world)
  }
  const [ours, theirs] = worlds
  const answeredByTrpc = comparable(theirs.told)
  const differing = comparable(ours.told).flatMap((call, n) =>
    isDeepStrictEqual(call, answeredByTrpc[n]) ? [] : [{ ours: call, trpc: answeredByTrpc[n] }],
  )
  expect(differing).toEqual([])
  expect(theirs.told).toHaveLength(ours.told.length)
  expect(await rowCounts(ours)).toEqual(await rowCounts(theirs))

  const pathsOf = (told: readonly Told[]) => new Set(told.map(({ path }) => path))
  const every = new Set(served.keys())
  expect(pathsOf(ours.told.filter((call) => 'response' in call))).toEqual(every)
  expect(pathsOf(ours.told.filter((call) => 'error' in call))).toEqual(every)
})
