import { decryptRow } from '@companion/server/encrypted-columns/encrypted-tables.ts'
import { randomUUID } from 'node:crypto'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { purge } from '@companion/server/retention/purge.ts'
import { companion } from '../support/command.ts'
import { addChild, anyEmail, devlogItem, signIn, signUp, upload } from '../support/family.ts'
import type { Account } from '../support/family.ts'
import { connectBasestation, reading, uploadReadings } from '../support/basestations.ts'
import { tally } from '../support/response-tally.ts'
import { addMember, invitationToken, share, shares } from '../support/shares.ts'
import { useServer } from '../support/server.ts'
import { until } from '../support/until.ts'

/* What a member sees, that it ends when it ends, and that nobody's right or data is left behind. */

const server = useServer()
const calls = shares(server)
afterEach(() => void vi.useRealTimers())

const DAY = 86_400_000
const NIGHT = '2026-03-01'
const rows = async (sql: string, values: unknown[] = []) =>
  (await server.database.pool.query(sql, values)).rows
const times = <Result>(count: number, work: (n: number) => Promise<Result>) =>
  Promise.all(Array.from({ length: count }, (_, n) => work(n)))

let owner: Account
let child: Awaited<ReturnType<typeof addChild>>
let real_user_id: number
beforeEach(async () => {
  owner = await signUp(server)
  child = await addChild(server, owner.token)
  ;({ real_user_id } = child)
})

const recent = ({ token }: Pick<Account, 'token'>, id = real_user_id) =>
  server.get('/api/v1/beta/chart/recent', { token, query: { real_user_id: id, current_date: NIGHT } })
const refused = { status: 401, body: { detail: 'Not authorized user' } }

async function invited(email = anyEmail()): Promise<{ token: string; invitation_id: number }> {
  const { body } = await calls.invite(owner, { real_user_id, email })
  return { token: await invitationToken(server, email), invitation_id: body.invitation_id }
}

const deleteAccount = ({ token }: Account) => server.delete('/api/v1/beta/user/root-user', { token })
const deleteChild = () =>
  server.delete('/api/v1/beta/user/delete-real-user', {
    token: owner.token,
    json: { real_user_id, unique_id: child.unique_id },
  })

test("a member's lists show shared children with its role, and no key to the calls of devices", async () => {
  const { basestation_id, serial_code } = await connectBasestation(server, owner.token)
  const viewer = await addMember(server, owner, { real_user_id, role: 'viewer' })
  const own = await addChild(server, viewer.token)
  const get = async (path: string) => (await server.get(`/api/v1/beta/${path}`, viewer)).body
  expect(await get('user/real-user')).toEqual([
    expect.objectContaining({ id: real_user_id, root_user_id: owner.id, role: 'viewer' }),
    expect.objectContaining({ id: own.real_user_id, root_user_id: viewer.id, role: 'owner' }),
  ])
  const [shared, mine] = await get('device')
  expect(mine).toMatchObject({ real_user_id: own.real_user_id, unique_id: own.unique_id })
  expect(shared).toEqual({
    device_id: child.device_id,
    real_user_id,
    serial_code: child.serial_code,
    device_alias: child.serial_code,
    now_firmware_id: 1,
    last_log_file_id: 0,
    created_at: expect.any(String),
    connected_at: expect.any(String),
    last_upload_at: null,
  })
  expect(await get('basestation')).toEqual([
    { basestation_id, serial_code, connected_at: expect.any(String) },
  ])
  // Two children of one owner bring its base station once.
  const sibling = await addChild(server, owner.token)
  await share(server, owner, viewer, { real_user_id: sibling.real_user_id, role: 'guardian' })
  expect(await get('basestation')).toHaveLength(1)
})

test("a member's charts and reports are those of the owner, with the owner's base station", async () => {
  await upload(server, [devlogItem(child.unique_id, `${NIGHT}T21:00:00`)])
  const { basestation_id, unique_id } = await connectBasestation(server, owner.token)
  await uploadReadings(server, [reading(unique_id, `${NIGHT}T22:00:00`, { temperature: 21.5 })])
  const viewer = await addMember(server, owner, { real_user_id, role: 'viewer' })
  const other = await connectBasestation(server, viewer.token)
  for (const path of [
    `chart/recent?current_date=${NIGHT}`,
    `chart/analysis?current_date=${NIGHT}`,
    `event?event_date=${NIGHT}`,
    'event/history?select_mode=3&year=2026',
    'chart/survey/analysis?',
  ]) {
    const [seen, his] = await Promise.all(
      [viewer, owner].map(({ token }) =>
        server.get(`/api/v1/beta/${path}&real_user_id=${real_user_id}`.replace('?&', '?'), { token }),
      ),
    )
    expect([path, seen?.status, seen?.body]).toEqual([path, 200, his?.body])
  }
  const report = (id: number) =>
    server.get('/api/v1/beta/pdf/report', {
      token: viewer.token,
      query: { real_user_id, basestation_id: id, start_date: NIGHT, end_date: NIGHT },
    })
  expect((await report(basestation_id)).status).toBe(200)
  expect(await report(other.basestation_id)).toMatchObject({
    status: 403,
    body: { detail: 'This device does not belong to the user' },
  })
  // Without a child, the surveys are the caller's own.
  const json = { real_user_id, attention_score: 1, impulsivity_score: 2, disorder_score: 3 }
  await server.post('/api/v1/beta/survey', { token: owner.token, json })
  const surveys = await server.get('/api/v1/beta/chart/survey/analysis', { token: viewer.token })
  expect(surveys.body).toEqual({ survey_analysis: [] })
})

test('a membership ends with its last day, in the time zone of the service', async () => {
  const at = (text: string) => vi.useFakeTimers({ toFake: ['Date'], now: new Date(text) })
  at('2026-11-20T12:00:00Z')
  owner = await signUp(server)
  ;({ real_user_id } = await addChild(server, owner.token))
  const member = await addMember(server, owner, { real_user_id, role: 'guardian', until: '2026-11-22' })
  const tokenAt = async (text: string) => {
    at(text)
    return { token: (await signIn(server, member.email)).body.access_token }
  }
  // 23:59 in New York, where it is four or five hours earlier.
  const last = await tokenAt('2026-11-23T04:59:00Z')
  expect((await recent(last)).status).toBe(200)
  at('2026-11-23T05:00:00Z')
  expect(await recent(last)).toMatchObject(refused)
  expect((await server.get('/api/v1/beta/user/real-user', last)).body).toEqual([])
  const save = { real_user_id, created_at: NIGHT, memo: 'Too late' }
  expect(await server.post('/api/v1/beta/event', { ...last, json: save })).toMatchObject(refused)
})

test('what was asked for at once with the end is answered or refused, and what comes after it is refused', async () => {
  for (let round = 0; round < 5; round += 1) {
    const member = await addMember(server, owner, { real_user_id, role: 'viewer' })
    const reads = times(60, () => recent(member))
    const ended = calls.end(owner, member.share_id).then(async ({ status }) => {
      expect(status).toBe(200)
      return times(30, () => recent(member))
    })
    const { 200: early = 0, '401 Not authorized user': late = 0 } = tally(await reads)
    expect(early + late).toBe(60)
    expect(tally(await ended)).toEqual({ '401 Not authorized user': 30 })
  }
})

test('of 20 accounts that accept one invitation at once, one is a member', async () => {
  const { token } = await invited()
  const accounts = await times(20, () => signUp(server))
  const responses = await Promise.all(accounts.map((account) => calls.accept(account, token)))
  expect(tally(responses)).toEqual({ 200: 1, '400 Invitation is invalid': 19 })
  expect((await calls.list(owner, real_user_id)).body.members).toHaveLength(1)
})

test('of 10 invitations that one account accepts at once, one is used', async () => {
  const offers = await times(10, () => invited())
  const member = await signUp(server)
  const responses = await Promise.all(offers.map(({ token }) => calls.accept(member, token)))
  expect(tally(responses)).toEqual({ 200: 1, '409 Already shared': 9 })
  const { members, invitations } = (await calls.list(owner, real_user_id)).body
  expect([members.length, invitations.length]).toEqual([1, 9])
})

test('accepting against withdrawing: one of them wins', async () => {
  const outcomes = new Set<string>()
  for (let round = 0; round < 15; round += 1) {
    const { token, invitation_id } = await invited()
    const member = await signUp(server)
    const withdrawing = () => calls.withdraw(owner, invitation_id)
    const accepting = () => calls.accept(member, token)
    const [first, second] = await Promise.all(
      round % 2 ? [accepting(), withdrawing()] : [withdrawing(), accepting()],
    )
    const [accepted, withdrawn] = round % 2 ? [first, second] : [second, first]
    const outcome = `${accepted.status} ${withdrawn.status}`
    expect(['200 404', '400 200']).toContain(outcome)
    expect((await recent(member)).status).toBe(accepted.status === 200 ? 200 : 401)
    outcomes.add(outcome)
  }
  expect(outcomes.size).toBeGreaterThan(0)
})

const noRight = async (member: Account) => {
  const { rowCount } = await server.database.pool.query(
    `SELECT FROM membership WHERE root_user_id = $1 OR real_user_id = $2`,
    [member.id, real_user_id],
  )
  return rowCount === 0
}

test('accepting while the child, or its account, is deleted leaves no right', async () => {
  for (let round = 0; round < 10; round += 1) {
    owner = await signUp(server)
    child = await addChild(server, owner.token)
    ;({ real_user_id } = child)
    const { token } = await invited()
    const member = await signUp(server)
    const [accepted, deleted] = await Promise.all([
      calls.accept(member, token),
      round % 2 ? deleteChild() : deleteAccount(owner),
    ])
    expect(deleted).toMatchObject({ status: 200 })
    expect([200, 400]).toContain(accepted.status)
    expect(await noRight(member)).toBe(true)
    expect(await recent(member)).toMatchObject(refused)
  }
})

test('members, owner and children deleted at once leave no right, and nobody meets an issue', async () => {
  for (let round = 0; round < 6; round += 1) {
    owner = await signUp(server)
    const children = [await addChild(server, owner.token), await addChild(server, owner.token)]
    const members = await times(3, () => signUp(server))
    const share_ids: number[] = []
    // Each of them has children too, which the others share.
    const all = [{ account: owner, children }]
    for (const account of members) all.push({ account, children: [await addChild(server, account.token)] })
    for (const one of all)
      for (const other of all)
        if (one !== other)
          for (const { real_user_id } of one.children) {
            const made = await share(server, one.account, other.account, { real_user_id, role: 'guardian' })
            share_ids.push(made.share_id)
          }
    const ending = all.flatMap(({ account }, n) =>
      share_ids.slice(3 * n, 3 * n + 3).map((share_id) => () => calls.end(account, share_id)),
    )
    const responses = await Promise.all([
      ...all.map(({ account }) => deleteAccount(account)),
      ...all.flatMap(({ account, children }) =>
        children.map(({ real_user_id, unique_id }) =>
          server.delete('/api/v1/beta/user/delete-real-user', {
            token: account.token,
            json: { real_user_id, unique_id },
          }),
        ),
      ),
      ...ending.map((end) => end()),
      ...all.map(({ account }) => recent(account, children[0]?.real_user_id)),
    ])
    expect(responses.filter(({ status }) => status >= 500)).toEqual([])
    expect(responses.slice(0, all.length).map(({ status }) => status)).toEqual(all.map(() => 200))
    expect(
      await rows('SELECT FROM membership WHERE root_user_id = ANY ($1)', [
        all.map(({ account }) => account.id),
      ]),
    ).toEqual([])
  }
})

/** The tables in which one of `traces` stands. */
async function found(traces: string[]): Promise<string[]> {
  const tables = await rows(`SELECT tablename FROM pg_tables WHERE schemaname = 'public'`)
  const hits = []
  for (const { tablename } of tables) {
    const stored = await rows(`SELECT to_jsonb(t) AS row FROM ${tablename} t`)
    const text = JSON.stringify(stored.map(({ row }) => decryptRow(server.database.keyRing, tablename, row)))
    if (traces.some((trace) => text.includes(trace))) hits.push(tablename)
  }
  return hits
}

test('erasing a member leaves nothing of the person, and the record of what it did without a name', async () => {
  const member = await signUp(server, { email: `member-${randomUUID()}@example.com` })
  const name = `Halmoni-${randomUUID()}`
  await server.patch('/api/v1/beta/user/root-user', { token: member.token, json: { first_name: name } })
  // An invitation of another family waits for the same person.
  const other = await signUp(server)
  const { real_user_id: elsewhere } = await addChild(server, other.token)
  await calls.invite(other, { real_user_id: elsewhere, email: member.email.toUpperCase() })
  await share(server, owner, member, { real_user_id, role: 'guardian' })
  await recent(member)
  await until(async () => (await calls.access(owner, real_user_id)).body.items.length > 0)
  expect((await calls.access(owner, real_user_id)).body.items).toMatchObject([{ name }])
  expect(await found([member.email, name])).toContain('root_user')

  expect((await deleteAccount(member)).status).toBe(200)
  expect(await found([member.email, member.email.toUpperCase(), name])).toEqual([])
  expect(await rows('SELECT FROM membership WHERE root_user_id = $1', [member.id])).toEqual([])
  expect((await calls.list(other, elsewhere)).body.invitations).toEqual([])
  expect((await calls.access(owner, real_user_id)).body.items).toMatchObject([
    { name: '', operation: 'charts.recent' },
  ])
})

test('erasing the owner, or the child, leaves nothing of what was shared', async () => {
  const member = await addMember(server, owner, { real_user_id, role: 'guardian' })
  const email = anyEmail()
  await calls.invite(owner, { real_user_id, email })
  await recent(member)
  await until(async () => (await calls.access(owner, real_user_id)).body.items.length > 0)
  expect((await deleteAccount(owner)).status).toBe(200)
  for (const table of ['membership', 'invitation'])
    expect(await rows(`SELECT FROM ${table} WHERE real_user_id = $1`, [real_user_id])).toEqual([])
  expect(await found([email])).toEqual([])
  expect(await recent(member)).toMatchObject(refused)
  expect((await server.get('/api/v1/beta/user/me', { token: member.token })).status).toBe(200)
})

test("an owner's export names the members, a member's the children, and no health data of theirs", async () => {
  const memo = `Memo-${randomUUID()}`
  await upload(server, [devlogItem(child.unique_id, `${NIGHT}T21:00:00`)])
  const member = await addMember(server, owner, { real_user_id, role: 'guardian' })
  await server.post('/api/v1/beta/event', {
    token: member.token,
    json: { real_user_id, created_at: NIGHT, memo },
  })
  const email = anyEmail()
  await calls.invite(owner, { real_user_id, email })
  const exported = async (account: Account) =>
    (await companion(server, 'account', 'export', account.email)).out
  const own = await exported(owner)
  expect(JSON.parse(own)).toMatchObject({
    members: [{ email: member.email, first_name: 'Kim Jiyoung', role: 'guardian', real_user_id }],
    shared_children: [],
    invitation: [{ email }],
    event: [{ memo, saved_by: member.id }],
  })
  expect(own).not.toMatch(/token_hash/)
  const theirs = await exported(member)
  expect(JSON.parse(theirs)).toMatchObject({
    members: [],
    shared_children: [{ real_user_id, first_name: 'Mina', role: 'guardian' }],
    treatment: [],
    event: [],
    real_user: [],
  })
  for (const trace of [memo, child.unique_id, owner.email, email]) expect(theirs).not.toContain(trace)
})

test('the purge takes old invitations after a day, and what was shared after a year', async () => {
  const member = await addMember(server, owner, { real_user_id, role: 'viewer' })
  await calls.end(owner, member.share_id)
  await addMember(server, owner, { real_user_id, role: 'viewer' })
  await calls.invite(owner, { real_user_id, email: anyEmail() })
  const counts = async () =>
    Promise.all(
      ['invitation', 'membership'].map(
        async (table) => (await rows(`SELECT FROM ${table} WHERE real_user_id = $1`, [real_user_id])).length,
      ),
    )
  const purgeAfter = async (days: number) => {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + days * DAY })
    await purge(server.database, server.config)
    vi.useRealTimers()
  }
  await purgeAfter(7)
  expect(await counts()).toEqual([1, 2])
  await purgeAfter(9)
  expect(await counts()).toEqual([0, 2])
  await purgeAfter(365)
  expect(await counts()).toEqual([0, 2])
  // A row that somebody holds is left for the next time.
  const holder = await server.database.pool.connect()
  await holder.query(`BEGIN; SELECT FROM membership WHERE id = ${member.share_id} FOR UPDATE`)
  await purgeAfter(367)
  expect(await counts()).toEqual([0, 2])
  await holder.query('COMMIT')
  holder.release()
  await purgeAfter(367)
  expect(await counts()).toEqual([0, 1])
})

test('an operator who gives a child to another account ends the rights to it, of the receiver too', async () => {
  const member = await addMember(server, owner, { real_user_id, role: 'guardian' })
  const receiver = await addMember(server, owner, { real_user_id, role: 'viewer' })
  const { token } = await invited()
  const done = await companion(server, 'child', 'transfer', String(real_user_id), receiver.email, '--json')
  expect(done.result).toMatchObject({ ended_shares: 2 })
  expect(await recent(member)).toMatchObject(refused)
  expect(await recent(owner)).toMatchObject(refused)
  expect((await recent(receiver)).status).toBe(200)
  expect((await calls.list(receiver, real_user_id)).body).toMatchObject({ members: [], invitations: [] })
  expect(await calls.accept(await signUp(server), token)).toMatchObject({ status: 400 })
})
