import { createServer } from 'node:http'
import type { ServerResponse } from 'node:http'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { hasNoBrowser, openBrowser } from '../support/browser.ts'
import { addChild, signUp } from '../support/family.ts'
import { addService, connect } from '../support/oauth.ts'
import { PASSWORD } from '../support/password.ts'
import { useServer } from '../support/server.ts'

/* Parents click twice. With DOUBLE_CLICKS=100, as often as a release is tried. */

const TIMES = Number(process.env['DOUBLE_CLICKS'] ?? 3)
const server = useServer()

/** A service that exchanges its code as soon as a browser brings it, as they do. */
async function openService() {
  const arrivals: { redirect: URL; isGood: boolean }[] = []
  const exchange = {
    by: (_redirect: URL): Promise<unknown> => Promise.reject(new Error('Not connected yet')),
  }
  const respond = async (url: string, response: ServerResponse) => {
    const redirect = new URL(url, origin)
    if (redirect.pathname !== '/callback') {
      response.writeHead(404).end()
      return
    }
    const isGood = await exchange.by(redirect).then(
      () => true,
      () => false,
    )
    arrivals.push({ redirect, isGood })
    response.setHeader('content-type', 'text/html').end(isGood ? '<h1>Connected</h1>' : '<h1>Failed</h1>')
  }
  const listener = createServer(({ url = '' }, response) => void respond(url, response))
  await new Promise<void>((resolve) => void listener.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    listener.closeAllConnections()
    listener.close()
  })
  const address = listener.address()
  const origin = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`
  return { redirect_uri: `${origin}/callback`, exchange, arrivals }
}

describe.skipIf(hasNoBrowser)('clicks that come twice, 10 to 200 ms apart', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await openBrowser()
  })
  afterAll(() => browser?.close())

  test(
    `${TIMES} times on “Sign in” and “Allow”: the service is connected each time`,
    async () => {
      const parent = await signUp(server)
      await addChild(server, parent.token)
      const service = await openService()
      const { redirect_uri } = service
      const added = await addService(server, { is_public: true, redirect_uris: [redirect_uri] })
      const page = await (await browser.newContext({ locale: 'en-US' })).newPage()
      const statuses: number[] = []
      page.on('response', (response) => void statuses.push(response.status()))
      /** The second click comes unless the page has gone by then. */
      const clickTwice = (n: number) =>
        page.evaluate(`(() => {
        const button = document.querySelector('button[value=go]')
        button.click()
        setTimeout(() => button.click(), ${10 + (190 * n) / Math.max(TIMES - 1, 1)})
      })()`)
      for (let n = 0; n < TIMES; n += 1) {
        const connection = await connect(server, added)
        service.exchange.by = (redirect) => connection.exchange(redirect, redirect_uri)
        await page.context().clearCookies()
        await page.goto(
          (await connection.authorizeUrl({ scope: 'child:read offline_access', redirect_uri })).href,
        )
        await page.fill('#email', parent.email)
        await page.fill('#password', PASSWORD)
        await clickTwice(n)
        await page.waitForSelector('input[name=child]')
        await page.locator('input[name=child]').first().check()
        await clickTwice(n)
        // Not for its address: the first of two submits is given up.
        await page.waitForSelector('h1:text-matches("Connected|Failed")')
        expect(await page.locator('h1').textContent()).toBe('Connected')
      }
      expect(service.arrivals.filter(({ isGood }) => !isGood)).toEqual([])
      expect(statuses.filter((status) => status >= 500)).toEqual([])
      expect((await server.get('/api/v1/beta/grant', { token: parent.token })).body).toHaveLength(1)
    },
    TIMES * 10_000 + 30_000,
  )
})
