import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { hasNoBrowser, openBrowser } from '../support/browser.ts'
import { addChild, devlogItem, signUp, upload } from '../support/family.ts'
import { addService } from '../support/oauth.ts'
import { PASSWORD } from '../support/password.ts'
import { useServer } from '../support/server.ts'

/*
 * `fhirclient`, the SMART client of https://docs.smarthealthit.org/client-js/, in a page of another origin: it finds the endpoints,
 * asks the parent, and reads what the parent has let it read.
 */

const server = useServer()
const NIGHTS = 30

let browser: Browser
beforeAll(async () => {
  if (!hasNoBrowser) browser = await openBrowser()
})
afterAll(() => browser?.close())

const library = readFileSync(new URL('../node_modules/fhirclient/build/fhir-client.pure.js', import.meta.url))

/** An application of two pages. Resolves to its address. */
async function application(launch: (origin: string) => object): Promise<string> {
  const site = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '', 'http://127.0.0.1')
    if (pathname === '/fhir-client.js') {
      response.writeHead(200, { 'content-type': 'text/javascript' }).end(library)
      return
    }
    const script =
      pathname === '/launch'
        ? `FHIR.oauth2.authorize(${JSON.stringify(launch(origin))})`
        : `FHIR.oauth2.ready().then(async (client) => {
            const uses = await client.request(
              'Observation?code=device-use&_count=7&patient=' + client.patient.id, { pageLimit: 0, flat: true })
            const patient = await client.patient.read()
            const user = await client.user.read()
            document.title = JSON.stringify({ uses, patient, user, fhirUser: client.user.fhirUser, scope: client.state.tokenResponse.scope })
          }).catch((error) => { document.title = JSON.stringify({ error: String(error) }) })`
    response
      .writeHead(200, { 'content-type': 'text/html' })
      .end(`<!doctype html><title>…</title><script src="/fhir-client.js"></script><script>${script}</script>`)
  })
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void site.close())
  const { port } = site.address() as AddressInfo
  const origin = `http://127.0.0.1:${port}`
  return origin
}

test.skipIf(hasNoBrowser)(
  'a standalone launch reads the nights that the chart shows',
  async () => {
    const parent = await signUp(server)
    const other = await addChild(server, parent.token)
    const child = await addChild(server, parent.token)
    const night = (n: number) => `2026-03-${String(n + 1).padStart(2, '0')}`
    await upload(
      server,
      Array.from({ length: NIGHTS }, (_, n) =>
        devlogItem(child.unique_id, `${night(n)}T21:30:00`, {
          log_file_id: n + 1,
          intensities: Array.from({ length: 10 + n }, () => 7),
        }),
      ),
    )
    await upload(server, [devlogItem(other.unique_id, `${night(3)}T21:30:00`)])
    const service = await addService(server, { is_public: true, redirect_uris: ['http://127.0.0.1/app'] })
    const origin = await application((at) => ({
      iss: `${server.url}/fhir`,
      clientId: service.client_id,
      scope: 'openid fhirUser launch/patient patient/Patient.rs patient/Observation.rs',
      redirectUri: `${at}/app`,
    }))
    const page = await browser.newPage()
    onTestFinished(() => page.close())
    await page.goto(`${origin}/launch`)
    await page.fill('input[name=email]', parent.email)
    await page.fill('input[name=password]', PASSWORD)
    await page.click('button[value=go]')
    await page.check(`input[type=radio][name=child][value="${child.real_user_id}"]`)
    if (process.env['SCREENSHOTS'])
      await page.screenshot({ path: `${process.env['SCREENSHOTS']}/smart-consent.png`, fullPage: true })
    await page.click('button[value=go]')
    await page.waitForURL(`${origin}/app**`)
    await page.waitForFunction("document.title.startsWith('{')")
    const { uses, patient, user, ...rest } = JSON.parse(await page.title())
    expect(rest).toMatchObject({ fhirUser: `RelatedPerson/account-${parent.id}` })
    expect(patient).toMatchObject({ resourceType: 'Patient', id: `child-${child.real_user_id}` })
    expect(user).toMatchObject({
      resourceType: 'RelatedPerson',
      patient: { reference: `Patient/${patient.id}` },
    })
    expect(uses).toHaveLength(NIGHTS)
    const seconds = uses.map(
      ({ component }: any) =>
        component.find(({ code }: any) => code.coding[0].code === 'duration').valueQuantity.value,
    )
    const { body } = await server.get('/api/v1/beta/chart/recent', {
      token: parent.token,
      query: { real_user_id: child.real_user_id, select_mode: 1, current_date: night(NIGHTS - 1) },
    })
    const sum = (values: number[]) => values.reduce((total, each) => total + each, 0)
    const charted = body.treatment_time_data.map(
      ({ treatment_time }: { treatment_time: number }) => treatment_time,
    )
    expect(charted).toHaveLength(NIGHTS)
    expect(sum(seconds)).toBe(sum(charted))
  },
  60_000,
)
