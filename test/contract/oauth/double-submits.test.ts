import { beforeAll, describe, expect, test } from 'vitest'
import { addChild, signUp } from '../../support/family.ts'
import type { Account } from '../../support/family.ts'
import { somebodyWaits } from '../../support/lock-waits.ts'
import { addService, connect, createBrowser } from '../../support/oauth.ts'
import type { TestBrowser } from '../../support/oauth.ts'
import { PASSWORD } from '../../support/password.ts'
import { useServer } from '../../support/server.ts'

/* Parents click twice, and browsers show what comes last. With PAIRS=50, as often as a release is tried. */

const PAIRS = Number(process.env['PAIRS'] ?? 12)

const server = useServer()
let parent: Account
let child: number
beforeAll(async () => {
  parent = await signUp(server)
  child = (await addChild(server, parent.token)).real_user_id
})

const signIn = () => ({ email: parent.email, password: PASSWORD, action: 'go' })
const consent = () => ({ child: String(child), period: 'month', action: 'go' })

/** Sends a form and follows where it leads, as a browser does, until a page or the service. */
async function submit(browser: TestBrowser, at: string, form: Record<string, string>) {
  const statuses: number[] = []
  let response = await browser.ask(at, form)
  for (
    statuses.push(response.status);
    response.location.startsWith(server.url);
    statuses.push(response.status)
  )
    response = await browser.ask(response.location)
  return { ...response, end: response.location, statuses }
}

/** A browser at the sign-in page, or at the consent page. */
async function begin() {
  const connection = await connect(server, await addService(server))
  const browser = createBrowser(server.url)
  const { location } = await browser.ask(
    await connection.authorizeUrl({ scope: 'child:read offline_access', prompt: 'consent' }),
  )
  /** Resolves to the address of the consent page. */
  const arrive = async () => {
    const { location: onward } = await browser.ask(location, signIn())
    return (await browser.ask(onward)).location
  }
  return { connection, browser, location, arrive }
}

const grants = async () =>
  (await server.get('/api/v1/beta/grant', { token: parent.token })).body as {
    client: { client_id: string }
  }[]

test(`${PAIRS} pairs of consents at once: each ends with one code that works, and one grant`, async () => {
  const { browser, arrive } = await begin()
  await arrive()
  // In tabs of one browser, whose sign-in all of them renew.
  const one = async () => {
    const connection = await connect(server, await addService(server))
    const { location } = await browser.ask(await connection.authorizeUrl({ prompt: 'consent' }))
    const pair = [submit(browser, location, consent()), submit(browser, location, consent())]
    const [first, second] = await Promise.all(pair)
    expect([...(first?.statuses ?? []), ...(second?.statuses ?? [])]).toEqual([303, 303, 303, 303])
    expect(second?.end).toBe(first?.end)
    const tokens = await connection.exchange(new URL(first?.end ?? ''))
    expect(await connection.introspect(tokens.access_token)).toMatchObject({ active: true })
  }
  const before = (await grants()).length
  await Promise.all(Array.from({ length: PAIRS }, one))
  expect(await grants()).toHaveLength(before + PAIRS)
})

test('consents that wait for a child leave connections to the database for everybody else', async () => {
  const { browser, arrive } = await begin()
  await arrive()
  const addresses: string[] = []
  for (let n = 0; n < 12; n += 1) {
    const connection = await connect(server, await addService(server))
    addresses.push((await browser.ask(await connection.authorizeUrl({ prompt: 'consent' }))).location)
  }
  const holder = await server.database.pool.connect()
  try {
    await holder.query('BEGIN')
    await holder.query('SELECT FROM real_user WHERE id = $1 FOR UPDATE', [child])
    const responses = Promise.all(addresses.map((address) => submit(browser, address, consent())))
    await somebodyWaits(server.database)
    for (let n = 0; n < 30; n += 1)
      expect((await server.get('/api/v1/beta/user/me', { token: parent.token })).status).toBe(200)
    await holder.query('COMMIT')
    for (const { statuses } of await responses) expect(statuses).toEqual([303, 303])
  } finally {
    await holder.query('ROLLBACK')
    holder.release()
  }
})

describe('a second submit of a step', () => {
  test('of the sign-in, at once or later, leads to the same consent page', async () => {
    const { browser, location } = await begin()
    const pages = await Promise.all([
      submit(browser, location, signIn()),
      submit(browser, location, signIn()),
    ])
    pages.push(await submit(browser, location, signIn()))
    for (const { status, page } of pages) {
      expect(status).toBe(200)
      expect(page).toContain('Allow Sleep study?')
    }
  })

  test('after the answer has left brings the same code, in a browser that has not seen it', async () => {
    const { connection, browser, arrive } = await begin()
    const address = await arrive()
    const cookies = new Map(browser.cookies)
    const first = await submit(browser, address, consent())
    browser.cookies.clear()
    for (const [name, value] of cookies) browser.cookies.set(name, value)
    const second = await submit(browser, address, consent())
    expect(second.end).toBe(first.end)
    expect((await connection.exchange(new URL(second.end))).access_token).toBeTypeOf('string')
  })

  test('after the service has used the code brings another, and its tokens stay', async () => {
    const { connection, browser, arrive } = await begin()
    const address = await arrive()
    const tokens = [await connection.exchange(new URL((await submit(browser, address, consent())).end))]
    for (let n = 0; n < 2; n += 1)
      tokens.push(await connection.exchange(new URL((await submit(browser, address, consent())).end)))
    for (const { access_token } of tokens)
      expect(await connection.introspect(access_token)).toMatchObject({ active: true })
  })

  test('that says the contrary changes nothing', async () => {
    const { browser, arrive } = await begin()
    const address = await arrive()
    const responses = [
      await submit(browser, address, { action: 'decline' }),
      await submit(browser, address, consent()),
    ]
    for (const { end } of responses) expect(new URL(end).searchParams.get('error')).toBe('access_denied')
  })

  test('after a minute says that the page is out of date', async () => {
    const { browser, arrive } = await begin()
    const address = await arrive()
    await submit(browser, address, consent())
    await server.database.pool.query(
      `UPDATE oauth_state SET payload = jsonb_set(payload, '{exp}', '1') WHERE kind = 'Interaction'`,
    )
    const { status, page } = await browser.ask(address, consent())
    expect(status).toBe(400)
    expect(page).toContain('This page is out of date')
  })

  test('by another browser is refused, however it came to the cookies of the library', async () => {
    const { browser, arrive } = await begin()
    const address = await arrive()
    const { location } = await browser.ask(address, consent())
    const stranger = createBrowser(server.url)
    stranger.cookies.set('companion_oauth_step', new URL(address).pathname.split('/').at(-1) ?? '')
    stranger.cookies.set('companion_oauth_resume', new URL(address).pathname.split('/').at(-1) ?? '')
    for (const response of [await stranger.ask(address, consent()), await stranger.ask(location)])
      expect(response).toMatchObject({ status: 400, location: '' })
  })
})

test('another account that signs in in another tab ends the sign-in of the first', async () => {
  const { connection, browser, arrive } = await begin()
  const { location: login } = await browser.ask(await connection.authorizeUrl())
  const address = await arrive()
  const other = await signUp(server)
  await addChild(server, other.token)
  const { status, page } = await submit(browser, login, { ...signIn(), email: other.email })
  expect(status).toBe(200)
  expect(page).toContain(other.email)
  const before = (await grants()).length
  expect((await browser.ask(address, consent())).status).toBe(400)
  expect(await grants()).toHaveLength(before)
})

test('an answer that is kept for a second click is of no use to who reads the database', async () => {
  const { browser, arrive } = await begin()
  const { end } = await submit(browser, await arrive(), consent())
  const code = new URL(end).searchParams.get('code') ?? ''
  const { rows } = await server.database.pool.query('SELECT o::text AS line FROM oauth_state o')
  const all = rows.map(({ line }) => line).join('\n')
  expect(all).not.toContain(code)
  for (const [name, value] of browser.cookies) if (!name.endsWith('.sig')) expect(all).not.toContain(value)
})
