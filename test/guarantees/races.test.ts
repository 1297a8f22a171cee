import * as fc from 'fast-check'
import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { companion } from '../support/command.ts'
import { addChild, addDevice, childProfile, devlogItem, signUp, upload } from '../support/family.ts'
import type { Account } from '../support/family.ts'
import { inBetween, somebodyWaits } from '../support/lock-waits.ts'
import { useServer } from '../support/server.ts'
import { tally } from '../support/response-tally.ts'

const server = useServer()

const NIGHT = '2026-03-01T21:30:00'
const rows = async (sql: string, values: unknown[] = []) =>
  (await server.database.pool.query(sql, values)).rows
const times = <Result>(count: number, work: (n: number) => Promise<Result>) =>
  Promise.all(Array.from({ length: count }, (_, n) => work(n)))

const createChild = (token: string, device: object) =>
  server.post('/api/v2/beta/user/create-real-user', { token, json: { ...childProfile, ...device } })

describe('20 calls at once to connect one device', () => {
  test.each([
    ['20 families', 20],
    ['one family', 1],
  ])('by %s give it to exactly one child', async (_name, families) => {
    const parents: Account[] = []
    for (let n = 0; n < families; n += 1) parents.push(await signUp(server))
    const device = await addDevice(server)
    const responses = await times(20, (n) => createChild(parents[n % families]?.token ?? '', device))
    expect(tally(responses)).toEqual({ 200: 1, '409 Already Connected Device': 19 })
    const children = await rows('SELECT id FROM real_user WHERE root_user_id = ANY ($1)', [
      parents.map(({ id }) => id),
    ])
    const winner = responses.find(({ status }) => status === 200)?.body
    expect(children).toEqual([{ id: winner.real_user_id }])
    expect(await rows('SELECT real_user_id FROM device WHERE unique_id = $1', [device.unique_id])).toEqual([
      { real_user_id: winner.real_user_id },
    ])
  })
})

test('a child created while its account is deleted does not outlive it', async () => {
  for (let round = 0; round < 10; round += 1) {
    const parent = await signUp(server)
    const devices = await times(4, () => addDevice(server))
    const [deleted, ...created] = await Promise.all([
      server.delete('/api/v1/beta/user/root-user', { token: parent.token }),
      ...devices.map((device) => createChild(parent.token, device)),
    ])
    expect(deleted).toMatchObject({ status: 200 })
    const {
      200: early = 0,
      '401 Not authorized user': refused = 0,
      '401 User is Deleted': late = 0,
    } = tally(created)
    expect(early + refused + late).toBe(4)
    expect(
      await rows('SELECT FROM real_user WHERE root_user_id = $1 AND deleted_at IS NULL', [parent.id]),
    ).toEqual([])
    const ids = devices.map(({ unique_id }) => unique_id)
    expect(
      await rows('SELECT FROM device WHERE unique_id = ANY ($1) AND real_user_id IS NOT NULL', [ids]),
    ).toEqual([])
  }
})

test('uploads of several devices while their account is deleted are answered, and nothing of them stays behind', async () => {
  for (let round = 0; round < 10; round += 1) {
    const parent = await signUp(server)
    const devices: string[] = []
    for (let n = 0; n < 4; n += 1) devices.push((await addChild(server, parent.token)).unique_id)
    const batch = (ids: string[], n: number) => ids.map((id) => devlogItem(id, NIGHT, { log_file_id: n }))
    const [deleted, ...uploads] = await Promise.all([
      server.delete('/api/v1/beta/user/root-user', { token: parent.token }),
      ...Array.from({ length: 9 }, (_, n) =>
        upload(server, batch(n % 2 === 0 ? devices : devices.toReversed(), n)),
      ),
    ])
    expect(deleted).toMatchObject({ status: 200 })
    const { 200: stored = 0, '409 Not Connected Device': refused = 0, ...others } = tally(uploads)
    expect(others).toEqual({})
    expect(stored + refused).toBe(9)
    const treatments = await rows(
      'SELECT FROM treatment t JOIN device d ON d.id = t.device_id WHERE d.unique_id = ANY ($1)',
      [devices],
    )
    expect(treatments).toEqual([])
  }
})

// Each holds the device, changes it and looks its child up, whom the deletion holds while it waits for the device.
describe('the deletion of a child waits for its device, and both are done, while', () => {
  const NIGHT_ENDS = '2026-03-02T00:00:00'
  const send = (unique_id: string, record: object = {}) =>
    upload(server, [devlogItem(unique_id, NIGHT, record)])
  const command = async (...args: string[]) => {
    const { code, said } = await companion(server, 'devlog', ...args)
    return { status: code === 0 ? 200 : said }
  }
  const treatments = 'SELECT FROM treatment WHERE device_id = $1 FOR UPDATE'

  test.each<
    [string, (unique_id: string) => Promise<unknown>, (unique_id: string) => Promise<unknown>, string?]
  >([
    [
      'a temporary record is replaced',
      (id) => send(id, { is_temp: true }),
      (id) => send(id, { log_file_id: 2 }),
    ],
    [
      'a deletion of its records is undone',
      async (id) => {
        await send(id)
        await server.delete('/api/v1/gamma/device/devlog', { query: { unique_id: id } })
      },
      (id) => command('restore', '--unique-id', id),
    ],
    [
      'its records are moved',
      send,
      (id) => command('shift', '--unique-id', id, '--from', NIGHT, '--to', NIGHT_ENDS, '--by', 'PT1H'),
    ],
    [
      'its records are moved back',
      async (id) => {
        await send(id)
        await command('shift', '--unique-id', id, '--from', NIGHT, '--to', NIGHT_ENDS, '--by', 'PT1H')
        // A date is kept that is to be set now.
        await send(id, { log_file_id: 2 })
      },
      async (id) => {
        const [shift] = await rows(
          'SELECT s.id FROM devlog_shift s JOIN device d ON d.id = s.device_id WHERE d.unique_id = $1',
          [id],
        )
        return command('unshift', String(shift.id))
      },
    ],
    [
      'it tells of another firmware',
      (id) =>
        rows(
          `UPDATE device_history SET since = since - interval '2 days'
           WHERE device_id = (SELECT id FROM device WHERE unique_id = $1)`,
          [id],
        ),
      (id) => upload(server, [devlogItem(id, NIGHT)], { 'x-firmware': '7' }),
      'SELECT FROM device_history WHERE device_id = $1 FOR UPDATE',
    ],
  ])('%s', async (_name, before, call, lock = treatments) => {
    const { token } = await signUp(server)
    const { real_user_id, unique_id, device_id } = await addChild(server, token)
    await before(unique_id)
    const [changed, deleted] = await inBetween(server, {
      lock: lock.replace('$1', String(device_id)),
      change: '',
      waiting: 2,
      call: async () => {
        const changing = call(unique_id)
        await somebodyWaits(server.database)
        const json = { real_user_id, unique_id }
        const deletion = server.delete('/api/v1/beta/user/delete-real-user', { token, json })
        return Promise.all([changing, deletion])
      },
    })
    expect([changed, deleted]).toMatchObject([{ status: 200 }, { status: 200 }])
    expect(await rows('SELECT FROM treatment WHERE real_user_id = $1', [real_user_id])).toEqual([])
  })
})

async function treatmentsOf(unique_id: string) {
  return rows(
    `SELECT log_file_id, is_temp, treatment_time FROM treatment t JOIN device d ON d.id = t.device_id
     WHERE d.unique_id = $1 AND deleted_at IS NULL ORDER BY treatment_date, log_file_id`,
    [unique_id],
  )
}

describe('uploads at once', () => {
  test('50 copies of one upload are stored once', async () => {
    const { token } = await signUp(server)
    const { unique_id } = await addChild(server, token)
    const items = Array.from({ length: 10 }, (_, n) =>
      devlogItem(unique_id, `2026-03-0${(n % 9) + 1}T21:30:00`, { log_file_id: n }),
    )
    expect(tally(await times(50, () => upload(server, items)))).toEqual({ 200: 50 })
    expect(await treatmentsOf(unique_id)).toHaveLength(10)
  })

  test.each([
    ['the same', 1],
    ['another', 2],
  ])(
    '20 times, a temporary and a complete record with %s log_file_id end as the complete one',
    async (_name, id) => {
      const { token } = await signUp(server)
      const { unique_id } = await addChild(server, token)
      const starts = Array.from({ length: 20 }, (_, n) => `2026-03-01T21:30:${String(n + 10)}`)
      const responses = await times(60, (n) => {
        const start = starts[n % 20] ?? ''
        return upload(server, [
          n < 40
            ? devlogItem(unique_id, start, { log_file_id: 1, is_temp: true, treatment_time: 60 })
            : devlogItem(unique_id, start, { log_file_id: id, treatment_time: 3600 }),
        ])
      })
      expect(tally(responses)).toEqual({ 200: 60 })
      expect(await treatmentsOf(unique_id)).toEqual(
        starts.map(() => ({ log_file_id: id, is_temp: false, treatment_time: 3600 })),
      )
    },
  )
})

interface Log {
  device: string
  start: string
  log: number
  time: number
  is_temp: boolean
}
type Stored = Log & { child: number }

/** The effect of an upload, said plainly: complete records first, each once, and where a treatment belongs. */
function modelUpload(
  stored: Stored[],
  records: Log[],
  wearers: Map<string, number>,
): { stored: Stored[]; verdicts: string[] } {
  const verdicts = records.map(() => 'duplicate')
  const before = stored
  for (const [n, record] of [...records.entries()].toSorted(
    ([, a], [, b]) => Number(a.is_temp) - Number(b.is_temp) || (a.is_temp ? b.time - a.time : 0),
  )) {
    const ofUse = (of: Stored[]) =>
      of.filter(({ device, start }) => device === record.device && start === record.start)
    const yields = record.is_temp
      ? ofUse(stored).some((each) => !each.is_temp || each.time >= record.time)
      : ofUse(stored).some((each) => !each.is_temp && each.log === record.log)
    if (yields) continue
    const temporary = ofUse(before).find((each) => each.is_temp)
    const child = temporary?.child ?? wearers.get(record.device) ?? 0
    stored = [
      ...stored.filter((each) => !ofUse(stored).includes(each) || !each.is_temp),
      { ...record, child },
    ]
    verdicts[n] = temporary ? 'completed' : 'stored'
  }
  return { stored, verdicts }
}

describe('random uploads', () => {
  /** Two devices and two children of a new family. */
  async function family() {
    const [{ id } = { id: 0 }] = await rows(
      `INSERT INTO root_user (first_name, last_name, birthdate, gender, is_phone_number_checked, is_signup_completed,
         register_type, national_code) VALUES ('', '', '', 'P', true, true, 'E', 'KR') RETURNING id`,
    )
    const children: number[] = (
      await rows(
        `INSERT INTO real_user (root_user_id, first_name, last_name, birthdate, gender)
         SELECT $1, '', '', '', 'P' FROM generate_series(1, 2) RETURNING id`,
        [id],
      )
    ).map((row) => row.id)
    const devices: string[] = [randomUUID(), randomUUID()]
    const wearers = new Map(devices.map((device, n) => [device, children[n] ?? 0]))
    for (const [device, child] of wearers) {
      await rows(
        `INSERT INTO device (unique_id, serial_code, mac_id, device_alias, real_user_id) VALUES ($1, $2, '0000', '', $3)`,
        [device, device, child],
      )
    }
    return { children, devices, wearers }
  }

  const itemOf = ({ device, start, log, time, is_temp }: Log) =>
    devlogItem(device, start, { log_file_id: log, treatment_time: time, is_temp })

  async function storedOf(devices: string[]): Promise<Stored[]> {
    return rows(
      `SELECT d.unique_id AS device, to_char(treatment_date, 'YYYY-MM-DD"T"HH24:MI:SS') AS start, log_file_id AS log,
         treatment_time AS time, is_temp, t.real_user_id AS child
       FROM treatment t JOIN device d ON d.id = t.device_id WHERE d.unique_id = ANY ($1) AND deleted_at IS NULL`,
      [devices],
    )
  }

  const inOrder = (stored: Stored[]) =>
    stored
      .map((each) => JSON.stringify([each.device, each.start, each.log, each.time, each.is_temp, each.child]))
      .toSorted()

  const recordOf = fc.record({
    device: fc.nat(1),
    start: fc.constantFrom(NIGHT, '2026-03-02T21:30:00'),
    log: fc.integer({ min: 1, max: 3 }),
    time: fc.constantFrom(360, 720, 1080),
    is_temp: fc.boolean(),
  })
  const uploadOf = fc.record({ records: fc.array(recordOf, { minLength: 1, maxLength: 6 }) })
  const moveOf = fc.record({ device: fc.nat(1), child: fc.nat(1) })
  const retryOf = fc.record({ retry: fc.nat() })

  test('one after the other, with retries and moves, do what the model does', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.oneof({ weight: 4, arbitrary: uploadOf }, retryOf, moveOf), {
          minLength: 2,
          maxLength: 12,
        }),
        async (steps) => {
          const { children, devices, wearers } = await family()
          const sent: Log[][] = []
          let stored: Stored[] = []
          for (const step of steps) {
            if ('child' in step) {
              const [device = '', child = 0] = [devices[step.device], children[step.child]]
              await rows('UPDATE device SET real_user_id = $2 WHERE unique_id = $1', [device, child])
              wearers.set(device, child)
              continue
            }
            const records =
              'retry' in step
                ? sent[step.retry % Math.max(1, sent.length)]
                : step.records.map((record) => ({ ...record, device: devices[record.device] ?? '' }))
            if (!records) continue
            sent.push(records)
            const expected = modelUpload(stored, records, wearers)
            stored = expected.stored
            const { body } = await upload(server, records.map(itemOf), { prefer: 'handling=lenient' })
            expect(body.results.map(({ status }: { status: string }) => status)).toEqual(expected.verdicts)
            expect(inOrder(await storedOf(devices))).toEqual(inOrder(stored))
          }
        },
      ),
      { numRuns: 50 },
    )
  })

  test('at once, copies included, end as if they had come one after the other', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(uploadOf, { minLength: 2, maxLength: 8 }), async (uploads) => {
        const { devices, wearers } = await family()
        // Of two complete records of one number, and of two temporary ones of one length, the first counts: here they are equal.
        const batches = [...uploads, ...uploads.toReversed()].map(({ records }) =>
          records.map((record) => ({
            ...record,
            time: 360 * record.log,
            device: devices[record.device] ?? '',
          })),
        )
        const responses = await Promise.all(batches.map((records) => upload(server, records.map(itemOf))))
        expect(tally(responses)).toEqual({ 200: batches.length })
        const { stored } = modelUpload([], batches.flat(), wearers)
        expect(inOrder(await storedOf(devices))).toEqual(inOrder(stored))
      }),
      { numRuns: 50 },
    )
  })
})
