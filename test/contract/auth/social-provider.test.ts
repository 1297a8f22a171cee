import { afterEach, expect, onTestFinished, test, vi } from 'vitest'
import { anyPhone, signUp, validToken } from '../../support/family.ts'
import { CLIENT_ID, startOpenIdProvider, useOpenIdProvider } from '../../support/outside/openid.ts'
import { isInLab, startServer } from '../../support/server.ts'
import type { TestServer } from '../../support/server.ts'
import { SOCIAL_SIGN_UP, socialClaims, socialSignIn, socialSignUp } from '../../support/outside/social.ts'
import { holdTimeouts } from '../../support/timeouts.ts'
import { until } from '../../support/until.ts'

const provider = useOpenIdProvider()
afterEach(() => {
  provider.answer()
  vi.useRealTimers()
})

const claims = (more: object = {}) => socialClaims(provider, more)
const badToken = { status: 401, body: { detail: 'Could not validate credentials' } }
const unavailable = { status: 503, body: { detail: 'Sign-in provider is not available' } }

/** A service that has not met the provider yet. */
async function fresh(configuration: string, work: (at: TestServer) => Promise<void>) {
  const other = await startServer({ SOCIAL_PROVIDERS: configuration })
  try {
    await work(other)
  } finally {
    await other.stop()
  }
}

test.skipIf(isInLab)('a provider is asked for its keys once, however many sign in', async () => {
  await fresh(provider.configuration, async (at) => {
    const token = await provider.forge(claims())
    const before = provider.asked()
    await Promise.all(Array.from({ length: 20 }, () => socialSignIn(at, token)))
    expect(provider.asked() - before).toBe(2)
  })
})

test.skipIf(isInLab)('a provider may change its keys at any time', async () => {
  await fresh(provider.configuration, async (at) => {
    const old = await provider.forge(claims())
    expect((await socialSignIn(at, old)).status).toBe(404)
    await provider.rotate()
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 31_000 })
    expect((await socialSignIn(at, await provider.forge(claims()))).status).toBe(404)
    expect(await socialSignIn(at, old)).toMatchObject(badToken)
    // Not asked again within half a minute of the last time: forged key names must not make this service a nuisance.
    const before = provider.asked()
    for (const kid of ['guess', 'another', 'one more']) {
      expect(await socialSignIn(at, await provider.forge(claims(), { kid }))).toMatchObject(badToken)
    }
    expect(provider.asked() - before).toBe(0)
  })
})

test.each<[string, Parameters<typeof provider.answer>[0]]>([
  ['is down', (request) => void request.socket.destroy()],
  ['fails', (_request, response) => void response.writeHead(500).end('{}')],
  ['answers nonsense', (_request, response) => void response.end('<html>')],
  [
    'says it is somebody else',
    (_request, response) =>
      void response.end(
        JSON.stringify({
          issuer: 'https://accounts.google.com',
          jwks_uri: 'https://www.googleapis.com/oauth2/v3/certs',
        }),
      ),
  ],
  [
    'sends us elsewhere',
    (_request, response) => void response.writeHead(302, { location: 'http://127.0.0.1:1' }).end(),
  ],
])('a provider that %s is not available, and is found again by itself', async (_what, response) => {
  await fresh(provider.configuration, async (at) => {
    const token = await provider.forge(claims())
    provider.answer(response)
    expect(await socialSignIn(at, token)).toMatchObject(unavailable)
    provider.answer()
    expect((await socialSignIn(at, token)).status).toBe(404)
  })
})

test('a provider that never answers is given 2.5 seconds, once for all who wait, and nobody else waits for it', async () => {
  const slow = await startOpenIdProvider()
  onTestFinished(() => slow.stop())
  const configuration = JSON.stringify([
    { name: 'example', issuer: slow.issuer, client_ids: [CLIENT_ID] },
    { name: 'quick', issuer: provider.issuer, client_ids: [CLIENT_ID] },
  ])
  await fresh(configuration, async (at) => {
    const { token } = await signUp(at)
    slow.answer(() => undefined)
    const timeouts = holdTimeouts()
    const slowToken = await slow.forge(socialClaims(slow))
    const waiting = Promise.all(Array.from({ length: 30 }, () => socialSignIn(at, slowToken)))
    await until(() => slow.asked())
    const quick = await socialSignIn(at, await provider.forge(claims()), { provider: 'quick' })
    expect(quick.status).toBe(404)
    expect((await at.get('/api/v1/beta/user/me', { token })).status).toBe(200)
    timeouts.expire()
    for (const response of await waiting) expect(response).toMatchObject(unavailable)
    expect(slow.asked()).toBe(isInLab ? 2 : 1)
    expect(new Set(timeouts.milliseconds)).toEqual(new Set([2500]))
  })
})

test.skipIf(isInLab)('a provider that goes away later is missed only once its keys are too old', async () => {
  await fresh(provider.configuration, async (at) => {
    const token = await provider.forge(claims({ exp: Date.now() / 1000 + 7200 }))
    expect((await socialSignIn(at, token)).status).toBe(404)
    provider.answer((request) => void request.socket.destroy())
    expect((await socialSignIn(at, token)).status).toBe(404)
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 3_700_000 })
    expect(await socialSignIn(at, token)).toMatchObject(unavailable)
    const up = await validToken(at, anyPhone())
    expect(up).not.toBe('')
  })
})

test('a provider that is out of reach uses no sign-up up', async () => {
  await fresh(provider.configuration, async (at) => {
    provider.answer((_request, response) => void response.writeHead(503).end())
    const { token, json, ...refused } = await socialSignUp(at, await provider.forge(claims()))
    expect(refused).toMatchObject(unavailable)
    provider.answer()
    expect((await at.post(SOCIAL_SIGN_UP, { token, json })).status).toBe(200)
  })
})
