import assert from 'node:assert/strict'
import { letClinicIn } from './clinic.ts'
import type { Phone } from './phone.ts'
import type { Service } from './service.ts'

/** A parent sees which service of somebody else reads the nights of a child, and disconnects it. */
export async function connectedApps({ page, tap, type, sees, misses, picture }: Phone, service: Service) {
  await type('E-mail', 'demo@example.com')
  await type('Password', 'demo-family-2026')
  await tap('Sign in')
  await sees('Last night')
  await tap('Settings', 'tab')
  await tap('Connected apps')
  await sees('No app is connected.')
  const clinic = await letClinicIn(service.url)
  assert.equal(await clinic.read(), 200)
  await page.reload()
  await tap('Settings', 'tab')
  await tap('Connected apps')
  await sees('Demo client')
  await sees('Mina')
  await sees('When and how the device was used')
  await sees('last used')
  await picture('connected-apps-01')
  await tap('Disconnect')
  await sees('Disconnect Demo client?')
  await tap('Disconnect')
  await misses('Demo client')
  await sees('No app is connected.')
  assert.equal(await clinic.read(), 401)
}
