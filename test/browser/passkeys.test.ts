import type { Browser, CDPSession, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hasNoBrowser, openBrowser } from '../support/browser.ts'
import { clinics, connectClinic, newClinic } from '../support/clinics.ts'
import {
  anyDoctor,
  CLINICIAN_SIGN_UP,
  clinicOf,
  INVITATION,
  invitationTo,
  OWN_PASSKEYS,
  PASSKEY,
} from '../support/clinicians.ts'
import { addChild, devlogItem, signUp, upload } from '../support/family.ts'
import { useServer } from '../support/server.ts'
import { shares } from '../support/shares.ts'
import { until } from '../support/until.ts'

/* The whole way of a clinician with a browser's own WebAuthn, and an authenticator that Chromium plays. */

const server = useServer()

describe.skipIf(hasNoBrowser)('a clinician with a browser', () => {
  let browser: Browser
  let page: Page
  let authenticator: CDPSession
  beforeAll(async () => {
    browser = await openBrowser()
    page = await browser.newPage()
    authenticator = await page.context().newCDPSession(page)
    await authenticator.send('WebAuthn.enable')
    await authenticator.send('WebAuthn.addVirtualAuthenticator', {
      options: {
        protocol: 'ctap2',
        transport: 'internal',
        hasResidentKey: true,
        hasUserVerification: true,
        isUserVerified: true,
        automaticPresenceSimulation: true,
      },
    })
    // A page of the service, at the name that browsers take.
    await page.goto(`${server.url.replace('127.0.0.1', 'localhost')}/docs/errors`)
  })
  afterAll(() => browser?.close())

  /** Calls a function of the page's `navigator.credentials` with the options that the service has given. */
  const call = (name: 'create' | 'get', parse: string, options: object): Promise<object> =>
    page.evaluate(`navigator.credentials.${name}({
      publicKey: PublicKeyCredential.${parse}(${JSON.stringify(options)}),
    }).then((made) => made.toJSON())`)
  const create = (options: object) => call('create', 'parseCreationOptionsFromJSON', options)
  const get = (options: object) => call('get', 'parseRequestOptionsFromJSON', options)

  async function signIn(): Promise<string> {
    const { challenge_id, options } = (await server.post(`${PASSKEY}/options`, { json: {} })).body
    const json = { challenge_id, credential: await get(options) }
    const { status, body } = await server.post(`${PASSKEY}/signin`, { json })
    expect(status).toBe(200)
    return body.access_token
  }

  test('invitation, passkey, sign-in, list, child, plan; the parent sees the name, and ends it', async () => {
    const { clinic_id, code } = await newClinic(server)
    const token = await invitationTo(server, clinic_id, { email: anyDoctor(), role: 'admin' })
    const opened = (await server.post(INVITATION, { json: { token } })).body
    const json = {
      token,
      challenge_id: opened.challenge_id,
      first_name: '한지민',
      credential: await create(opened.options),
    }
    expect(await server.post(CLINICIAN_SIGN_UP, { json })).toMatchObject({ status: 200 })
    const doctor = { token: await signIn() }

    const owner = await signUp(server)
    const { real_user_id, unique_id } = await addChild(server, owner.token)
    await upload(server, [devlogItem(unique_id, '2026-03-01T21:00:00')])
    const { connection_id } = await connectClinic(server, owner, { code, real_user_id })
    const { children, planNights } = clinicOf(server, clinic_id)
    expect((await children(doctor)).body.items).toMatchObject([{ real_user_id }])
    const query = { real_user_id, current_date: '2026-03-05' }
    const recent = () => server.get('/api/v1/beta/chart/recent', { token: doctor.token, query })
    expect((await recent()).status).toBe(200)
    const planned = await planNights(doctor, real_user_id, { nights_per_week: 5, minutes: 300 })
    expect(planned.body.set_by).toBe('clinic')

    await until(async () => {
      const { items } = (await shares(server).access(owner, real_user_id)).body
      return items.some(({ name }: { name: string }) => name === 'Seoul Sleep Clinic, 한지민')
    })
    await clinics(server).disconnect(owner, connection_id)
    expect((await recent()).status).toBe(401)
    expect((await children(doctor)).body.items).toEqual([])
  })

  test('the same authenticator is not asked for a second passkey', async () => {
    const token = await signIn()
    const { options } = (await server.post(`${OWN_PASSKEYS}/options`, { token, json: {} })).body
    await expect(create(options)).rejects.toThrow(/InvalidStateError|credentials already registered/i)
  })
})
