import { runInNewContext } from 'node:vm'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { failureOf, patiently } from '../testing/settle.ts'
import { cut, serviceInMemory, slowStorage } from '../testing/service-in-memory.ts'
import { createCompanion, isOffline, isSignedOut } from './index.ts'
import type { FileProgress } from './index.ts'

const credentials = { username: 'parent@example.com', password: 'correct horse battery' }
const period = { real_user_id: 1, basestation_id: 2, start_date: '2026-03-01', end_date: '2026-03-31' }
const REPORT = '/api/v1/beta/pdf/report'
const pdf = (headers: Record<string, string> = {}, body = '%PDF-1.7') =>
  new Response(body, {
    headers: {
      'content-type': 'application/pdf',
      'content-length': '8',
      'content-disposition': 'attachment; filename=Beta_Report.pdf',
      ...headers,
    },
  })
const errorResponse = (status: number, detail: unknown) =>
  Response.json({ detail }, { status, headers: { 'x-request-id': 'request-1' } })

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] }))
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

/** Uses the platform's own fetch or XMLHttpRequest; both reach the same service. */
async function signedIn(file: () => Response | Promise<Response> = pdf) {
  const service = serviceInMemory()
  vi.stubGlobal('fetch', service.fetch)
  service.onReturn = (request, response) =>
    request.path.startsWith('/api/') && response.status === 200 ? file() : restError(response)
  const companion = createCompanion({ baseUrl: 'https://companion.test', storage: slowStorage() })
  await patiently(companion.auth.signIn(credentials))
  return { service, companion }
}

/** The service's errors in their REST form. */
async function restError(response: Response): Promise<Response> {
  if (response.status === 200) return response
  const { error } = Object(await response.clone().json())
  return Response.json({ error, detail: error.data.detail }, { status: response.status })
}

/** XMLHttpRequest as React Native and browsers have it: with events, and a body that arrives in pieces. */
class FakeRequest extends EventTarget {
  static made: FakeRequest[] = []
  responseType = ''
  status = 0
  response: unknown = ''
  aborted = false
  #url = ''
  readonly #headers = new Headers()
  #answered = new Headers()
  open(_method: string, url: string) {
    this.#url = url
    FakeRequest.made.push(this)
  }
  setRequestHeader = (name: string, value: string) => this.#headers.set(name, value)
  getResponseHeader = (name: string) => this.#answered.get(name)
  abort() {
    this.aborted = true
    this.dispatchEvent(new Event('abort'))
  }
  send() {
    void this.#receive().catch(() => this.dispatchEvent(new Event('error')))
  }
  async #receive() {
    const response = await fetch(this.#url, { headers: this.#headers })
    this.status = response.status
    this.#answered = response.headers
    this.response = await response.arrayBuffer()
    const total = Number(response.headers.get('content-length'))
    this.dispatchEvent(Object.assign(new Event('progress'), { loaded: 1, total: 0, lengthComputable: false }))
    this.dispatchEvent(Object.assign(new Event('progress'), { loaded: total, total, lengthComputable: true }))
    this.dispatchEvent(new Event('load'))
  }
}

describe.each(['fetch', 'XMLHttpRequest'])('a file by %s', (how) => {
  beforeEach(() => {
    FakeRequest.made = []
    if (how === 'XMLHttpRequest') vi.stubGlobal('XMLHttpRequest', FakeRequest)
  })

  test('comes with its name, type and bytes, and tells its progress', async () => {
    const { companion, service } = await signedIn()
    const progress: FileProgress[] = []
    const file = await patiently(
      companion.reports.pdf({ ...period, language: 'EN' }, { onProgress: (each) => progress.push(each) }),
    )
    expect(file).toMatchObject({ name: 'Beta_Report.pdf', type: 'application/pdf' })
    expect(new TextDecoder().decode(file.bytes)).toBe('%PDF-1.7')
    expect(service.to(REPORT)[0]?.headers.get('authorization')).toBe('Bearer access-1')
    const first = { loaded: 1, total: undefined }
    expect(progress).toEqual([...(how === 'fetch' ? [] : [first]), { loaded: 8, total: 8 }])
  })

  test('costs a refresh when the access token has expired', async () => {
    const { companion, service } = await signedIn()
    service.expireAccess()
    await patiently(companion.reports.pdf(period))
    expect(service.to(REPORT).map(({ headers }) => headers.get('authorization'))).toEqual([
      'Bearer access-1',
      'Bearer access-2',
    ])
  })

  test('is refused with status, text and request id', async () => {
    const { companion } = await signedIn(() => errorResponse(404, 'Real user is not found – 없음'))
    expect(await failureOf(companion.reports.pdf(period))).toMatchObject({
      message: 'reports.pdf: 404 Real user is not found – 없음',
      data: { status: 404, httpStatus: 404, detail: 'Real user is not found – 없음', requestId: 'request-1' },
      shape: { code: -32_004 },
    })
  })

  test.each([
    ['nobody answers', cut],
    ['a proxy answers', () => new Response('<h1>Sign in to the hotel</h1>', { status: 200 })],
    ['a gateway answers', () => new Response('Bad Gateway', { status: 502 })],
    ['a page of 2 MB answers', () => new Response(`{"detail":"${'x'.repeat(2_000_000)}"}`, { status: 500 })],
    ['it is cut', () => pdf({ 'content-length': '9' })],
  ])('has not arrived when %s', async (_what, file) => {
    const { companion } = await signedIn(file)
    const error = await failureOf(companion.reports.pdf(period))
    expect(isOffline(error)).toBe(true)
    expect(isSignedOut(error)).toBe(false)
  })

  test('can be cancelled', async () => {
    const { companion } = await signedIn(() => new Promise(() => {}))
    const controller = new AbortController()
    const call = failureOf(
      companion.reports.exportPdf(
        { real_user_id: 1, current_date: '2026-03-01', select_mode: 0 },
        { signal: controller.signal },
      ),
    )
    await vi.advanceTimersByTimeAsync(100)
    controller.abort()
    const error = await call
    expect(error).toMatchObject({ cause: { name: 'AbortError' } })
    expect(isOffline(error)).toBe(false)
    expect(FakeRequest.made.map(({ aborted }) => aborted)).toEqual(how === 'fetch' ? [] : [true])
  })

  test('that was cancelled before is not asked for', async () => {
    const { companion, service } = await signedIn()
    service.expireAccess()
    service.instead = ({ path }) => (path === 'auth.refresh' ? new Promise(() => {}) : undefined)
    const controller = new AbortController()
    const call = failureOf(companion.reports.pdf(period, { signal: controller.signal }))
    await vi.advanceTimersByTimeAsync(1000)
    const before = service.to(REPORT).length
    controller.abort()
    await call
    service.instead = () => undefined
    await vi.advanceTimersByTimeAsync(60_000)
    expect(service.to('auth.refresh').length).toBeGreaterThan(1)
    expect(service.to(REPORT)).toHaveLength(before)
  })

  test('ends the session when the account is gone', async () => {
    const { companion } = await signedIn(() => errorResponse(401, 'User is Deleted'))
    expect(isSignedOut(await failureOf(companion.reports.pdf(period)))).toBe(true)
    expect(await patiently(companion.session.isSignedIn())).toBe(false)
  })
})

test.each([
  ['attachment; filename="a b.pdf"', 'a b.pdf'],
  ['attachment; filename=a~b.pdf; size=3', 'a~b.pdf'],
  ['attachment', 'report.pdf'],
])('the name in %s is %s', async (disposition, name) => {
  const { companion } = await signedIn(() => pdf({ 'content-disposition': disposition }))
  expect(await patiently(companion.reports.pdf(period))).toMatchObject({ name })
})

test('of another realm is a file too', async () => {
  const bytes: unknown = runInNewContext('Uint8Array.from([37, 80, 68, 70]).buffer')
  class OtherRealm extends FakeRequest {
    override dispatchEvent(event: Event) {
      this.response = bytes
      return super.dispatchEvent(event)
    }
  }
  vi.stubGlobal('XMLHttpRequest', OtherRealm)
  const { companion } = await signedIn(() => pdf({ 'content-length': '4' }))
  expect((await patiently(companion.reports.pdf(period))).bytes).toBe(bytes)
})

test('packed on its way, its length is not that of the header', async () => {
  const { companion } = await signedIn(() => pdf({ 'content-encoding': 'gzip', 'content-length': '5' }))
  expect((await patiently(companion.reports.pdf(period))).bytes.byteLength).toBe(8)
})

test.each(['timeout', 'abort'])(
  'whose request ends by %s has not arrived, and is asked for again',
  async (end) => {
    let left = 2
    class Ended extends FakeRequest {
      override send() {
        if (left-- > 0) queueMicrotask(() => this.dispatchEvent(new Event(end)))
        else super.send()
      }
    }
    vi.stubGlobal('XMLHttpRequest', Ended)
    const { companion } = await signedIn()
    const started = Date.now()
    expect(await patiently(companion.reports.pdf(period))).toMatchObject({ name: 'Beta_Report.pdf' })
    expect(Date.now() - started).toBeLessThan(20_000)
  },
)
