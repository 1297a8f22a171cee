import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { writeLabelVideo } from './label-film.ts'
import type { Phone } from './phone.ts'
import type { Service } from './service.ts'
import { soon } from './soon.ts'
import { addClinic } from './sweep/clinic.ts'

/** What the QR code says that is held before the camera: the text that firmware engineers are told to print. */
export const LABEL = await readFile(new URL('../../../docs/firmware.md', import.meta.url), 'utf8').then(
  (page) => /^companion:\/\/device\S+$/m.exec(page)?.[0] ?? '',
)

/** A parent holds the label before the camera, and has paired the device without typing a code. */
export async function scan(phone: Phone, service: Service, film: string): Promise<void> {
  const { page, tap, type, sees, picture } = phone
  const label = new URL(LABEL).searchParams
  const [serial, mac, id] = ['serial_code', 'mac_id', 'unique_id'].map((name) => label.get(name) ?? '')
  assert(serial && mac && id)
  await service.companion('device', 'add', '--serial-code', serial, '--mac-id', mac, '--unique-id', id)
  await page.context().grantPermissions(['camera'])
  await readsCodes(page)
  await type('E-mail', 'demo@example.com')
  await type('Password', 'demo-family-2026')
  await tap('Sign in')
  await sees('Last night')
  await tap('Settings', 'tab')
  await tap('Children and devices')
  await tap('Add a child')
  await type("Child's name", 'Hana')
  await type('Birth date', '2018-02-03')
  await tap('Scan the label')
  await soon(async () => assert.equal(await page.getByLabel('Device ID').inputValue(), id))
  await picture('scan-01-read')
  await tap('Add and pair')
  await tap('Settings', 'tab')
  await tap('Children and devices')
  await sees(serial)

  await tap('People with access to Hana')
  await page
    .getByRole('button', { name: /^Connect a clinic/ })
    .filter({ visible: true })
    .click()
  await tap('Scan the code')
  await sees('This is not the QR code of a clinic.')
  await tap('Cancel')
  const { code } = await addClinic(service, 'Seoul Sleep Clinic')
  await writeLabelVideo(film, `companion://clinic?code=${code}`)
  await tap('Scan the code')
  await sees('All who work there then see of Hana:')
  await picture('scan-02-clinic')
  await tap('Connect Seoul Sleep Clinic')
  await sees('End the connection')
}

/**
 * Gives the page the reader that the browsers of Android and macOS have and Chromium on Linux lacks: the same interface, by a
 * package that expo-camera comes with.
 */
async function readsCodes(page: Phone['page']): Promise<void> {
  const { resolve } = createRequire(import.meta.url)
  const wasm = await readFile(resolve('zxing-wasm/reader/zxing_reader.wasm'))
  await page.route('**/zxing_reader.wasm', (route) =>
    route.fulfill({
      body: wasm,
      contentType: 'application/wasm',
      headers: { 'access-control-allow-origin': '*' },
    }),
  )
  await page.addInitScript({
    path: join(dirname(resolve('barcode-detector')), '../iife/polyfill.js'),
  })
  await page.reload()
}
