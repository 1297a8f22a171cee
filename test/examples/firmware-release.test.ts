import { execFile, spawn } from 'node:child_process'
import { createPublicKey, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { playFleet } from '@companion/device-simulator'
import type { FirmwareIssues, FleetDevice } from '@companion/device-simulator'
import { judgeReleases } from '@companion/server/firmware/judge.ts'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { canCompile, make, NEEDED } from '../support/device-in-c.ts'
import { addChild, signUp } from '../support/family.ts'
import { keep, maker, release, signedImage } from '../support/firmware.ts'
import { useServer } from '../support/server.ts'
import { temporaryFile } from '../support/temporary-file.ts'

const server = useServer()

const rowsOf = async (text: string, values: unknown[]) =>
  (await server.database.pool.query(text, values)).rows
const ofHardware = (hardware: string, ids: string[]) =>
  server.database.pool.query('UPDATE device SET hardware = $1 WHERE unique_id = ANY ($2::uuid[])', [
    hardware,
    ids,
  ])

test('the calls on the page for updates work as they stand there', async () => {
  const { unique_id } = await addChild(server, (await signUp(server)).token)
  await ofHardware('PAGE', [unique_id])
  const next = signedImage({ hardware: 'PAGE', firmware_id: 13 })
  await keep(server, next)
  await release(server, next)
  const directory = await mkdtemp(join(tmpdir(), 'companion-page-'))
  onTestFinished(() => rm(directory, { recursive: true }))
  const page = await readFile(new URL('../../docs/firmware-updates.md', import.meta.url), 'utf8')
  const calls = [...page.matchAll(/```sh\n(.*?)```/gs)].map(([, script = '']) =>
    script.replace('https://SERVICE', server.url).replace(/[0-9a-f]{8}-[0-9a-f-]{27}/, unique_id),
  )
  const [ask, load, report] = calls.slice(1)
  const said = async (script = '') =>
    (await promisify(execFile)('bash', ['-c', script], { cwd: directory, encoding: 'latin1' })).stdout
  const offered = await said(ask)
  expect(offered).toMatch(/^HTTP\/1.1 200 OK\r\n/)
  expect(offered).toMatch(/x-firmware-id: 13\r\n/i)
  expect(offered).toMatch(/content-type: application\/cose\r\n/i)
  expect(await said(load)).toMatch(/^HTTP\/1.1 206 /)
  expect(await readFile(join(directory, 'piece'))).toEqual(next.image.subarray(32_768, 65_536))
  const heard = await said(report)
  expect(heard).toMatch(/^HTTP\/1.1 200 OK\r\n/)
  expect(heard.split('\r\n\r\n')[1]).toMatch(/^\{"statusCode":200/)
})

describe.skipIf(!canCompile)(`the firmware in C, with a release (${NEEDED})`, () => {
  let directory: string
  let program: string
  let key: string
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'companion-release-'))
    program = join(directory, 'device')
    key = join(directory, 'key.pem')
    await writeFile(key, createPublicKey(maker.privateKey).export({ type: 'spki', format: 'pem' }))
    await make('device', program)
  })
  afterAll(() => rm(directory, { recursive: true }))

  async function atHome(hardware: string) {
    const { unique_id } = await addChild(server, (await signUp(server)).token)
    await ofHardware(hardware, [unique_id])
    const flash = await temporaryFile('flash', '')
    const ring = await temporaryFile('ring', '')
    const factory = signedImage({ hardware, firmware_id: 12 })
    const image = await temporaryFile('image', factory.image)
    const manifest = await temporaryFile('manifest', Buffer.from(factory.manifest))
    const run = async (...options: string[]) => {
      const child = spawn(program, ['-F', flash, '-K', key, '-H', hardware, ...options])
      child.stdin.end()
      child.stdout.resume()
      child.stderr.resume()
      const [code]: unknown[] = await once(child, 'close')
      return code
    }
    expect(await run('-i', image, '-m', manifest)).toBe(0)
    return {
      unique_id,
      start: () => run('-u', server.url, '-d', unique_id, '-r', ring, '-p', '1', '-P', '5', '-a', '2'),
      known: async () =>
        (
          await rowsOf(
            `SELECT d.now_firmware_id AS runs, o.outcome, o.stage FROM device d
             LEFT JOIN device_firmware o ON o.device_id = d.id WHERE d.unique_id = $1`,
            [unique_id],
          )
        )[0],
    }
  }

  test('is offered, loaded, installed and known to the service', async () => {
    const device = await atHome('C1')
    expect(await device.start()).toBe(0)
    expect(await device.known()).toEqual({ runs: 12, outcome: null, stage: null })
    const next = signedImage({ hardware: 'C1', oldest: 12, not_after: 253_402_300_799 })
    await keep(server, next)
    await release(server, next)
    expect(await device.start()).toBe(5)
    expect(await device.known()).toMatchObject({ runs: 12, outcome: 'started' })
    expect(await device.start()).toBe(0)
    expect(await device.known()).toEqual({ runs: next.fields.firmware_id, outcome: 'installed', stage: null })
    expect(await device.start()).toBe(0)
  })

  test('that hangs is rolled back, and after three tries no longer offered', async () => {
    const device = await atHome('C2')
    const bad = signedImage({
      hardware: 'C2',
      image: Buffer.concat([Buffer.from('hangs'), Buffer.alloc(9000, 1)]),
    })
    await keep(server, bad)
    await release(server, bad)
    const codes: unknown[] = []
    for (let starts = 0; starts < 14; starts += 1) codes.push(await device.start())
    expect(codes).toEqual([...Array.from({ length: 3 }, () => [5, 7, 7, 7]).flat(), 0, 0])
    expect(await device.known()).toEqual({ runs: 12, outcome: 'rolled_back', stage: 'start' })
  })
})

describe('a fleet with a release', () => {
  const SIZE = 24
  async function fleet(hardware: string): Promise<FleetDevice[]> {
    const { real_user_id } = await addChild(server, (await signUp(server)).token)
    const ids = Array.from({ length: SIZE }, () => randomUUID())
    await server.database.pool.query(
      `INSERT INTO device (serial_code, mac_id, unique_id, device_alias, real_user_id, hardware, now_firmware_id)
       SELECT 'FLEET-' || i, 'ABCD', i, 'fleet', $2, $3, 12 FROM unnest($1::uuid[]) i`,
      [ids, real_user_id, hardware],
    )
    return ids.map((unique_id) => ({ unique_id, firmware: 12, updated_after: null, is_silent: false }))
  }
  const yesterday = new Date(Date.now() - 2 * 86_400_000).toISOString().slice(0, 10)
  const play = (devices: FleetDevice[], issues: FirmwareIssues) =>
    playFleet({ url: server.url, devices, until: yesterday, nights: 2, seed: 3, issues })
  const judge = () => judgeReleases(server.database, { at: new Date(), timeZone: 'Asia/Seoul' })

  test('whose new firmware is good goes on, and one whose firmware fails is stopped', async () => {
    const good = signedImage({ hardware: 'F1' })
    await keep(server, good)
    const goodRelease = await release(server, good)
    const first = await play(await fleet('F1'), {})
    expect(first).toMatchObject({ ok: true, installed: SIZE })
    expect(await play(first.devices, {})).toMatchObject({ ok: true, up_to_date: SIZE })
    const bad = signedImage({ hardware: 'F2' })
    await keep(server, bad)
    const badRelease = await release(server, bad)
    const failed = await play(await fleet('F2'), { failing: 0.3 })
    expect(failed).toMatchObject({ ok: true, installed: SIZE - failed.failed })
    expect(failed.failed).toBeGreaterThan(2)
    const judged = await judge()
    expect(judged).toContainEqual(expect.objectContaining({ release_id: goodRelease, became: 'same' }))
    expect(judged).toContainEqual(expect.objectContaining({ release_id: badRelease, became: 'stopped' }))
    expect(await play(failed.devices, { failing: 0.3 })).toMatchObject({ ok: true, up_to_date: SIZE })
  })
})
