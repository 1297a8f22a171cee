import { mkdirSync } from 'node:fs'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { accessibilityIssues } from '../support/accessibility.ts'
import { hasNoBrowser, openBrowser } from '../support/browser.ts'
import { addChild, signUp } from '../support/family.ts'
import { connectBasestation } from '../support/basestations.ts'
import { fetchReport, REPORT } from '../support/report.ts'
import { useServer } from '../support/server.ts'

const server = useServer()

// For looking at: SCREENSHOTS=<directory>.
const directory = process.env['SCREENSHOTS']

describe.skipIf(hasNoBrowser)('the page that verifies a report, in a browser', () => {
  let browser: Browser
  let report: Buffer
  beforeAll(async () => {
    browser = await openBrowser()
    const { token } = await signUp(server)
    const { real_user_id } = await addChild(server, token)
    const { basestation_id } = await connectBasestation(server, token)
    const query = { real_user_id, basestation_id, start_date: '2026-03-01', end_date: '2026-03-31' }
    report = Buffer.from((await fetchReport(server, REPORT, token, query)).bytes)
  })
  afterAll(() => browser?.close())

  async function look(page: Page, name: string) {
    if (!directory) return
    mkdirSync(directory, { recursive: true })
    await page.screenshot({ path: `${directory}/verify-${name}.png`, fullPage: true })
  }

  async function verify(page: Page, buffer: Buffer) {
    await page.goto(`${server.url}/verify`)
    await page.locator('input').setInputFiles({ name: 'report.pdf', mimeType: 'application/pdf', buffer })
    await page.locator('button').click()
    await page.waitForLoadState()
    return page.locator('h1').textContent()
  }

  test.each([
    ['en-US', 'Verify a report', 'The report is genuine', 'The report is not genuine'],
    ['ko-KR', '보고서 확인', '진본 보고서입니다', '진본이 아닙니다'],
  ])(
    'in %s it takes a file without JavaScript, and is fit for all',
    async (locale, title, genuine, changed) => {
      for (const [colorScheme, javaScriptEnabled] of [
        ['light', true],
        ['dark', true],
        ['light', false],
      ] as const) {
        const context = await browser.newContext({
          locale,
          colorScheme,
          viewport: { width: 320, height: 700 },
          javaScriptEnabled,
        })
        const page = await context.newPage()
        await page.goto(`${server.url}/verify`)
        expect(await page.locator('h1').textContent()).toBe(title)
        expect(await page.locator('html').getAttribute('lang')).toBe(locale.slice(0, 2))
        const fit = async (name: string) => {
          await look(page, `${name}-${locale}-${colorScheme}`)
          // axe is a script.
          if (!javaScriptEnabled) return
          expect(await accessibilityIssues(page)).toEqual([])
          expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(320)
        }
        await fit('ask')
        expect(await verify(page, report)).toBe(genuine)
        expect(await page.locator('code').textContent()).toMatch(/^\S{14}$/)
        await fit('made')
        expect(await verify(page, Buffer.concat([report, Buffer.from(' ')]))).toBe(changed)
        await fit('changed')
        await context.close()
      }
    },
  )
})
