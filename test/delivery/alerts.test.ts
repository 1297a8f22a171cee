import { keyRingOf } from '@companion/server/encryption/key-ring.ts'
import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeAll, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { readConfig } from '@companion/server/config/config.ts'
import { openDatabase } from '@companion/server/database/database.ts'
import type { Database } from '@companion/server/database/database.ts'
import { purge } from '@companion/server/retention/purge.ts'
import { createAlertSenders } from '@companion/server/delivery/configured.ts'
import { startSendingAlerts } from '@companion/server/delivery/send-alerts.ts'
import type { DeliveryTiming } from '@companion/server/delivery/deliver.ts'
import { createLogger } from '@companion/server/telemetry/log.ts'
import { startService } from '@companion/server/service.ts'
import { addChild, devlogItem, signUp, upload } from '../support/family.ts'
import type { Account } from '../support/family.ts'
import { accept, ALIMTALK_WEBHOOK_SECRET, fcmError, held, useFcm } from '../support/outside/fcm.ts'
import { verified } from '../support/outside/receiver.ts'
import { TEST_SECRET, useServer } from '../support/server.ts'
import { until } from '../support/until.ts'

const server = useServer()
const fcm = useFcm()
const NIGHT = '2026-03-01T21:30:00'

beforeAll(() =>
  server.database.pool.query(`
    CREATE TABLE postponed (milliseconds float8);
    CREATE FUNCTION note_postponed() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      INSERT INTO postponed VALUES (1000 * extract(epoch FROM NEW.due_at - now()));
      RETURN NEW;
    END $$;
    CREATE TRIGGER note_postponed BEFORE UPDATE ON alert FOR EACH ROW
      WHEN (NEW.attempts = OLD.attempts AND NEW.due_at IS NOT NULL) EXECUTE FUNCTION note_postponed()`),
)

let parent: Account
let child: Awaited<ReturnType<typeof addChild>>
let pushToken: string
beforeEach(async () => {
  parent = await signUp(server)
  child = await addChild(server, parent.token)
  pushToken = `fcm:phone-of-${parent.id}-0123456789`
  await server.database.pool.query('DELETE FROM alert; DELETE FROM postponed')
  fcm.reset()
  await agree()
})

const workers: { stop: () => Promise<void> }[] = []
afterEach(async () => {
  await Promise.all(workers.splice(0).map((worker) => worker.stop()))
})

const quick: DeliveryTiming = { pollMs: 10, tryMs: 5000, retryMs: 20, mostAttempts: 4 }

function startWorker(database: Database = server.database, pace = quick) {
  const config = readConfig({
    DATABASE_URL: server.databaseUrl,
    TOKEN_SECRET: TEST_SECRET,
    ...fcm.environment,
  })
  const worker = startSendingAlerts(
    { database, senders: createAlertSenders(config), log: createLogger('silent'), timeZone: config.timeZone },
    pace,
  )
  workers.push(worker)
  return worker
}

const policy = (json: object) => server.patch('/api/v1/beta/user/policy', { token: parent.token, json })
const agree = () => policy({ is_push_agree: true, push_token: pushToken })
const switches = (json: object) =>
  server.patch('/api/v1/beta/user/notification', {
    token: parent.token,
    json: {
      is_device_muted: false,
      is_device_alim_talk_enabled: false,
      is_basestation_alert_enabled: false,
      ...json,
    },
  })
const issue = (date = NIGHT, more: object = {}) =>
  devlogItem(child.unique_id, date, { finish_flag: '4', ...more })
const uploadIssue = async (...items: unknown[]) => {
  const { status } = await upload(server, items.length > 0 ? items : [issue()])
  expect(status).toBe(200)
}

const outbox = async () => (await server.database.pool.query('SELECT * FROM alert ORDER BY id')).rows
const outcomes = async () =>
  (await outbox()).map(({ channel, outcome }) => `${channel} ${outcome}`).toSorted()

/** By how many milliseconds alerts were put off, one after the other. */
const postponed = async () =>
  (await server.database.pool.query('SELECT * FROM postponed')).rows.map(({ milliseconds }) => milliseconds)

const settled = () => until(async () => (await outbox()).every(({ due_at }) => due_at === null))
const ids = () => fcm.messages.map(({ body }) => body.message.data.alert_id)

describe('causes of an alert', () => {
  test('a contact loss: one push message that holds ids, and nothing about the child', async () => {
    await uploadIssue()
    const [alert] = await outbox()
    startWorker()
    await settled()
    expect(fcm.messages).toHaveLength(1)
    expect(fcm.messages[0]?.body).toEqual({
      message: {
        token: pushToken,
        notification: { title: 'Companion', body: '기기를 확인해 주세요.' },
        data: {
          alert_id: alert.uuid,
          kind: 'device_contact',
          root_user_id: String(parent.id),
          real_user_id: String(child.real_user_id),
          device_id: String(child.device_id),
        },
        android: { priority: 'HIGH', notification: { tag: alert.uuid } },
        apns: { headers: { 'apns-collapse-id': alert.uuid } },
      },
    })
    expect(await outcomes()).toEqual(['push sent'])
    expect(fcm.hooks).toEqual([])
  })

  test('each treatment once, however often and in how many records it arrives', async () => {
    await uploadIssue(issue(NIGHT, { is_temp: true, log_file_id: 1 }))
    await uploadIssue(issue(NIGHT, { log_file_id: 2 }), issue(NIGHT, { log_file_id: 2 }))
    await uploadIssue(issue(NIGHT, { log_file_id: 2 }))
    startWorker()
    await settled()
    await uploadIssue(issue(NIGHT, { log_file_id: 2 }))
    await server.delete('/api/v1/gamma/device/devlog', { query: { unique_id: child.unique_id } })
    await uploadIssue(issue(NIGHT, { log_file_id: 2 }))
    await settled()
    expect(fcm.messages).toHaveLength(1)
    await uploadIssue(issue('2026-03-02T21:30:00'))
    await settled()
    expect(fcm.messages).toHaveLength(2)
  })

  test('a temporary record without an issue that is completed with one', async () => {
    await uploadIssue(devlogItem(child.unique_id, NIGHT, { is_temp: true }))
    expect(await outbox()).toEqual([])
    await uploadIssue(issue())
    expect(await outbox()).toHaveLength(1)
  })

  test('no other way to finish', async () => {
    await uploadIssue(
      ...[1, 2, 3, 5, 6].map((finish_flag) =>
        devlogItem(child.unique_id, `2026-03-0${finish_flag}T21:00:00`, { finish_flag }),
      ),
    )
    expect(await outbox()).toEqual([])
  })

  test('nothing that is refused', async () => {
    const unknown = devlogItem('00000000-0000-4000-8000-000000000001', NIGHT)
    expect((await upload(server, [issue(), unknown])).status).toBe(404)
    expect(await outbox()).toEqual([])
  })

  test('50 copies of one upload at once: one alert', async () => {
    await Promise.all(Array.from({ length: 50 }, () => upload(server, [issue()])))
    expect(await outbox()).toHaveLength(1)
  })
})

describe('the wishes of the parent', () => {
  test('muted: none at all', async () => {
    await switches({ is_device_muted: 1, is_device_alim_talk_enabled: 1 })
    await uploadIssue()
    expect(await outbox()).toEqual([])
  })

  test('muted after the upload: none either', async () => {
    await uploadIssue()
    await switches({ is_device_muted: 1 })
    startWorker()
    await settled()
    expect(await outcomes()).toEqual(['push unwanted'])
    expect(fcm.messages).toEqual([])
  })

  test('the messaging app besides the push message', async () => {
    await switches({ is_device_alim_talk_enabled: 1 })
    await uploadIssue()
    startWorker()
    await settled()
    expect(await outcomes()).toEqual(['alim_talk sent', 'push sent'])
    const [hook] = fcm.hooks
    expect(hook?.body).toEqual({
      alert_id: expect.any(String),
      kind: 'device_contact',
      root_user_id: parent.id,
      real_user_id: child.real_user_id,
      device_id: child.device_id,
      basestation_id: null,
      to: parent.phone,
      language: 'ko',
    })
    expect(hook?.headers['webhook-id']).toBe(hook?.body.alert_id)
    if (!hook) throw new Error('Nothing was received')
    const received = { body: JSON.stringify(hook.body), headers: hook.headers }
    expect(verified(ALIMTALK_WEBHOOK_SECRET, received)).toEqual(hook.body)
  })

  test('the child named: in the text of both, for as long as the parent wants it', async () => {
    const texts = () => fcm.messages.map(({ body }) => body.message.notification.body)
    await switches({ is_device_alim_talk_enabled: true, is_child_named_in_alerts: true })
    await uploadIssue()
    startWorker()
    await settled()
    expect(texts()).toEqual(['Mina의 기기를 확인해 주세요.'])
    expect(fcm.hooks.map(({ body }) => body.child_name)).toEqual(['Mina'])
    const [alert] = await outbox()
    expect(JSON.stringify(alert)).not.toContain('Mina')
    await switches({ is_child_named_in_alerts: false })
    await uploadIssue(issue('2026-03-02T21:00:00'))
    await settled()
    expect(texts().slice(1)).toEqual(['기기를 확인해 주세요.'])
  })

  test('the child named, in English', async () => {
    await server.database.pool.query(`UPDATE root_user SET national_code = 'US' WHERE id = $1`, [parent.id])
    await switches({ is_child_named_in_alerts: true })
    await uploadIssue()
    startWorker()
    await settled()
    expect(fcm.messages[0]?.body.message.notification.body).toBe('Please have a look at the device of Mina.')
  })

  test('push consent withdrawn: the token is kept but not used; the messaging app is', async () => {
    await switches({ is_device_alim_talk_enabled: 1 })
    await uploadIssue()
    await policy({ is_push_agree: false })
    startWorker()
    await settled()
    expect(await outcomes()).toEqual(['alim_talk sent', 'push unwanted'])
    expect(fcm.messages).toEqual([])
    await policy({ is_push_agree: true })
    await uploadIssue(issue('2026-03-02T21:00:00'))
    await settled()
    expect(fcm.messages).toHaveLength(1)
  })

  test('no token: none at all; one that is gone by the time of sending: nothing is sent', async () => {
    await uploadIssue()
    await server.database.pool.query('DELETE FROM push_token WHERE root_user_id = $1', [parent.id])
    await uploadIssue(issue('2026-03-02T21:00:00'))
    startWorker()
    await settled()
    expect(await outcomes()).toEqual(['push unwanted'])
  })

  test('a child that is deleted, or an account that is: nothing is sent', async () => {
    const [other, sibling] = [await addChild(server, parent.token), child]
    await uploadIssue(issue(), devlogItem(other.unique_id, NIGHT, { finish_flag: 4 }))
    await server.delete('/api/v1/beta/user/delete-real-user', {
      token: parent.token,
      json: { real_user_id: sibling.real_user_id, unique_id: sibling.unique_id },
    })
    await server.delete('/api/v1/beta/user/root-user', { token: parent.token })
    startWorker()
    await settled()
    expect(await outcomes()).toEqual(['push unwanted', 'push unwanted'])
    expect(fcm.messages).toEqual([])
  })
})

describe('when the provider does not do as it should', () => {
  test('an outage: the alert is sent once it is over, and the upload has known nothing of it', async () => {
    fcm.responses = [fcmError(503, 'UNAVAILABLE', 'UNAVAILABLE'), fcmError(500, 'INTERNAL', 'INTERNAL')]
    startWorker()
    await uploadIssue()
    await settled()
    expect(await outcomes()).toEqual(['push sent'])
    expect(fcm.messages).toHaveLength(3)
    expect(new Set(ids()).size).toBe(1)
  })

  test('an outage without end: attempts are bounded, each later than the one before', async () => {
    fcm.always = fcmError(503, 'UNAVAILABLE')
    await uploadIssue()
    startWorker()
    await settled()
    expect(await outcomes()).toEqual(['push given up'])
    expect(fcm.messages).toHaveLength(quick.mostAttempts)
    expect(await postponed()).toEqual([20, 40, 80])
  })

  test('out of reach altogether: the same', async () => {
    const { FCM_BASE_URL } = fcm.environment
    fcm.environment['FCM_BASE_URL'] = 'http://127.0.0.1:9'
    await uploadIssue()
    startWorker()
    fcm.environment['FCM_BASE_URL'] = FCM_BASE_URL ?? ''
    await settled()
    expect(await outcomes()).toEqual(['push given up'])
  })

  test('told when to try again, it waits that long', async () => {
    fcm.responses = [fcmError(429, 'RESOURCE_EXHAUSTED', 'QUOTA_EXCEEDED', { 'retry-after': '600' })]
    await uploadIssue()
    startWorker()
    await until(async () => (await postponed()).length)
    expect(await postponed()).toEqual([600_000])
    expect(fcm.messages).toHaveLength(1)
  })

  test('slow: given up in time and tried again; a repeated message says so itself', async () => {
    fcm.responses = [() => undefined]
    await uploadIssue()
    const time = new AbortController()
    const timeout = vi.spyOn(AbortSignal, 'timeout').mockReturnValueOnce(time.signal)
    onTestFinished(() => timeout.mockRestore())
    startWorker()
    await until(() => fcm.messages.length)
    expect(timeout.mock.lastCall).toEqual([quick.tryMs])
    time.abort()
    await settled()
    expect(await outcomes()).toEqual(['push sent'])
    expect(fcm.messages).toHaveLength(2)
    expect(new Set(ids()).size).toBe(1)
    expect(new Set(fcm.messages.map(({ body }) => body.message.android.notification.tag)).size).toBe(1)
  })

  test('while it is waited for, no connection to the database is held', async () => {
    const single = await openDatabase(server.databaseUrl, {
      pool: 1,
      keyRing: keyRingOf(server.config, TEST_SECRET),
    })
    try {
      const { answer, release } = held(fcmError(503, 'UNAVAILABLE'))
      fcm.always = answer
      await uploadIssue(...[1, 2, 3].map((day) => issue(`2026-03-0${day}T21:00:00`)))
      const worker = startWorker(single, { ...quick, tryMs: 600_000 })
      await until(() => fcm.messages.length === 3)
      expect(await single.pool.query('SELECT 1')).toMatchObject({ rowCount: 1 })
      release()
      await worker.stop()
    } finally {
      await single.close()
    }
  })

  test('one that never answers holds up no other', async () => {
    const { answer, release } = held(accept)
    fcm.always = answer
    await uploadIssue(issue('2026-01-31T21:00:00'))
    // With statistics of one row, a selection that were joined to the table would run for each row, and take more than its limit.
    await server.database.pool.query('VACUUM ANALYZE alert')
    const days = Array.from({ length: 28 }, (_, n) => `2026-02-${String(n + 1).padStart(2, '0')}`)
    await uploadIssue(...days.map((day) => issue(`${day}T21:00:00`)))
    await switches({ is_device_alim_talk_enabled: true })
    await uploadIssue(issue('2026-03-09T21:00:00'))
    startWorker(server.database, { ...quick, tryMs: 600_000 })
    // As many as are sent at once; the one by the messaging app is due after them.
    await until(() => fcm.messages.length >= 20)
    await until(() => fcm.hooks.length === 1)
    expect(fcm.messages).toHaveLength(20)
    release()
    await settled()
  })

  test.each([
    ['UNREGISTERED', fcmError(404, 'NOT_FOUND', 'UNREGISTERED')],
    ['NOT_FOUND', fcmError(404, 'NOT_FOUND')],
  ])('%s: the token is removed, and not tried again', async (_name, answer) => {
    fcm.responses = [answer]
    await uploadIssue()
    startWorker()
    await settled()
    expect(await outcomes()).toEqual(['push unreachable'])
    const stored = await server.database.pool.query('SELECT 1 FROM push_token WHERE root_user_id = $1', [
      parent.id,
    ])
    expect(stored.rowCount).toBe(0)
    expect(await policy({ is_push_agree: true })).toMatchObject({ status: 409 })
  })

  test('a new token that replaced the old one in between is not removed with it', async () => {
    const { answer, release } = held(fcmError(404, 'NOT_FOUND', 'UNREGISTERED'))
    fcm.responses = [answer]
    await uploadIssue()
    startWorker()
    await until(() => fcm.messages.length === 1)
    await server.post('/api/v1/beta/user/push/set-token', {
      token: parent.token,
      json: { token: 'fcm:the-new-phone-0123456789' },
    })
    release()
    await settled()
    expect((await policy({ is_push_agree: true })).status).toBe(200)
  })

  test('a 404 that does not come from FCM removes no token', async () => {
    fcm.responses = [(response) => void response.writeHead(404).end('<h1>Not here</h1>')]
    await uploadIssue()
    startWorker()
    await settled()
    expect(await outcomes()).toEqual(['push sent'])
  })

  test('a message that FCM finds wrong is not repeated', async () => {
    fcm.responses = [fcmError(400, 'INVALID_ARGUMENT', 'INVALID_ARGUMENT')]
    await uploadIssue()
    startWorker()
    await settled()
    expect(await outcomes()).toEqual(['push refused'])
    expect(fcm.messages).toHaveLength(1)
  })

  test('one access token serves many messages; one that is revoked is replaced', async () => {
    startWorker()
    await uploadIssue(...[1, 2, 3, 4, 5].map((day) => issue(`2026-03-0${day}T21:00:00`)))
    await settled()
    expect(fcm.tokenRequests).toBe(1)
    fcm.revoke()
    await uploadIssue(issue('2026-03-06T21:00:00'))
    await settled()
    expect(fcm.tokenRequests).toBe(2)
    expect(new Set(await outcomes())).toEqual(new Set(['push sent']))
  })

  test('a webhook that fails is tried again, one that refuses is not', async () => {
    await switches({ is_device_alim_talk_enabled: 1 })
    fcm.hookStatuses = [500, 429, 200]
    startWorker()
    await uploadIssue()
    await settled()
    expect(fcm.hooks).toHaveLength(3)
    fcm.hookStatuses = [422]
    await uploadIssue(issue('2026-03-02T21:00:00'))
    await settled()
    expect(fcm.hooks).toHaveLength(4)
    expect(await outcomes()).toEqual(['alim_talk refused', 'alim_talk sent', 'push sent', 'push sent'])
  })
})

describe('workers', () => {
  test('several at once send each alert once', async () => {
    const days = Array.from({ length: 60 }, (_, n) =>
      new Date(Date.UTC(2026, 0, 1 + n)).toISOString().slice(0, 10),
    )
    await uploadIssue(...days.map((day) => issue(`${day}T21:00:00`)))
    for (let n = 0; n < 4; n += 1) startWorker()
    await settled()
    expect(fcm.messages).toHaveLength(60)
    expect(new Set(ids()).size).toBe(60)
  })

  test('one that is stopped finishes what it is sending', async () => {
    const { answer, release } = held(accept)
    fcm.responses = [answer]
    await uploadIssue()
    const worker = startWorker()
    await until(() => fcm.messages.length === 1)
    const stopped = worker.stop()
    release()
    await stopped
    expect(await outcomes()).toEqual(['push sent'])
  })

  test('one that is killed while sending loses nothing; what may be repeated is the same alert', async () => {
    fcm.always = () => undefined
    await uploadIssue()
    const doomed = spawn(
      process.execPath,
      [fileURLToPath(new URL('../support/alert-worker.ts', import.meta.url))],
      {
        env: {
          ...process.env,
          DATABASE_URL: server.databaseUrl,
          TOKEN_SECRET: TEST_SECRET,
          ...fcm.environment,
        },
        stdio: 'ignore',
      },
    )
    const ended = new Promise((resolve) => doomed.once('exit', resolve))
    await until(() => fcm.messages.length === 1)
    doomed.kill('SIGKILL')
    await ended
    const [alert] = await outbox()
    expect(alert).toMatchObject({ outcome: null, attempts: 1 })
    fcm.always = undefined
    // Nobody else touches it until the killed worker's time is over.
    let looks = 0
    const query: Database['query'] = (...asked) => {
      looks += 1
      return server.database.query(...asked)
    }
    startWorker({ ...server.database, query })
    await until(() => looks > 3)
    expect(fcm.messages).toHaveLength(1)
    await server.database.pool.query('UPDATE alert SET due_at = now()')
    await settled()
    expect(await outcomes()).toEqual(['push sent'])
    expect(ids()).toEqual([alert.uuid, alert.uuid])
  })

  test('one that is killed again and again at the same alert gives up in the end', async () => {
    await uploadIssue()
    await server.database.pool.query('UPDATE alert SET attempts = $1', [quick.mostAttempts])
    startWorker()
    await settled()
    expect(await outcomes()).toEqual(['push given up'])
    expect(fcm.messages).toEqual([])
  })

  test('a settled alert is kept for 90 days, an open one for as long as it takes', async () => {
    await uploadIssue(issue(), issue('2026-03-02T21:00:00'))
    const { pool } = server.database
    await pool.query(`UPDATE alert SET created_at = now() - interval '91 days'`)
    expect(await purge(server.database, server.config)).toMatchObject({ alerts: 0 })
    startWorker()
    await settled()
    expect(await purge(server.database, server.config)).toMatchObject({ alerts: 2 })
  })

  test('the service runs one, and stops it', async () => {
    await uploadIssue()
    const config = readConfig({
      DATABASE_URL: server.databaseUrl,
      TOKEN_SECRET: TEST_SECRET,
      PORT: '0',
      ...fcm.environment,
    })
    const service = await startService(config, createLogger('silent'))
    try {
      await settled()
      expect(await outcomes()).toEqual(['push sent'])
    } finally {
      await service.stop()
    }
  })

  test('without a provider, development finds alerts in the outbox file', async () => {
    await uploadIssue()
    const worker = startSendingAlerts(
      {
        database: server.database,
        senders: createAlertSenders(server.config),
        log: createLogger('silent'),
        timeZone: 'America/New_York',
      },
      quick,
    )
    workers.push(worker)
    await settled()
    const message = (await server.outbox()).findLast(({ channel }) => channel === 'push')
    expect(message).toMatchObject({ to: pushToken, kind: 'device_contact', real_user_id: child.real_user_id })
  })
})
