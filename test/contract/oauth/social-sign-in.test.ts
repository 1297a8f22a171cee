import { randomUUID } from 'node:crypto'
import { afterEach, expect, onTestFinished, test } from 'vitest'
import { addChild, signUp } from '../../support/family.ts'
import { addService, connect, createBrowser } from '../../support/oauth.ts'
import type { TestBrowser } from '../../support/oauth.ts'
import { signInThere, useOpenIdProvider, WEB_CLIENT } from '../../support/outside/openid.ts'
import { startServer, useServer } from '../../support/server.ts'
import { socialClaims, socialSignUp } from '../../support/outside/social.ts'

/* Parents without a password sign in on the page for consents by their social provider. */

const provider = useOpenIdProvider()
const server = useServer(() => ({ SOCIAL_PROVIDERS: provider.configuration }))
afterEach(() => provider.answer())

/** A parent who has signed up by the provider, as `login` there. */
async function makeParent() {
  const login = randomUUID()
  const nonce = randomUUID()
  const { body } = await socialSignUp(server, await provider.signIn(login, nonce), { nonce })
  const { real_user_id: child } = await addChild(server, body.access_token)
  return { login, child, id: Number(body.id), token: String(body.access_token) }
}

/** A service that sends a browser here. `leave` follows the link to the provider. */
async function begin(at = server) {
  const connection = await connect(at, await addService(at))
  const browser = createBrowser(at.url)
  const { location: signIn } = await browser.ask(await connection.authorizeUrl())
  const leave = async () => {
    const { page } = await browser.ask(signIn)
    const [, link = ''] = /<a class="button quiet" href="([^"]+)">Sign in with example</.exec(page) ?? []
    return browser.ask(link)
  }
  return { connection, browser, signIn, leave }
}

/** Follows redirects of the service until a page comes. */
async function arrive(browser: TestBrowser, from: string) {
  let response = await browser.ask(from)
  while (response.location !== '') response = await browser.ask(response.location)
  return response
}

/** Comes back from the provider with `change` done to the address. Resolves to what the browser shows in the end. */
async function comeBack(change: (back: URL) => void = () => undefined, login: string = randomUUID()) {
  const { browser, leave } = await begin()
  const back = new URL(await signInThere((await leave()).location, login))
  change(back)
  return arrive(browser, back.href)
}

const errors = async () =>
  (
    await server.database.pool.query<{ reason: string; root_user_id: number | null }>(
      `SELECT reason, root_user_id FROM security_record WHERE action = 'connect_sign_in_refused' ORDER BY id`,
    )
  ).rows

test('a parent signs in by their provider, consents, and their app stays signed in', async () => {
  const { login, child, token } = await makeParent()
  const { connection, browser, signIn, leave } = await begin()
  const { location } = await leave()
  expect(new URL(location).origin).toBe(provider.issuer)
  const back = await signInThere(location, login)
  expect(back).toMatch(`${server.url}/oauth/signed-in?code=`)
  // The step, the end of the sign-in there, and the library in between.
  let at = back
  for (; !at.includes('/oauth/interaction/') || at.includes('/from/'); at = (await browser.ask(at)).location);
  expect(at).not.toBe(signIn)
  const allowed = await browser.ask(at, { child: String(child), period: 'month', action: 'go' })
  const { access_token } = await connection.exchange(new URL((await browser.ask(allowed.location)).location))
  expect(await server.get(`/api/v1/beta/user/real-user/${child}`, { token: access_token })).toMatchObject({
    status: 200,
    body: { id: child },
  })
  expect((await server.get('/api/v1/beta/user/me', { token })).status).toBe(200)
})

test('somebody who has not signed up is told so, in both languages, and gets nowhere', async () => {
  const { status, page } = await comeBack()
  expect({ status, page }).toMatchObject({
    status: 200,
    page: expect.stringContaining('Nobody has signed up'),
  })
  expect((await errors()).at(-1)).toMatchObject({ reason: '404 User not found', root_user_id: null })
  const { signIn, browser } = await begin()
  const korean = await browser.ask(`${signIn}?issue=stranger`, undefined, { 'accept-language': 'ko' })
  expect(korean.page).toContain('이 계정으로 가입한 기록이 없습니다.')
})

test('an issue that the address names is one of ours', async () => {
  const { signIn, browser } = await begin()
  expect((await browser.ask(`${signIn}?issue=<b>x`)).page).not.toContain('role="alert"')
})

test('a blocked account stays outside', async () => {
  const { login, id } = await makeParent()
  await server.database.pool.query('UPDATE root_user SET blocked_at = now() WHERE id = $1', [id])
  expect((await comeBack(undefined, login)).page).toContain('This account is blocked.')
  expect((await errors()).at(-1)).toMatchObject({ root_user_id: id })
})

test('whoever turns back at the provider is on the sign-in page again', async () => {
  const { page } = await comeBack((back) => {
    back.searchParams.delete('code')
    back.searchParams.set('error', 'access_denied')
  })
  expect(page).toContain('Sign in with example')
  expect(page).not.toContain('role="alert"')
})

test('a code that the provider has not given does not sign in', async () => {
  const { page } = await comeBack((back) => back.searchParams.set('code', 'made up'))
  expect(page).toContain('That did not work.')
})

test.each([
  [
    'another issuer is said to have given',
    (back: URL) => back.searchParams.set('iss', 'https://evil.example.org'),
  ],
  ['names no issuer, though this one always does', (back: URL) => back.searchParams.delete('iss')],
])('a code that %s is shown to nobody (mix-up, RFC 9207)', async (_whose, change) => {
  const { login } = await makeParent()
  const { browser, leave } = await begin()
  const back = await signInThere((await leave()).location, login)
  const changed = new URL(back)
  change(changed)
  expect((await arrive(browser, changed.href)).page).toContain('That did not work.')
  expect((await browser.ask((await browser.ask(back)).location)).location).toContain('/oauth/authorize/')
})

test('who comes back from the provider twice is led to the same place', async () => {
  const { login } = await makeParent()
  const { browser, leave } = await begin()
  const back = await signInThere((await leave()).location, login)
  const spent = await browser.ask((await browser.ask(back)).location)
  expect(spent.location).toContain('/oauth/authorize/')
  const again = await browser.ask((await browser.ask(back)).location)
  expect(again.location).toBe(spent.location)
  expect((await arrive(browser, again.location)).page).toContain('Allow Sleep study?')
})

test('an answer to another attempt, or in another browser, leads to nothing', async () => {
  const { login } = await makeParent()
  const victim = await begin()
  const attacker = await begin()
  const back = new URL(await signInThere((await attacker.leave()).location, login))
  // In a browser without the cookie of the step, as if a link had been sent to the parent.
  expect((await arrive(victim.browser, back.href)).status).toBe(400)
  // With the code under the address of the victim's own step: the state is not its own, and cannot be made up.
  const from = `${victim.signIn}/from/example`
  expect((await victim.browser.ask(`${from}?${back.searchParams.toString()}`)).status).toBe(400)
  const own = new URL((await victim.leave()).location).searchParams.get('state') ?? ''
  for (const state of ['', 'x', `${own.slice(0, -1)}${own.endsWith('A') ? 'B' : 'A'}`]) {
    const query = new URLSearchParams({ code: back.searchParams.get('code') ?? '', state })
    expect((await victim.browser.ask(`${from}?${query.toString()}`)).status).toBe(400)
  }
  // With the victim's state: the code is bound to the attacker's verifier.
  const query = new URLSearchParams({ code: back.searchParams.get('code') ?? '', state: own })
  expect((await victim.browser.ask(`${from}?${query.toString()}`)).location).toContain('?issue=failed')
})

test.each(['', 'state=', 'state=..%2f..%2fevil.a.b', 'state=https://evil.example.org', 'state=a.b.c'])(
  'the address of the return leads nowhere else (%s)',
  async (query) => {
    const { status, location } = await createBrowser(server.url).ask(`/oauth/signed-in?${query}`)
    expect({ status, location }).toEqual({ status: 400, location: '' })
  },
)

test.each([
  ['of an app', (nonce: string) => ({ aud: 'companion-app', nonce })],
  ['of another attempt', () => ({ aud: WEB_CLIENT.client_id, nonce: 'another' })],
  ['without a nonce', () => ({ aud: WEB_CLIENT.client_id })],
])('an ID token %s does not sign in', async (_name, claims) => {
  const { login } = await makeParent()
  const { browser, leave } = await begin()
  const there = new URL((await leave()).location)
  const nonce = there.searchParams.get('nonce') ?? ''
  const back = await signInThere(there.href, login)
  const respondWith = async (more: object) => {
    const id_token = await provider.forge(socialClaims(provider, { sub: login, ...more }))
    provider.answer((request, response) => {
      if (request.url === '/token') response.end(JSON.stringify({ id_token, access_token: 'x' }))
      else response.writeHead(500).end()
    })
    return (await browser.ask((await browser.ask(back)).location)).location
  }
  expect(await respondWith(claims(nonce))).toContain('?issue=failed')
  expect(await respondWith({ aud: WEB_CLIENT.client_id, nonce })).toContain('/oauth/authorize/')
})

test.each([
  ['breaks off', 500, 'x'],
  ['refuses the service itself', 401, '{"error":"invalid_client"}'],
  ['sends no ID token', 200, '{"access_token":"x"}'],
])('a provider that %s is told as a failure, and logged', async (_name, status, body) => {
  const { browser, leave } = await begin()
  const back = await signInThere((await leave()).location, randomUUID())
  provider.answer((_request, response) => void response.writeHead(status).end(body))
  expect((await arrive(browser, back)).page).toContain('That did not work.')
  expect(server.log()).toContain('sign-in provider not available')
})

test('attempts are counted by address like those by e-mail', async () => {
  const limited = await startServer(
    { SOCIAL_PROVIDERS: provider.configuration, RATE_LIMITS: 'on' },
    server.databaseUrl,
  )
  onTestFinished(() => limited.stop())
  const { browser, signIn, leave } = await begin(limited)
  // Both servers of a lab, which answer in turn, ask the provider for its addresses before it refuses everything.
  await leave()
  await browser.ask(signIn)
  const state = new URL((await leave()).location).searchParams.get('state') ?? ''
  provider.answer((_request, response) => void response.writeHead(400).end('{"error":"invalid_grant"}'))
  const query = new URLSearchParams({ code: 'made up', state }).toString()
  const attempts = []
  for (let n = 0; n < 101; n += 1)
    attempts.push((await browser.ask(`${signIn}/from/example?${query}`)).location.replace(signIn, ''))
  expect(attempts).toEqual([...Array.from({ length: 100 }, () => '?issue=failed'), '?issue=many'])
  expect((await browser.ask(`${signIn}?issue=many`)).page).toContain('There were too many attempts.')
})

test('without a web client there is no such way', async () => {
  const apps = JSON.parse(provider.configuration).map(({ web: _web, ...rest }: { web: object }) => rest)
  const other = await startServer({ SOCIAL_PROVIDERS: JSON.stringify(apps) }, server.databaseUrl)
  onTestFinished(() => other.stop())
  await signUp(other)
  const { browser, signIn } = await begin(other)
  expect((await browser.ask(signIn)).page).not.toContain('Sign in with')
  for (const name of ['example', 'unknown'])
    expect((await browser.ask(`${signIn}/with/${name}`)).location).toBe(`${signIn}?issue=failed`)
})
