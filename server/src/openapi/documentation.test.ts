import { once } from 'node:events'
import { request } from 'node:http'
import express from 'express'
import { expect, onTestFinished, test } from 'vitest'
import { documentation } from './documentation.ts'
import { errorResponder, errorHandler, notFound } from '../http/error-response.ts'
import { forwarded } from '../http/forwarded.ts'
import { createLogger } from '../telemetry/log.ts'
import { issueTypes } from '../http/validation-issues.ts'

async function serve(publicUrl?: string): Promise<string> {
  const client = forwarded({ publicUrl, host: '127.0.0.1', trustProxy: false })
  const app = express().use(
    documentation(client),
    notFound,
    errorHandler(errorResponder(createLogger('silent'), client)),
  )
  const server = app.listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new TypeError('no port')
  return `http://127.0.0.1:${address.port}`
}

test('the OpenAPI document names the address it was asked at, or the public one', async () => {
  const here = await serve()
  expect(await (await fetch(`${here}/openapi.json`)).json()).toMatchObject({
    openapi: '3.1.0',
    servers: [{ url: here }],
  })
  const publicly = await serve('https://companion.example/api')
  expect(await (await fetch(`${publicly}/openapi.json`)).json()).toMatchObject({
    servers: [{ url: 'https://companion.example/api' }],
  })
})

test('the root leads to the reference', async () => {
  const response = await fetch(`${await serve()}/`, { redirect: 'manual' })
  expect([response.status, response.headers.get('location')]).toEqual([302, '/docs'])
})

test.each(['/docs', '/docs/errors'])(
  '%s loads everything from this server, and nothing inline',
  async (path) => {
    const origin = await serve('https://companion.example/api')
    const response = await fetch(origin + path)
    const html = await response.text()
    const links = [...html.matchAll(/(?:src|href)="(\/[^"#]*)"/g)].map(([, link]) => link ?? '')
    expect(links.length).toBeGreaterThan(1)
    const responses = await Promise.all(
      links.map(async (link) => [link, (await fetch(origin + link)).status]),
    )
    expect(responses).toEqual(links.map((link) => [link, 200]))
    expect(html).not.toMatch(/<script>|<style|style="|\son\w+="/)
    const styles = path === '/docs' ? "'self' 'unsafe-inline'" : "'self'"
    expect(response.headers.get('content-security-policy')).toBe(
      `default-src 'none'; script-src 'self'; style-src ${styles}; img-src 'self' data:; ` +
        `connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
    )
  },
)

test('assets may be cached and travel packed where the client takes it', async () => {
  const url = `${await serve()}/docs/assets/scalar.js`
  const plain = await fetch(url, { headers: { 'accept-encoding': 'identity' } })
  const packed = await fetch(url, { headers: { 'accept-encoding': 'gzip' } })
  expect(packed.headers.get('content-encoding')).toBe('gzip')
  expect(plain.headers.get('content-encoding')).toBeNull()
  expect(plain.headers.get('content-type')).toBe('text/javascript; charset=utf-8')
  expect(plain.headers.get('cache-control')).toBe('public, max-age=3600')
  expect(plain.headers.get('vary')).toBe('Accept-Encoding')
  expect(await plain.text()).toBe(await packed.text())
})

test('the document is told from an older one by its tag, and travels packed where the client takes it', async () => {
  const url = `${await serve()}/openapi.json`
  const packed = await fetch(url, { headers: { 'accept-encoding': 'gzip' } })
  const plain = await fetch(url, { headers: { 'accept-encoding': 'identity' } })
  expect(packed.headers.get('content-encoding')).toBe('gzip')
  expect(plain.headers.get('content-encoding')).toBeNull()
  expect(plain.headers.get('content-type')).toBe('application/json; charset=utf-8')
  expect(plain.headers.get('vary')).toBe('Accept-Encoding')
  const tag = plain.headers.get('etag') ?? ''
  expect(packed.headers.get('etag')).toBe(tag)
  expect(await packed.text()).toBe(await plain.text())
  // `fetch` itself demands the whole document once it sees this header.
  const ask = async (at: string, known: string) => {
    const [response] = await once(request(at, { headers: { 'if-none-match': known } }).end(), 'response')
    let size = 0
    for await (const chunk of response) size += chunk.length
    return [response.statusCode, size > 0, response.headers.etag]
  }
  expect(await ask(url, tag)).toEqual([304, false, tag])
  expect(await ask(url, 'W/"older"')).toEqual([200, true, tag])
  // At another address it is another document.
  expect(await ask(`${await serve()}/openapi.json`, tag)).toEqual([
    200,
    true,
    expect.not.stringContaining(tag),
  ])
})

test('the page on errors has an anchor for every type of issue', async () => {
  const html = await (await fetch(`${await serve()}/docs/errors`)).text()
  for (const type of Object.keys(issueTypes)) expect(html).toContain(`id="${type}"`)
})

test.each(['/docs/', '/docs/other', '/docs/errors/missing', '/docs/assets/index.html', '/Docs'])(
  '%s is nothing',
  async (path) => {
    const response = await fetch((await serve()) + path)
    expect([response.status, await response.json()]).toEqual([404, { detail: 'Resource not found' }])
  },
)

test.each(['/', '/openapi.json', '/docs', '/docs/errors', '/docs/assets/reference.js'])(
  '%s can only be read',
  async (path) => {
    const url = (await serve()) + path
    for (const method of ['POST', 'DELETE', 'OPTIONS']) {
      const response = await fetch(url, { method })
      expect([response.status, await response.json()]).toEqual([405, { detail: 'Method Not Allowed' }])
      expect(response.headers.get('allow')).toBe('GET, HEAD')
    }
    const head = await fetch(url, { method: 'HEAD', redirect: 'manual' })
    expect([head.status, await head.text()]).toEqual([path === '/' ? 302 : 200, ''])
  },
)
