import { existsSync } from 'node:fs'
import { chromium } from 'playwright-core'
import type { Browser } from 'playwright-core'

export const EXECUTABLE = process.env['CHROMIUM'] ?? '/usr/bin/chromium'

/** Whether tests that need a browser are skipped. In CI they fail instead. */
export const hasNoBrowser = !existsSync(EXECUTABLE) && process.env['CI'] !== 'true'

/** Starts Debian's Chromium, which contacts only the page's server. */
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
