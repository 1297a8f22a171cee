import { randomUUID } from 'node:crypto'
import { beforeAll, expect, test } from 'vitest'
import { verifyManifest } from '@companion/server/firmware/manifest.ts'
import { firmwareKeys } from '@companion/server/config/firmware-keys.ts'
import { addChild, addDevice, devlogItem, signUp, upload } from '../../support/family.ts'
import type { Account } from '../../support/family.ts'
import { keep, maker, release, signedImage } from '../../support/firmware.ts'
import type { SignedImage } from '../../support/firmware.ts'
import { startServer, useServer } from '../../support/server.ts'

const detailOf = (body: any) => body.detail

const server = useServer()

let parent: Account
let signed: SignedImage
beforeAll(async () => {
  parent = await signUp(server)
  signed = signedImage({ hardware: 'ASKING', oldest: 5 })
  await keep(server, signed)
  await release(server, signed)
})

async function askingDevice() {
  const child = await addChild(server, parent.token)
  await server.database.pool.query(
    `UPDATE device SET hardware = 'ASKING', now_firmware_id = 5 WHERE id = $1`,
    [child.device_id],
  )
  return child
}

const ask = (unique_id: string, headers: Record<string, string> = {}, at = server) =>
  fetch(`${at.url}/api/v1/gamma/device/firmware?unique_id=${unique_id}`, { headers })

const runs = async (device_id: number) => {
  const { rows } = await server.database.pool.query(
    `SELECT d.now_firmware_id, o.outcome FROM device d LEFT JOIN device_firmware o ON o.device_id = d.id WHERE d.id = $1`,
    [device_id],
  )
  return rows[0]
}

test('the response is the manifest alone, as it was signed', async () => {
  const { unique_id } = await askingDevice()
  const response = await ask(unique_id)
  expect([
    response.status,
    response.headers.get('content-type'),
    response.headers.get('x-firmware-id'),
  ]).toEqual([200, 'application/cose', String(signed.fields.firmware_id)])
  const manifest = Buffer.from(await response.arrayBuffer())
  expect(manifest.length).toBeLessThanOrEqual(512)
  const fields = verifyManifest(manifest, firmwareKeys.parse(JSON.parse(maker.keys)))
  expect(fields).toMatchObject({ firmware_id: signed.fields.firmware_id, hardware: 'ASKING', oldest: 5 })
})

test('what the device says it runs counts for the offer, and is kept; who runs the offered one has installed it', async () => {
  const { unique_id, device_id } = await askingDevice()
  expect((await ask(unique_id, { 'x-firmware': '4' })).status).toBe(204)
  expect(await runs(device_id)).toEqual({ now_firmware_id: 4, outcome: null })
  expect((await ask(unique_id, { 'x-firmware': '6' })).status).toBe(200)
  expect((await ask(unique_id, { 'x-firmware': String(signed.fields.firmware_id) })).status).toBe(204)
  expect(await runs(device_id)).toEqual({ now_firmware_id: signed.fields.firmware_id, outcome: 'installed' })
  const malformed = await ask(unique_id, { 'x-firmware': 'x' })
  expect([malformed.status, detailOf(await malformed.json())[0].loc]).toEqual([422, ['header', 'X-Firmware']])
})

test('an upload that names the offered firmware counts as installed', async () => {
  const { unique_id, device_id } = await askingDevice()
  await ask(unique_id)
  await upload(server, [devlogItem(unique_id, '2026-03-01T21:00:00')], {
    'x-firmware': String(signed.fields.firmware_id),
  })
  expect(await runs(device_id)).toEqual({ now_firmware_id: signed.fields.firmware_id, outcome: 'installed' })
})

test('a device that nobody wears is offered nothing', async () => {
  const { unique_id } = await addDevice(server)
  await server.database.pool.query(
    `UPDATE device SET hardware = 'ASKING', now_firmware_id = 5 WHERE unique_id = $1`,
    [unique_id],
  )
  const response = await ask(unique_id)
  expect([response.status, await response.text()]).toEqual([204, ''])
})

test('an unknown device is 404, and is counted', async () => {
  const limited = await startServer({ RATE_LIMITS: 'on' })
  const outcomes = []
  for (let n = 0; n < 21; n += 1) {
    const response = await ask(randomUUID(), {}, limited)
    outcomes.push([response.status, response.headers.get('x-error'), detailOf(await response.json())])
  }
  expect(outcomes[0]).toEqual([404, 'unknown-device', 'Not Found Device'])
  expect(outcomes[20]).toEqual([429, 'too-many', 'Too many requests'])
})
