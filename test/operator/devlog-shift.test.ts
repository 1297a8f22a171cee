import fc from 'fast-check'
import { beforeEach, describe, expect, test } from 'vitest'
import { checkDevlogs } from '@companion/server/devlogs/check-devlogs.ts'
import { shiftDevlogs } from '@companion/server/devlogs/devlog-shift.ts'
import { companion } from '../support/command.ts'
import { columnsOf, contents } from '../support/database.ts'
import { codesOf, devices } from '../support/devices.ts'
import { addChild, devlogItem, signUp, upload } from '../support/family.ts'
import { somebodyWaits } from '../support/lock-waits.ts'
import { OPERATOR } from '../support/operator.ts'
import { recorded } from '../support/security-record.ts'
import { useServer } from '../support/server.ts'
import { liveRecords } from '../support/treatments.ts'

const server = useServer()

let parent: Awaited<ReturnType<typeof signUp>>
let child: Awaited<ReturnType<typeof addChild>>
let device: string
beforeEach(async () => {
  parent = await signUp(server)
  child = await addChild(server, parent.token)
  device = child.unique_id
})

const run = (...args: string[]) => companion(server, 'devlog', ...args)
const shift = (
  by: string,
  { from = '2015-01-01T00:00', to = '2026-12-31T23:59:59' } = {},
  ...more: string[]
) => run('shift', '--unique-id', device, '--from', from, '--to', to, '--by', by, '--json', ...more)
const unshift = (id: number) => run('unshift', String(id), '--json')
const night = (date: string, options: Parameters<typeof devlogItem>[2] = {}) =>
  devlogItem(device, date, options)
const send = async (...items: unknown[]) => expect(await upload(server, items)).toMatchObject({ status: 200 })
const live = () => liveRecords(server, device)
const TAKEN = 'another record is there'

test('a preview changes nothing, a shift moves what lies between the times, and its undoing brings it back', async () => {
  await send(
    night('2026-03-01T21:30:00', { log_file_id: 1 }),
    night('2026-03-02T21:30:00.25', { log_file_id: 2 }),
    night('2026-03-03T21:30:00', { log_file_id: 3 }),
  )
  const before = await live()
  const period = { from: '2026-03-01T21:30:00', to: '2026-03-02T22:00' }
  const expected = {
    unique_id: device,
    moved: 2,
    first: { log_file_id: 1, treatment_date: '2026-03-01T21:30:00', new_date: '2026-03-02T06:30:00' },
    last: { log_file_id: 2, treatment_date: '2026-03-02T21:30:00.25', new_date: '2026-03-03T06:30:00.25' },
    stayed: [],
  }
  expect(await shift('PT9H', period, '--dry-run')).toMatchObject({
    code: 0,
    result: { ...expected, shift_id: null },
  })
  const plain = ['--from', period.from, '--to', period.to, '--by', 'PT9H', '--dry-run']
  expect((await run('shift', '--unique-id', device, ...plain)).out.split('\n')).toEqual([
    '2 records would be shifted',
    '',
    'RECORD  LOG  DATE                    NEW DATE',
    'first     1  2026-03-01T21:30:00     2026-03-02T06:30:00',
    'last      2  2026-03-02T21:30:00.25  2026-03-03T06:30:00.25',
    '',
  ])
  expect(await live()).toEqual(before)
  expect(await recorded(server, 'devlog_shift')).toEqual([])

  const { code, result } = await shift('PT9H', period)
  expect({ code, result }).toEqual({ code: 0, result: { ...expected, shift_id: expect.any(Number) } })
  expect(await live()).toEqual([
    '2026-03-02T06:30:00 #1 720s',
    '2026-03-03T06:30:00.25 #2 720s',
    '2026-03-03T21:30:00 #3 720s',
  ])
  const reason = `device ${child.device_id}, shift ${result.shift_id}, by an operator`
  expect(await recorded(server, 'devlog_shift')).toEqual([{ root_user_id: parent.id, reason }])

  expect(await unshift(result.shift_id)).toMatchObject({
    code: 0,
    result: { shift_id: result.shift_id, moved: 2, stayed: [] },
  })
  expect(await live()).toEqual(before)
  expect(await recorded(server, 'devlog_unshift')).toEqual([{ root_user_id: parent.id, reason }])
  expect(await unshift(result.shift_id)).toMatchObject({
    code: 1,
    said: 'There is no shift with this id to undo\n',
  })
})

test('what cannot be is refused', async () => {
  for (const id of ['999999', '99999999999'])
    expect(await run('unshift', id)).toMatchObject({
      code: 1,
      said: 'There is no shift with this id to undo\n',
    })
  const period = ['--from', '2026-03-01T21:30', '--to', '2026-03-02T21:30']
  const said = async (...args: string[]) => (await run('shift', '--unique-id', ...args)).said
  expect(await said(device, ...period, '--by', 'P1M')).toContain('not a duration')
  expect(await said(device, ...period, '--by', 'PT0S')).toContain('not a duration')
  expect(await said(device, '--from', '2026-02-30', '--to', '2026-03-01T00:00', '--by', 'PT1H')).toContain(
    'not a time',
  )
  expect(await said('00000000-0000-4000-8000-000000000000', ...period, '--by', 'PT1H')).toContain('no device')
  expect(await shift('PT1H')).toMatchObject({ code: 0, result: { shift_id: null, moved: 0, stayed: [] } })
})

describe('a record stays and is named', () => {
  test('where it would meet another, as do those that would then meet it', async () => {
    await send(
      night('2026-03-01T21:00:00'),
      night('2026-03-02T21:00:00'),
      night('2026-03-03T21:00:00'),
      night('2026-03-01T22:00:00', { log_file_id: 2 }),
    )
    const { result } = await shift('P1D', { to: '2026-03-02T23:00' })
    expect(result).toMatchObject({
      moved: 1,
      stayed: [
        { treatment_date: '2026-03-01T21:00:00', log_file_id: 1, reason: TAKEN },
        { treatment_date: '2026-03-02T21:00:00', log_file_id: 1, reason: TAKEN },
      ],
    })
    expect(await live()).toContain('2026-03-02T22:00:00 #2 720s')
    // Those that move together are not in each other's way.
    expect((await shift('P1D')).result).toMatchObject({ moved: 4, stayed: [] })
  })

  test('where a temporary record would stand beside a complete one', async () => {
    await send(
      night('2026-03-01T21:00:00', { is_temp: true, log_file_id: 1 }),
      night('2026-03-02T21:00:00', { log_file_id: 2 }),
    )
    expect((await shift('-P1D', { from: '2026-03-02T00:00' })).result).toMatchObject({
      moved: 0,
      stayed: [{ log_file_id: 2, reason: TAKEN }],
    })
    expect((await shift('P1D', { to: '2026-03-01T23:00' })).result).toMatchObject({
      moved: 0,
      stayed: [{ log_file_id: 1, reason: TAKEN }],
    })
  })

  test('where its date would be impossible', async () => {
    await send(night('2015-01-01T05:00:00'), night('2015-01-01T09:00:00', { log_file_id: 2 }))
    const { result } = await shift('PT-9H')
    expect(result).toMatchObject({ moved: 1, stayed: [{ treatment_date: '2015-01-01T05:00:00' }] })
    expect((await shift('P100D', { from: '2015-01-01T00:00' })).result).toMatchObject({ moved: 2 })
    expect((await shift('P20000D')).result.stayed).toEqual([
      expect.objectContaining({ reason: expect.stringContaining('48 hours from now') }),
      expect.anything(),
    ])
  })

  test('when it is deleted before the shift is undone, which can be done again', async () => {
    await send(night('2026-03-01T21:00:00'))
    const { result } = await shift('PT9H')
    await server.delete('/api/v1/gamma/device/devlog', { query: { unique_id: device } })
    const stayed = [{ treatment_date: '2026-03-02T06:00:00', log_file_id: 1, reason: 'it is deleted' }]
    expect((await unshift(result.shift_id)).result).toMatchObject({ moved: 0, stayed })
    expect((await run('restore', '--unique-id', device)).code).toBe(0)
    expect((await unshift(result.shift_id)).result).toMatchObject({ moved: 1, stayed: [] })
    expect(await live()).toEqual(['2026-03-01T21:00:00 #1 720s'])
  })
})

describe('a record that the device sends again as it sent it first', () => {
  const [wrong, right] = ['2026-03-01T21:30:00', '2026-03-02T06:30:00']

  test('is a duplicate, in a batch too and from whichever upload', async () => {
    await send(night(wrong))
    await shift('PT9H')
    await send(night(wrong))
    await send(night(wrong), night('2026-03-05T21:00:00', { log_file_id: 2 }))
    const { body } = await upload(server, [night(wrong)], { prefer: 'handling=lenient' })
    expect(body.results).toEqual([{ index: 0, status: 'duplicate' }])
    expect(await live()).toEqual([`${right} #1 720s`, '2026-03-05T21:00:00 #2 720s'])
  })

  test('completes its temporary record at the corrected date, with another number too', async () => {
    await send(night(wrong, { is_temp: true, log_file_id: 1, treatment_time: 60 }))
    const { result } = await shift('PT9H')
    await send(night(wrong, { log_file_id: 2 }))
    await send(night(wrong, { log_file_id: 2 }), night(wrong, { is_temp: true, log_file_id: 1 }))
    expect(await live()).toEqual([`${right} #2 720s`])
    expect((await unshift(result.shift_id)).result).toMatchObject({ moved: 1, stayed: [] })
    expect(await live()).toEqual([`${wrong} #2 720s`])
  })

  test('comes back at the corrected date after a deletion, sent again or restored', async () => {
    await send(night(wrong))
    const erase = () => server.delete('/api/v1/gamma/device/devlog', { query: { unique_id: device } })
    await erase()
    await send(night(wrong))
    await shift('PT9H')
    await run('restore', '--unique-id', device)
    expect(await live()).toEqual([`${right} #1 720s`])
    await erase()
    await send(night(wrong))
    expect(await live()).toEqual([`${right} #1 720s`])
  })

  test('is found after a second shift, back to where it was, and both are undone the newest first', async () => {
    await send(night(wrong, { is_temp: true, log_file_id: 1 }))
    const first = (await shift('PT9H')).result.shift_id
    await send(night(wrong, { log_file_id: 2 }))
    const second = (await shift('P1D')).result.shift_id
    await send(night(wrong, { log_file_id: 2 }), night(wrong, { is_temp: true, log_file_id: 1 }))
    expect(await live()).toEqual(['2026-03-03T06:30:00 #2 720s'])
    const third = (await shift('-PT33H')).result.shift_id
    await send(night(wrong, { log_file_id: 2 }))
    expect(await live()).toEqual([`${wrong} #2 720s`])
    expect((await unshift(first)).said).toBe(
      `Shift ${third} has moved some of these records again: undo it first\n`,
    )
    for (const id of [third, second, first]) expect((await unshift(id)).result.stayed).toEqual([])
    expect(await live()).toEqual([`${wrong} #2 720s`])
    await send(night(wrong, { log_file_id: 2 }))
    expect(await live()).toEqual([`${wrong} #2 720s`])
  })

  test('while the shift is under way waits for it', async () => {
    await send(night(wrong))
    const again: ReturnType<typeof upload>[] = []
    await server.database.transaction(async (sql) => {
      const period = { from: wrong, to: wrong, seconds: 9 * 3600, dryRun: false }
      await shiftDevlogs(sql, { uniqueId: device, ...period, operator: OPERATOR })
      again.push(upload(server, [night(wrong)]), upload(server, [night(wrong, { is_temp: true })]))
      await somebodyWaits(server.database)
    })
    expect(await Promise.all(again)).toMatchObject([{ status: 200 }, { status: 200 }])
    expect(await live()).toEqual([`${right} #1 720s`])
  })
})

test('the records of a former wearer move too and stay theirs; both accounts have it on record', async () => {
  await send(night('2026-03-01T21:00:00'))
  await devices(server).disconnect(parent, child.device_id)
  const other = await signUp(server)
  const { real_user_id } = await addChild(server, other.token)
  expect(await devices(server).connect(other, real_user_id, codesOf(child))).toMatchObject({ status: 200 })
  await send(night('2026-03-02T21:00:00', { log_file_id: 2 }))
  await shift('PT1H')
  const { rows } = await server.database.pool.query(
    'SELECT real_user_id, log_file_id FROM treatment WHERE device_id = $1 ORDER BY log_file_id',
    [child.device_id],
  )
  expect(rows).toEqual([
    { real_user_id: child.real_user_id, log_file_id: 1 },
    { real_user_id, log_file_id: 2 },
  ])
  const told = await recorded(server, 'devlog_shift')
  expect(new Set(told.map(({ root_user_id }) => root_user_id))).toEqual(new Set([parent.id, other.id]))
})

test('the journal is in the export of the family, and goes with the child and with the account', async () => {
  const journal = async () =>
    (await server.database.pool.query('SELECT FROM shifted_devlog WHERE device_id = $1', [child.device_id]))
      .rowCount
  await send(night('2026-03-01T21:00:00'))
  const { result } = await shift('PT1H')
  const exported = await companion(server, 'account', 'export', parent.email)
  expect(JSON.parse(exported.out).shifted_devlog).toMatchObject([{ real_user_id: child.real_user_id }])
  const json = { real_user_id: child.real_user_id, unique_id: device }
  expect(
    await server.delete('/api/v1/beta/user/delete-real-user', { token: parent.token, json }),
  ).toMatchObject({ status: 200 })
  expect(await journal()).toBe(0)
  expect((await unshift(result.shift_id)).code).toBe(1)

  const other = await signUp(server)
  child = await addChild(server, other.token)
  device = child.unique_id
  await send(night('2026-03-01T21:00:00'))
  await shift('PT1H')
  expect(await journal()).toBe(1)
  await server.delete('/api/v1/beta/user/root-user', { token: other.token })
  expect(await journal()).toBe(0)
})

test('1,000 random records, shifted and shifted back, leave the table as it was', async () => {
  const others = await addChild(server, parent.token)
  await upload(server, [devlogItem(others.unique_id, '2026-03-01T21:00:00')])
  const minutes = fc.integer({ min: 1, max: 500 })
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.record({ minute: minutes, log_file_id: fc.nat(3), is_temp: fc.boolean() }), {
        minLength: 1000,
        maxLength: 1000,
      }),
      fc.array(fc.tuple(fc.integer({ min: -90, max: 90 }), minutes, minutes), { minLength: 1, maxLength: 3 }),
      async (records, shifts) => {
        await server.database.pool.query('DELETE FROM treatment WHERE device_id = $1', [child.device_id])
        const items = records.map(({ minute, ...record }) =>
          night(new Date(Date.UTC(2026, 2, 1, 0, minute)).toISOString().slice(0, 19), record),
        )
        await send(...items)
        // All but when a record was changed last.
        const { treatment = '' } = await columnsOf(server.database)
        const columns = { treatment: treatment.replace(', updated_at', '') }
        const before = await contents(server.database, columns)
        const done = []
        for (const [by, one, other] of shifts) {
          const at = (minute: number) => new Date(Date.UTC(2026, 2, 1, 0, minute)).toISOString().slice(0, 19)
          const period = { from: at(Math.min(one, other)), to: at(Math.max(one, other)) }
          const { result } = await shift(`PT${by}M${by === 0 ? '1S' : ''}`, period)
          if (result.shift_id !== null) done.unshift(result.shift_id)
          // Each one that was sent is there once, where it is now.
          const held = await live()
          await send(...items)
          expect(await live()).toEqual(held)
          expect(await checkDevlogs(server.database)).toMatchObject({ temporary_beside_complete: 0 })
        }
        for (const id of done) expect((await unshift(id)).result.stayed).toEqual([])
        expect(await contents(server.database, columns)).toEqual(before)
      },
    ),
    // Shrinking a thousand records takes longer than reading them.
    { numRuns: 5, endOnFailure: true },
  )
})
