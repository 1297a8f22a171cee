import { mkdirSync } from 'node:fs'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { scopes } from '@companion/server/http/scope.ts'
import { accessibilityIssues } from '../support/accessibility.ts'
import { hasNoBrowser, openBrowser } from '../support/browser.ts'
import { addChild, anyEmail, signUp } from '../support/family.ts'
import { lastLink, resetLink } from '../support/outside/mailbox.ts'
import { addService, connect, createBrowser } from '../support/oauth.ts'
import { PASSWORD } from '../support/password.ts'
import { invitationToken, shares } from '../support/shares.ts'
import { useServer } from '../support/server.ts'

/* What holds for all pages that parents open in a browser, on every device and in both languages. */

const server = useServer()
const { invite, accept } = shares(server)
const WIDTHS = [320, 390, 820]

// For looking at: SCREENSHOTS=<directory>.
const directory = process.env['SCREENSHOTS']

/** The pages, by name. They have no scripts, so their text is all of them. */
async function pagesIn(language: string): Promise<Map<string, string>> {
  const parentsBrowser = createBrowser(server.url, language)
  const pages = new Map<string, string>()
  const keep = async (name: string, ...asked: Parameters<typeof parentsBrowser.ask>) => {
    pages.set(name, (await parentsBrowser.ask(...asked)).page)
  }
  const parent = await signUp(server)
  const { real_user_id } = await addChild(server, parent.token)
  await addChild(server, parent.token)

  const email = anyEmail()
  await invite(parent, { real_user_id, email, role: 'guardian', until: '2099-12-31' })
  const token = await invitationToken(server, email)
  await keep('invitation', `/invitation?token=${token}`)
  await accept(await signUp(server), token)
  await keep('invitation-closed', `/invitation?token=${token}`)

  const connection = await connect(server, await addService(server))
  const { location } = await parentsBrowser.ask(await connection.authorizeUrl({ scope: scopes.join(' ') }))
  await keep('consent-sign-in', location)
  await keep('consent-wrong', location, { email: parent.email, password: 'wrong', action: 'go' })
  const signedIn = await parentsBrowser.ask(location, {
    email: parent.email,
    password: PASSWORD,
    action: 'go',
  })
  const { location: consent } = await parentsBrowser.ask(signedIn.location)
  await keep('consent', consent)
  await keep('consent-nobody', consent, { period: 'month', action: 'go' })
  await keep('consent-outdated', '/oauth/interaction/unknown')

  const reset = await resetLink(server, parent.email)
  const choose = (password: string, repeated = password) =>
    ['/reset-password', { token: reset.searchParams.get('token') ?? '', password, repeated }] as const
  await keep('reset', reset)
  await keep('reset-slip', ...choose(PASSWORD, 'something else'))
  await keep('reset-done', ...choose(PASSWORD))
  await keep('reset-used', reset)
  await keep('reset-unknown', '/reset-password?token=x')

  const unproven = await signUp(server)
  await server.post('/api/v1/alpha/auth/email/password-reset', { json: { email: unproven.email } })
  const needsCode = await lastLink(server, unproven.email, '/reset-password')
  const fields = { token: needsCode.searchParams.get('token') ?? '', password: PASSWORD, repeated: PASSWORD }
  await keep('reset-code', '/reset-password', fields)
  const asked = await lastLink(server, unproven.email, '/confirm-email')
  await keep('confirm', asked)
  await keep('confirmed', '/confirm-email', {
    token: asked.searchParams.get('token') ?? '',
    is_mine: 'true',
  })

  await keep('verify', '/verify')
  return pages
}

describe.skipIf(hasNoBrowser)('in a browser', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await openBrowser()
  })
  afterAll(() => browser?.close())

  test.each(['en', 'ko'])('all pages in %s can be read by everybody at every width', async (language) => {
    const pages = await pagesIn(language)
    for (const colorScheme of ['light', 'dark'] as const) {
      // A checker is a script, which the policy of the pages forbids.
      const context = await browser.newContext({ locale: language, colorScheme, bypassCSP: true })
      const page = await context.newPage()
      for (const [name, html] of pages) {
        await page.setContent(html)
        expect(await page.locator('html').getAttribute('lang')).toBe(language)
        for (const width of WIDTHS) {
          await page.setViewportSize({ width, height: 800 })
          const view = `${name}-${language}-${colorScheme}-${width}`
          if (directory) {
            mkdirSync(directory, { recursive: true })
            await page.screenshot({ path: `${directory}/${view}.png`, fullPage: true })
          }
          // Nothing is cut off or scrolls sideways.
          expect([view, await page.evaluate('document.documentElement.scrollWidth')]).toEqual([view, width])
          expect([view, await accessibilityIssues(page)]).toEqual([view, []])
        }
      }
      await context.close()
    }
  })
})
