import { randomUUID } from 'node:crypto'
import { beforeAll, expect, test } from 'vitest'
import { addChild, signUp } from '../../support/family.ts'
import { OFFERED_FIRMWARE, offerFirmware } from '../../support/firmware.ts'
import { startServer, useServer } from '../../support/server.ts'

const server = useServer()

let device: Awaited<ReturnType<typeof addChild>>
beforeAll(async () => {
  device = await addChild(server, (await signUp(server)).token)
  await offerFirmware(server, device.device_id)
})

const report = (outcome: string, more: object = {}, at = server) =>
  at.post('/api/v1/gamma/device/firmware/report', {
    json: { unique_id: device.unique_id, firmware_id: OFFERED_FIRMWARE, outcome, ...more },
  })

test('a device reports by itself what became of a firmware', async () => {
  expect(await report('started', { stage: 'load' })).toMatchObject({
    status: 200,
    body: { statusCode: 200, message: 'Report saved successfully' },
  })
  await report('installed')
  const { rows } = await server.database.pool.query('SELECT now_firmware_id FROM device WHERE id = $1', [
    device.device_id,
  ])
  expect(rows).toEqual([{ now_firmware_id: OFFERED_FIRMWARE }])
})

test('a device that has refused and asks again begins another attempt; after three it is offered nothing', async () => {
  const { device_id, unique_id } = await addChild(server, (await signUp(server)).token)
  await offerFirmware(server, device_id)
  const ask = async () =>
    (await fetch(`${server.url}/api/v1/gamma/device/firmware?unique_id=${unique_id}`)).status
  const attempts = async () => {
    const { rows } = await server.database.pool.query(
      'SELECT failed_tries FROM device_firmware WHERE device_id = $1',
      [device_id],
    )
    return rows[0]?.failed_tries
  }
  for (let n = 1; n <= 3; n += 1) {
    expect(await ask()).toBe(200)
    // The second has lost the response to the first.
    for (let times = 0; times < 2; times += 1) await report('refused', { unique_id, stage: 'signature' })
    expect(await attempts()).toBe(n)
  }
  expect(await ask()).toBe(204)
})

test('refuses what was never offered, and an unknown device, which is counted', async () => {
  expect(await report('installed', { firmware_id: 9_999_999 })).toMatchObject({
    status: 404,
    body: { detail: 'Firmware not found' },
  })
  const limited = await startServer({ RATE_LIMITS: 'on' })
  const responses = []
  for (let n = 0; n < 21; n += 1) responses.push(await report('failed', { unique_id: randomUUID() }, limited))
  expect(responses[0]).toMatchObject({ status: 404, body: { detail: 'Not Found Device' } })
  expect(responses[20]).toMatchObject({ status: 429, body: { detail: 'Too many requests' } })
})
