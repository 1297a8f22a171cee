import { randomUUID } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { basestationCommand } from '@companion/server/commands/basestation.ts'
import { childCommand } from '@companion/server/commands/child.ts'
import { deviceCommand } from '@companion/server/commands/device.ts'
import { command, CommandError } from '@companion/server/commands/program.ts'
import { addChild, addDevice, devlogItem, signUp, upload } from './support/family.ts'
import type { Account } from './support/family.ts'
import { connectBasestation } from './support/home.ts'
import { TEST_SECRET, useServer } from './support/server.ts'

const server = useServer()

let directory: string
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'companion-operator-'))
})
afterAll(() => rm(directory, { recursive: true, force: true }))

let parent: Account
let child: Awaited<ReturnType<typeof addChild>>
beforeEach(async () => {
  parent = await signUp(server)
  child = await addChild(server, parent.token)
})

const program = command('companion', '')
  .enablePositionalOptions()
  .addCommand(deviceCommand)
  .addCommand(basestationCommand)
  .addCommand(childCommand)
const throwInsteadOfExiting = (command: typeof program) => {
  command.exitOverride().configureOutput({ writeErr: () => undefined })
  for (const each of command.commands) throwInsteadOfExiting(each)
}
throwInsteadOfExiting(program)

/** What `companion …` does, without the second that a process takes to start; with `--json` the output is parsed. */
async function companion(...args: string[]): Promise<{ code: number; result: any; stderr: string }> {
  let [stdout, stderr] = ['', '']
  const out = vi
    .spyOn(process.stdout, 'write')
    .mockImplementation((text) => Boolean((stdout += String(text))))
  const err = vi
    .spyOn(process.stderr, 'write')
    .mockImplementation((text) => Boolean((stderr += String(text))))
  vi.stubEnv('DATABASE_URL', server.databaseUrl)
  vi.stubEnv('TOKEN_SECRET', TEST_SECRET)
  try {
    await program.parseAsync(args, { from: 'user' })
  } catch (error) {
    // The second kind is the parser's, about an option or argument.
    if (!(error instanceof CommandError) && !(error instanceof Error && 'exitCode' in error)) throw error
    process.exitCode = 1
    stderr += error.message
  } finally {
    out.mockRestore()
    err.mockRestore()
    vi.unstubAllEnvs()
  }
  const code = Number(process.exitCode ?? 0)
  process.exitCode = undefined
  return { code, result: args.includes('--json') && stdout ? JSON.parse(stdout) : stdout, stderr }
}

const recorded = async (action: string) =>
  (
    await server.database.pool.query(
      'SELECT root_user_id, reason FROM security_record WHERE action = $1 ORDER BY id DESC LIMIT 2',
      [action],
    )
  ).rows
const devicesOf = async (account: Account) =>
  (await server.get('/api/v1/beta/device', { token: account.token })).body

describe('device', () => {
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
        last_log_file_id: 0,
        real_user_id: child.real_user_id,
        root_user_id: parent.id,
        connected_at: expect.any(String),
        created_at: expect.any(String),
      },
    ])
    const lines = await companion('device', 'list', '--state', 'free', '--limit', '1')
    expect(lines.result).toContain(`${free.serial_code}  ${free.unique_id}  free`)
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
    })
    const unknown = await companion('device', 'show', 'CMP-NOWHERE')
    expect(unknown).toMatchObject({ code: 1, stderr: 'There is no device with this serial code' })
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
    expect(await devicesOf(parent)).toHaveLength(1)
    const done = await companion('device', 'disconnect', child.serial_code, '--json')
    expect(done).toMatchObject({ code: 0, result: { ...expected, disconnected: true } })
    expect(await devicesOf(parent)).toEqual([])
    expect((await recorded('device_disconnect'))[0]).toEqual({
      root_user_id: parent.id,
      reason: `device ${child.device_id}, by an operator`,
    })
    const again = await companion('device', 'disconnect', child.serial_code)
    expect(again).toMatchObject({ code: 1, stderr: 'Nobody wears this device; nothing was changed' })
    expect((await companion('device', 'disconnect', 'CMP-NOWHERE')).code).toBe(1)
  })

  test('import reports each bad line by its number and can be repeated', async () => {
    const file = join(directory, 'devices.csv')
    const good = { serial_code: `CMP-${randomUUID().slice(0, 8).toUpperCase()}`, unique_id: randomUUID() }
    await writeFile(
      file,
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
})

describe('basestation', () => {
  const code = () => `BST-${randomUUID().slice(0, 8).toUpperCase()}`

  test('add registers one that a parent can connect; the same again is no mistake, another is', async () => {
    const [serial_code, unique_id] = [code(), randomUUID()]
    const add = (id: string) =>
      companion('basestation', 'add', '--serial-code', serial_code, '--unique-id', id, '--json')
    const first = await add(unique_id.toUpperCase())
    expect(first).toMatchObject({ code: 0, result: { serial_code, unique_id, outcome: 'added' } })
    expect((await add(unique_id)).result).toEqual({ ...first.result, outcome: 'existing' })
    expect(await add(randomUUID())).toMatchObject({
      code: 1,
      stderr: 'Another device has this serial code or unique id; nothing was changed',
    })
    expect((await add('x')).stderr).toContain('unique_id')
    const connected = await connectBasestation(server, parent.token, { serial_code, unique_id })
    expect(connected.basestation_id).toBe(first.result.basestation_id)
  })

  test('import and list', async () => {
    const stations = Array.from({ length: 3 }, () => ({ serial_code: code(), unique_id: randomUUID() }))
    const file = join(directory, 'basestations.csv')
    const lines = stations.map(({ serial_code, unique_id }) => `${unique_id},${serial_code}`)
    await writeFile(file, `﻿unique_id,serial_code\n${lines.join('\n')}\n\nnot-an-id,BST-000001\n`)
    const imported = await companion('basestation', 'import', file, '--json')
    expect(imported).toMatchObject({
      code: 1,
      result: {
        added: 3,
        existing: 0,
        bad_lines: [{ line: 6, reason: expect.stringContaining('unique_id') }],
      },
    })
    expect(imported.stderr).toContain('line 6: unique_id')
    const taken = await connectBasestation(server, parent.token, stations[2])
    const listed = await companion('basestation', 'list', '--limit', '3', '--json')
    expect(listed.result).toMatchObject(
      stations.toReversed().map((station) => ({
        ...station,
        root_user_id: station.unique_id === taken.unique_id ? parent.id : null,
      })),
    )
    expect((await companion('basestation', 'list', '--limit', '1')).result).toContain(`account ${parent.id}`)
  })
})

describe('child transfer', () => {
  const transfer = (email: string, ...options: string[]) =>
    companion('child', 'transfer', String(child.real_user_id), email, '--json', ...options)
  const read = (account: Account) =>
    server.get(`/api/v1/beta/user/real-user/${child.real_user_id}`, { token: account.token })

  test('the child goes with its history and device, and both accounts have it on record', async () => {
    await upload(server, [devlogItem(child.unique_id, '2026-03-01T21:00:00')])
    const other = await signUp(server)
    const expected = {
      real_user_id: child.real_user_id,
      from_root_user_id: parent.id,
      to_root_user_id: other.id,
      devices: 1,
    }
    const dry = await transfer(other.email, '--dry-run')
    expect(dry).toMatchObject({ code: 0, result: { ...expected, transferred: false } })
    expect((await read(parent)).status).toBe(200)

    const done = await transfer(other.email.toUpperCase())
    expect(done).toMatchObject({ code: 0, result: { ...expected, transferred: true } })
    expect(await read(parent)).toMatchObject({ status: 401, body: { detail: 'Not authorized user' } })
    expect(await devicesOf(parent)).toEqual([])
    expect(await read(other)).toMatchObject({ status: 200, body: { root_user_id: other.id } })
    expect(await devicesOf(other)).toHaveLength(1)
    const chart = await server.get('/api/v1/beta/chart/recent', {
      token: other.token,
      query: { real_user_id: child.real_user_id, current_date: '2026-03-01' },
    })
    expect(chart.body.treatment_time_data).toEqual([{ treatment_date: '2026-03-01', treatment_time: 720 }])
    const reason = `child ${child.real_user_id} from account ${parent.id} to ${other.id}, by an operator`
    expect(await recorded('child_transfer')).toEqual([
      { root_user_id: other.id, reason },
      { root_user_id: parent.id, reason },
    ])
  })

  test('what cannot be is refused, and changes nothing', async () => {
    const gone = await signUp(server)
    await server.delete('/api/v1/beta/user/root-user', { token: gone.token })
    expect(await transfer('nobody@example.com')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('no account'),
    })
    expect((await transfer(gone.email)).code).toBe(1)
    expect((await transfer(parent.email)).stderr).toContain('already')
    expect((await companion('child', 'transfer', '999999', parent.email)).stderr).toContain('no child')
    expect((await companion('child', 'transfer', '1.5', parent.email)).code).toBe(1)
    expect((await read(parent)).status).toBe(200)
  })
})
