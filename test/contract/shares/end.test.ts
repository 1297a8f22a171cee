import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { addChild, signIn, signUp } from '../../support/family.ts'
import type { Account } from '../../support/family.ts'
import { tally } from '../../support/response-tally.ts'
import { addMember, shares } from '../../support/shares.ts'
import { useServer } from '../../support/server.ts'

const server = useServer()
const { list, end } = shares(server)
afterEach(() => void vi.useRealTimers())

const missing = { status: 404, body: { detail: 'Share not found' } }

let owner: Account
let real_user_id: number
beforeEach(async () => {
  owner = await signUp(server)
  ;({ real_user_id } = await addChild(server, owner.token))
})

test.each(['owner', 'member'])(
  'the %s ends it, and the next request of the member is refused',
  async (by) => {
    const member = await addMember(server, owner, { real_user_id, role: 'guardian' })
    expect((await list(member, real_user_id)).status).toBe(200)
    expect(await end(by === 'owner' ? owner : member, member.share_id)).toMatchObject({
      status: 200,
      body: { statusCode: 200, message: 'Membership ended' },
    })
    expect(await list(member, real_user_id)).toMatchObject({
      status: 401,
      body: { detail: 'Not authorized user' },
    })
    expect((await list(owner, real_user_id)).body.members).toEqual([])
    for (const each of [owner, member]) expect(await end(each, member.share_id)).toMatchObject(missing)
    // The token of the member stays good for everything else.
    expect((await server.get('/api/v1/beta/user/me', { token: member.token })).status).toBe(200)
  },
)

test('nobody else ends it', async () => {
  const member = await addMember(server, owner, { real_user_id, role: 'viewer' })
  const guardian = await addMember(server, owner, { real_user_id, role: 'guardian' })
  for (const other of [guardian, await signUp(server)])
    expect(await end(other, member.share_id)).toMatchObject(missing)
  expect((await list(member, real_user_id)).status).toBe(200)
})

test('one whose last day is over has ended by itself', async () => {
  const until = new Date().toISOString().slice(0, 10)
  const { share_id } = await addMember(server, owner, { real_user_id, role: 'viewer', until })
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 2 * 86_400_000 })
  const token: string = (await signIn(server, owner.email)).body.access_token
  expect(await end({ token }, share_id)).toMatchObject(missing)
})

test('of 10 calls at once one ends it', async () => {
  const member = await addMember(server, owner, { real_user_id, role: 'viewer' })
  const calls = Array.from({ length: 10 }, (_, n) => end(n % 2 ? owner : member, member.share_id))
  expect(tally(await Promise.all(calls))).toEqual({ 200: 1, '404 Share not found': 9 })
})
