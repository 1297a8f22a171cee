import { randomUUID } from 'node:crypto'
import { beforeEach, expect, test } from 'vitest'
import { devices } from '../support/devices.ts'
import { addChild, addDevice, devlogItem, signUp, upload } from '../support/family.ts'
import type { Account } from '../support/family.ts'
import { companion as run } from '../support/command.ts'
import { recorded } from '../support/security-record.ts'
import { useServer } from '../support/server.ts'
import { temporaryFile } from '../support/temporary-file.ts'

const server = useServer()
const { list } = devices(server)
const companion = (...args: string[]) => run(server, ...args)

let parent: Account
let child: Awaited<ReturnType<typeof addChild>>
beforeEach(async () => {
  parent = await signUp(server)
  child = await addChild(server, parent.token)
})

test('list tells which are worn and which are free, newest first', async () => {
  const free = await addDevice(server)
  const all = await companion('device', 'list', '--json')
  expect(all.code).toBe(0)
  expect(all.result[0]).toMatchObject({
    serial_code: free.serial_code,
    real_user_id: null,
    root_user_id: null,
  })
  const { result } = await companion('device', 'list', '--state', 'connected', '--limit', '1', '--json')
  expect(result).toEqual([
    {
      device_id: child.device_id,
      serial_code: child.serial_code,
      unique_id: child.unique_id,
      now_firmware_id: 1,
      hardware: 'unknown',
      last_log_file_id: 0,
      real_user_id: child.real_user_id,
      root_user_id: parent.id,
      connected_at: expect.any(String),
      created_at: expect.any(String),
    },
  ])
  const lines = await companion('device', 'list', '--state', 'free', '--limit', '1')
  const [header, row] = lines.out.split('\n')
  expect(header).toMatch(/^ *DEVICE {2}SERIAL CODE +UNIQUE ID +CHILD +ACCOUNT$/)
  expect(row).toMatch(new RegExp(`^ *\\d+  ${free.serial_code} +${free.unique_id} +- +-$`))
  expect(row?.indexOf(free.unique_id)).toBe(header?.indexOf('UNIQUE ID'))
})

test('show tells how much it has recorded, and for how many children', async () => {
  await upload(server, [
    devlogItem(child.unique_id, '2026-03-01T21:00:00', { log_file_id: 1 }),
    devlogItem(child.unique_id, '2026-03-02T21:00:00', { log_file_id: 2 }),
  ])
  const { result } = await companion('device', 'show', child.serial_code, '--json')
  expect(result).toMatchObject({
    device_id: child.device_id,
    last_log_file_id: 2,
    treatments: 2,
    children: 1,
    mac_id: child.mac_id,
  })
  const unknown = await companion('device', 'show', 'CMP-NOWHERE')
  expect(unknown).toMatchObject({ code: 1, said: 'There is no device with this serial code\n' })
})

test('disconnect says what it would do, does it, and is on record', async () => {
  const expected = {
    device_id: child.device_id,
    serial_code: child.serial_code,
    real_user_id: child.real_user_id,
    root_user_id: parent.id,
  }
  const dry = await companion('device', 'disconnect', child.serial_code, '--dry-run', '--json')
  expect(dry).toMatchObject({ code: 0, result: { ...expected, disconnected: false } })
  expect(await list(parent)).toHaveLength(1)
  const done = await companion('device', 'disconnect', child.serial_code, '--json')
  expect(done).toMatchObject({ code: 0, result: { ...expected, disconnected: true } })
  expect(await list(parent)).toEqual([])
  expect((await recorded(server, 'device_disconnect'))[0]).toEqual({
    root_user_id: parent.id,
    reason: `device ${child.device_id}, by an operator`,
  })
  const again = await companion('device', 'disconnect', child.serial_code)
  expect(again).toMatchObject({ code: 1, said: 'Nobody wears this device; nothing was changed\n' })
  expect((await companion('device', 'disconnect', 'CMP-NOWHERE')).code).toBe(1)
})

test('import reports each bad line by its number and can be repeated', async () => {
  const good = { serial_code: `CMP-${randomUUID().slice(0, 8).toUpperCase()}`, unique_id: randomUUID() }
  const file = await temporaryFile(
    'devices.csv',
    `serial_code,mac_id,unique_id,firmware_id\n${good.serial_code},1A2B,${good.unique_id},3\nx,1A2B,${randomUUID()},\n${child.serial_code},0000,${randomUUID()},\n`,
  )
  const first = await companion('device', 'import', file, '--json')
  expect(first.code).toBe(1)
  expect(first.result).toEqual({
    added: 1,
    existing: 0,
    bad_lines: [
      { line: 3, reason: expect.stringContaining('serial_code') },
      { line: 4, reason: 'another device has this serial_code or unique_id' },
    ],
  })
  expect((await companion('device', 'import', file, '--json')).result).toMatchObject({
    added: 0,
    existing: 1,
  })
  const shown = await companion('device', 'show', good.serial_code, '--json')
  expect(shown.result).toMatchObject({ now_firmware_id: 3, unique_id: good.unique_id })
})

test('compare-contact-losses compares lots and firmwares by the share of records that lost contact', async () => {
  const devicesOf = await Promise.all(Array.from({ length: 3 }, () => addChild(server, parent.token)))
  const lots = ['CONTACT-A001', 'CONTACT-A002', 'CONTACT-B001']
  for (const [n, { device_id }] of devicesOf.entries())
    await server.database.pool.query(
      'UPDATE device SET serial_code = $2, now_firmware_id = $3 WHERE id = $1',
      [device_id, lots[n], n === 0 ? 7001 : 7002],
    )
  const yesterday = new Date(Date.now() - 86_400_000).toISOString().slice(0, 11)
  const night = (n: number, log_file_id: number, finish_flag: string, more = {}) =>
    devlogItem(devicesOf[n]?.unique_id ?? '', `${yesterday}0${log_file_id}:00:00`, {
      log_file_id,
      finish_flag,
      ...more,
    })
  await upload(server, [
    night(0, 1, '4'),
    night(0, 2, '1'),
    night(0, 3, '4', { is_temp: true }),
    night(1, 1, '1'),
    night(1, 2, '1'),
    night(2, 1, '4'),
    devlogItem(devicesOf[2]?.unique_id ?? '', '2020-01-01T00:00', { finish_flag: '4' }),
  ])
  const compare = async (by: string, ...options: string[]) => {
    const { code, result } = await companion(
      'device',
      'compare-contact-losses',
      '--by',
      by,
      '--json',
      ...options,
    )
    expect(code).toBe(0)
    return result.filter(({ lot = '', firmware = 0 }) => lot.startsWith('CONTACT-') || firmware > 7000)
  }
  expect(await compare('lot')).toEqual([
    { lot: 'CONTACT-B', devices: 1, devices_with_losses: 1, records: 1, losses: 1 },
    { lot: 'CONTACT-A', devices: 2, devices_with_losses: 1, records: 4, losses: 1 },
  ])
  expect(await compare('firmware', '--days', '9999')).toEqual([
    { firmware: 7001, devices: 1, devices_with_losses: 1, records: 2, losses: 1 },
    { firmware: 7002, devices: 2, devices_with_losses: 1, records: 4, losses: 2 },
  ])
  const { out } = await companion('device', 'compare-contact-losses', '--by', 'lot')
  expect(out).toMatch(/^CONTACT-A {2}25\.0 % +1 of 4 +1 of 2$/m)
  expect((await companion('device', 'compare-contact-losses', '--by', 'child')).code).toBe(1)
  expect((await companion('device', 'compare-contact-losses')).code).toBe(1)
})

test('a device is registered with its hardware, and one from before gets it when it is registered again', async () => {
  const codes = (n: number) => ({ serial: `HARD-000${n}`, id: randomUUID() })
  const [one, other] = [codes(1), codes(2)]
  const add = ({ serial, id }: typeof one, ...more: string[]) =>
    companion(
      'device',
      'add',
      '--serial-code',
      serial,
      '--mac-id',
      'A1B2',
      '--unique-id',
      id,
      '--json',
      ...more,
    )
  expect((await add(one, '--hardware', 'A1')).result).toMatchObject({ hardware: 'A1', outcome: 'added' })
  expect((await add(one, '--hardware', 'A 1')).said).toContain('--hardware must be 1 to 32 of A-Z')
  await add(other)
  const shown = async ({ serial }: typeof one) =>
    (await companion('device', 'show', serial, '--json')).result.hardware
  expect(await shown(other)).toBe('unknown')
  const csv = `serial_code,mac_id,unique_id,hardware\n${one.serial},A1B2,${one.id},B2\n${other.serial},A1B2,${other.id},B2\n`
  const imported = await companion('device', 'import', await temporaryFile('hardware.csv', csv), '--json')
  expect(imported.result).toMatchObject({ added: 0, existing: 2 })
  expect([await shown(one), await shown(other)]).toEqual(['A1', 'B2'])
})

test('a key for a client of hawkBit is shown once, also of a device that is registered already', async () => {
  const { serial_code, mac_id, unique_id } = await addDevice(server)
  const codes = ['--serial-code', serial_code, '--mac-id', mac_id, '--unique-id', unique_id]
  const { out } = await companion('device', 'add', ...codes, '--ddi')
  expect(out).toMatch(
    new RegExp(
      `^Device \\d+ \\(${serial_code}\\) was already registered\\nIts key, which is shown once: [\\w-]{43}\\n$`,
    ),
  )
  const [, key = ''] = /once: (.*)\n/.exec(out) ?? []
  for (const again of [
    ['device', 'add', ...codes, '--json'],
    ['device', 'show', serial_code, '--json'],
  ]) {
    const shown = await companion(...again)
    expect([shown.code, shown.out.includes(key), shown.out.includes('ddi_key')]).toEqual([0, false, false])
  }
})
