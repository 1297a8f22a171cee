import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { chromium } from 'playwright-core'
import type { Browser, Locator, Page } from 'playwright-core'
import { HOME } from './home.ts'

const EXECUTABLE = process.env['CHROMIUM'] ?? '/usr/bin/chromium'

/** Debian's Chromium, which talks to nobody but the page's server. */
export const openBrowser = (): Promise<Browser> =>
  chromium.launch({
    executablePath: EXECUTABLE,
    args: [
      '--headless',
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  })

const CONTROLS = '[role=button], [role=radio], [role=tab], [role=switch], [role=slider], a, input, textarea'

/** What a screen reader could not name; runs in the page. */
const nameless = (controls: Element[]): string[] =>
  controls
    .filter((control) => !(control.getAttribute('aria-label') ?? control.textContent).trim())
    .map(({ outerHTML }) => outerHTML.slice(0, 200))

/** What a finger would miss: less than 44 points high or wide; runs in the page. */
const tiny = (controls: Element[]): string[] =>
  controls
    .filter((control) => !control.closest('[inert]'))
    .filter((control) => {
      const { width, height } = control.getBoundingClientRect()
      return width < 44 || height < 44
    })
    .map(({ outerHTML }) => outerHTML.slice(0, 200))

export interface Phone {
  page: Page
  tap: (name: string, role?: 'button' | 'radio' | 'switch' | 'tab') => Promise<void>
  type: (label: string, text: string) => Promise<void>
  /** Waits until this can be read. */
  sees: (text: string) => Promise<void>
  /** Waits until this cannot be read any more. */
  misses: (text: string) => Promise<void>
  /** Waits until this has the focus, which it gets a little later than it appears. */
  focuses: (control: Locator) => Promise<void>
  /** As when somebody comes back to the app. */
  comesBack: () => Promise<void>
  /** A picture of the screen, to be looked at. */
  picture: (name: string) => Promise<void>
  close: () => Promise<void>
}

export interface Surroundings {
  locale: 'en-US' | 'ko-KR'
  colorScheme: 'light' | 'dark'
  viewport?: { width: number; height: number }
  /** How large the user wants texts to be; 1 is usual. */
  letters?: number
}

interface PhoneOptions extends Surroundings {
  url: string
  pictures: string
  /** What went wrong in the page; the story fails when there is any. */
  complaints: string[]
}

/** The app on a phone-sized screen, used as somebody would who sees labels and texts alone. */
export async function openPhone(browser: Browser, options: PhoneOptions): Promise<Phone> {
  const { url, locale, colorScheme, viewport = { width: 390, height: 844 }, letters = 1 } = options
  const { pictures, complaints } = options
  await mkdir(pictures, { recursive: true })
  const context = await browser.newContext({
    locale,
    colorScheme,
    timezoneId: HOME,
    viewport,
    deviceScaleFactor: 2,
    hasTouch: true,
    acceptDownloads: true,
  })
  const page = await context.newPage()
  await page.addInitScript((scale) => {
    const sheet = new CSSStyleSheet()
    sheet.replaceSync(`html { font-size: ${scale * 16}px }`)
    document.adoptedStyleSheets = [sheet]
  }, letters)
  page.setDefaultTimeout(15_000)
  page.on('pageerror', (error) => complaints.push(`${error.message}\n${error.stack ?? ''}`))
  page.on('console', (message) => {
    // Chromium reports refused and broken requests as errors of the page; the story provokes both.
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
      complaints.push(message.text())
  })
  await page.goto(url)
  const shown = (text: string) => page.getByText(text, { exact: false }).filter({ visible: true }).first()
  return {
    page,
    tap: (name, role = 'button') =>
      page.getByRole(role, { name, exact: true }).filter({ visible: true }).last().click(),
    type: (label, text) =>
      page.getByLabel(label, { exact: true }).filter({ visible: true }).last().fill(text),
    sees: (text) => shown(text).waitFor(),
    misses: (text) => shown(text).waitFor({ state: 'hidden' }),
    focuses: (control) => control.and(page.locator(':focus')).waitFor(),
    comesBack: async () => {
      await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange', { bubbles: true })))
    },
    picture: async (name) => {
      // Transitions of the navigation end before anybody looks.
      await page.waitForTimeout(450)
      const controls = page.locator(CONTROLS).filter({ visible: true })
      const mute = await controls.evaluateAll(nameless)
      complaints.push(...mute.map((control) => `${name}: a control without a name, ${control}`))
      // A month's seven columns find no such room on the smallest phone.
      const small = viewport.width < 390 ? [] : await controls.evaluateAll(tiny)
      complaints.push(...small.map((control) => `${name}: a control too small to touch, ${control}`))
      await page.screenshot({ path: join(pictures, `${name}.png`) })
    },
    close: () => context.close(),
  }
}
