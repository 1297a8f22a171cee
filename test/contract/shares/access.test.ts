import { expect, onTestFinished, test, vi } from 'vitest'
import { addChild, signUp } from '../../support/family.ts'
import { addMember, shares } from '../../support/shares.ts'
import { useServer } from '../../support/server.ts'

const server = useServer()
const { list, access } = shares(server)

const refused = { status: 401, body: { detail: 'Not authorized user' } }

test('the owner sees what members did, how often, and nothing of the own', async () => {
  const owner = await signUp(server)
  const { real_user_id } = await addChild(server, owner.token)
  expect((await access(owner, real_user_id)).body).toEqual({ items: [], next: null })
  const guardian = await addMember(server, owner, { real_user_id, role: 'guardian' })
  // Calls of one hour are one entry.
  vi.useFakeTimers({ toFake: ['Date'] })
  onTestFinished(() => void vi.useRealTimers())
  for (let n = 0; n < 3; n += 1) await list(guardian, real_user_id)
  await list(owner, real_user_id)
  await server.trailWritten()
  const { items, next } = (await access(owner, real_user_id)).body
  expect(next).toBe(null)
  expect(items).toEqual([
    {
      at: `${new Date().toISOString().slice(0, 13)}:00:00.000Z`,
      kind: 'account',
      name: 'Kim Jiyoung',
      operation: 'shares.list',
      times: 3,
    },
  ])
})

test('it is paged, newest first, each entry once', async () => {
  const owner = await signUp(server)
  const { real_user_id } = await addChild(server, owner.token)
  const member = await signUp(server)
  await server.database.pool.query(
    `INSERT INTO trail (at, actor_kind, actor, operation, real_user_id, outcome, is_counted)
     SELECT date_trunc('hour', now()) - h * interval '1 hour', 'member', $2::int::text, o, $1, 'ok', true
     FROM generate_series(0, 6) h CROSS JOIN (VALUES ('charts.recent'), ('calendar.readDay')) op (o)`,
    [real_user_id, member.id],
  )
  const all = (await access(owner, real_user_id)).body
  expect(all.items).toHaveLength(14)
  expect(all.next).toBe(null)
  const times = all.items.map(({ at }: { at: string }) => at)
  expect(times).toEqual(times.toSorted().toReversed())
  for (const limit of [1, 5, 7, 13, 14]) {
    const paged = []
    for (let after: string | null | undefined; after !== null;) {
      const { body } = await access(owner, real_user_id, { limit, ...(after ? { after } : {}) })
      expect(body.items.length).toBeLessThanOrEqual(limit)
      paged.push(...body.items)
      expect(paged.length).toBeLessThanOrEqual(all.items.length)
      after = body.next
    }
    expect(paged).toEqual(all.items)
  }
})

test('it goes back a year', async () => {
  const owner = await signUp(server)
  const { real_user_id } = await addChild(server, owner.token)
  const member = await signUp(server)
  await server.database.pool.query(
    `INSERT INTO trail (at, actor_kind, actor, operation, real_user_id, outcome, is_counted)
     SELECT now() - days * interval '1 day', 'member', $2::int::text, 'charts.recent', $1, 'ok', true
     FROM unnest('{364,368}'::int[]) days`,
    [real_user_id, member.id],
  )
  const { items } = (await access(owner, real_user_id)).body
  expect(
    items.map(({ at }: { at: string }) => Math.round((Date.now() - Date.parse(at)) / 86_400_000)),
  ).toEqual([364])
})

test.each([{ after: '' }, { after: 'nonsense' }, { after: 'W10' }, { limit: 0 }, { limit: 501 }])(
  '%j is 422',
  async (page) => {
    const owner = await signUp(server)
    const { real_user_id } = await addChild(server, owner.token)
    expect((await access(owner, real_user_id, page)).status).toBe(422)
  },
)

test('only the owner sees it', async () => {
  const owner = await signUp(server)
  const { real_user_id } = await addChild(server, owner.token)
  const guardian = await addMember(server, owner, { real_user_id, role: 'guardian' })
  for (const other of [guardian, await signUp(server)])
    expect(await access(other, real_user_id)).toMatchObject(refused)
  expect(await access(owner, 2 ** 31 - 1)).toMatchObject(refused)
})
