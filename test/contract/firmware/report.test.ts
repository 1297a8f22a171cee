import { beforeAll, expect, test } from 'vitest'
import { addChild, signUp } from '../../support/family.ts'
import type { Account } from '../../support/family.ts'
import { OFFERED_FIRMWARE, offerFirmware } from '../../support/firmware.ts'
import { useServer } from '../../support/server.ts'

const server = useServer()

let parent: Account
beforeAll(async () => {
  parent = await signUp(server)
})

async function offeredDevice(): Promise<number> {
  const { device_id } = await addChild(server, parent.token)
  await offerFirmware(server, device_id)
  return device_id
}

const report = (device_id: number, outcome: string, more: object = {}, { token } = parent) =>
  server.post('/api/v1/beta/ota/report', {
    token,
    json: { device_id, firmware_id: OFFERED_FIRMWARE, outcome, ...more },
  })

async function kept(device_id: number) {
  const { rows } = await server.database.pool.query(
    `SELECT outcome, stage, detail, failed_tries, installed_at IS NOT NULL AS is_installed, d.now_firmware_id
     FROM device_firmware o JOIN device d ON d.id = o.device_id WHERE device_id = $1`,
    [device_id],
  )
  return rows[0]
}

test('what is installed runs from then on', async () => {
  const device_id = await offeredDevice()
  expect((await report(device_id, 'started')).body).toEqual({
    statusCode: 200,
    message: 'Report saved successfully',
  })
  expect(await kept(device_id)).toMatchObject({ outcome: 'started', is_installed: false, now_firmware_id: 1 })
  await report(device_id, 'installed')
  expect(await kept(device_id)).toMatchObject({
    outcome: 'installed',
    is_installed: true,
    now_firmware_id: OFFERED_FIRMWARE,
  })
})

test('the same final report again changes nothing, and after another start it is another try', async () => {
  const device_id = await offeredDevice()
  const failed = () => report(device_id, 'failed', { stage: 'verify', detail: 'wrong hash' })
  await failed()
  await failed()
  expect(await kept(device_id)).toMatchObject({
    outcome: 'failed',
    stage: 'verify',
    detail: 'wrong hash',
    failed_tries: 1,
  })
  await report(device_id, 'started')
  await failed()
  expect(await kept(device_id)).toMatchObject({ failed_tries: 2 })
})

test('a late repeat of `installed` does not undo what the device says it runs since', async () => {
  const device_id = await offeredDevice()
  await report(device_id, 'installed')
  await report(device_id, 'rolled_back')
  await server.database.pool.query('UPDATE device SET now_firmware_id = 1 WHERE id = $1', [device_id])
  await report(device_id, 'rolled_back')
  expect(await kept(device_id)).toMatchObject({ outcome: 'rolled_back', failed_tries: 1, now_firmware_id: 1 })
})

test('refuses what was never offered, the device of another account, and words that cannot be printed', async () => {
  const { device_id } = await addChild(server, parent.token)
  expect(await report(device_id, 'installed')).toMatchObject({
    status: 404,
    body: { detail: 'Firmware not found' },
  })
  expect(await report(2 ** 31 - 1, 'installed')).toMatchObject({
    status: 404,
    body: { detail: 'Not Found Device' },
  })
  const stranger = await signUp(server)
  expect(await report(device_id, 'installed', {}, stranger)).toMatchObject({
    status: 401,
    body: { detail: 'Not authorized user' },
  })
  for (const more of [
    { outcome: 'done' },
    { stage: '' },
    { stage: 'x'.repeat(65) },
    { detail: 'two\nlines' },
  ])
    expect((await report(device_id, 'installed', more)).status).toBe(422)
})
