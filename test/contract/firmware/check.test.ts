import { beforeEach, expect, test } from 'vitest'
import { addChild, addDevice, devlogItem, signUp, upload } from '../../support/family.ts'
import type { Account } from '../../support/family.ts'
import { firmware, keep, release, signedImage } from '../../support/firmware.ts'
import type { SignedImage } from '../../support/firmware.ts'
import { useServer } from '../../support/server.ts'

const server = useServer()

const check = ({ token }: Pick<Account, 'token'>, device_id: number, language?: string) =>
  server.get('/api/v1/beta/ota', {
    token,
    query: { device_id },
    headers: language === undefined ? {} : { 'accept-language': language },
  })

/** Each test has a hardware of its own, so that no release is in the way of another. */
let hardware: string
let count = 0
let parent: Account
let child: Awaited<ReturnType<typeof addChild>>
beforeEach(async () => {
  count += 1
  hardware = `CHECK-${count}`
  parent = await signUp(server)
  child = await addChild(server, parent.token)
  await setDevice('hardware = $2', hardware)
})

const setDevice = (change: string, value: unknown) =>
  server.database.pool.query(`UPDATE device SET ${change} WHERE id = $1`, [child.device_id, value])

/** A firmware that is released to all devices of the test's hardware. */
async function released(
  given: Parameters<typeof signedImage>[0] = {},
): Promise<SignedImage & { release_id: number }> {
  const signed = signedImage({ hardware, ...given })
  await keep(server, signed, '--notes-en', 'Quieter at night', '--notes-ko', '밤에 더 조용합니다')
  return { ...signed, release_id: await release(server, signed) }
}

const offered = async () => (await check(parent, child.device_id)).body.update?.firmware_id

test('a device is told what it is offered, with the notes in the language of the caller', async () => {
  expect((await check(parent, child.device_id)).body).toEqual({
    device_id: child.device_id,
    now_firmware_id: 1,
    update: null,
  })
  const { fields, manifest } = await released()
  const response = await check(parent, child.device_id, 'ko-KR,en;q=0.5')
  expect(response.body).toEqual({
    device_id: child.device_id,
    now_firmware_id: 1,
    update: {
      firmware_id: fields.firmware_id,
      version: '1.4.0',
      hardware,
      size: 200_000,
      sha256: Buffer.from(fields.sha256).toString('hex'),
      manifest: Buffer.from(manifest).toString('base64'),
      notes: '밤에 더 조용합니다',
    },
  })
  expect((await check(parent, child.device_id, 'en')).body.update.notes).toBe('Quieter at night')
})

test('another hardware, a device that is new enough and one that is too old are offered nothing', async () => {
  const { fields } = await released({ oldest: 5 })
  expect(await offered()).toBeUndefined()
  await setDevice('now_firmware_id = $2', 5)
  expect(await offered()).toBe(fields.firmware_id)
  await setDevice('now_firmware_id = $2', fields.firmware_id)
  expect(await offered()).toBeUndefined()
  await setDevice('now_firmware_id = $2', 5)
  await setDevice('hardware = $2', 'unknown')
  expect(await offered()).toBeUndefined()
})

test('nothing is offered while a use goes on that began within the last 12 hours', async () => {
  const { fields } = await released()
  const at = (hours: number) => new Date(Date.now() - hours * 3_600_000)
  const clock = (date: Date) =>
    new Intl.DateTimeFormat('sv', { dateStyle: 'short', timeStyle: 'medium', timeZone: 'America/New_York' })
      .format(date)
      .replace(' ', 'T')
  const [early, late] = [clock(at(13)), clock(at(11))]
  const use = (date: string, log_file_id: number, is_temp: boolean) =>
    upload(server, [devlogItem(child.unique_id, date, { log_file_id, is_temp })])
  await use(early, 1, true)
  expect(await offered()).toBe(fields.firmware_id)
  await use(late, 2, true)
  expect(await offered()).toBeUndefined()
  await use(late, 2, false)
  expect(await offered()).toBe(fields.firmware_id)
})

test('a release that is paused, stopped, cancelled or withdrawn offers nothing; one that goes on does', async () => {
  const { fields, release_id } = await released()
  const change = (what: string) => firmware(server, 'release', what, String(release_id))
  expect(await offered()).toBe(fields.firmware_id)
  await change('pause')
  expect(await offered()).toBeUndefined()
  await change('resume')
  expect(await offered()).toBe(fields.firmware_id)
  await server.database.pool.query(`UPDATE firmware_release SET state = 'stopped' WHERE id = $1`, [
    release_id,
  ])
  expect(await offered()).toBeUndefined()
  expect((await change('resume')).said).toContain('is stopped; this needs one that is paused')
  await change('cancel')
  expect(await offered()).toBeUndefined()
})

test('after three failed tries a device is offered the firmware no more', async () => {
  const { fields } = await released()
  const report = (outcome: string) =>
    server.post('/api/v1/beta/ota/report', {
      token: parent.token,
      json: { device_id: child.device_id, firmware_id: fields.firmware_id, outcome },
    })
  for (const outcome of ['failed', 'refused']) {
    expect(await offered()).toBe(fields.firmware_id)
    await report('started')
    await report(outcome)
  }
  expect(await offered()).toBe(fields.firmware_id)
  await report('started')
  await report('rolled_back')
  expect(await offered()).toBeUndefined()
})

test('what became of a firmware in an earlier release is no reason to stop a later one', async () => {
  const signed = await released()
  const report = (outcome: string) =>
    server.post('/api/v1/beta/ota/report', {
      token: parent.token,
      json: { device_id: child.device_id, firmware_id: signed.fields.firmware_id, outcome },
    })
  const counted = async (release_id: number) => {
    const { rows } = await server.database.pool.query(
      `SELECT offered::int, installed::int, failed::int, judged_devices::int FROM firmware_figures($1, now(), 'UTC')`,
      [release_id],
    )
    return rows[0]
  }
  await offered()
  for (const outcome of ['started', 'failed', 'started', 'installed']) await report(outcome)
  expect(await counted(signed.release_id)).toEqual({ offered: 1, installed: 1, failed: 1, judged_devices: 1 })
  await firmware(server, 'release', 'cancel', String(signed.release_id))
  // It runs the old one again.
  await setDevice('now_firmware_id = $2', 1)
  const again = await release(server, signed)
  expect(await offered()).toBe(signed.fields.firmware_id)
  expect(await counted(again)).toEqual({ offered: 1, installed: 0, failed: 0, judged_devices: 0 })
  for (const outcome of ['started', 'refused']) await report(outcome)
  expect(await counted(again)).toEqual({ offered: 1, installed: 0, failed: 1, judged_devices: 1 })
})

test('refuses a device that is unknown or worn by nobody, and one of another account', async () => {
  const free = await addDevice(server)
  const { rows } = await server.database.pool.query('SELECT id FROM device WHERE unique_id = $1', [
    free.unique_id,
  ])
  for (const device_id of [rows[0].id, 2 ** 31 - 1])
    expect(await check(parent, device_id)).toMatchObject({
      status: 404,
      body: { detail: 'Not Found Device' },
    })
  const stranger = await signUp(server)
  expect(await check(stranger, child.device_id)).toMatchObject({
    status: 401,
    body: { detail: 'Not authorized user' },
  })
})
