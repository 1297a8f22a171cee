import { createCompanion } from '@companion/sdk'
import { scriptedService } from '@companion/sdk/testing'
import { fileURLToPath } from 'node:url'
import { openBrowser, openPhone } from '../../parents-app/story/phone.ts'
import { serveSameOrigin } from '../../parents-app/story/same-origin.ts'

/* Shows the screen in the README of the SDK to somebody who is signed out, and to somebody who has signed in before. */

const dist = (path: string) => fileURLToPath(new URL(`../dist/${path}`, import.meta.url))
const complaints: string[] = []

// The screen calls no service.
const { url, stop } = await serveSameOrigin(dist('readme'), 'http://127.0.0.1:9')
const browser = await openBrowser()
try {
  const { page, sees } = await openPhone(browser, {
    url,
    locale: 'en-US',
    colorScheme: 'light',
    pictures: dist('story'),
    complaints,
  })
  await sees('Please sign in')

  const kept = new Map<string, string>()
  const companion = createCompanion({
    baseUrl: 'https://companion.example.com',
    fetch: scriptedService().fetch,
    storage: {
      getItem: (key) => kept.get(key),
      setItem: (key, value) => kept.set(key, value),
      removeItem: (key) => kept.delete(key),
    },
  })
  await companion.auth.signIn({ username: 'parent@example.com', password: 'correct horse' })
  await page.evaluate((items) => items.forEach(([key, value]) => localStorage.setItem(key, value)), [...kept])
  await page.reload()
  await sees('Signed in')
} finally {
  await browser.close()
  stop()
}
if (complaints.length > 0) throw new Error(`The screen complained:\n${complaints.join('\n')}`)
console.log('The screen in the README shows who is signed in')
