import { mkdirSync } from 'node:fs'
import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { hasNoBrowser, openBrowser } from '../support/browser.ts'
import { signIn, signUp } from '../support/family.ts'
import { confirmReset, resetLink } from '../support/outside/mailbox.ts'
import { useServer } from '../support/server.ts'

const server = useServer()
const NEW = 'a brand new password'

// For looking at: SCREENSHOTS=<directory>.
const directory = process.env['SCREENSHOTS']

describe.skipIf(hasNoBrowser)('the reset page in a browser', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await openBrowser()
  })
  afterAll(() => browser?.close())
  afterEach(() => {
    vi.useRealTimers()
  })

  async function open(url: URL | string, { locale = 'en-US', dark = false } = {}): Promise<Page> {
    const context = await browser.newContext({
      locale,
      colorScheme: dark ? 'dark' : 'light',
      viewport: { width: 360, height: 640 },
      javaScriptEnabled: false,
    })
    const page = await context.newPage()
    await page.goto(String(url))
    return page
  }

  async function choose(page: Page, password: string, repeated = password) {
    await page.locator('#password').fill(password)
    await page.locator('#repeated').fill(repeated)
    await page.locator('button').click()
    await page.waitForLoadState()
  }

  async function look(page: Page, name: string) {
    if (!directory) return
    mkdirSync(directory, { recursive: true })
    await page.screenshot({ path: `${directory}/${name}.png` })
  }

  describe.each([
    {
      locale: 'en-US',
      heading: 'Choose a new password',
      done: 'Your password is changed',
      mismatch: 'The two passwords are not the same.',
      length: 'The password must have 8 to 128 characters.',
      used: 'This link has been used',
      expired: 'This link has expired',
      unknown: 'This link is not complete',
      advice: 'Forgot your password?',
    },
    {
      locale: 'ko-KR',
      heading: '새 비밀번호 설정',
      done: '비밀번호가 변경되었습니다',
      mismatch: '두 비밀번호가 서로 다릅니다.',
      length: '비밀번호는 8자 이상 128자 이하여야 합니다.',
      used: '이미 사용한 링크입니다',
      expired: '만료된 링크입니다',
      unknown: '올바르지 않은 링크입니다',
      advice: '비밀번호를 잊으셨나요?',
    },
  ])('in $locale', ({ locale, ...words }) => {
    let email: string
    let link: URL
    beforeEach(async () => {
      ;({ email } = await signUp(server))
      link = await resetLink(server, email)
    })
    const heading = (page: Page) => page.locator('h1').textContent()

    test('a parent without JavaScript chooses a new password, and is told of slips', async () => {
      const page = await open(link, { locale })
      expect(await page.locator('html').getAttribute('lang')).toBe(locale.slice(0, 2))
      expect(await heading(page)).toBe(words.heading)
      await look(page, `${locale}-live`)

      await choose(page, NEW, 'something else')
      expect(await page.locator('[role=alert]').textContent()).toBe(words.mismatch)
      await look(page, `${locale}-mismatch`)

      await choose(page, 'x'.repeat(129))
      expect(await page.locator('[role=alert]').textContent()).toBe(words.length)
      await look(page, `${locale}-length`)

      await choose(page, NEW)
      expect(await heading(page)).toBe(words.done)
      expect(page.url()).not.toContain('token')
      await look(page, `${locale}-done`)
      expect((await signIn(server, email, NEW)).status).toBe(200)

      await page.goto(String(link))
      expect(await heading(page)).toBe(words.used)
      expect(await page.locator('main').textContent()).toContain(words.advice)
      await look(page, `${locale}-used`)
    })

    test('an expired or mutilated link says what to do next', async () => {
      vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 30 * 60_000 + 1000 })
      const page = await open(link, { locale })
      expect(await heading(page)).toBe(words.expired)
      expect(await page.locator('main').textContent()).toContain(words.advice)
      await look(page, `${locale}-expired`)

      await page.goto(String(link).slice(0, -3))
      expect(await heading(page)).toBe(words.unknown)
      expect(await page.locator('main').textContent()).toContain(words.advice)
      await look(page, `${locale}-unknown`)
    })

    test('a link that was used elsewhere since the page was opened says so', async () => {
      const page = await open(link, { locale, dark: true })
      await look(page, `${locale}-dark`)
      await confirmReset(server, link.searchParams.get('token') ?? '', 'set on another phone')
      await choose(page, NEW)
      expect(await heading(page)).toBe(words.used)
      expect((await signIn(server, email, NEW)).status).toBe(400)
    })
  })

  test('everything fits the width of a phone, is labelled and can be reached by keyboard', async () => {
    const page = await open(await resetLink(server, (await signUp(server)).email), { locale: 'ko-KR' })
    for (const label of ['새 비밀번호', '새 비밀번호 확인']) {
      await expect(page.getByLabel(label, { exact: true }).isVisible()).resolves.toBe(true)
    }
    const box = await page.locator('button').boundingBox()
    expect(box?.height).toBeGreaterThanOrEqual(44)
    expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual(360)
    await page.keyboard.press('Tab')
    await page.keyboard.type(NEW)
    await page.keyboard.press('Tab')
    await page.keyboard.type(NEW)
    await page.keyboard.press('Enter')
    await page.waitForURL(/reset-password$/)
    expect(await page.locator('h1').textContent()).toBe('비밀번호가 변경되었습니다')
  })

  test('the browser asks nobody but this server, and its policy finds nothing to refuse', async () => {
    const context = await browser.newContext()
    const page = await context.newPage()
    const asked: string[] = []
    const said: string[] = []
    page.on('request', (request) => asked.push(request.url()))
    page.on('console', (message) => message.type() === 'error' && said.push(message.text()))
    await page.goto(String(await resetLink(server, (await signUp(server)).email)))
    expect(asked.map((url) => new URL(url).pathname)).toEqual(['/reset-password'])
    expect(said).toEqual([])
    expect(await page.evaluate('getComputedStyle(document.querySelector("main")).maxWidth')).toBe('416px')
    await context.close()
  })
})

describe('the answer', () => {
  const read = (path: string, headers: Record<string, string> = {}) => server.get(path, { headers })

  test('is kept by nobody, framed by nobody, and sends its address nowhere', async () => {
    const link = await resetLink(server, (await signUp(server)).email)
    const { status, headers } = await read(`${link.pathname}${link.search}`)
    expect(status).toBe(200)
    expect(headers.get('content-security-policy')).toMatch(
      /^default-src 'none'; style-src 'sha256-[^']+'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'$/,
    )
    expect(headers.get('cache-control')).toBe('no-store')
    expect(headers.get('referrer-policy')).toBe('no-referrer')
    expect(headers.get('x-content-type-options')).toBe('nosniff')
    expect(headers.get('vary')).toBe('accept-language')
  })

  test.each([
    ['ko', 'ko'],
    ['en-GB,ko;q=0.5', 'en'],
    ['fr, ko;q=0.2, en;q=0.1', 'ko'],
    ['ko;q=0, en;q=0.1', 'en'],
    ['ko-KR,en', 'ko'],
    ['en-US, ko', 'en'],
    ['fr', 'en'],
    ['*', 'en'],
    [';;;,q=', 'en'],
  ])('to Accept-Language %s is in %s', async (accepted, language) => {
    const { body } = await read('/reset-password?token=x', { 'accept-language': accepted })
    expect(body).toContain(`<html lang="${language}">`)
  })

  test('repeats nothing of a token that is none', async () => {
    const { status, body } = await read('/reset-password?token="><script>alert(1)</script>')
    expect(status).toBe(404)
    expect(body).not.toContain('script')
  })

  test('opening the link does not use it up', async () => {
    const link = await resetLink(server, (await signUp(server)).email)
    for (let time = 0; time < 3; time += 1) {
      expect((await read(`${link.pathname}${link.search}`)).status).toBe(200)
    }
  })

  test.each([
    ['nothing', {}],
    ['JSON', { json: { token: 'x' } }],
    ['many fields', { form: Object.fromEntries(Array.from({ length: 500 }, (_, n) => [`f${n}`, 'x'])) }],
  ])('to %s as a form is a page too', async (_name, options) => {
    const { status, headers } = await server.post('/reset-password', options)
    expect(status).toBe(404)
    expect(headers.get('content-type')).toContain('text/html')
  })
})
