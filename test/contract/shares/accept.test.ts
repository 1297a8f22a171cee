import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { addChild, anyEmail, signIn, signUp } from '../../support/family.ts'
import type { Account } from '../../support/family.ts'
import { addMember, invitationToken, mailTo, shares } from '../../support/shares.ts'
import { useServer } from '../../support/server.ts'

const server = useServer()
const { invite, accept, list, withdraw, end } = shares(server)
afterEach(() => void vi.useRealTimers())

let owner: Account
let real_user_id: number
beforeEach(async () => {
  owner = await signUp(server)
  ;({ real_user_id } = await addChild(server, owner.token))
})

const invalid = { status: 400, body: { detail: 'Invitation is invalid' } }
const taken = { status: 409, body: { detail: 'Already shared' } }

async function invited(fields: object = {}): Promise<string> {
  const email = anyEmail()
  await invite(owner, { real_user_id, email, ...fields })
  return invitationToken(server, email)
}

test('any other account may accept, whoever was mailed, and the owner gets a notice', async () => {
  const member = await signUp(server)
  const token = await invited({ role: 'guardian', until: '2099-12-31' })
  const { status, body } = await accept(member, token)
  expect(status).toBe(200)
  expect(body).toEqual({
    share_id: expect.any(Number),
    real_user_id,
    role: 'guardian',
    until: '2099-12-31',
  })
  expect((await list(owner, real_user_id)).body).toMatchObject({
    members: [{ share_id: body.share_id, email: member.email }],
    invitations: [],
  })
  const notice = await mailTo(server, owner.email)
  expect(notice['subject']).toContain('볼 수 있는 사람이 추가되었습니다')
  expect(notice['text']).toContain('Kim Jiyoung님이 수락하여')
})

test('the notice is in the language that the owner has chosen, and no name in it is a link', async () => {
  const member = await signUp(server)
  const json = { first_name: 'Win at https://a.example/now' }
  await server.patch('/api/v1/beta/user/root-user', { token: member.token, json })
  await server.database.sql
    .updateTable('root_user')
    .set({ language: 'EN' })
    .where('id', '=', owner.id)
    .execute()
  await accept(member, await invited())
  const { text } = await mailTo(server, owner.email)
  expect(text).toContain('Win at https a example now has accepted an invitation of yours')
})

test('it works once', async () => {
  const token = await invited()
  expect((await accept(await signUp(server), token)).status).toBe(200)
  expect(await accept(await signUp(server), token)).toMatchObject(invalid)
})

test.each(['', 'nonsense', 'x'.repeat(43), 'a\0b'])('the token %j is 400', async (token) => {
  expect(await accept(owner, token)).toMatchObject(invalid)
})

test('a withdrawn invitation, and one of a deleted child, is 400', async () => {
  const email = anyEmail()
  const { invitation_id } = (await invite(owner, { real_user_id, email })).body
  const token = await invitationToken(server, email)
  await withdraw(owner, invitation_id)
  const member = await signUp(server)
  expect(await accept(member, token)).toMatchObject(invalid)

  const other = await addChild(server, owner.token)
  const lost = await invited({ real_user_id: other.real_user_id })
  const json = { real_user_id: other.real_user_id, unique_id: other.unique_id }
  await server.delete('/api/v1/beta/user/delete-real-user', { token: owner.token, json })
  expect(await accept(member, lost)).toMatchObject(invalid)
})

test('it lives seven days, and not beyond the last day of the membership', async () => {
  const now = Date.now()
  const at = (ms: number) => vi.useFakeTimers({ toFake: ['Date'], now: now + ms })
  const [long, late, short] = [
    await invited(),
    await invited(),
    await invited({ until: new Date(now).toISOString().slice(0, 10) }),
  ]
  at(7 * 86_400_000 - 60_000)
  const member = await signUp(server)
  expect(await accept(member, short)).toMatchObject(invalid)
  expect((await accept(member, long)).status).toBe(200)
  at(7 * 86_400_000 + 60_000)
  expect(await accept(await signUp(server), late)).toMatchObject(invalid)
})

test('the own child, and a child that one is a member of, is 409, and the token stays good', async () => {
  const member = await addMember(server, owner, { real_user_id, role: 'viewer' })
  const token = await invited({ role: 'guardian' })
  expect(await accept(owner, token)).toMatchObject(taken)
  expect(await accept(member, token)).toMatchObject(taken)
  await end(member, member.share_id)
  const again = await accept(member, token)
  expect(again).toMatchObject({ status: 200, body: { role: 'guardian' } })
  expect(again.body.share_id).not.toBe(member.share_id)
})

test('a membership stands in the way until its last day is over', async () => {
  const day = new Date().toISOString().slice(0, 10)
  // That date in the time zone of the service, too.
  vi.useFakeTimers({ toFake: ['Date'], now: Date.parse(`${day}T15:00:00Z`) })
  owner = { ...owner, ...(await signedIn(owner)) }
  const member = await addMember(server, owner, { real_user_id, role: 'viewer', until: day })
  expect(await accept(member, await invited({ role: 'guardian' }))).toMatchObject(taken)
  expect((await list(owner, real_user_id)).body.members).toMatchObject([{ role: 'viewer', until: day }])
})

test('a membership that is over does not stand in the way of another', async () => {
  const today = new Date().toISOString().slice(0, 10)
  const member = await addMember(server, owner, { real_user_id, role: 'viewer', until: today })
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 2 * 86_400_000 })
  owner = { ...owner, ...(await signedIn(owner)) }
  const token = await invited({ role: 'guardian' })
  expect(await accept(await signedIn(member), token)).toMatchObject({ status: 200 })
  expect((await list(owner, real_user_id)).body.members).toMatchObject([{ role: 'guardian', until: null }])
})

async function signedIn({ email }: Account): Promise<{ token: string }> {
  return { token: (await signIn(server, email)).body.access_token }
}
