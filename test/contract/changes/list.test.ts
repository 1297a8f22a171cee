import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { purge } from '@companion/server/retention/purge.ts'
import { errorsByState, stateErrors } from '../../support/account-states.ts'
import { changes, follow, settled } from '../../support/changes.ts'
import { companion } from '../../support/command.ts'
import { addChild, devlogItem, signUp, upload } from '../../support/family.ts'
import type { Account } from '../../support/family.ts'
import { addService, granted } from '../../support/oauth.ts'
import { useServer } from '../../support/server.ts'
import { addMember, shares } from '../../support/shares.ts'

const server = useServer()
const DAY = '2026-03-01'

let parent: Account
let child: Awaited<ReturnType<typeof addChild>>
beforeEach(async () => {
  parent = await signUp(server)
  child = await addChild(server, parent.token)
})
afterEach(() => void vi.useRealTimers())

const share = () => addMember(server, parent, { real_user_id: child.real_user_id, role: 'guardian' })
const store = (date: string, more: object = {}, { unique_id } = child) =>
  upload(server, [devlogItem(unique_id, date, more)])
const note = (memo: string, created_at = DAY) =>
  server.post('/api/v1/beta/event', {
    token: parent.token,
    json: { real_user_id: child.real_user_id, created_at, memo },
  })
const survey = () =>
  server.post('/api/v1/beta/survey', {
    token: parent.token,
    json: { real_user_id: child.real_user_id, attention_score: 1, impulsivity_score: 2, disorder_score: 3 },
  })
const rename = (first_name: string) =>
  server.patch(`/api/v1/beta/user/real-user/${child.real_user_id}`, {
    token: parent.token,
    json: { id: child.real_user_id, first_name },
  })
const deleteChild = () =>
  server.delete('/api/v1/beta/user/delete-real-user', {
    token: parent.token,
    json: { real_user_id: child.real_user_id, unique_id: child.unique_id },
  })
const kindsOf = (items: readonly { kind: string }[]) => items.map(({ kind }) => kind)
const recorded = async () =>
  (
    await server.database.pool.query('SELECT kind FROM change WHERE real_user_id = $1', [child.real_user_id])
  ).rows.map(({ kind }) => kind)

/** Everything that can happen to a child's data. */
async function makeChanges() {
  await store(`${DAY}T21:00:00`, { is_temp: true, log_file_id: 1 })
  await store(`${DAY}T21:00:00`, { log_file_id: 1 })
  await server.delete('/api/v1/gamma/device/devlog', { query: { unique_id: child.unique_id } })
  expect((await companion(server, 'devlog', 'restore', '--unique-id', child.unique_id)).code).toBe(0)
  await note('Slept well')
  await survey()
  await rename('Hana')
}
const allKinds = [
  'treatment.stored',
  'treatment.completed',
  'treatment.deleted',
  'treatment.restored',
  'note.saved',
  'survey.submitted',
  'child.updated',
]

describe('what is told', () => {
  test('each change once and in order, to a member and to the owner, with the id to read again', async () => {
    const member = await share()
    const { next } = await follow(server, member.token)
    await makeChanges()
    const { items } = await follow(server, member.token, next)
    expect(kindsOf(items)).toEqual(allKinds)
    expect((await follow(server, parent.token, next)).items).toEqual(items)
    const { body: page } = await server.get('/api/v1/beta/treatment', {
      token: parent.token,
      query: { real_user_id: child.real_user_id, end_date: DAY },
    })
    const [treatment] = page.items
    for (const item of items.slice(0, 4))
      expect(item).toMatchObject({ real_user_id: child.real_user_id, id: treatment.treatment_id, date: DAY })
    expect(items[4]).toEqual({
      kind: 'note.saved',
      real_user_id: child.real_user_id,
      id: expect.any(Number),
      date: DAY,
      at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    })
    expect(items[6]).toMatchObject({ id: child.real_user_id, date: null })
    for (const item of items) expect(Object.keys(item)).toEqual(['kind', 'real_user_id', 'id', 'date', 'at'])
  })

  test('nothing is written for a child whom nobody else may see, nor once nobody may any more', async () => {
    await makeChanges()
    expect(await recorded()).toEqual([])
    const member = await share()
    await store('2026-03-02T21:00:00')
    expect(await recorded()).toEqual(['treatment.stored'])
    await shares(server).end(parent, member.share_id)
    await makeChanges()
    expect(await recorded()).toEqual(['treatment.stored'])
  })

  test('a repeated upload, a note saved again as it is, and a refused upload change nothing', async () => {
    const member = await share()
    await store(`${DAY}T21:00:00`)
    await note('The same')
    const { next } = await follow(server, member.token)
    await store(`${DAY}T21:00:00`)
    await note('The same')
    expect((await upload(server, [devlogItem(child.unique_id, '2026-03-03T21:00:00'), {}])).status).toBe(422)
    expect((await follow(server, member.token, next)).items).toEqual([])
    await note('Another')
    expect(kindsOf((await follow(server, member.token, next)).items)).toEqual(['note.saved'])
  })

  test('a temporary record that another one replaces is deleted', async () => {
    const member = await share()
    await store(`${DAY}T21:00:00`, { is_temp: true, log_file_id: 1 })
    await store(`${DAY}T21:00:00`, { log_file_id: 2 })
    const { items } = await follow(server, member.token)
    expect(kindsOf(items).toSorted()).toEqual(['treatment.deleted', 'treatment.stored', 'treatment.stored'])
    expect(items.find(({ kind }) => kind === 'treatment.deleted')?.id).toBe(items[0]?.id)
  })

  test('a temporary record that grows is completed, again and again', async () => {
    const member = await share()
    const grow = (minutes: number, log_file_id: number) =>
      store(`${DAY}T21:00:00`, { is_temp: true, log_file_id, treatment_time: 60 * minutes })
    await grow(6, 1)
    await grow(12, 1)
    await grow(12, 2)
    await grow(18, 3)
    const { items } = await follow(server, member.token)
    expect(kindsOf(items)).toEqual(['treatment.stored', 'treatment.completed', 'treatment.completed'])
    expect(new Set(items.map(({ id }) => id)).size).toBe(1)
  })

  test('a shifted record is deleted at its old date and restored at its new one', async () => {
    const member = await share()
    await store(`${DAY}T21:00:00`)
    const { next } = await follow(server, member.token)
    const { code } = await companion(
      server,
      'devlog',
      'shift',
      '--unique-id',
      child.unique_id,
      '--from',
      `${DAY}T00:00:00`,
      '--to',
      `${DAY}T23:00:00`,
      '--by',
      'PT24H',
    )
    expect(code).toBe(0)
    expect((await follow(server, member.token, next)).items).toMatchObject([
      { kind: 'treatment.deleted', date: DAY },
      { kind: 'treatment.restored', date: '2026-03-02' },
    ])
  })

  test('of a deleted child nothing is kept but that it is deleted, for those who could see it', async () => {
    const member = await share()
    const stranger = await signUp(server)
    const { next } = await follow(server, member.token)
    await store(`${DAY}T21:00:00`)
    expect((await deleteChild()).status).toBe(200)
    const gone = {
      kind: 'child.deleted',
      real_user_id: child.real_user_id,
      id: child.real_user_id,
      date: null,
    }
    expect((await follow(server, member.token, next)).items).toMatchObject([gone])
    expect((await follow(server, parent.token, next)).items).toMatchObject([gone])
    expect((await follow(server, stranger.token)).items).toEqual([])
  })

  test('a member hears of the child until the membership ends, and a stranger nothing', async () => {
    const member = await share()
    const stranger = await signUp(server)
    await addMember(server, parent, { real_user_id: child.real_user_id, role: 'viewer' })
    await store(`${DAY}T21:00:00`)
    expect((await follow(server, member.token)).items).toHaveLength(1)
    expect((await follow(server, stranger.token)).items).toEqual([])
    await shares(server).end(parent, member.share_id)
    expect((await follow(server, member.token)).items).toEqual([])
    expect((await follow(server, parent.token)).items).toHaveLength(1)
  })
})

describe('cursors', () => {
  test('pages of any size put together are the whole, and the same cursor gives the same again', async () => {
    const member = await share()
    const start = (await changes(server, member.token, { after: 'latest' })).body
    expect(start).toMatchObject({ items: [], has_more: false })
    await upload(
      server,
      Array.from({ length: 7 }, (_, n) => devlogItem(child.unique_id, `2026-03-0${n + 1}T21:00:00`)),
    )
    const whole = await follow(server, member.token, start.next)
    expect(whole.items).toHaveLength(7)
    for (const limit of [1, 2, 3, 7, 1000]) {
      const paged = await follow(server, member.token, start.next, limit)
      expect(paged.items).toEqual(whole.items)
      expect(paged.pages).toBe(Math.ceil(7 / limit))
    }
    const first = await changes(server, member.token, { after: start.next, limit: 3 })
    await store('2026-03-09T21:00:00')
    expect(await changes(server, member.token, { after: start.next, limit: 3 })).toMatchObject({
      body: first.body,
    })
    expect((await follow(server, member.token, whole.next)).items).toHaveLength(1)
  })

  test.each([
    '',
    'newest',
    ...['["1"]', '[1,"0"]', '["1","-1"]', '["01","0"]', '["1","0"] ', '["1234567890123456789","0"]'].map(
      (text) => Buffer.from(text).toString('base64url'),
    ),
  ])('%j is no cursor', async (after) => {
    const { status, body } = await changes(server, parent.token, { after })
    expect(status).toBe(422)
    expect(body.detail[0].loc).toEqual(['query', 'after'])
  })

  test('a limit is 1 to 1000', async () => {
    for (const limit of [0, 1001]) expect((await changes(server, parent.token, { limit })).status).toBe(422)
  })

  test('after 90 days changes go, and a cursor before them is expired', async () => {
    const member = await share()
    const { next: before } = await follow(server, member.token)
    await upload(
      server,
      Array.from({ length: 1000 }, (_, n) =>
        devlogItem(child.unique_id, `${DAY}T21:00:00`, { log_file_id: n }),
      ),
    )
    await store('2026-03-02T21:00:00')
    const { next: between } = await follow(server, member.token)
    const age = (days: number) =>
      server.database.pool.query(`UPDATE change SET at = now() - $1 * interval '1 day'`, [days])
    await age(89)
    await purge(server.database, server.config)
    expect((await follow(server, member.token, before)).items).toHaveLength(1001)
    await age(91)
    await store('2026-03-03T21:00:00')
    expect(await purge(server.database, server.config)).toMatchObject({ changes: expect.any(Number) })
    expect(await changes(server, member.token, { after: before })).toMatchObject({
      status: 410,
      body: { detail: 'Cursor is expired' },
    })
    for (const after of [undefined, between])
      expect((await follow(server, member.token, after)).items).toMatchObject([{ date: '2026-03-03' }])
  })

  test('a cursor of another database is expired, and changes that were restored from there are told', async () => {
    const member = await share()
    await store(`${DAY}T21:00:00`)
    const ahead = Buffer.from('["123456789012","1"]').toString('base64url')
    expect(await changes(server, member.token, { after: ahead })).toMatchObject({ status: 410 })
    await server.database.pool.query(`UPDATE change SET xact_id = '123456789012' WHERE real_user_id = $1`, [
      child.real_user_id,
    ])
    expect((await follow(server, member.token)).items).toEqual([])
    await purge(server.database, server.config)
    expect((await follow(server, member.token)).items).toHaveLength(1)
  })
})

describe('to a service', () => {
  const everything = 'child:read usage:read notes:read notes:write surveys:read'

  test.each([
    ['child:read', ['child.updated']],
    ['usage:read', allKinds.filter((kind) => kind.startsWith('treatment'))],
    ['notes:read', ['note.saved']],
    ['surveys:read', ['survey.submitted']],
    ['notes:write', []],
    [everything, allKinds],
  ])('with %s, of the granted child, by a token of the grant and by its own', async (scope, expected) => {
    const sibling = await addChild(server, parent.token)
    const children = [child.real_user_id]
    const { token, clientCredentials } = await granted(server, parent, { scope, children })
    const own = (await clientCredentials(everything)).access_token
    await store(`${DAY}T20:00:00`, {}, sibling)
    await makeChanges()
    const { items } = await follow(server, token)
    expect(kindsOf(items)).toEqual(['grant.started', ...expected])
    expect(items.every(({ real_user_id }) => real_user_id === child.real_user_id)).toBe(true)
    expect((await follow(server, own)).items).toEqual(items)
    expect((await follow(server, own, undefined, 1)).items).toEqual(items)
  })

  test('the token of the service has no more than it was asked for', async () => {
    const { clientCredentials } = await granted(server, parent, {
      scope: everything,
      children: [child.real_user_id],
    })
    await makeChanges()
    const { access_token } = await clientCredentials('notes:read')
    expect(kindsOf((await follow(server, access_token)).items)).toEqual(['grant.started', 'note.saved'])
  })

  test('each of several families by its own scopes, and nothing of other services', async () => {
    const service = await addService(server)
    const other = await signUp(server)
    const otherChild = await addChild(server, other.token)
    const { clientCredentials } = await granted(
      server,
      parent,
      { scope: 'usage:read', children: [child.real_user_id] },
      service,
    )
    await granted(server, other, { scope: 'notes:read', children: [otherChild.real_user_id] }, service)
    await granted(server, other, { scope: 'usage:read', children: [otherChild.real_user_id] })
    const own = (await clientCredentials(everything)).access_token
    const { next } = await follow(server, own)
    await store(`${DAY}T20:00:00`)
    await store(`${DAY}T20:00:00`, {}, otherChild)
    expect((await follow(server, own, next)).items).toMatchObject([{ real_user_id: child.real_user_id }])
  })

  test('the end of a grant is told and nothing after it; the account hears of both ends too', async () => {
    const { clientCredentials } = await granted(server, parent, {
      scope: everything,
      children: [child.real_user_id],
    })
    const own = (await clientCredentials(everything)).access_token
    const { next } = await follow(server, own)
    await store(`${DAY}T20:00:00`)
    const { body: grants } = await server.get('/api/v1/beta/grant', { token: parent.token })
    const [{ grant_id }] = grants
    await server.delete(`/api/v1/beta/grant/${grant_id}`, { token: parent.token })
    await store('2026-03-02T20:00:00')
    expect((await follow(server, own, next)).items).toMatchObject([
      { kind: 'grant.ended', real_user_id: child.real_user_id, id: grant_id },
    ])
    const { items } = await follow(server, parent.token)
    expect(kindsOf(items)).toEqual(['grant.started', 'treatment.stored', 'grant.ended'])
  })

  test.each<[string, () => Promise<unknown>, string[]]>([
    ['the child is deleted', () => deleteChild(), ['child.deleted', 'grant.ended']],
    [
      'the account is deleted',
      () => server.delete('/api/v1/beta/user/root-user', { token: parent.token }),
      ['child.deleted', 'grant.ended'],
    ],
    [
      'the child goes to another account',
      async () => {
        const { email } = await signUp(server)
        const { code } = await companion(server, 'child', 'transfer', String(child.real_user_id), email)
        expect(code).toBe(0)
      },
      ['grant.ended'],
    ],
    [
      'the account is blocked',
      () => server.database.pool.query('UPDATE root_user SET blocked_at = now() WHERE id = $1', [parent.id]),
      [],
    ],
  ])('%s', async (_when, end, expected) => {
    const { clientCredentials } = await granted(server, parent, {
      scope: 'usage:read',
      children: [child.real_user_id],
    })
    const own = (await clientCredentials('usage:read')).access_token
    const { next } = await follow(server, own)
    await store(`${DAY}T20:00:00`)
    expect(kindsOf((await follow(server, own, next)).items)).toEqual(['treatment.stored'])
    await end()
    expect(kindsOf((await follow(server, own, next)).items)).toEqual(expected)
  })

  test('many changes of others are passed in bounded steps', async () => {
    const { clientCredentials } = await granted(server, parent, {
      scope: 'usage:read',
      children: [child.real_user_id],
    })
    const own = (await clientCredentials('usage:read')).access_token
    const { next } = await follow(server, own)
    await server.database.pool.query(
      `INSERT INTO change (kind, real_user_id, subject_id) SELECT 'treatment.stored', 0, n FROM generate_series(1, 25000) n`,
    )
    await store(`${DAY}T20:00:00`)
    const { items, pages } = await follow(server, own, next)
    expect(kindsOf(items)).toEqual(['treatment.stored'])
    expect(pages).toBe(3)
  })
})

test('tokens and accounts are judged', async () => {
  await settled(server)
  expect(await errorsByState(server, parent, (token = parent.token) => changes(server, token))).toEqual(
    stateErrors,
  )
})
