import { createCompanion, isOffline, safe } from '@companion/sdk'
import type * as Sdk from '@companion/sdk'
import { describe, expect, test, vi } from 'vitest'
import { hasNoBrowser, openBrowser } from '../support/browser.ts'
import { addChild, devlogItem, PASSWORD, signUp, upload } from '../support/family.ts'
import { connectBasestation } from '../support/basestations.ts'
import { startProxy } from '../support/machines/proxy.ts'
import { bundleSdk } from '../support/sdk-bundle.ts'
import { useServer } from '../support/server.ts'
import { unzipExport } from '../support/files/zip.ts'

const server = useServer()
const march = { start_date: '2026-03-01', end_date: '2026-03-31' }
const FIFTEEN_MINUTES = 900_000

async function family() {
  const account = await signUp(server)
  const child = await addChild(server, account.token)
  const basestation = await connectBasestation(server, account.token)
  await upload(server, [devlogItem(child.unique_id, '2026-03-10T21:30:00')])
  const report = { real_user_id: child.real_user_id, basestation_id: basestation.basestation_id, ...march }
  return { account, child, report }
}

async function signedIn(email: string, baseUrl = server.url) {
  const companion = createCompanion({ baseUrl })
  await companion.auth.signIn({ username: email, password: PASSWORD })
  return companion
}

const start = (bytes: ArrayBuffer) => new TextDecoder('latin1').decode(bytes.slice(0, 5))

test('reports and spreadsheets come as files, with an expired token too', async () => {
  const { account, child, report } = await family()
  const companion = await signedIn(account.email)
  vi.useFakeTimers({ toFake: ['Date'] })
  vi.setSystemTime(Date.now() + FIFTEEN_MINUTES)
  const pdf = await companion.reports.pdf({ ...report, language: 'EN' })
  vi.useRealTimers()
  expect(pdf).toMatchObject({ name: 'Beta_Report.pdf', type: 'application/pdf' })
  expect(start(pdf.bytes)).toBe('%PDF-')

  const { real_user_id, unique_id } = child
  const exported = await companion.reports.exportPdf({
    real_user_id,
    current_date: '2026-03-01',
    select_mode: 0,
  })
  expect(start(exported.bytes)).toBe('%PDF-')

  const sheet = await companion.devlogs.export({ unique_id, ...march })
  expect(sheet.name).toBe(`GAMMA_DEVICE_${unique_id}_2026-03-01~2026-03-31.xlsx`)
  expect(start(sheet.bytes)).toMatch(/^PK/)
})

test('an export comes as a file too, though it is asked for with a body', async () => {
  const { account } = await family()
  const companion = await signedIn(account.email)
  const zip = await companion.account.exportData({ format: 'fhir', password: PASSWORD })
  expect(zip).toMatchObject({
    name: expect.stringMatching(/^companion-fhir-.+\.zip$/),
    type: 'application/zip',
  })
  expect(Object.keys(unzipExport(new Uint8Array(zip.bytes)))).toEqual(['bundle.json', 'codes.json'])
  const [, wrong] = await safe(companion.account.exportData({ format: 'fhir', password: 'guess' }))
  expect(wrong?.data).toMatchObject({ status: 400, detail: 'Password is invalid' })
})

test('a file that is refused says why', async () => {
  const { account, child, report } = await family()
  const companion = await signedIn(account.email)
  const [, unknown] = await safe(companion.reports.pdf({ ...report, basestation_id: 2_000_000_000 }))
  expect(unknown?.data).toMatchObject({
    status: 404,
    detail: 'Device not found',
    requestId: expect.any(String),
  })
  const other = await family()
  const [, foreign] = await safe(
    companion.reports.pdf({ ...report, basestation_id: other.report.basestation_id }),
  )
  expect(foreign?.data).toMatchObject({ status: 403, detail: 'This device does not belong to the user' })
  const [, empty] = await safe(
    companion.devlogs.export({
      unique_id: child.unique_id,
      start_date: '2020-01-01',
      end_date: '2020-01-02',
    }),
  )
  expect(empty?.data).toMatchObject({ status: 404, detail: 'Device Log not found' })
  const [, invalid] = await safe(companion.reports.pdf({ ...report, start_date: '2026-02-30' }))
  expect(invalid?.data).toMatchObject({ status: 422, detail: [{ loc: ['query', 'start_date'] }] })
})

test('a file tells its progress, and can be cancelled', async () => {
  const { account, report } = await family()
  const companion = await signedIn(account.email)
  const progress: number[] = []
  const file = await companion.reports.pdf(report, { onProgress: ({ loaded }) => progress.push(loaded) })
  await expect.poll(() => progress.at(-1)).toBe(file.bytes.byteLength)

  const controller = new AbortController()
  const cancelled = companion.reports.pdf(report, { signal: controller.signal })
  controller.abort()
  const [, error] = await safe(cancelled)
  expect(error?.cause).toMatchObject({ name: 'AbortError' })
  expect(isOffline(error)).toBe(false)
})

test('a file that is cut has not arrived', async () => {
  const { account, report } = await family()
  let isBad = false
  const network = await startProxy(server.url, () => isBad)
  const companion = await signedIn(account.email, network.url)
  isBad = true
  const [, error] = await safe(companion.reports.pdf(report))
  expect(isOffline(error)).toBe(true)
  await network.close()
})

interface InPage {
  sdk: typeof Sdk
  /** Calls back as soon as a file is asked for. */
  whenSent: (then: () => void) => void
}

const WHEN_SENT = `(then) => {
  const { send } = XMLHttpRequest.prototype
  XMLHttpRequest.prototype.send = function (body) {
    send.call(this, body)
    then()
  }
}`

describe.skipIf(hasNoBrowser)('in a browser', () => {
  test('a file comes by XMLHttpRequest, which tells its progress and can be cancelled', async () => {
    const { account, report } = await family()
    const code = await bundleSdk()
    const browser = await openBrowser()
    try {
      // The page is any of the service's own; what it may not do by its policy, an app's page may.
      const page = await (await browser.newContext({ bypassCSP: true })).newPage()
      await page.goto(`${server.url}/healthz`)
      await page.evaluate(`${code}; globalThis.sdk = sdk; globalThis.whenSent = ${WHEN_SENT}`)
      const seen = await page.evaluate(
        async ({ baseUrl, username, password, report }) => {
          const { sdk, whenSent } = globalThis as unknown as InPage
          const companion = sdk.createCompanion({ baseUrl })
          await companion.auth.signIn({ username, password })
          const progress: number[] = []
          const file = await companion.reports.pdf(report, {
            onProgress: ({ loaded }) => progress.push(loaded),
          })
          const refused = await companion.reports
            .pdf({ ...report, basestation_id: 2_000_000_000 })
            .catch((error: { data: object }) => error.data)
          const controller = new AbortController()
          whenSent(() => controller.abort())
          const cancelled = await companion.reports
            .pdf(report, { signal: controller.signal })
            .catch((error: { cause: Error }) => error.cause.name)
          return { name: file.name, size: file.bytes.byteLength, progress, refused, cancelled }
        },
        { baseUrl: server.url, username: account.email, password: PASSWORD, report },
      )
      expect(seen).toMatchObject({
        name: 'Beta_Report.pdf',
        refused: { status: 404, detail: 'Device not found' },
        cancelled: 'AbortError',
      })
      expect(seen.size).toBeGreaterThan(10_000)
      expect(seen.progress.at(-1)).toBe(seen.size)
    } finally {
      await browser.close()
    }
  })
})
