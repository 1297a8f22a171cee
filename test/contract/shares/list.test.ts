import { afterEach, expect, test, vi } from 'vitest'
import { addChild, anyEmail, signIn, signUp } from '../../support/family.ts'
import { addMember, shares } from '../../support/shares.ts'
import { useServer } from '../../support/server.ts'

const server = useServer()
const { invite, list } = shares(server)
afterEach(() => void vi.useRealTimers())

const MOMENT = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
const refused = { status: 401, body: { detail: 'Not authorized user' } }

test('the owner sees all members and open invitations, a member only itself', async () => {
  const owner = await signUp(server)
  const { real_user_id } = await addChild(server, owner.token)
  expect(await list(owner, real_user_id)).toMatchObject({
    status: 200,
    body: { members: [], invitations: [] },
  })
  const guardian = await addMember(server, owner, { real_user_id, role: 'guardian' })
  const viewer = await addMember(server, owner, { real_user_id, role: 'viewer', until: '2099-01-01' })
  const email = anyEmail()
  await invite(owner, { real_user_id, email })
  const entry = ({ share_id, email }: typeof guardian) => ({
    share_id,
    email,
    first_name: 'Kim Jiyoung',
    since: MOMENT,
  })
  const members = [
    { ...entry(guardian), role: 'guardian', until: null },
    { ...entry(viewer), role: 'viewer', until: '2099-01-01' },
  ]
  const others = { owner: { first_name: 'Kim Jiyoung' }, transfer: null }
  expect((await list(owner, real_user_id)).body).toEqual({
    ...others,
    members,
    invitations: [
      {
        invitation_id: expect.any(Number),
        role: 'viewer',
        email,
        until: null,
        created_at: MOMENT,
        expires_at: MOMENT,
      },
    ],
  })
  expect((await list(guardian, real_user_id)).body).toEqual({
    ...others,
    members: [members[0]],
    invitations: [],
  })
  expect((await list(viewer, real_user_id)).body).toEqual({
    ...others,
    members: [members[1]],
    invitations: [],
  })
})

test('an invitation that is too old, and a membership that is over, are not listed', async () => {
  const owner = await signUp(server)
  const { real_user_id } = await addChild(server, owner.token)
  const today = new Date().toISOString().slice(0, 10)
  const viewer = await addMember(server, owner, { real_user_id, role: 'viewer', until: today })
  await invite(owner, { real_user_id, email: anyEmail() })
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 8 * 86_400_000 })
  const tokenOf = async (email: string) => ({ token: (await signIn(server, email)).body.access_token })
  expect((await list(await tokenOf(owner.email), real_user_id)).body).toMatchObject({
    members: [],
    invitations: [],
  })
  expect(await list(await tokenOf(viewer.email), real_user_id)).toMatchObject(refused)
})

test('a child of others, and one that is not there, is 401', async () => {
  const owner = await signUp(server)
  const { real_user_id } = await addChild(server, owner.token)
  expect(await list(await signUp(server), real_user_id)).toMatchObject(refused)
  expect(await list(owner, 2 ** 31 - 1)).toMatchObject(refused)
})
