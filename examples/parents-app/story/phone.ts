import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import axe from 'axe-core'
import type { AxeResults } from 'axe-core'
import { chromium } from 'playwright-core'
import type { Browser, Locator, Page } from 'playwright-core'
import { HOME_TIME_ZONE } from './home.ts'

const EXECUTABLE = process.env['CHROMIUM'] ?? '/usr/bin/chromium'

/** Starts Debian's Chromium, which connects to the page's server only. Its camera sees the film in `camera`. */
export const openBrowser = (camera?: string): Promise<Browser> =>
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
      ...(camera
        ? ['--use-fake-device-for-media-stream', `--use-file-for-fake-video-capture=${camera}`]
        : []),
    ],
  })

const CONTROLS = '[role=button], [role=radio], [role=tab], [role=switch], [role=slider], a, input, textarea'

/** WCAG 2.2, levels A and AA. */
const STANDARD = {
  runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'],
  // An experimental rule, which splits words at spaces and so finds no "1" in the Korean "1일".
  rules: { 'label-content-name-mismatch': { enabled: false } },
}

/** What an accessibility checker finds. */
async function inaccessible(page: Page): Promise<string[]> {
  await page.evaluate(axe.source)
  const found: AxeResults = await page.evaluate(`axe.run(${JSON.stringify(STANDARD)})`)
  return found.violations.map(({ help, nodes }) => `${help}, ${nodes[0]?.html.slice(0, 200)}`)
}

/** The controls that a screen reader could not name. Runs in the page. */
const nameless = (controls: Element[]): string[] =>
  controls
    .filter((control) => !(control.getAttribute('aria-label') ?? control.textContent).trim())
    .map(({ outerHTML }) => outerHTML.slice(0, 200))

/** The controls that are too small for a finger: less than 44 points high or wide. Runs in the page. */
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
  /** Waits until this text is visible. */
  sees: (text: string) => Promise<void>
  /** Waits until this text is no longer visible. */
  misses: (text: string) => Promise<void>
  /** Waits until this control has the focus, which it gets shortly after it appears. */
  focuses: (control: Locator) => Promise<void>
  /** Brings the app back to the foreground. */
  comesBack: () => Promise<void>
  /** Waits until the transitions of the navigation have ended. */
  settled: () => Promise<void>
  /** Checks the screen as it is, and takes a picture of it, for people to look at. */
  shoot: (name: string) => Promise<void>
  /** The same after the transitions of the navigation. */
  picture: (name: string) => Promise<void>
  close: () => Promise<void>
}

export interface Dependencies {
  locale: 'en-US' | 'ko-KR'
  colorScheme: 'light' | 'dark'
  viewport?: { width: number; height: number }
  /** The text size that the user has set; 1 is usual. */
  letters?: number
}

interface PhoneOptions extends Dependencies {
  url: string
  pictures: string
  /** Collects what went wrong in the page. The story fails if there is anything. */
  complaints: string[]
}

/** Opens the app on a phone-sized screen. The story uses it through visible labels and texts only. */
export async function openPhone(browser: Browser, options: PhoneOptions): Promise<Phone> {
  const { url, locale, colorScheme, viewport = { width: 390, height: 844 }, letters = 1 } = options
  const { pictures, complaints } = options
  await mkdir(pictures, { recursive: true })
  const context = await browser.newContext({
    locale,
    colorScheme,
    timezoneId: HOME_TIME_ZONE,
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
  await page.addInitScript(() => {
    // Chromium tells no listener of a change that somebody has read from the same list before: a part of the screen that
    // appears in this moment would leave all others in the scheme before.
    const native = Object.getOwnPropertyDescriptor(MediaQueryList.prototype, 'matches')
    Object.defineProperty(MediaQueryList.prototype, 'matches', {
      get(this: MediaQueryList): unknown {
        return native?.get?.call(matchMedia(this.media))
      },
    })
  })
  page.setDefaultTimeout(15_000)
  page.on('pageerror', (error) => complaints.push(`${error.message}\n${error.stack ?? ''}`))
  page.on('console', (message) => {
    // Chromium reports refused and broken requests as errors of the page. The story provokes both.
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
      complaints.push(message.text())
  })
  await page.goto(url)
  const shown = (text: string) => page.getByText(text, { exact: false }).filter({ visible: true }).first()
  const settled = () => page.waitForTimeout(450)
  const shoot = async (name: string) => {
    const controls = page.locator(CONTROLS).filter({ visible: true })
    const mute = await controls.evaluateAll(nameless)
    complaints.push(...mute.map((control) => `${name}: a control without a name, ${control}`))
    // The smallest phone has no room for seven columns of that width.
    const small = (page.viewportSize() ?? viewport).width < 390 ? [] : await controls.evaluateAll(tiny)
    complaints.push(...small.map((control) => `${name}: a control too small to touch, ${control}`))
    complaints.push(...(await inaccessible(page)).map((issue) => `${name}: ${issue}`))
    await page.screenshot({ path: join(pictures, `${name}.png`) })
  }
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
    settled,
    shoot,
    picture: async (name) => {
      await settled()
      await shoot(name)
    },
    close: () => context.close(),
  }
}
