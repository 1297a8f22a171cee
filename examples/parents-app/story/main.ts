import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { demoFamily } from './demo-family.ts'
import { enoughOfToday } from './home.ts'
import { newFamily } from './new-family.ts'
import { notes } from './notes.ts'
import { openOtherPhone } from './other-phone.ts'
import { openBrowser, openPhone } from './phone.ts'
import type { Phone, Surroundings } from './phone.ts'
import { serveSameOrigin } from './same-origin.ts'
import { startService } from './service.ts'
import { smallPhone } from './small-phone.ts'

const dist = fileURLToPath(new URL('../dist/', import.meta.url))
const pictures = `${dist}story`
if (!existsSync(`${dist}web/index.html`)) throw new Error('Export the app first: expo export --platform web')

await enoughOfToday()
const complaints: string[] = []
const service = await startService()
const front = await serveSameOrigin(`${dist}web`, service.url)
const browser = await openBrowser()

/** Tells a story on a phone of its own; where it breaks off, there is a picture of it. */
async function tell(surroundings: Surroundings, story: (phone: Phone) => Promise<void>): Promise<void> {
  const phone = await openPhone(browser, { url: front.url, pictures, complaints, ...surroundings })
  try {
    await story(phone)
  } catch (error) {
    await phone.picture('broken-off')
    throw error
  } finally {
    await phone.close()
  }
}

try {
  await tell({ locale: 'en-US', colorScheme: 'light' }, (phone) => newFamily(phone, service, front))
  const small = { locale: 'en-US', viewport: { width: 320, height: 568 } } as const
  await tell({ ...small, colorScheme: 'dark' }, (phone) => smallPhone(phone, 'small'))
  await tell({ ...small, colorScheme: 'light', letters: 2 }, (phone) => smallPhone(phone, 'large'))
  await tell({ locale: 'ko-KR', colorScheme: 'dark' }, (phone) => demoFamily(phone, service))
  await service.companion('account', 'unblock', 'demo@example.com')
  // Signed in first, so that the phone of the story stays signed in.
  const otherPhone = await openOtherPhone(service.url)
  await tell({ locale: 'en-US', colorScheme: 'dark' }, (phone) => notes(phone, otherPhone, front))
} finally {
  await browser.close()
  front.stop()
  await service.stop()
}
if (complaints.length > 0) throw new Error(`The app complained:\n${complaints.join('\n')}`)
console.log(`The story was told; its pictures are in ${pictures}`)
