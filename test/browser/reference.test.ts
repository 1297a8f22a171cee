import { mkdirSync } from 'node:fs'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { accessibilityIssues } from '../support/accessibility.ts'
import { hasNoBrowser, openBrowser } from '../support/browser.ts'
import { PASSWORD, signUp } from '../support/family.ts'
import { useServer } from '../support/server.ts'

const server = useServer()

/** The page draws itself in many steps, each of which waits on a busy machine. */
const SLOW_MS = 120_000

// For looking at: SCREENSHOTS=<directory>.
const directory = process.env['SCREENSHOTS']

/** How Scalar has nested its own elements, which no script can mend; see docs/decisions/reference.md. */
const SCALARS_OWN = [
  // The side bar.
  /^aria-allowed-role: \.t-doc__sidebar$/,
  // The button for more languages stands among the tabs of the usual ones.
  /^aria-required-children: \.client-libraries-list$/,
  // The line that unfolds the scopes holds buttons.
  /^nested-interactive: #headlessui-disclosure-button-/,
]

describe.skipIf(hasNoBrowser)('the reference in a browser', () => {
  let browser: Browser
  /** One page for all tests: to draw it takes the browser seconds. */
  let light: Awaited<ReturnType<typeof open>>
  beforeAll(async () => {
    browser = await openBrowser()
    light = await open()
  })
  afterAll(() => browser?.close())

  /** Opens the reference; `asked` and `said` gather the requests and the errors of the page. */
  async function open({ dark = false } = {}) {
    const context = await browser.newContext({
      colorScheme: dark ? 'dark' : 'light',
      viewport: { width: 1280, height: 900 },
    })
    const page = await context.newPage()
    page.setDefaultTimeout(SLOW_MS)
    const asked: string[] = []
    const said: string[] = []
    page.on('request', (request) => asked.push(request.url()))
    page.on('console', (message) => message.type() === 'error' && said.push(message.text()))
    page.on('pageerror', (error) => said.push(error.message))
    await page.goto(`${server.url}/docs`)
    await page.getByRole('heading', { name: 'Companion', exact: true }).waitFor()
    return { page, asked, said }
  }

  async function look(page: Page, name: string) {
    if (!directory) return
    mkdirSync(directory, { recursive: true })
    await page.screenshot({ path: `${directory}/${name}.png` })
  }

  const issuesOf = async (page: Page) => {
    const issues = await accessibilityIssues(page)
    return issues.filter((issue) => !SCALARS_OWN.some((own) => own.test(issue)))
  }

  const foreign = (asked: readonly string[]) =>
    asked.filter((url) => !url.startsWith(`${server.url}/`) && !/^(data|blob):/.test(url))

  test.each([false, true])(
    'dark %s, it fits at four widths, has names for all, and asks nobody else',
    async (dark) => {
      const { page, asked, said } = dark ? await open({ dark }) : light
      await page.getByText('Renew.').waitFor()
      for (const width of [1280, 820, 390, 320]) {
        await page.setViewportSize({ width, height: 844 })
        await look(page, `reference-${width}-${dark ? 'dark' : 'light'}`)
        expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width)
        expect([width, await issuesOf(page)]).toEqual([width, []])
      }
      const shade = await page.evaluate(
        'getComputedStyle(document.body).getPropertyValue("--scalar-background-1")',
      )
      expect(parseInt(String(shade).trim().slice(1, 3), 16) < 128).toBe(dark)
      expect(foreign(asked)).toEqual([])
      expect(said).toEqual([])
      await page.setViewportSize({ width: 1280, height: 900 })
    },
  )

  test('a search finds an operation by its words, without another server', async () => {
    const { page, asked } = light
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox').fill('base station')
    const hit = page.getByRole('option').filter({ hasText: 'base station' }).first()
    await hit.waitFor()
    await look(page, 'reference-search')
    expect(foreign(asked)).toEqual([])
    await page.keyboard.press('Escape')
    await hit.waitFor({ state: 'hidden' })
  })

  test.each([
    ['upload a night', '/api/v1/gamma/device/devlog'],
    ['upload', '/api/v1/gamma/device/devlog'],
    ['sign in', '/api/v1/alpha/auth/email/signin'],
    ['report', '/api/v1/beta/pdf/report'],
    ['save a note', '/api/v1/beta/event'],
    ['last night', '/api/v1/beta/insight'],
  ])('a search for "%s" in the words of users finds %s before other operations', async (words, path) => {
    const { page } = light
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox').fill(words)
    const first = page.getByRole('option').filter({ hasText: 'Operation:' }).first()
    await first.filter({ hasText: path }).waitFor()
    expect(await first.textContent()).toContain(path)
    await page.keyboard.press('Escape')
    await first.waitFor({ state: 'hidden' })
  })

  test('the sign-in by password shows no field of a client, and no field an example that looks like a value', async () => {
    const introduction = light.page.getByRole('region', { name: 'Introduction' })
    await introduction.getByText('Username').waitFor()
    for (const label of ['Client ID', 'Client Secret', 'Credentials Location', 'Scopes Selected'])
      await introduction.getByText(label).waitFor({ state: 'hidden' })
    expect(await introduction.getByRole('textbox', { name: '12345' }).count()).toBe(0)
  })

  test('a checker of accessibility finds no issue on the page of errors', async () => {
    const { page } = light
    const errors = await page.context().newPage()
    await errors.goto(`${server.url}/docs/errors`)
    expect(await accessibilityIssues(errors)).toEqual([])
    await errors.close()
  })

  test('signing in on the page signs the calls that it tries', async () => {
    const account = await signUp(server)
    const { page, asked } = light
    const introduction = page.getByRole('region', { name: 'Introduction' })
    // The first editor holds the address of the sign-in.
    await introduction.locator('.cm-content').nth(1).click()
    // At once: the page draws itself again for each key.
    await page.keyboard.insertText(account.email)
    await introduction.getByLabel('Password', { exact: true }).fill(PASSWORD)
    const answered = page.waitForResponse(/\/auth\/email\/signin$/)
    await introduction.getByRole('button', { name: 'Authorize' }).click()
    const { access_token } = await (await answered).json()
    await introduction.getByLabel('Access Token').waitFor()
    await look(page, 'reference-signed-in')

    const sideBar = page.getByRole('navigation')
    await sideBar
      .getByRole('button', { name: /^account/ })
      .first()
      .click()
    await sideBar
      .getByRole('button', { name: /^The signed-in account/ })
      .first()
      .click()
    await page.getByRole('button', { name: /Test Request.*user\/me/ }).click()
    const called = page.waitForResponse(/\/user\/me$/)
    await page.getByRole('dialog').getByRole('button', { name: /^Send/ }).first().click()
    const response = await called
    expect(response.status()).toBe(200)
    expect(response.request().headers()['authorization']).toBe(`Bearer ${access_token}`)
    await look(page, 'reference-called')
    expect(foreign(asked)).toEqual([])
  })
})
