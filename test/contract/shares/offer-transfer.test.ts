import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { addChild, PASSWORD, signUp } from '../../support/family.ts'
import type { Account } from '../../support/family.ts'
import { useOpenIdProvider } from '../../support/outside/openid.ts'
import { socialClaims, socialSignUp } from '../../support/outside/social.ts'
import { addMember, mailTo, share, shares } from '../../support/shares.ts'
import { actionsOf } from '../../support/security-record.ts'
import { startServer, useServer } from '../../support/server.ts'

const provider = useOpenIdProvider()
const server = useServer(() => ({
  SOCIAL_PROVIDERS: JSON.stringify([
    ...JSON.parse(provider.configuration),
    { name: 'away', issuer: 'http://127.0.0.1:1', client_ids: ['any'] },
  ]),
}))
const { list, end, offerTransfer, acceptTransfer, withdrawTransfer } = shares(server)
afterEach(() => void vi.useRealTimers())

let owner: Account
let guardian: Account & { share_id: number }
let real_user_id: number
beforeEach(async () => {
  owner = await signUp(server)
  ;({ real_user_id } = await addChild(server, owner.token))
  guardian = await addMember(server, owner, { real_user_id, role: 'guardian' })
})

const offer = (as: Pick<Account, 'token'> = owner, fields: object = {}, proof?: object) =>
  offerTransfer(as, { real_user_id, share_id: guardian.share_id, ...fields }, proof)

test('the guardian gets a mail, and both see the offer until it is seven days old', async () => {
  const viewer = await addMember(server, owner, { real_user_id, role: 'viewer' })
  const { status, body } = await offer()
  expect(status).toBe(200)
  expect(body).toEqual({ real_user_id, share_id: guardian.share_id, expires_at: expect.any(String) })
  const days = (Date.parse(body.expires_at) - Date.now()) / 86_400_000
  expect(days).toBeCloseTo(7, 2)
  const mail = await mailTo(server, guardian.email)
  expect(mail['subject']).toContain('자녀를 넘겨받아')
  expect(mail['text']).toContain('Kim Jiyoung님이')
  const shown = {
    owner: 'Kim Jiyoung',
    share_id: guardian.share_id,
    offered_at: expect.any(String),
    expires_at: body.expires_at,
  }
  expect((await list(owner, real_user_id)).body.transfer).toEqual(shown)
  expect((await list(guardian, real_user_id)).body.transfer).toEqual(shown)
  expect((await list(viewer, real_user_id)).body.transfer).toBeUndefined()
  expect(await actionsOf(server, owner.id)).toContain('transfer_offer')
})

test('the mail is in the language that the guardian has chosen, and no name in it is a link', async () => {
  await server.database.sql
    .updateTable('root_user')
    .set({ language: 'EN' })
    .where('id', '=', guardian.id)
    .execute()
  const json = { first_name: 'Win at https://a.example/now' }
  await server.patch('/api/v1/beta/user/root-user', { token: owner.token, json })
  await offer()
  expect((await mailTo(server, guardian.email))['text']).toContain(
    'Win at https a example now wants to hand over',
  )
})

test('each way to offer wrongly is refused, and mails nobody', async () => {
  const viewer = await addMember(server, owner, { real_user_id, role: 'viewer' })
  const { real_user_id: sibling } = await addChild(server, owner.token)
  const before = (await server.outbox()).length
  const cases = [
    [await offer(owner, {}, { password: 'not the password' }), 400, 'Password is invalid'],
    [await offer(guardian), 401, 'Not authorized user'],
    [await offer(owner, { real_user_id: 2 ** 31 - 1 }), 404, 'Real user is not found'],
    [await offer(owner, { share_id: viewer.share_id }), 404, 'Share not found'],
    [await offer(owner, { real_user_id: sibling }), 404, 'Share not found'],
    [await offer(owner, { share_id: 2 ** 31 - 1 }), 404, 'Share not found'],
  ] as const
  for (const [response, status, detail] of cases) expect(response).toMatchObject({ status, body: { detail } })
  expect((await offer(owner, {}, {})).status).toBe(422)
  expect((await server.outbox()).length).toBe(before)
  expect((await list(owner, real_user_id)).body.transfer).toBeUndefined()
})

test('one child has one open offer; a withdrawn one, an old one, and one of a membership that has ended make room', async () => {
  const other = await addMember(server, owner, { real_user_id, role: 'guardian' })
  const toOther = () => offer(owner, { share_id: other.share_id })
  await offer()
  expect(await toOther()).toMatchObject({ status: 409, body: { detail: 'Already offered' } })
  await withdrawTransfer(owner, real_user_id)
  expect((await toOther()).status).toBe(200)
  await end(other, other.share_id)
  expect((await offer()).status).toBe(200)
  await server.database.pool.query(
    `UPDATE transfer_offer SET expires_at = now() - interval '1 second' WHERE real_user_id = $1`,
    [real_user_id],
  )
  expect((await list(owner, real_user_id)).body.transfer).toBeUndefined()
  expect((await offer()).status).toBe(200)
})

test('ten wrong passwords within 15 minutes are enough', async () => {
  const limited = await startServer({ RATE_LIMITS: 'on' })
  try {
    const { token } = await signUp(limited)
    const guess = (password: string) =>
      shares(limited).offerTransfer({ token }, { real_user_id, share_id: 1 }, { password })
    for (let n = 0; n < 10; n += 1) expect((await guess('not the password')).status).toBe(400)
    expect(await guess(PASSWORD)).toMatchObject({ status: 429, body: { detail: 'Too many requests' } })
  } finally {
    await limited.stop()
  }
})

test('an account without a password proves itself by a fresh ID token', async () => {
  const claims = socialClaims(provider)
  const social = (await socialSignUp(server, await provider.forge(claims))).body
  const as = { token: social.access_token }
  const child = await addChild(server, as.token)
  const { share_id } = await share(server, as, guardian, {
    real_user_id: child.real_user_id,
    role: 'guardian',
  })
  const fields = { real_user_id: child.real_user_id, share_id }
  const by = async (iat: number) => ({
    provider: 'example',
    id_token: await provider.forge({ ...claims, iat, exp: iat + 7200 }),
  })
  const now = Math.floor(Date.now() / 1000)
  expect((await offer(as, fields, { password: PASSWORD })).status).toBe(422)
  expect(await offer(as, fields, await by(now - 1200))).toMatchObject({
    status: 401,
    body: { detail: 'Could not validate credentials' },
  })
  const away = { provider: 'away', id_token: await provider.forge(claims) }
  expect(await offer(as, fields, away)).toMatchObject({
    status: 503,
    body: { detail: 'Sign-in provider is not available' },
  })
  expect((await offer(as, fields, await by(now))).status).toBe(200)
  expect((await acceptTransfer(guardian, child.real_user_id)).status).toBe(200)
})
