import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { openBrowser, openPhone } from './phone.ts'
import type { Phone, Dependencies } from './phone.ts'
import { serveSameOrigin } from './same-origin.ts'
import type { SameOrigin } from './same-origin.ts'
import { startService } from './service.ts'
import type { Service } from './service.ts'

export interface Stage {
  service: Service
  front: SameOrigin
  /** Tells a story on a phone of its own, and takes a picture where it breaks off. */
  tell: (surroundings: Dependencies, story: (phone: Phone) => Promise<void>) => Promise<void>
}

/**
 * Tells stories of the app that was exported to `app` in `dist`, with a real service behind it. Throws when a story breaks
 * off or when the app complained. The pictures are in `story` in `dist`. The camera of the phones sees the film in `camera`.
 */
export async function onStage(
  dist: URL,
  stories: (stage: Stage) => Promise<void>,
  settings: Record<string, string> = {},
  camera?: string,
): Promise<void> {
  const app = fileURLToPath(new URL('app', dist))
  const pictures = fileURLToPath(new URL('story', dist))
  if (!existsSync(`${app}/index.html`))
    throw new Error(
      'Export the app first: EXPO_PUBLIC_DEVICE_LINK=simulated expo export --platform web --output-dir dist/app',
    )

  const complaints: string[] = []
  const service = await startService(settings)
  const front = await serveSameOrigin(app, service.url)
  const browser = await openBrowser(camera)
  const tell: Stage['tell'] = async (surroundings, story) => {
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
    await stories({ service, front, tell })
  } finally {
    await browser.close()
    front.stop()
    await service.stop()
  }
  if (complaints.length > 0) throw new Error(`The app complained:\n${complaints.join('\n')}`)
  console.log(`The story was told; its pictures are in ${pictures}`)
}
