import { expect, test } from 'vitest'
import { goodCalls } from '../support/good-calls.ts'
import { useOpenIdProvider } from '../support/outside/openid.ts'
import { useServer } from '../support/server.ts'

/* Mail servers and programs open the links of mails, to look for attacks and to show a preview. None of that is a response. */

const provider = useOpenIdProvider()
const server = useServer(() => ({ SOCIAL_PROVIDERS: provider.configuration }))

/** The links to this service in all mails so far, as a scanner finds them in the text. */
async function mailedLinks(): Promise<URL[]> {
  const texts = (await server.outbox()).flatMap(({ channel, text }) =>
    channel === 'email' && typeof text === 'string' ? [text] : [],
  )
  const found = texts.flatMap((text) => text.match(/https?:\/\/\S+/g) ?? []).map((link) => new URL(link))
  return found.filter(({ origin }) => origin === server.url)
}

/** A digest of each table but the trail, which tells later that somebody has seen the page of an invitation. */
async function stored(): Promise<Record<string, string>> {
  const { pool } = server.database
  const { rows: tables } = await pool.query<{ name: string }>(
    `SELECT quote_ident(tablename) AS name FROM pg_tables WHERE schemaname = 'public' AND tablename !~ '^trail' ORDER BY 1`,
  )
  const digests: Record<string, string> = {}
  for (const { name } of tables) {
    const { rows } = await pool.query<{ digest: string }>(
      `SELECT count(*) || ' ' || md5(coalesce(string_agg(row::text, E'\\n' ORDER BY row::text), '')) AS digest
       FROM ${name} row`,
    )
    digests[name] = rows[0]?.digest ?? ''
  }
  return digests
}

test('a scanner that opens every link of every mail, and sends no form, changes nothing', async () => {
  for (const [name, call] of await goodCalls(server, provider))
    expect([name, (await call()).status]).toEqual([name, 200])
  const links = await mailedLinks()
  // Each operation has been called, so that a mail with a link to another page fails here until it is looked at.
  expect([...new Set(links.map(({ pathname }) => pathname))].toSorted()).toEqual([
    '/confirm-email',
    '/invitation',
    '/reset-password',
  ])
  const before = await stored()
  expect(Object.keys(before).length).toBeGreaterThan(20)
  for (const link of links)
    for (const method of ['GET', 'HEAD', 'GET']) {
      const response = await fetch(link, { method })
      await response.arrayBuffer()
      // 404 and 410: the link has been answered or has run out.
      expect([200, 404, 410]).toContain(response.status)
    }
  expect(await stored()).toEqual(before)
})
