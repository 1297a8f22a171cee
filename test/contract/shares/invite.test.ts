import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { addChild, anyEmail, signUp } from '../../support/family.ts'
import type { Account } from '../../support/family.ts'
import { addMember, invitationToken, mailTo, shares } from '../../support/shares.ts'
import { startServer, useServer } from '../../support/server.ts'

const server = useServer()
const { invite, accept, list, end } = shares(server)
afterEach(() => void vi.useRealTimers())

let owner: Account
let real_user_id: number
beforeEach(async () => {
  owner = await signUp(server)
  ;({ real_user_id } = await addChild(server, owner.token))
})

const MOMENT = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)

test('the invitation is answered, listed and sent by mail', async () => {
  const email = anyEmail()
  const { status, body } = await invite(owner, { real_user_id, role: 'guardian', email })
  expect(status).toBe(200)
  expect(body).toEqual({
    invitation_id: expect.any(Number),
    real_user_id,
    role: 'guardian',
    email,
    until: null,
    created_at: MOMENT,
    expires_at: MOMENT,
  })
  expect(Date.parse(body.expires_at) - Date.parse(body.created_at)).toBe(7 * 86_400_000)
  const { real_user_id: _, ...listed } = body
  expect((await list(owner, real_user_id)).body).toMatchObject({ members: [], invitations: [listed] })
  const { link = '', subject } = await mailTo(server, email)
  expect(link).toMatch(new RegExp(`^${server.url}/invitation\\?token=[\\w-]{43}$`))
  expect(subject).toBe('Companion 초대')
  const { rows } = await server.database.pool.query('SELECT t::text FROM invitation t')
  expect(JSON.stringify(rows)).not.toContain(new URL(link).searchParams.get('token'))
})

test.each([
  [
    'guardian',
    undefined,
    'en-GB,ko;q=0.5',
    /^Kim Jiyoung invites you.*\n?.*As a second guardian.*\nUntil: no end/s,
  ],
  ['viewer', '2099-12-31', 'en', /^Kim Jiyoung invites you.*change nothing\.\nUntil: 2099-12-31\n/s],
  ['guardian', '2099-12-31', 'ko', /^Kim Jiyoung님이.*두 번째 보호자.*기간: 2099-12-31까지\n/s],
  ['viewer', undefined, 'fr', /^Kim Jiyoung님이.*변경할 수는 없습니다\.\n기간: 정해진 종료일 없음\n/s],
])('the mail to a %s until %s for %s says what is offered', async (role, until, language, text) => {
  const email = anyEmail()
  await invite(owner, { real_user_id, role, email, until }, { 'accept-language': language })
  const mail = await mailTo(server, email)
  expect(mail['text']).toMatch(text)
  expect(mail['text']).toContain(mail['link'])
  // Mails are read by others too.
  expect(mail['text']).not.toContain('Mina')
})

test('the last day is today or later, in the time zone of the service', async () => {
  // 22 November in New York.
  vi.useFakeTimers({ toFake: ['Date'], now: Date.parse('2026-11-23T03:00:00Z') })
  owner = await signUp(server)
  ;({ real_user_id } = await addChild(server, owner.token))
  expect(await invite(owner, { real_user_id, email: anyEmail(), until: '2026-11-22' })).toMatchObject({
    status: 200,
    body: { until: '2026-11-22' },
  })
  expect(await invite(owner, { real_user_id, email: anyEmail(), until: '2026-11-21' })).toMatchObject({
    status: 422,
    body: { detail: [{ loc: ['body', 'until'], msg: 'must be today or later' }] },
  })
  expect(await invite(owner, { real_user_id, email: anyEmail(), until: null })).toMatchObject({ status: 200 })
})

test('an open invitation for the same child and e-mail is replaced', async () => {
  const email = anyEmail()
  const first = await invite(owner, { real_user_id, email })
  const token = await invitationToken(server, email)
  const second = await invite(owner, { real_user_id, email: email.toUpperCase(), role: 'guardian' })
  expect(second.body.invitation_id).not.toBe(first.body.invitation_id)
  expect((await list(owner, real_user_id)).body.invitations).toMatchObject([
    { invitation_id: second.body.invitation_id, role: 'guardian', email: email.toUpperCase() },
  ])
  expect(await accept(await signUp(server), token)).toMatchObject({
    status: 400,
    body: { detail: 'Invitation is invalid' },
  })
})

test('20 invitations at once for one e-mail are one', async () => {
  const email = anyEmail()
  const responses = await Promise.all(
    Array.from({ length: 20 }, () => invite(owner, { real_user_id, email })),
  )
  expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200]))
  expect((await list(owner, real_user_id)).body.invitations).toHaveLength(1)
})

test.each(['nobody', 'a@b@c', '', 'x'.repeat(255) + '@example.com'])(
  'the e-mail %j is 400',
  async (email) => {
    expect(await invite(owner, { real_user_id, email })).toMatchObject({
      status: 400,
      body: { detail: 'Email is not valid' },
    })
  },
)

test.each([{ role: 'owner' }, { role: undefined }, { email: 5 }, { until: '2099-02-30' }, { until: '' }])(
  '%j is 422',
  async (wrong) => {
    expect((await invite(owner, { real_user_id, email: anyEmail(), ...wrong })).status).toBe(422)
  },
)

test('who is a member, or the owner, is 409 until the membership ends', async () => {
  const refused = { status: 409, body: { detail: 'Already shared' } }
  const member = await addMember(server, owner, { real_user_id, role: 'viewer' })
  const again = () => invite(owner, { real_user_id, email: member.email.toUpperCase(), role: 'guardian' })
  expect(await again()).toMatchObject(refused)
  expect(await invite(owner, { real_user_id, email: owner.email })).toMatchObject(refused)
  await end(owner, member.share_id)
  expect(await again()).toMatchObject({ status: 200 })
})

test('a child of another account is 401, also for a guardian of it; one that is not there is 404', async () => {
  const refused = { status: 401, body: { detail: 'Not authorized user' } }
  const guardian = await addMember(server, owner, { real_user_id, role: 'guardian' })
  expect(await invite(guardian, { real_user_id, email: anyEmail() })).toMatchObject(refused)
  expect(await invite(await signUp(server), { real_user_id, email: anyEmail() })).toMatchObject(refused)
  expect(await invite(owner, { real_user_id: 2 ** 31 - 1, email: anyEmail() })).toMatchObject({
    status: 404,
    body: { detail: 'Real user is not found' },
  })
})

test('a mail server that fails leaves no invitation', async () => {
  const failing = await startServer({
    SMTP_URL: 'smtp://127.0.0.1:1',
    MAIL_FROM: 'companion@example.com',
    PUBLIC_URL: 'https://companion.example',
  })
  try {
    const account = await signUp(failing)
    const child = await addChild(failing, account.token)
    const calls = shares(failing)
    const email = anyEmail()
    expect(await calls.invite(account, { real_user_id: child.real_user_id, email })).toMatchObject({
      status: 500,
      body: { detail: 'Email send failed' },
    })
    expect((await calls.list(account, child.real_user_id)).body.invitations).toEqual([])
  } finally {
    await failing.stop()
  }
})

test('10 a day, refused ones apart', async () => {
  const limited = await startServer({ RATE_LIMITS: 'on' })
  try {
    const account = await signUp(limited)
    const child = await addChild(limited, account.token)
    const calls = shares(limited)
    const send = (id = child.real_user_id) => calls.invite(account, { real_user_id: id, email: anyEmail() })
    expect((await send(2 ** 31 - 1)).status).toBe(404)
    for (let n = 0; n < 10; n += 1) expect((await send()).status).toBe(200)
    const refused = await send()
    expect(refused).toMatchObject({ status: 429, body: { detail: 'Too many requests' } })
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(86_000)
  } finally {
    await limited.stop()
  }
})
