import { mkdirSync } from 'node:fs'
import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { hasNoBrowser, openBrowser } from '../support/browser.ts'
import { addChild, anyEmail, signUp } from '../support/family.ts'
import type { Account } from '../support/family.ts'
import { mailTo, shares } from '../support/shares.ts'
import { useServer } from '../support/server.ts'

const server = useServer()
const { invite, accept, withdraw } = shares(server)
afterEach(() => void vi.useRealTimers())

// For looking at: SCREENSHOTS=<directory>.
const directory = process.env['SCREENSHOTS']

interface Invited {
  owner: Account
  url: URL
  invitation_id: number
}

async function invited(fields: object = {}, name = 'Kim Jiyoung'): Promise<Invited> {
  const owner = await signUp(server)
  await server.patch('/api/v1/beta/user/root-user', { token: owner.token, json: { first_name: name } })
  const { real_user_id } = await addChild(server, owner.token)
  const email = anyEmail()
  const { body } = await invite(owner, { real_user_id, email, ...fields })
  return {
    owner,
    url: new URL((await mailTo(server, email))['link'] ?? ''),
    invitation_id: body.invitation_id,
  }
}

const tokenOf = ({ url }: Invited) => url.searchParams.get('token') ?? ''
const pageOf = ({ url }: Invited, language = 'en') =>
  server.get(`${url.pathname}${url.search}`, { headers: { 'accept-language': language } })

test('opening the page uses nothing up, and tells nobody where it leads', async () => {
  const made = await invited()
  for (let n = 0; n < 3; n += 1) expect((await pageOf(made)).status).toBe(200)
  const { headers } = await pageOf(made)
  expect(headers.get('content-security-policy')).toMatch(
    /^default-src 'none'; style-src 'sha256-[^']+'; form-action/,
  )
  expect(headers.get('referrer-policy')).toBe('no-referrer')
  expect(headers.get('cache-control')).toBe('no-store')
  expect((await accept(await signUp(server), tokenOf(made))).status).toBe(200)
})

test('what the owner has written stays text', async () => {
  const made = await invited({}, `<img src=x onerror=alert(1)>"&'`)
  const { body } = await pageOf(made)
  expect(body).toContain('&lt;img src=x onerror=alert(1)>')
  expect(body).not.toContain('<img')
})

test.each([
  ['accepted', async (made: Invited) => accept(await signUp(server), tokenOf(made))],
  ['withdrawn', async ({ owner, invitation_id }: Invited) => withdraw(owner, invitation_id)],
  [
    'of a deleted account',
    async ({ owner }: Invited) => server.delete('/api/v1/beta/user/root-user', { token: owner.token }),
  ],
  [
    'too old',
    async () => void vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 7 * 86_400_000 + 1000 }),
  ],
  ['mutilated', async ({ url }: Invited) => url.searchParams.set('token', 'nonsense')],
  ['without a token', async ({ url }: Invited) => url.searchParams.delete('token')],
])('an invitation that is %s is not open, and the page names nobody', async (_what, happens) => {
  const made = await invited()
  await happens(made)
  const { status, body } = await pageOf(made)
  expect(status).toBe(410)
  expect(body).toContain('This invitation is not open')
  expect(body).not.toMatch(/Mina|Jiyoung/)
})

test('a failure of the service is told as one', async () => {
  const made = await invited()
  const { pool } = server.database
  await pool.query('ALTER TABLE invitation RENAME TO mislaid')
  const { status, body } = await pageOf(made, 'ko')
  await pool.query('ALTER TABLE mislaid RENAME TO invitation')
  expect(status).toBe(503)
  expect(body).toContain('처리하지 못했습니다')
})

test('other methods are refused', async () => {
  expect((await server.post('/invitation')).status).toBe(405)
})

describe.skipIf(hasNoBrowser)('in a browser', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await openBrowser()
  })
  afterAll(() => browser?.close())

  async function open(
    url: URL,
    { locale, width, dark = false }: { locale: string; width: number; dark?: boolean },
  ) {
    const context = await browser.newContext({
      locale,
      colorScheme: dark ? 'dark' : 'light',
      viewport: { width, height: 700 },
      javaScriptEnabled: false,
    })
    const page = await context.newPage()
    await page.goto(String(url))
    return page
  }

  async function look(page: Page, name: string) {
    if (!directory) return
    mkdirSync(directory, { recursive: true })
    await page.screenshot({ path: `${directory}/${name}.png`, fullPage: true })
  }

  test.each([
    ['en-US', 390, 'Kim Jiyoung invites you', /records of Mina.*As a second guardian.*31 December 2099/s],
    ['ko-KR', 390, 'Kim Jiyoung님의 초대', /Mina의 컴패니언 기록.*두 번째 보호자.*2099년 12월 31일까지/s],
    ['en-US', 320, 'Kim Jiyoung invites you', /records of Mina/],
    ['ko-KR', 320, 'Kim Jiyoung님의 초대', /Mina의 컴패니언 기록/],
  ])(
    'in %s, %d wide, it says what is offered, by whom, until when and how to go on',
    async (locale, width, heading, text) => {
      const made = await invited({ role: 'guardian', until: '2099-12-31' })
      for (const dark of [false, true]) {
        const page = await open(made.url, { locale, width, dark })
        expect(await page.locator('html').getAttribute('lang')).toBe(locale.slice(0, 2))
        expect(await page.locator('h1').textContent()).toBe(heading)
        expect(await page.locator('main').textContent()).toMatch(text)
        expect(await page.locator('a').getAttribute('href')).toBe(
          `companion://invitation?token=${tokenOf(made)}`,
        )
        expect(await page.locator('code').textContent()).toBe(tokenOf(made))
        // Nothing is cut off or scrolls sideways.
        expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width)
        await look(page, `${locale}-${width}-${dark ? 'dark' : 'light'}`)
        await page.close()
      }
    },
  )

  test('a long name breaks rather than widen the page, and a closed one says what to do', async () => {
    const made = await invited({}, 'Wolfeschlegelsteinhausenbergerdorff'.repeat(2))
    const page = await open(made.url, { locale: 'en-US', width: 320 })
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(320)
    await look(page, 'long-name')
    await accept(await signUp(server), tokenOf(made))
    for (const locale of ['en-US', 'ko-KR']) {
      const closed = await open(made.url, { locale, width: 320 })
      await look(closed, `${locale}-closed`)
    }
  })
})
