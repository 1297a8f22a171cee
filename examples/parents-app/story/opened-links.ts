import assert from 'node:assert/strict'
import type { Phone } from './phone.ts'
import type { Service } from './service.ts'
import { signIn, visible } from './sharing.ts'
import { addClinic } from './sweep/clinic.ts'

/** A link that is opened on the screen of another one counts, and the other one no longer does. */
export async function openedLinks(phone: Phone, service: Service): Promise<void> {
  const { page, tap, sees, picture } = phone
  const open = await handsLinks(page)
  await signIn(phone)

  const first = await addClinic(service, 'Hangang Sleep Clinic')
  const second = await addClinic(service, 'Busan Sleep Clinic')
  await open(`companion://clinic?code=${first.code}`)
  await sees('Connect Hangang Sleep Clinic')
  await open(`companion://clinic?code=${second.code}`)
  await sees('Connect Busan Sleep Clinic')
  assert.equal(await visible(phone, 'Hangang Sleep Clinic'), 0)
  await picture('links-01-second-clinic')
  await tap('Connect Busan Sleep Clinic')
  await sees('End the connection')
  await sees('Busan Sleep Clinic')
  assert.equal(await visible(phone, 'Hangang Sleep Clinic'), 0)

  const accepted = () => page.waitForRequest(/shares\.accept$/)
  for (const token of ['first-'.repeat(5), 'second-'.repeat(5)]) {
    await open(`companion://invitation?token=${token}`)
    await sees('Paste the code or the link')
    await phone.settled()
    const [request] = await Promise.all([accepted(), tap('Accept')])
    assert.deepEqual(request.postDataJSON(), { token })
    await sees('This invitation was used or withdrawn')
  }
}

/**
 * The returned function hands the running app a link, as phones do. In a browser a link loads the page anew, so that
 * `Linking` of react-native-web never tells of one: this calls those who listen to it.
 */
async function handsLinks(page: Phone['page']): Promise<(link: string) => Promise<void>> {
  await page.addInitScript(() => {
    // oxlint-disable-next-line no-extend-native -- nothing else reaches `Linking`, which alone has a property of this name
    Object.defineProperty(Object.prototype, '_eventCallbacks', {
      set(this: object, callbacks: Record<string, ((event: { url: string }) => void)[]>) {
        Object.defineProperty(this, '_eventCallbacks', { value: callbacks })
        addEventListener('story-link', (event) => {
          if (event instanceof CustomEvent) callbacks['url']?.forEach((hear) => hear({ url: event.detail }))
        })
      },
    })
  })
  await page.reload()
  return (link) =>
    page.evaluate((detail) => void dispatchEvent(new CustomEvent('story-link', { detail })), link)
}
