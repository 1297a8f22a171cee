import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import axe from 'axe-core'
import type { AxeResults } from 'axe-core'
import type { Browser, BrowserContext, Page } from 'playwright-core'

/** WCAG 2.2, levels A and AA. */
const STANDARD = {
  runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'],
  // An experimental rule, which splits words at spaces and so finds no "1" in the Korean "1일".
  rules: { 'label-content-name-mismatch': { enabled: false } },
}

/** What a picture is taken in. */
export interface ScreenshotVariant {
  name: string
  colorScheme: 'light' | 'dark'
  width: number
}

export interface Desk {
  page: Page
  context: BrowserContext
  /** Waits until this text is visible. */
  sees: (text: string | RegExp) => Promise<void>
  tap: (name: string | RegExp, role?: 'button' | 'link') => Promise<void>
  /** Puts another authenticator, without a passkey, in the place of the one before. */
  changeAuthenticator: () => Promise<void>
  /** Checks the screen by axe, and takes a picture of it, in all surroundings. */
  shows: (name: string) => Promise<void>
  /** Prints the screen. */
  prints: (name: string) => Promise<void>
}

/**
 * Opens a page with an authenticator that says yes. `complaints` collects what the page, its policy or axe has to say, and each
 * request that does not go to the service.
 */
export async function openDesk(
  browser: Browser,
  {
    service,
    locale,
    surroundings,
    pictures,
    complaints,
  }: {
    service: string
    locale: string
    surroundings: readonly [ScreenshotVariant, ...ScreenshotVariant[]]
    pictures: string
    complaints: string[]
  },
): Promise<Desk> {
  await mkdir(pictures, { recursive: true })
  const [usual] = surroundings
  const context = await browser.newContext({
    locale,
    colorScheme: usual.colorScheme,
    viewport: { width: usual.width, height: 900 },
    timezoneId: 'America/New_York',
  })
  const page = await context.newPage()
  page.setDefaultTimeout(20_000)
  page.on('pageerror', (error) => complaints.push(`${error.message}\n${error.stack ?? ''}`))
  page.on('console', (message) => {
    // Chromium reports refused requests as errors of the page. The story provokes some.
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
      complaints.push(message.text())
  })
  context.on('request', (request) => {
    const url = new URL(request.url())
    if (/^(http|ws)/.test(url.protocol) && url.origin !== service)
      complaints.push(`A request to ${url.origin}`)
  })
  const devtools = await context.newCDPSession(page)
  await devtools.send('WebAuthn.enable')
  const addAuthenticator = () =>
    devtools.send('WebAuthn.addVirtualAuthenticator', {
      options: {
        protocol: 'ctap2',
        transport: 'internal',
        hasResidentKey: true,
        hasUserVerification: true,
        isUserVerified: true,
        automaticPresenceSimulation: true,
      },
    })
  let authenticator = await addAuthenticator()
  const surround = async ({ colorScheme, width }: ScreenshotVariant) => {
    await page.emulateMedia({ colorScheme })
    await page.setViewportSize({ width, height: 900 })
    await page.waitForTimeout(250)
  }
  return {
    page,
    context,
    sees: (text) => page.getByText(text).filter({ visible: true }).first().waitFor(),
    tap: (name, role = 'button') =>
      page
        .getByRole(role, { name, ...(typeof name === 'string' ? { exact: true } : {}) })
        .first()
        .click(),
    async changeAuthenticator() {
      await devtools.send('WebAuthn.removeVirtualAuthenticator', authenticator)
      authenticator = await addAuthenticator()
    },
    async shows(name) {
      for (const each of surroundings) {
        await surround(each)
        await page.evaluate(axe.source)
        const found: AxeResults = await page.evaluate(`axe.run(${JSON.stringify(STANDARD)})`)
        for (const { help, nodes } of found.violations)
          complaints.push(`${name} ${each.name}: ${help}, ${nodes[0]?.html.slice(0, 200)}`)
        const overflow = await page.evaluate(
          () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
        )
        if (overflow > 0) complaints.push(`${name} ${each.name}: ${overflow} pixels wider than the window`)
        // Viewers give up on pictures that are higher.
        const height = Math.min(4000, await page.evaluate(() => document.documentElement.scrollHeight))
        await page.screenshot({
          path: join(pictures, `${name}-${each.name}.png`),
          fullPage: true,
          clip: { x: 0, y: 0, width: each.width, height },
        })
      }
      await surround(usual)
    },
    async prints(name) {
      await page.pdf({ path: join(pictures, `${name}.pdf`), preferCSSPageSize: true })
    },
  }
}
