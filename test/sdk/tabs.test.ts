import type * as Sdk from '@companion/sdk'
import { describe, expect, test } from 'vitest'
import { hasNoBrowser, openBrowser } from '../support/browser.ts'
import { addChild, PASSWORD, signUp } from '../support/family.ts'
import { bundleSdk } from '../support/sdk-bundle.ts'
import { useServer } from '../support/server.ts'

const server = useServer()

interface InTab {
  sdk: typeof Sdk
  companion: Sdk.Companion
}

const day = (index: number) => new Date(Date.UTC(2026, 0, index + 1)).toISOString().slice(0, 10)
const NOTES = 20

describe.skipIf(hasNoBrowser)('two tabs over one localStorage', () => {
  test('lose no note that either has saved without network, even of a tab that was closed, and store each once', async () => {
    const { email, token } = await signUp(server)
    const { real_user_id } = await addChild(server, token)
    const code = await bundleSdk()
    const browser = await openBrowser()
    try {
      const context = await browser.newContext({ bypassCSP: true })
      const sent: string[] = []
      context.on('requestfinished', (request) => {
        if (request.url().endsWith('calendar.saveEvent')) sent.push(request.postDataJSON().memo)
      })
      const openTab = async () => {
        const page = await context.newPage()
        // Any page of the service's own; what it may not do by its policy, an app's page may.
        await page.goto(`${server.url}/healthz`)
        await page.evaluate(`${code}; globalThis.companion = sdk.createCompanion({
          baseUrl: ${JSON.stringify(server.url)},
          storage: localStorage,
        })`)
        return page
      }
      const first = await openTab()
      await first.evaluate(
        async ([username = '', password = '']) => {
          const { companion } = globalThis as unknown as InTab
          await companion.auth.signIn({ username, password })
        },
        [email, PASSWORD],
      )
      const tabs = [first, await openTab(), await openTab()]
      await context.setOffline(true)
      const notes = Array.from({ length: NOTES * tabs.length }, (_, index) => ({
        real_user_id,
        created_at: day(index),
        memo: `note ${day(index)}`,
      }))
      await Promise.all(
        tabs.map((tab, index) =>
          tab.evaluate(
            async (mine) => {
              const { companion } = globalThis as unknown as InTab
              await Promise.all(mine.map((note) => companion.outbox.saveEvent(note)))
            },
            notes.filter((_, position) => position % tabs.length === index),
          ),
        ),
      )
      const [closed, ...others] = tabs
      await closed?.close()
      await context.setOffline(false)
      for (const tab of others)
        await expect
          .poll(() =>
            tab.evaluate(async () => {
              const { companion } = globalThis as unknown as InTab
              await companion.outbox.send()
              return (await companion.outbox.list()).length
            }),
          )
          .toBe(0)

      const { rows } = await server.database.pool.query(
        'SELECT event_date::text AS created_at, memo FROM event WHERE real_user_id = $1 ORDER BY event_date',
        [real_user_id],
      )
      const { keyRing } = server.database
      expect(rows.map((row) => ({ ...row, memo: keyRing.decrypt('event.memo', row.memo) }))).toEqual(
        notes.map(({ created_at, memo }) => ({ created_at, memo })),
      )
      // A tab may see late that another has sent a note, and sends it again, which changes nothing.
      expect([...new Set(sent)].toSorted()).toEqual(notes.map(({ memo }) => memo).toSorted())
      expect(sent.length).toBeLessThan(1.5 * notes.length)
    } finally {
      await browser.close()
    }
  })
})
