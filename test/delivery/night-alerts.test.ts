import { beforeEach, describe, expect, test } from 'vitest'
import { alertText } from '@companion/server/delivery/alert.ts'
import type { AlertSenders } from '@companion/server/delivery/send-alerts.ts'
import { createFileOutbox } from '@companion/server/delivery/outbox.ts'
import { startSendingAlerts } from '@companion/server/delivery/send-alerts.ts'
import { checkDueNights } from '@companion/server/delivery/watch-nights.ts'
import { createLogger } from '@companion/server/telemetry/log.ts'
import { addDays } from '@companion/server/time/wall-clock.ts'
import { addChild, devlogItem, signUp, upload } from '../support/family.ts'
import type { Account } from '../support/family.ts'
import { addMember, shares } from '../support/shares.ts'
import { useServer } from '../support/server.ts'
import { until } from '../support/until.ts'

/* Reminders of bedtimes, and alerts of nights that have not arrived. The account lives in New York, 5 hours behind UTC. */

const server = useServer()
const { end } = shares(server)
const query = (text: string, values: unknown[] = []) => server.database.pool.query(text, values)

let parent: Account
let child: Awaited<ReturnType<typeof addChild>>
beforeEach(async () => {
  await query('DELETE FROM alert')
  await query('DELETE FROM night_watch')
  parent = await reachable(await signUp(server), {})
  child = await addChild(server, parent.token)
  await query(`UPDATE device SET connected_at = '2026-03-01T12:00:00Z' WHERE id = $1`, [child.device_id])
})

const OFF = { is_device_muted: true, is_device_alim_talk_enabled: false, is_basestation_alert_enabled: false }
const wish = async ({ token }: Account, json: object) => {
  const { status } = await server.patch('/api/v1/beta/user/notification', {
    token,
    json: { ...OFF, ...json },
  })
  expect(status).toBe(200)
}

async function reachable<Person extends Account>(person: Person, json: object): Promise<Person> {
  const { token, id } = person
  const policy = { is_push_agree: true, push_token: `fcm:phone-of-${id}-0123456789` }
  await server.patch('/api/v1/beta/user/policy', { token, json: policy })
  await wish(person, json)
  return person
}

const plan = (from: string, nights: number, bedtime: string | null = '21:00', of = child) =>
  query(
    `INSERT INTO plan (real_user_id, from_date, nights_per_week, minutes, bedtime, set_by, set_at)
     VALUES ($1, $2, $3, 240, $4, 'parent', now())`,
    [of.real_user_id, from, nights, bedtime],
  )
let log_file_id = 0
const record = async (start: string, treatment_time = 3600, more: object = {}) => {
  const item = devlogItem(child.unique_id, start, {
    log_file_id: (log_file_id += 1),
    treatment_time,
    ...more,
  })
  expect((await upload(server, [item])).status).toBe(200)
}

/** As if all that is watched had been wanted since then. */
const since = (at: string) => query('UPDATE night_watch SET due_at = $1, evening = NULL', [at])
const judge = (at: string) =>
  checkDueNights(server.database, { now: () => new Date(at), timeZone: server.config.timeZone })
/** Judges every ten minutes from one moment to another. */
async function watch(first: string, last: string, minutes = 10) {
  for (let at = Date.parse(first); at <= Date.parse(last); at += minutes * 60_000)
    await judge(new Date(at).toISOString())
}
const told = async () => {
  const { rows } = await query(
    `SELECT kind, to_char(evening, 'YYYY-MM-DD') AS evening, to_char(due_at AT TIME ZONE 'UTC', 'MM-DD HH24:MI') AS at, root_user_id
     FROM alert ORDER BY due_at, id`,
  )
  return rows
}
const evenings = async () => (await told()).map(({ evening, at }) => `${evening} at ${at}`)

describe('a bedtime', () => {
  beforeEach(() => wish(parent, { is_bedtime_reminded: true }))

  test('is told on evenings of a plan, and not of a pause', async () => {
    await plan('2026-03-02', 5)
    await plan('2026-03-04', 0)
    await plan('2026-03-05', 7, '21:30')
    await since('2026-03-01T12:00:00Z')
    await watch('2026-03-01T12:00:00Z', '2026-03-06T12:00:00Z')
    expect(await evenings()).toEqual([
      '2026-03-02 at 03-03 02:00',
      '2026-03-03 at 03-04 02:00',
      '2026-03-05 at 03-06 02:30',
    ])
  })

  test('before noon is on the date after the evening', async () => {
    await plan('2026-03-02', 5, '00:30')
    await since('2026-03-02T12:00:00Z')
    await watch('2026-03-02T12:00:00Z', '2026-03-03T12:00:00Z')
    expect(await evenings()).toEqual(['2026-03-02 at 03-03 05:30'])
  })

  test('is not told once a use has begun since noon, nor in quiet hours', async () => {
    await plan('2026-03-02', 5)
    await since('2026-03-02T12:00:00Z')
    await record('2026-03-02T12:00:00', 30)
    await record('2026-03-03T11:59:59', 30)
    await wish(parent, { quiet_from: '21:00', quiet_to: '21:01' })
    await since('2026-03-02T12:00:00Z')
    await watch('2026-03-02T12:00:00Z', '2026-03-04T12:00:00Z')
    expect(await evenings()).toEqual([])
    await wish(parent, { quiet_from: '21:01', quiet_to: '21:00' })
    await since('2026-03-04T12:00:00Z')
    await watch('2026-03-04T12:00:00Z', '2026-03-05T12:00:00Z')
    expect(await evenings()).toEqual(['2026-03-04 at 03-05 02:00'])
  })

  test('that passed while the service was down is told up to 30 minutes late', async () => {
    await plan('2026-03-02', 5)
    await since('2026-03-02T12:00:00Z')
    await judge('2026-03-02T12:00:00Z')
    await judge('2026-03-03T02:29:59Z')
    await judge('2026-03-04T02:30:00Z')
    await judge('2026-03-06T02:20:00Z')
    expect(await evenings()).toEqual(['2026-03-02 at 03-03 02:29', '2026-03-05 at 03-06 02:20'])
  })

  test('at an hour that does not exist is the next that does, and one that comes twice the first', async () => {
    await plan('2026-03-01', 7, '02:30')
    await since('2026-03-07T18:00:00Z')
    await watch('2026-03-07T18:00:00Z', '2026-03-08T18:00:00Z')
    await plan('2026-10-31', 7, '01:30')
    await since('2026-10-31T18:00:00Z')
    await watch('2026-10-31T18:00:00Z', '2026-11-01T18:00:00Z')
    expect(await evenings()).toEqual(['2026-03-07 at 03-08 07:00', '2026-10-31 at 11-01 05:30'])
  })

  test('of another plan, or in another zone, moves', async () => {
    await plan('2026-03-02', 5, '21:00')
    await since('2026-03-02T12:00:00Z')
    await judge('2026-03-02T12:00:00Z')
    await query(`UPDATE plan SET bedtime = '20:00' WHERE real_user_id = $1`, [child.real_user_id])
    await since('2026-03-02T13:00:00Z')
    await watch('2026-03-02T13:00:00Z', '2026-03-03T04:00:00Z')
    await wish(parent, { time_zone: 'Asia/Seoul' })
    await since('2026-03-03T05:00:00Z')
    await watch('2026-03-03T05:00:00Z', '2026-03-04T04:00:00Z')
    expect(await evenings()).toEqual(['2026-03-02 at 03-03 01:00', '2026-03-03 at 03-03 11:00'])
  })
})

describe('a missing night', () => {
  beforeEach(() => wish(parent, { is_missing_night_told: true }))

  test('is told the next day: the first and the second in a row, then each seventh', async () => {
    await record('2026-03-01T21:00:00')
    await since('2026-03-02T16:00:00Z')
    await watch('2026-03-02T16:00:00Z', '2026-03-22T16:00:00Z', 60)
    expect((await told()).map(({ evening }) => evening)).toEqual([
      '2026-03-02',
      '2026-03-03',
      '2026-03-10',
      '2026-03-17',
    ])
    // On the 8th clocks go forward.
    expect((await told()).map(({ at }) => at.slice(6))).toEqual(['15:00', '15:00', '14:00', '14:00'])
  })

  test('is counted from the connection of a device that has not recorded yet', async () => {
    await query(`UPDATE device SET connected_at = '2026-03-02T22:59:59Z' WHERE id = $1`, [child.device_id])
    await since('2026-03-02T12:00:00Z')
    await watch('2026-03-02T12:00:00Z', '2026-03-12T12:00:00Z', 60)
    expect((await told()).map(({ evening }) => evening)).toEqual(['2026-03-02', '2026-03-03', '2026-03-10'])
  })

  test('is not one of which anything counted has arrived, nor of a pause, nor of a child without a device', async () => {
    const bare = await addChild(server, parent.token)
    await query('UPDATE device SET real_user_id = NULL WHERE real_user_id = $1', [bare.real_user_id])
    await record('2026-03-03T11:59:59', 120)
    await plan('2026-03-03', 0, null)
    await plan('2026-03-04', 1, null)
    await since('2026-03-03T12:00:00Z')
    await watch('2026-03-03T12:00:00Z', '2026-03-05T16:00:00Z', 60)
    expect(await evenings()).toEqual(['2026-03-04 at 03-05 15:00'])
  })

  test('waits for the end of quiet hours', async () => {
    await wish(parent, { quiet_from: '09:00', quiet_to: '12:30' })
    await since('2026-03-02T12:00:00Z')
    await watch('2026-03-02T12:00:00Z', '2026-03-03T12:00:00Z')
    await query('DELETE FROM alert')
    // The service was down at the end of quiet hours, and starts in the next.
    await wish(parent, { quiet_from: '22:00', quiet_to: '12:30' })
    await query(`UPDATE night_watch SET due_at = '2026-03-03T17:30:00Z', evening = '2026-03-02'`)
    await watch('2026-03-04T04:00:00Z', '2026-03-04T18:00:00Z')
    expect(await evenings()).toEqual(['2026-03-02 at 03-04 17:30'])
  })

  test('goes to owner and guardians by their own switches and in their own zones, and to nobody else', async () => {
    const { real_user_id } = child
    const add = (role: 'guardian' | 'viewer') => addMember(server, parent, { real_user_id, role })
    const far = await reachable(await add('guardian'), {
      is_missing_night_told: true,
      time_zone: 'Asia/Seoul',
    })
    await reachable(await add('guardian'), { is_missing_night_told: false })
    await reachable(await add('viewer'), { is_missing_night_told: true })
    const left = await add('guardian')
    await reachable(left, { is_missing_night_told: true })
    await end(left, left.share_id)
    await since('2026-03-02T12:00:00Z')
    await watch('2026-03-02T12:00:00Z', '2026-03-03T12:00:00Z')
    expect(await told()).toMatchObject(
      [
        { root_user_id: far.id, evening: '2026-03-02', at: '03-03 01:00' },
        { root_user_id: parent.id, evening: '2026-03-01', at: '03-02 15:00' },
      ].toSorted((one, other) => one.at.localeCompare(other.at)),
    )
    const { rows } = await query('SELECT root_user_id FROM night_watch')
    expect(rows.map(({ root_user_id }) => root_user_id)).not.toContain(left.id)
  })
})

describe('at most one of a kind for a child, an evening and a recipient', () => {
  beforeEach(async () => {
    await wish(parent, { is_missing_night_told: true, is_bedtime_reminded: true })
    await plan('2026-03-01', 7)
    await since('2026-03-02T12:00:00Z')
    await judge('2026-03-02T12:00:00Z')
  })
  const BEDTIME = 'bedtime 2026-03-02'
  const kinds = async () => (await told()).map(({ kind, evening }) => `${kind} ${evening}`)

  test('by several workers at once', async () => {
    await Promise.all(Array.from({ length: 8 }, () => judge('2026-03-03T02:00:10Z')))
    expect(await kinds()).toEqual(['missing_night 2026-03-01', BEDTIME])
  })

  test('by a clock that goes forward and back, and a change of settings in between', async () => {
    for (const at of ['2026-03-03T02:00:10Z', '2026-03-04T02:00:10Z', '2026-03-03T02:00:10Z']) {
      await judge(at)
      await wish(parent, { missing_night_at: '20:30', is_missing_night_told: true })
      await wish(parent, { missing_night_at: '10:00' })
      await since('2026-03-02T12:00:00Z')
    }
    await watch('2026-03-02T12:00:00Z', '2026-03-04T12:00:00Z', 30)
    const all = await kinds()
    expect(new Set(all).size).toBe(all.length)
    expect(all).toContain(BEDTIME)
  })
})

describe('sending', () => {
  const worker = (send: AlertSenders['push'], log = createLogger('silent')) =>
    startSendingAlerts(
      {
        database: server.database,
        senders: { push: send, alim_talk: send, mail: send },
        log,
        timeZone: server.config.timeZone,
      },
      { pollMs: 10, tryMs: 500, retryMs: 20, mostAttempts: 5 },
    )
  const outcomes = async () => (await query('SELECT outcome, attempts FROM alert ORDER BY id')).rows
  const settled = () =>
    until(async () => (await query('SELECT FROM alert WHERE due_at IS NOT NULL')).rowCount === 0)

  let today: string
  let yesterday: string
  /** Decides now on the missing night of yesterday's evening. */
  beforeEach(async () => {
    today = new Date().toISOString().slice(0, 10)
    yesterday = addDays(today, -1)
    await wish(parent, { is_missing_night_told: true, time_zone: 'UTC' })
    await query('UPDATE device SET connected_at = $2 WHERE id = $1', [
      child.device_id,
      `${yesterday}T12:00:00Z`,
    ])
    await query(`UPDATE night_watch SET due_at = now() - interval '1 second', evening = $1`, [yesterday])
    await judge(new Date().toISOString())
    const [alert, ...others] = await outcomes()
    if (alert?.outcome !== null || others.length > 0) throw new Error('there is no alert to be sent')
  })

  test('leaves a line of the outbox with kind and evening, which names the child only if that is wanted', async () => {
    const { alertsBy } = createFileOutbox(server.config.outboxFile)
    const sending = worker(alertsBy('push'))
    await settled()
    await sending.stop()
    const lines = (await server.outbox()).filter((line) => 'kind' in line && line['kind'] === 'missing_night')
    expect(lines).toHaveLength(1)
    expect(lines[0]).toMatchObject({ channel: 'push', evening: yesterday, root_user_id: parent.id })
    expect(await outcomes()).toEqual([{ outcome: 'sent', attempts: 1 }])
  })

  test('is withdrawn when the night arrives before', async () => {
    await record(`${yesterday}T21:00:00`)
    const sending = worker(async () => 'sent')
    await settled()
    await sending.stop()
    expect(await outcomes()).toEqual([{ outcome: 'unwanted', attempts: 1 }])
  })

  test('is not tried again after a try that failed, nor after one that nobody saw end', async () => {
    let attempts = 0
    const failing = worker(async () => {
      attempts += 1
      throw new Error('no way out')
    })
    await settled()
    await failing.stop()
    expect(await outcomes()).toEqual([{ outcome: 'given up', attempts: 1 }])
    expect(attempts).toBe(1)
    // As a process leaves it that dies while it sends.
    await query(`UPDATE alert SET outcome = 'claimed'`)
    await judge(new Date().toISOString())
    const next = worker(async () => {
      attempts += 1
      return 'sent'
    })
    await settled()
    await next.stop()
    expect(attempts).toBe(1)
  })

  test('a process that dies between the decision and the sending leaves it to the next', async () => {
    await judge(new Date().toISOString())
    let sent = 0
    const [one, other] = [1, 2].map(() =>
      worker(async () => {
        sent += 1
        return 'sent'
      }),
    )
    await until(async () => sent > 0)
    await settled()
    await Promise.all([one?.stop(), other?.stop()])
    expect(sent).toBe(1)
  })

  test('in quiet hours waits for their end, and a reminder of a bedtime is left out', async () => {
    const minute = (shift: number) => new Date(Date.now() + shift * 60_000).toISOString().slice(11, 16)
    await query(
      'UPDATE root_user SET is_bedtime_reminded = true, quiet_from = $2, quiet_to = $3 WHERE id = $1',
      [parent.id, minute(-60), minute(60)],
    )
    await query(
      `INSERT INTO alert (channel, kind, cause, root_user_id, real_user_id, evening, expires_at)
       VALUES ('push', 'bedtime', gen_random_uuid(), $1, $2, $3, now() + interval '1 hour')`,
      [parent.id, child.real_user_id, today],
    )
    await plan(today, 7)
    let sent = 0
    const sending = worker(async () => {
      sent += 1
      return 'sent'
    })
    await until(async () => {
      const { rowCount } = await query(`SELECT FROM alert WHERE kind = 'bedtime' AND outcome = 'unwanted'`)
      return rowCount === 1
    })
    await until(async () => {
      const { rows } = await query(
        `SELECT due_at > now() + interval '50 minutes' AS waits, attempts, outcome FROM alert WHERE kind = 'missing_night'`,
      )
      return rows[0]?.waits === true && rows[0].attempts === 0 && rows[0].outcome === null
    })
    await sending.stop()
    expect(sent).toBe(0)
  })
})

test('no text says that a device was not worn, and each says so with and without a name', () => {
  for (const language of ['ko', 'en'] as const)
    for (const kind of ['bedtime', 'missing_night'] as const) {
      const [plain, named] = [alertText(kind, { language }), alertText(kind, { language, childName: '지우' })]
      expect(named).toContain('지우')
      expect(plain).not.toContain('지우')
      for (const text of [plain, named])
        expect(text).not.toMatch(
          /not (worn|used|wear)|unused|didn.t|did not|안 (함|찼|썼)|않았(습니다|어요)? *[.!]?$|착용|사용하지/,
        )
    }
})
