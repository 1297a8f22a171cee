import { randomBytes } from 'node:crypto'
import { appendFile } from 'node:fs/promises'
import { request } from 'node:http'
import { text } from 'node:stream/consumers'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { accessibilityIssues } from '../support/accessibility.ts'
import { hasNoBrowser, openBrowser } from '../support/browser.ts'
import { anyPhone, signUp } from '../support/family.ts'
import { resetLink } from '../support/outside/mailbox.ts'
import { startServer, useServer } from '../support/server.ts'

const server = useServer()

const sendCode = async () => {
  const phone = anyPhone()
  await server.post('/api/v1/alpha/auth/send-sms-auth', { json: { phone } })
  return phone
}

test('shows codes and links, the newest first', async () => {
  const { email } = await signUp(server)
  const link = await resetLink(server, email)
  const phone = await sendCode()
  const { status, headers, body } = await server.get('/outbox')
  expect(status).toBe(200)
  expect(headers.get('cache-control')).toBe('no-store')
  expect(headers.get('content-security-policy')).toMatch(/^default-src 'none'; style-src 'sha256-[^']+'; /)
  const { code } = (await server.outbox()).find(({ to }) => to === phone) ?? {}
  expect(body).toContain(`<h2>SMS to ${phone}</h2>`)
  expect(body).toContain(`<code>${code}</code>`)
  expect(body).toContain(`<a href="${String(link).replaceAll('&', '&amp;')}">`)
  expect(body.indexOf(phone)).toBeLessThan(body.indexOf(email))
  const list = await server.get('/outbox.json')
  expect(list.body[0]).toMatchObject({ channel: 'sms', to: phone, code })
  expect((await server.post('/outbox', {})).status).toBe(405)
})

test('what somebody wrote is text', async () => {
  const line = {
    channel: 'email',
    to: '<script>x</script>',
    text: '"><img src=x>',
    link: 'javascript:x',
    sent_at: '',
  }
  await appendFile(server.config.outboxFile, `${JSON.stringify(line)}\n`)
  const { body } = await server.get('/outbox')
  expect(body).toContain('Mail to &lt;script&gt;')
  expect(body).not.toMatch(/<script|<img|javascript:/)
})

test('a page in a browser that calls this machine by another name is not answered', async () => {
  const { hostname, port } = new URL(server.url)
  const asked = request({ hostname, port, path: '/outbox', headers: { host: 'evil.example.com' } }).end()
  const status = await new Promise((resolve) => {
    asked.on('response', (response) => void text(response).then(() => resolve(response.statusCode)))
  })
  expect(status).toBe(404)
})

test('there is none in production', async () => {
  const production = await startServer({
    NODE_ENV: 'production',
    DATA_KEYS: `key1:${randomBytes(32).toString('base64')}`,
    PASSWORD_HASHING: 'strong',
    RATE_LIMITS: 'on',
    PUBLIC_URL: 'https://api.example.com',
    SMTP_URL: 'smtp://127.0.0.1:1',
    MAIL_FROM: 'companion@example.com',
    SMS_PROVIDER: 'webhook',
    SMS_WEBHOOK_URL: 'http://127.0.0.1:1',
    SMS_WEBHOOK_SECRET: 'the secret of the webhook in this test, long enough',
    SMS_COUNTRIES: 'all',
    SMS_DAILY_CAP: 'none',
  })
  for (const path of ['/outbox', '/outbox.json']) {
    const { status, body } = await production.get(path)
    expect([path, status, body]).toEqual([path, 404, { detail: 'Resource not found' }])
  }
  await production.stop()
})

describe.skipIf(hasNoBrowser)('in a browser', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await openBrowser()
  })
  afterAll(() => browser?.close())

  test.each(['light', 'dark'] as const)(
    'fits a phone, is accessible, and asks nobody else (%s)',
    async (scheme) => {
      await sendCode()
      const context = await browser.newContext({ colorScheme: scheme, viewport: { width: 320, height: 640 } })
      const page = await context.newPage()
      const said: string[] = []
      page.on('console', (message) => message.type() === 'error' && said.push(message.text()))
      await page.goto(`${server.url}/outbox`)
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(320)
      expect(await accessibilityIssues(page)).toEqual([])
      // The browser asks for an icon by itself.
      expect(said.filter((line) => !line.includes('404'))).toEqual([])
      await context.close()
    },
  )
})
