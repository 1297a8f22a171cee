import { mkdirSync } from 'node:fs'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { scopes } from '@companion/server/http/scope.ts'
import { accessibilityIssues } from '../support/accessibility.ts'
import { hasNoBrowser, openBrowser } from '../support/browser.ts'
import { addChild, anyEmail, signUp } from '../support/family.ts'
import type { Account } from '../support/family.ts'
import { lastLink } from '../support/outside/mailbox.ts'
import { addService, connect, createBrowser } from '../support/oauth.ts'
import { PASSWORD } from '../support/password.ts'
import { startServer, useServer } from '../support/server.ts'

// What stands on the page needs no provider to answer.
const SOCIAL_PROVIDERS = JSON.stringify(
  ['google', 'kakao'].map((name) => ({
    name,
    client_ids: ['app'],
    web: { client_id: 'web', client_secret: 'only for tests' },
  })),
)
const server = useServer({ SOCIAL_PROVIDERS })

// For looking at: SCREENSHOTS=<directory>.
const directory = process.env['SCREENSHOTS']
const everything = scopes.join(' ')

let parent: Account
let children: number[]
beforeAll(async () => {
  parent = await signUp(server)
  children = [
    (await addChild(server, parent.token)).real_user_id,
    (await addChild(server, parent.token)).real_user_id,
  ]
})

/** A service that sends its parent here, and the browser of the parent. */
async function begin(fields: Parameters<typeof addService>[1] = {}, at = server) {
  const connection = await connect(at, await addService(at, fields))
  const browser = createBrowser(at.url)
  const { location } = await browser.ask(await connection.authorizeUrl({ scope: everything }))
  const signIn = async (email = parent.email, password = PASSWORD) =>
    browser.ask(location, { email, password, action: 'go' })
  /** Signs in; resolves to the address of the consent page. */
  const arrive = async (email?: string) => (await browser.ask((await signIn(email)).location)).location
  return { connection, browser, location, signIn, arrive }
}

const grantsOf = async ({ token }: Account) => (await server.get('/api/v1/beta/grant', { token })).body

test('the pages load nothing, are framed nowhere, and lead nowhere but to the service that asks', async () => {
  const { browser, location, arrive } = await begin()
  for (const at of [() => location, () => arrive()]) {
    const { headers } = await browser.ask(await at())
    expect(headers.get('content-security-policy')).toMatch(
      /^default-src 'none'; style-src 'sha256-[^']+'; form-action 'self' https:\/\/study\.example\.org; base-uri 'none'; frame-ancestors 'none'$/,
    )
    expect(headers.get('x-frame-options')).toBe('DENY')
    expect(headers.get('referrer-policy')).toBe('no-referrer')
    expect(headers.get('cache-control')).toBe('no-store')
  }
})

test('a parent who has forgotten the password gets a link; the page does not say whether an account has the address', async () => {
  const { browser, location, signIn } = await begin()
  const forget = (email: string) => browser.ask(location, { email, password: '', action: 'forgot' })
  const known = await forget(parent.email.toUpperCase())
  const unknown = await forget(anyEmail())
  expect([known.status, unknown.status]).toEqual([200, 200])
  const page = ({ page: html }: { page: string }) => html.replace(/value="[^"]*@[^"]*"/, '')
  expect(page(known)).toContain('a mail with a link for a new password is on its way')
  expect(page(known)).toBe(page(unknown))
  expect(await lastLink(server, parent.email, '/reset-password')).toBeInstanceOf(URL)
  const empty = await forget(' ')
  expect(empty.status).toBe(422)
  expect(empty.page).toContain('Enter your e-mail address first.')
  // The step is not answered by it.
  expect((await signIn()).location).not.toBe('')
})

test('the link for a new password is asked for three times an hour at most, here as in the app', async () => {
  const limited = await startServer({ RATE_LIMITS: 'on' }, server.databaseUrl)
  onTestFinished(() => limited.stop())
  const { browser, location } = await begin({}, limited)
  const forget = async () => (await browser.ask(location, { email: other.email, action: 'forgot' })).status
  const other = await signUp(server)
  expect([await forget(), await forget(), await forget(), await forget()]).toEqual([200, 200, 200, 429])
})

test('cookies are of no use to scripts and to other sites, and secure where the service is', async () => {
  const { connection } = await begin()
  const response = await fetch(await connection.authorizeUrl(), { redirect: 'manual' })
  for (const line of response.headers.getSetCookie()) expect(line).toMatch(/; samesite=lax; httponly$/i)
  const secure = await startServer({ PUBLIC_URL: 'https://companion.example.org' }, server.databaseUrl)
  try {
    const lines: string[] = []
    const browser = createBrowser(secure.url)
    /** Asks the server where its proxy would. */
    const ask = async (url: URL, form?: Record<string, string>) => {
      const response = await browser.ask(url.pathname + url.search, form)
      lines.push(...response.headers.getSetCookie())
      return new URL(response.location)
    }
    const page = await ask(await connection.authorizeUrl())
    await ask(await ask(page, { email: parent.email, password: PASSWORD, action: 'go' }))
    // Browsers take cookies of such names from https alone, and with `__Host-` from this host alone (RFC 6265bis, 4.1.3).
    const names = ['__Host-companion_oauth_browser', '__Host-companion_oauth']
    const named = lines.map((line) => line.replace(/(\.sig)?=.*/s, ''))
    expect(new Set(named)).toEqual(new Set(names))
    for (const line of lines) expect(line).toMatch(/; secure;/i)
    // Signed by HMAC-SHA256.
    for (const line of lines.filter((each) => each.includes('.sig=')))
      expect(line).toMatch(/\.sig=[\w-]{43};/)
    for (const line of lines) expect(line).toMatch(/^(?!.*; domain=).*; path=\/;/i)
  } finally {
    await secure.stop()
  }
})

test('what the operator and the parent have written stays text', async () => {
  const name = `<img src=x onerror=alert(1)>"&'`
  const { browser, location, arrive } = await begin({ name, publisher: name })
  await server.patch('/api/v1/beta/user/root-user', { token: parent.token, json: { first_name: name } })
  for (const at of [() => location, () => arrive()]) {
    const { page } = await browser.ask(await at())
    expect(page).toContain('&lt;img src=x onerror=alert(1)>')
    expect(page).not.toContain('<img')
  }
})

describe('a form that no page of this service has sent', () => {
  test.each([
    ['from another site, as browsers tell', { 'sec-fetch-site': 'cross-site' }],
    ['from another origin', { origin: 'https://evil.example.org' }],
  ])('%s, is refused', async (_where, headers) => {
    const { browser, arrive } = await begin()
    const before = await grantsOf(parent)
    const address = await arrive()
    const form = { child: children.map(String), period: 'always', action: 'go' }
    expect((await browser.ask(address, form, headers)).status).toBe(400)
    expect(await grantsOf(parent)).toEqual(before)
  })

  test('without the cookie of the step, or with that of another, is refused', async () => {
    const [mine, other] = [await begin(), await begin()]
    const [address, foreign] = [await mine.arrive(), await other.arrive()]
    const before = await grantsOf(parent)
    const form = { child: children.map(String), period: 'always', action: 'go' }
    expect((await createBrowser(server.url).ask(address, form)).status).toBe(400)
    expect((await mine.browser.ask(foreign, form)).status).toBe(400)
    expect(await grantsOf(parent)).toEqual(before)
  })
})

test('nobody signs in with a wrong password, and the page says so without saying which was wrong', async () => {
  const { signIn } = await begin()
  for (const [email, password] of [
    [parent.email, 'not the password'],
    ['nobody@example.com', PASSWORD],
  ] as const) {
    const { status, page } = await signIn(email, password)
    expect(status).toBe(422)
    expect(page).toContain('E-mail or password is not right.')
    expect(page).not.toContain(password)
  }
})

test('sign-in has the limits of the sign-in by e-mail', async () => {
  const limited = await startServer({ RATE_LIMITS: 'on' }, server.databaseUrl)
  try {
    const { signIn } = await begin({}, limited)
    for (let n = 0; n < 10; n += 1) expect((await signIn(parent.email, 'wrong')).status).toBe(422)
    const { status, headers, page } = await signIn()
    expect(status).toBe(429)
    expect(headers.get('retry-after')).toMatch(/^\d+$/)
    expect(page).toContain('There were too many attempts.')
  } finally {
    await limited.stop()
  }
})

test('a blocked account is told so', async () => {
  const other = await signUp(server)
  await server.database.pool.query('UPDATE root_user SET blocked_at = now() WHERE id = $1', [other.id])
  const { signIn } = await begin()
  expect((await signIn(other.email)).page).toContain('This account is blocked.')
})

test('a consent names at least one child, of the own family', async () => {
  const { browser, arrive } = await begin()
  const address = await arrive()
  const stranger = await addChild(server, (await signUp(server)).token)
  for (const child of [
    [],
    [String(stranger.real_user_id)],
    [String(children[0]), String(stranger.real_user_id)],
  ]) {
    const { status, page } = await browser.ask(address, { child, period: 'month', action: 'go' })
    expect(status).toBe(422)
    expect(page).toContain('Please choose at least one child.')
  }
})

test('an account without children can only decline', async () => {
  const other = await signUp(server)
  const { browser, arrive } = await begin()
  const { page } = await browser.ask(await arrive(other.email))
  expect(page).toContain('There is no child in this account yet.')
  expect(page).not.toContain('value="go"')
})

test('another account signs in in place of the one before', async () => {
  const other = await signUp(server)
  const { browser, arrive, connection } = await begin()
  const again = await browser.ask(await arrive(), { action: 'other' })
  const redirected = await browser.ask(again.location)
  expect((await browser.ask(redirected.location)).page).toContain('name="password"')
  const redirect = await connection.consent(browser, other, { scope: 'child:read' }).catch(String)
  expect(redirect).toContain('There is no child in this account yet.')
})

test('the sign-in of a browser ends with the sessions of the account', async () => {
  const other = await signUp(server)
  await addChild(server, other.token)
  const { browser, arrive, connection } = await begin()
  const address = await arrive(other.email)
  await server.post('/api/v1/alpha/auth/signout', { token: other.token })
  expect((await browser.ask(address)).status).toBe(400)
  const { location } = await browser.ask(await connection.authorizeUrl())
  expect((await browser.ask(location)).page).toContain('name="password"')
})

test('a page that is too old says what to do', async () => {
  const { status, page } = await createBrowser(server.url).ask('/oauth/interaction/unknown')
  expect(status).toBe(400)
  expect(page).toContain('This page is out of date')
})

describe.skipIf(hasNoBrowser)('in a browser', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await openBrowser()
  })
  afterAll(() => browser?.close())

  async function look(page: Page, name: string) {
    // Nothing is cut off or scrolls sideways.
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390)
    if (!directory) return
    mkdirSync(directory, { recursive: true })
    await page.screenshot({ path: `${directory}/${name}.png`, fullPage: true })
  }

  test.each([
    ['en-US', 'light', false],
    ['ko-KR', 'dark', true],
  ] as const)('in %s, %s, a parent signs in and consents', async (locale, colorScheme, javaScriptEnabled) => {
    await server.patch('/api/v1/beta/user/root-user', { token: parent.token, json: { first_name: 'Kim' } })
    const connection = await connect(
      server,
      await addService(server, { is_public: true, redirect_uris: ['http://127.0.0.1/callback'] }),
    )
    const redirect_uri = `${server.url}/healthz`
    await server.database.pool.query(`UPDATE client SET redirect_uris = '{http://127.0.0.1/healthz}'`)
    const context = await browser.newContext({
      locale,
      colorScheme,
      viewport: { width: 390, height: 800 },
      javaScriptEnabled,
    })
    const page = await context.newPage()
    await page.goto((await connection.authorizeUrl({ scope: everything, redirect_uri })).href)
    expect(await page.locator('html').getAttribute('lang')).toBe(locale.slice(0, 2))
    expect(await page.locator('a.button').allTextContents()).toEqual(
      locale === 'ko-KR'
        ? ['Google 계정으로 로그인', '카카오 계정으로 로그인']
        : ['Sign in with Google', 'Sign in with Kakao'],
    )
    await look(page, `sign-in-${locale}`)
    await page.fill('#email', parent.email)
    await page.fill('#password', 'wrong')
    await page.click('button[value=go]')
    await look(page, `sign-in-wrong-${locale}`)
    await page.fill('#password', PASSWORD)
    await page.click('button[value=go]')
    await page.waitForSelector('fieldset')
    const [boxes, child] = [page.locator('input[name=scope]'), page.locator('input[name=child]')]
    expect(await boxes.count()).toBe(scopes.length)
    expect(await page.locator('input[name=scope]:checked').count()).toBe(scopes.length)
    expect(await page.locator('input[name=child]:checked').count()).toBe(0)
    await look(page, `consent-${locale}`)
    if (javaScriptEnabled) expect(await accessibilityIssues(page)).toEqual([])
    await child.first().check()
    await page.locator('input[value=year]').check()
    for (const box of await boxes.all())
      if ((await box.getAttribute('value')) !== 'offline_access') await box.uncheck()
    await page.click('button[value=go]')
    const issue = {
      'en-US': 'Please choose at least one kind of record.',
      'ko-KR': '기록 항목을 하나 이상 선택해 주세요.',
    }
    expect(await page.locator('[role=alert]').textContent()).toBe(issue[locale])
    // What was chosen before is still chosen.
    expect(await page.locator('input[name=scope]:checked').count()).toBe(1)
    expect(await child.first().isChecked()).toBe(true)
    await look(page, `consent-nothing-${locale}`)
    if (javaScriptEnabled) expect(await accessibilityIssues(page)).toEqual([])
    await page.locator('input[value="usage:read"]').check()
    await page.click('button[value=go]')
    // The response redirects to the service, which the policy of the page must not hinder.
    await page.waitForURL(`${redirect_uri}?**`)
    expect(new URL(page.url()).searchParams.get('code')).toBeTypeOf('string')
    expect((await grantsOf(parent))[0]).toMatchObject({
      real_user_ids: [children[0]],
      scopes: ['usage:read', 'offline_access'],
    })
    await page.goto((await connection.authorizeUrl({ redirect_uri: 'https://evil.example.org' })).href)
    await look(page, `error-${locale}`)
    await context.close()
  })
})
