import { isDeepStrictEqual } from 'node:util'
import { beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { blockAccount, unblockAccount } from '@companion/server/auth/block.ts'
import { transferChild } from '@companion/server/children/transfer-child.ts'
import { blockClient, removeClient, rotateSecret } from '@companion/server/oauth/manage-clients.ts'
import { purge } from '@companion/server/retention/purge.ts'
import { operations } from '@companion/server/http/operations.ts'
import type { ServedOperation } from '@companion/server/http/operations.ts'
import { dataScopes } from '@companion/server/http/scope.ts'
import type { DataScope } from '@companion/server/http/scope.ts'
import { appRouter } from '@companion/server/router.ts'
import { anyInput, call } from '../support/any-input.ts'
import type { TestResponse } from '../support/client.ts'
import { addChild, devlogItem, signUp, upload } from '../support/family.ts'
import type { Account } from '../support/family.ts'
import { connectBasestation } from '../support/basestations.ts'
import { addService, connect, granted } from '../support/oauth.ts'
import { OPERATOR } from '../support/operator.ts'
import { readPdf } from '../support/files/pdf.ts'
import { isInLab, startServer, useServer } from '../support/server.ts'
import { share } from '../support/shares.ts'
import { until } from '../support/until.ts'

/* What a parent has granted, and nothing else: scope × operation × child, and how it ends. */

const server = useServer()
const DAY = '2026-03-01'
const MEMO = 'Woke up twice'

let parent: Account
let stranger: Account
/** The child that is granted, another one of the same parent, one of strangers, and one that they share with the parent. */
let children: Record<'granted' | 'other' | 'strange' | 'shared', number>
let basestation_id: number
const tokens = new Map<DataScope, string>()

async function makeChild({ token }: Account): Promise<number> {
  const { real_user_id, unique_id } = await addChild(server, token)
  await upload(server, [devlogItem(unique_id, `${DAY}T21:00:00`)])
  await server.post('/api/v1/beta/event', { token, json: { real_user_id, created_at: DAY, memo: MEMO } })
  await server.post('/api/v1/beta/survey', {
    token,
    json: { real_user_id, attention_score: real_user_id, impulsivity_score: 1, disorder_score: 1 },
  })
  return real_user_id
}

beforeAll(async () => {
  parent = await signUp(server)
  stranger = await signUp(server)
  children = {
    granted: await makeChild(parent),
    other: await makeChild(parent),
    strange: await makeChild(stranger),
    shared: await makeChild(stranger),
  }
  await share(server, stranger, parent, { real_user_id: children.shared, role: 'guardian' })
  basestation_id = (await connectBasestation(server, parent.token)).basestation_id
  for (const scope of dataScopes) {
    const { token } = await granted(server, parent, { scope, children: [children.granted] })
    tokens.set(scope, token)
  }
})

const outcome = ({ status, body }: TestResponse) =>
  status === 200 ? '200' : `${status} ${body?.detail ?? ''}`

/** Calls any operation about a child, over REST or tRPC. */
function callFor(
  served: ServedOperation,
  { surface, token, child }: { surface: 'rest' | 'trpc'; token: string; child: number },
): Promise<TestResponse> {
  const { path, type } = served
  const own: Record<string, unknown> = {
    real_user_id: child,
    basestation_id,
    current_date: DAY,
    created_at: '2026-04-01',
  }
  const { version: _version, ...any } = anyInput(served)
  const input = { ...any, ...pick(own, served) }
  if (surface === 'rest') return call(server, served, input, token)
  return type === 'query'
    ? server.get(`/trpc/${path}`, { token, query: { input: JSON.stringify(input) } })
    : server.post(`/trpc/${path}`, { token, json: input })
}

const pick = (values: Record<string, unknown>, { input }: ServedOperation) =>
  Object.fromEntries(Object.entries(values).filter(([name]) => name in input.shape))

const withToken = operations(appRouter).filter(({ operation: { token } }) => token?.includes('access'))
const tokenOf = (scope: DataScope) => tokens.get(scope) ?? ''

const anyScope = dataScopes.join(' ')
/** What a service does in its own name: a parent's grant does not reach it. */
const isOfService = ({ operation }: ServedOperation) => operation.serviceOnly === true

test('the operations that a grant reaches are these', () => {
  const reached = withToken.flatMap(({ path, operation: { scope } }) =>
    scope ? [[path, scope.join(' ')]] : [],
  )
  expect(Object.fromEntries(reached)).toEqual({
    'children.list': 'child:read',
    'children.read': 'child:read',
    'treatments.list': 'usage:read',
    'charts.recent': 'usage:read',
    'charts.recentByDate': 'usage:read',
    'charts.analysis': 'usage:read',
    'plans.list': 'usage:read',
    'nights.insight': 'usage:read',
    'calendar.history': 'usage:read',
    'calendar.readDay': 'usage:read notes:read',
    'calendar.saveEvent': 'notes:write',
    'surveys.latest': 'surveys:read',
    'reports.pdf': 'reports:read',
    'reports.exportPdf': 'reports:read',
    'changes.list': anyScope,
    'webhooks.create': anyScope,
    'webhooks.list': anyScope,
    'webhooks.delete': anyScope,
    'webhooks.rotateSecret': anyScope,
    'webhooks.enable': anyScope,
    'webhooks.ping': anyScope,
  })
})

describe.each(['rest', 'trpc'] as const)('over %s', (surface) => {
  const served = withToken.filter(({ operation: { file } }) => surface === 'rest' || !file)
  test.each(dataScopes)('%s reaches its operations for the granted child, and no others', async (scope) => {
    const token = tokenOf(scope)
    const wrong: string[] = []
    for (const each of served) {
      const isReached = !isOfService(each) && (each.operation.scope?.includes(scope) ?? false)
      const isOfChild = 'real_user_id' in each.input.shape
      // What is out of reach is so before any child is looked at.
      const tried = isReached ? children : { granted: children.granted }
      for (const [whose, child] of Object.entries(tried)) {
        const response = await callFor(each, { surface, token, child })
        const expected = !isReached
          ? '403 Insufficient scope'
          : whose === 'granted' || !isOfChild
            ? '200'
            : '401 Not authorized user'
        const found =
          surface === 'trpc' && response.status !== 200
            ? `${response.status} ${response.body?.error?.data?.detail}`
            : outcome(response)
        if (found !== expected) wrong.push(`${each.path}, ${whose}: ${found}, not ${expected}`)
        if (!isReached)
          expect(response.headers.get('www-authenticate')).toMatch(
            /^Bearer error="insufficient_scope"(, scope="[a-z: ]+")?$/,
          )
      }
    }
    expect(wrong).toEqual([])
  })
})

test('lists hold the granted child alone', async () => {
  const token = tokenOf('child:read')
  const { body } = await server.get('/api/v1/beta/user/real-user', { token })
  expect(body).toMatchObject([{ id: children.granted, role: 'owner' }])
  const surveys = await server.get('/api/v1/beta/chart/survey/analysis', { token: tokenOf('surveys:read') })
  expect(surveys.body.survey_analysis).toMatchObject([{ attention_score: children.granted }])
})

test('notes are hidden without notes:read, and use without usage:read', async () => {
  const dayFor = async (token: string) =>
    (
      await server.get('/api/v1/beta/event', {
        token,
        query: { real_user_id: children.granted, event_date: DAY },
      })
    ).body
  const nothing = { medication: [], hospital: [] }
  const noNotes = { memo: null, event_id: null, event_data: nothing }
  expect(await dayFor(tokenOf('usage:read'))).toMatchObject({ ...noNotes, treatment_data: [{}] })
  expect(await dayFor(tokenOf('notes:read'))).toMatchObject({ memo: MEMO, treatment_data: [] })
  const both = await granted(server, parent, {
    scope: 'usage:read notes:read reports:read',
    children: [children.granted],
  })
  expect(await dayFor(both.token)).toMatchObject({ memo: MEMO, treatment_data: [{}] })
  expect(await dayFor(parent.token)).toMatchObject({ memo: MEMO, treatment_data: [{}] })
  const reportFor = async (token: string) => {
    const response = await fetch(
      `${server.url}/api/v1/beta/pdf/export?real_user_id=${children.granted}&current_date=${DAY}&select_mode=0&language=EN`,
      { headers: { authorization: `Bearer ${token}` } },
    )
    return JSON.stringify(await readPdf(new Uint8Array(await response.arrayBuffer())))
  }
  expect(await reportFor(both.token)).toContain(MEMO)
  expect(await reportFor(tokenOf('reports:read'))).not.toContain(MEMO)
})

test('what a service reaches is shown to the owner, by its name', async () => {
  const list = async (limit: number, after?: string) =>
    (
      await server.get('/api/v1/beta/share/access', {
        token: parent.token,
        query: { real_user_id: children.granted, limit, ...(after === undefined ? {} : { after }) },
      })
    ).body
  await server.get(`/api/v1/beta/user/real-user/${children.granted}`, { token: tokenOf('child:read') })
  await until(async () =>
    (await list(500)).items.some(({ operation }: { operation: string }) => operation === 'children.read'),
  )
  const paged = async () => {
    const items: unknown[] = []
    for (let page = await list(1); ; page = await list(1, page.next)) {
      items.push(...page.items)
      if (page.next === null) return items
    }
  }
  // Calls of the tests before may be written to the record between two pages.
  const [items, whole] = await until(async () => {
    const before = (await list(500)).items
    const found = await paged()
    return isDeepStrictEqual((await list(500)).items, before) ? [found, before] : undefined
  })
  expect(items).toContainEqual({
    at: expect.any(String),
    kind: 'application',
    name: 'Sleep study',
    operation: 'children.read',
    times: expect.any(Number),
  })
  expect(items).toEqual(whole)
})

test('a call tells how many are left of the 600 a minute', async () => {
  const limited = await startServer({ RATE_LIMITS: 'on' }, server.databaseUrl)
  onTestFinished(() => limited.stop())
  const { token } = await granted(limited, parent, { children: [children.granted] })
  const read = () => limited.get('/api/v1/beta/user/real-user', { token })
  const first = await read()
  expect(first.headers.get('ratelimit-policy')).toBe('"calls";q=600;w=60')
  expect(first.headers.get('ratelimit')).toMatch(/^"calls";r=599;t=\d+$/)
})

// Each process counts for itself.
test.skipIf(isInLab)('of more than 600 calls of a grant in a minute, 600 are answered', async () => {
  const limited = await startServer({ RATE_LIMITS: 'on' }, server.databaseUrl)
  onTestFinished(() => limited.stop())
  const service = await addService(server)
  const { token } = await granted(limited, parent, { children: [children.granted] }, service)
  const { token: other } = await granted(limited, stranger, { children: [children.strange] }, service)
  const minute = Math.ceil(Date.now() / 60_000) * 60_000
  vi.useFakeTimers({ toFake: ['Date'], now: minute + 15_000 })
  onTestFinished(() => void vi.useRealTimers())
  const read = (by: string) => limited.get('/api/v1/beta/user/real-user', { token: by })
  const outcomes: string[] = []
  const callAll = async () => {
    for (let n = 0; n < 61; n += 1) {
      const { status, headers } = await read(token)
      outcomes.push(status === 429 ? `429 after ${headers.get('retry-after')} s` : String(status))
    }
  }
  await Promise.all(Array.from({ length: 10 }, callAll))
  expect(outcomes.filter((each) => each === '200')).toHaveLength(600)
  expect(outcomes.filter((each) => each === '429 after 45 s')).toHaveLength(10)
  expect((await read(other)).status).toBe(200)
  vi.setSystemTime(minute + 60_000)
  expect((await read(token)).status).toBe(200)
})

describe('a token that a service has got for itself', () => {
  const read = (token: string, child: number) =>
    server.get(`/api/v1/beta/user/real-user/${child}`, { token }).then(outcome)

  test('reaches the children of all parents with a grant for it, each by the scopes of that grant', async () => {
    const service = await addService(server)
    const { clientCredentials } = await connect(server, service)
    const scope = 'child:read usage:read surveys:read'
    const { access_token: token } = await clientCredentials(scope)
    const list = async () => (await server.get('/api/v1/beta/user/real-user', { token })).body
    expect(await list()).toEqual([])
    await granted(server, parent, { scope: 'child:read', children: [children.granted] }, service)
    await granted(server, stranger, { scope: 'usage:read', children: [children.strange] }, service)
    expect(await list()).toMatchObject([{ id: children.granted }])
    expect(await read(token, children.granted)).toBe('200')
    expect(await read(token, children.other)).toBe('401 Not authorized user')
    expect(await read(token, children.strange)).toBe('403 Insufficient scope')
    const chart = (real_user_id: number) =>
      server.get('/api/v1/beta/chart/recent', { token, query: { real_user_id } }).then(outcome)
    expect(await chart(children.strange)).toBe('200')
    expect(await chart(children.granted)).toBe('403 Insufficient scope')
    expect((await server.get('/api/v1/beta/event/history', { token })).status).toBe(422)
    // It would open nothing.
    expect(await clientCredentials('offline_access').catch((error: Error) => error)).toBeInstanceOf(Error)
    const narrow = await clientCredentials('child:read')
    expect(await read(narrow.access_token, children.granted)).toBe('200')
    const { body } = await server.get('/api/v1/beta/grant', { token: parent.token })
    await server.delete(`/api/v1/beta/grant/${body[0].grant_id}`, { token: parent.token })
    expect(await read(token, children.granted)).toBe('401 Not authorized user')
    expect(await list()).toEqual([])
  })
})

describe('ends at once', () => {
  const begin = async (account?: Account) => {
    const owner = account ?? (await signUp(server))
    const child = await makeChild(owner)
    const service = await addService(server)
    const made = await granted(
      server,
      owner,
      { scope: 'child:read offline_access', children: [child] },
      service,
    )
    const own = await made.clientCredentials('child:read')
    const read = (token = made.token) =>
      server.get(`/api/v1/beta/user/real-user/${child}`, { token }).then(outcome)
    expect(await read()).toBe('200')
    expect(await read(own.access_token)).toBe('200')
    const refresh = () =>
      made.refresh(made.tokens.refresh_token ?? '').then(
        () => 'accepted',
        (error: any) => error.error ?? String(error.message),
      )
    return { ...made, owner, child, read, refresh, own: own.access_token }
  }
  const invalid = '401 Could not validate credentials'

  test('by the parent', async () => {
    const { read, owner, refresh, own } = await begin()
    const [{ grant_id }] = (await server.get('/api/v1/beta/grant', { token: owner.token })).body
    await server.delete(`/api/v1/beta/grant/${grant_id}`, { token: owner.token })
    expect([await read(), await read(own), await refresh()]).toEqual([
      invalid,
      '401 Not authorized user',
      'invalid_grant',
    ])
  })

  test('when its time is over', async () => {
    const { read, owner, refresh, own } = await begin()
    const [{ grant_id }] = (await server.get('/api/v1/beta/grant', { token: owner.token })).body
    await server.database.pool.query(
      `UPDATE access_grant SET expires_at = now() - interval '1 second' WHERE id = $1`,
      [grant_id],
    )
    expect([await read(), await read(own), await refresh()]).toEqual([
      invalid,
      '401 Not authorized user',
      'invalid_grant',
    ])
    const end = await server.delete(`/api/v1/beta/grant/${grant_id}`, { token: owner.token })
    expect(outcome(end)).toBe('404 Grant not found')
  })

  test('while the service is blocked, and when it is removed', async () => {
    const { read, refresh, own, service } = await begin()
    const { sql } = server.database
    await blockClient(sql, service.client_id, true)
    expect([await read(), await read(own)]).toEqual([invalid, invalid])
    expect(await refresh()).toContain('WWW-Authenticate')
    await blockClient(sql, service.client_id, false)
    expect([await read(), await read(own)]).toEqual(['200', '200'])
    await server.database.transaction((tx) =>
      removeClient(tx, service.client_id, { operator: 'Ann', approvedBy: undefined }),
    )
    expect([await read(), await read(own)]).toEqual([invalid, invalid])
  })

  test('while the account is blocked', async () => {
    const { read, refresh, own, owner } = await begin()
    await server.database.transaction((tx) =>
      blockAccount(tx, server.database.keyRing, owner.email, OPERATOR),
    )
    const blocked = '423 Access denied. Account blocked'
    expect([await read(), await read(own), await refresh()]).toEqual([blocked, blocked, 'invalid_grant'])
    const { body } = await server.get('/api/v1/beta/user/real-user', { token: own })
    expect(body).toEqual([])
    await server.database.transaction((tx) =>
      unblockAccount(tx, server.database.keyRing, owner.email, OPERATOR),
    )
    expect([await read(), await read(own), await refresh()]).toEqual(['200', '200', 'accepted'])
  })

  test('with the account', async () => {
    const { read, refresh, own, owner } = await begin()
    await server.delete('/api/v1/beta/user/root-user', { token: owner.token })
    expect([await read(), await read(own), await refresh()]).toEqual([
      invalid,
      '401 Not authorized user',
      'invalid_grant',
    ])
  })

  test('with the child, or when it goes to another account', async () => {
    for (const leave of [
      (child: number) =>
        server.database.pool.query(`UPDATE real_user SET deleted_at = now() WHERE id = $1`, [child]),
      (child: number) =>
        server.database.transaction((tx) =>
          transferChild(tx, server.database.keyRing, child, stranger.email, {
            dryRun: false,
            operator: OPERATOR,
            date: '2026-03-01',
          }),
        ),
    ]) {
      const { read, own, child, owner } = await begin()
      await leave(child)
      expect([await read(), await read(own)]).toEqual([invalid, '401 Not authorized user'])
      expect((await server.get('/api/v1/beta/grant', { token: owner.token })).body).toEqual([])
    }
  })

  test('for a child that is deleted, and not for another of the same grant', async () => {
    const owner = await signUp(server)
    const [gone, left] = [await addChild(server, owner.token), await addChild(server, owner.token)]
    const both = [gone.real_user_id, left.real_user_id]
    const { token } = await granted(server, owner, { scope: 'child:read', children: both })
    const json = { real_user_id: gone.real_user_id, unique_id: gone.unique_id }
    await server.delete('/api/v1/beta/user/delete-real-user', { token: owner.token, json })
    const read = (child: number) =>
      server.get(`/api/v1/beta/user/real-user/${child}`, { token }).then(outcome)
    expect(await Promise.all(both.map(read))).toEqual(['404 Real user is not found', '200'])
    const { body } = await server.get('/api/v1/beta/grant', { token: owner.token })
    expect(body).toMatchObject([{ real_user_ids: [left.real_user_id] }])
  })

  test('but not with a sign-out, another sign-in or a new password', async () => {
    const { read, refresh, own, owner } = await begin()
    await server.post('/api/v1/alpha/auth/signout', { token: owner.token })
    expect([await read(), await read(own), await refresh()]).toEqual(['200', '200', 'accepted'])
  })

  test('for a secret that was replaced', async () => {
    const service = await addService(server)
    const rotated = await rotateSecret(server.database.sql, service.client_id, 'leaked')
    const secret = rotated?.client_secret
    const ask = async (client_secret: string | undefined) => {
      const { clientCredentials } = await connect(server, {
        ...service,
        ...(client_secret ? { client_secret } : {}),
      })
      return clientCredentials('child:read').then(
        () => 'accepted',
        () => 'refused',
      )
    }
    expect([await ask(undefined), await ask(secret)]).toEqual(['refused', 'accepted'])
  })
})

test('the purge takes codes and tokens a day after their end, and grants a year after theirs', async () => {
  const owner = await signUp(server)
  const child = await makeChild(owner)
  const service = await addService(server)
  await granted(server, owner, { scope: 'child:read offline_access', children: [child] }, service)
  const [{ grant_id }] = (await server.get('/api/v1/beta/grant', { token: owner.token })).body
  const left = async () => {
    const count = async (text: string) => (await server.database.pool.query(text, [grant_id])).rowCount
    return [
      await count('SELECT FROM oauth_state WHERE grant_id = $1'),
      await count('SELECT FROM access_grant WHERE id = $1'),
    ]
  }
  const purgeAfter = async (days: number) => {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + days * 86_400_000 })
    onTestFinished(() => void vi.useRealTimers())
    await purge(server.database, server.config)
    vi.useRealTimers()
    return left()
  }
  // The code, its access token and a refresh token.
  expect(await left()).toEqual([3, 1])
  expect(await purgeAfter(0)).toEqual([3, 1])
  expect(await purgeAfter(2)).toEqual([1, 1])
  expect(await purgeAfter(182)).toEqual([0, 1])
  await server.delete(`/api/v1/beta/grant/${grant_id}`, { token: owner.token })
  expect(await purgeAfter(300)).toEqual([0, 1])
  expect(await purgeAfter(367)).toEqual([0, 0])
})
