import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { ConfigurationError, readConfig } from '@companion/server/config/config.ts'
import { raw } from '../support/raw-http.ts'
import { startServer, useServer } from '../support/server.ts'

const outside = mkdtempSync(join(tmpdir(), 'companion-web-app-'))
const folder = join(outside, 'build')
mkdirSync(join(folder, 'assets'), { recursive: true })
writeFileSync(join(outside, 'secret.txt'), 'not part of the build')
writeFileSync(join(folder, 'index.html'), '<!doctype html><title>Clinic</title>')
writeFileSync(join(folder, 'icon.svg'), '<svg xmlns="http://www.w3.org/2000/svg"/>')
writeFileSync(join(folder, '.hidden'), 'not for anybody')
writeFileSync(join(folder, 'assets/index-Bc3d.js'), 'export {}')
writeFileSync(join(folder, 'assets/index-Bc3d.css'), 'body { margin: 0 }')
afterAll(() => rmSync(outside, { recursive: true }))

const server = useServer({ CLINIC_APP: folder, PUBLIC_URL: 'https://api.example.com' })

const POLICY = "default-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

describe('the web application of clinics', () => {
  test.each([
    '/clinic',
    '/clinic/',
    '/clinic/sign-in',
    '/clinic/7/child/12',
    '/clinic/invitation?token=a.b.c',
  ])('%s is its page', async (path) => {
    const { status, headers, body } = await server.get(path)
    expect([status, body]).toEqual([200, '<!doctype html><title>Clinic</title>'])
    expect(headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(headers.get('content-security-policy')).toBe(POLICY)
    // The next release has other names of assets.
    expect(headers.get('cache-control')).toBe('no-cache')
    expect(headers.get('referrer-policy')).toBe('no-referrer')
    expect(headers.get('x-content-type-options')).toBe('nosniff')
    expect(headers.get('x-frame-options')).toBe('DENY')
  })

  test.each([
    ['/clinic/assets/index-Bc3d.js', 'text/javascript; charset=utf-8', 'public, max-age=31536000, immutable'],
    ['/clinic/assets/index-Bc3d.css', 'text/css; charset=utf-8', 'public, max-age=31536000, immutable'],
    ['/clinic/icon.svg', 'image/svg+xml', 'no-cache'],
    ['/clinic/index.html', 'text/html; charset=utf-8', 'no-cache'],
  ])('%s has its type, and is kept as long as its name stands for its content', async (path, type, kept) => {
    const { status, headers } = await server.get(path)
    expect([status, headers.get('content-type'), headers.get('cache-control')]).toEqual([200, type, kept])
    expect(headers.get('content-security-policy')).toBe(POLICY)
    // `fetch` would say `no-cache` with it.
    const again = await raw(server.url, 'GET', path, {
      headers: { 'if-none-match': headers.get('etag') ?? '' },
    })
    expect(again.status).toBe(304)
  })

  test.each([
    '/clinic/assets/index-0000.js',
    '/clinic/assets/',
    '/clinic/assets',
    '/clinic/nothing.svg',
    '/clinic/.hidden',
    '/clinical',
    '/Clinic',
  ])('%s is not there', async (path) => {
    const { status, headers, body } = await server.get(path)
    expect([status, body]).toEqual([404, { detail: 'Resource not found' }])
    expect(headers.get('cache-control')).toBe('no-store')
  })

  test('a build that a demo start still waits for is not there', async () => {
    const page = join(folder, 'index.html')
    const later = join(folder, 'later.html')
    renameSync(page, later)
    const { status, body } = await server.get('/clinic/sign-in')
    renameSync(later, page)
    expect([status, body]).toEqual([404, { detail: 'Resource not found' }])
    expect((await server.get('/clinic/sign-in')).status).toBe(200)
  })

  test.each([
    '/clinic/../secret.txt',
    '/clinic/%2e%2e/secret.txt',
    '/clinic/..%2fsecret.txt',
    '/clinic/assets/..%2f..%2fsecret.txt',
    '/clinic/assets/..\\..\\secret.txt',
    '/clinic//etc/passwd',
    '/clinic/%00.txt',
    '/clinic/%ff',
    '/clinic/assets/%',
  ])('%s leads nowhere else', async (path) => {
    const { status, text } = await raw(server.url, 'GET', path)
    if (status === 200) expect(text).toBe('<!doctype html><title>Clinic</title>')
    else expect([status, Object.keys(JSON.parse(text))]).toEqual([404, ['detail']])
  })

  test('it is only read', async () => {
    for (const path of ['/clinic', '/clinic/7', '/clinic/assets/index-Bc3d.js']) {
      const { status, headers, body } = await server.post(path, { json: {} })
      expect([status, body]).toEqual([405, { detail: 'Method Not Allowed' }])
      expect(headers.get('allow')).toBe('GET, HEAD')
    }
  })
})

test('without a build there is no such page', async () => {
  const plain = await startServer({})
  expect((await plain.get('/clinic')).status).toBe(404)
  await plain.stop()
})

test('a folder without a page is refused at the start', () => {
  expect(() => readConfig({ CLINIC_APP: join(folder, 'assets') })).toThrow(
    new ConfigurationError(
      'The configuration is not valid:\n  - CLINIC_APP: must be the folder of a build, with its index.html',
    ),
  )
  expect(() => readConfig({ CLINIC_APP: folder, PUBLIC_URL: 'https://api.example.com/companion' })).toThrow(
    'CLINIC_APP: is served only where PUBLIC_URL has no path',
  )
})
