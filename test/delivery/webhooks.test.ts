import { createServer } from 'node:http'
import type { ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { follow } from '../support/changes.ts'
import { devices } from '../support/devices.ts'
import { addChild, addDevice, devlogItem, signUp, upload } from '../support/family.ts'
import type { Account } from '../support/family.ts'
import { startReceiver, verified } from '../support/outside/receiver.ts'
import { useServer } from '../support/server.ts'
import { tally } from '../support/response-tally.ts'
import { until } from '../support/until.ts'
import { healthy, quick, serviceFor, startRinging, webhooks } from '../support/webhooks.ts'

const server = useServer()

let parent: Account
let child: Awaited<ReturnType<typeof addChild>>
beforeEach(async () => {
  await server.database.pool.query('DELETE FROM webhook')
  parent = await signUp(server)
  child = await addChild(server, parent.token)
})

const workers: { stop: () => Promise<void> }[] = []
afterEach(async () => {
  await Promise.all(workers.splice(0).map((worker) => worker.stop()))
})

/** Longer than a test: nothing is due again by itself meanwhile. */
const NEVER = 3_600_000

function startWorker(pace = quick, production = false) {
  const worker = startRinging(server, pace, production)
  workers.push(worker)
  return worker
}

let nights = 0
const store = (count = 1) =>
  upload(
    server,
    Array.from({ length: count }, () => {
      nights += 1
      return devlogItem(child.unique_id, '2026-03-01T21:00:00', { log_file_id: nights })
    }),
  )
const rows = async () => (await server.database.pool.query('SELECT * FROM webhook ORDER BY id')).rows
/** Lets the time pass until what waits is due. */
const pass = () => server.database.pool.query('UPDATE webhook SET due_at = now() WHERE due_at IS NOT NULL')
const makeDue = (id: number) =>
  until(async () => (await rows()).find((row) => row.id === id && row.due_at !== null && row.attempts === 0))

/** A service with a webhook, which has heard of its grant. */
async function withWebhook(pace = quick, scope = 'usage:read') {
  const { own, service } = await serviceFor(server, parent, [child.real_user_id], scope)
  const receiver = await startReceiver()
  const { body } = await webhooks(server, own).create(receiver.url)
  const { next } = await follow(server, own)
  const worker = startWorker(pace)
  await until(() => receiver.bells().length > 0)
  await until(async () => (await rows()).every(({ delivered_at }) => delivered_at !== null))
  receiver.received.length = 0
  return { own, service, receiver, worker, webhook: body, next }
}

test('a message is signed, holds no health data, and its cursor leads to the news', async () => {
  const { own, receiver, webhook, next } = await withWebhook()
  await store()
  await until(() => receiver.bells().length > 0)
  const [request] = receiver.received
  if (!request) throw new Error('Nothing was received')
  expect(verified(webhook.secret, request)).toEqual({
    type: 'changes.available',
    timestamp: expect.stringMatching(/^\d{4}-.*Z$/),
    data: { cursor: expect.any(String) },
  })
  expect(() => verified(`whsec_${Buffer.alloc(32).toString('base64')}`, request)).toThrow(
    'No matching signature',
  )
  const news = await follow(server, own, receiver.bells()[0]?.body.data.cursor)
  expect(news.items).toMatchObject([{ kind: 'treatment.stored', real_user_id: child.real_user_id }])
  expect((await follow(server, own, next)).items).toEqual(news.items)
})

test('for a day after a rotation both secrets sign', async () => {
  const { own, receiver, webhook } = await withWebhook()
  const { secret } = (await webhooks(server, own).rotate(webhook.webhook_id)).body
  const signedBy = async () => {
    receiver.received.length = 0
    await store()
    const request = await until(() => receiver.received[0])
    return [webhook.secret, secret].filter((each) => {
      try {
        return verified(each, request)
      } catch {
        return false
      }
    })
  }
  expect(await signedBy()).toEqual([webhook.secret, secret])
  await server.database.pool.query(`UPDATE webhook SET previous_until = previous_until - interval '25 hours'`)
  expect(await signedBy()).toEqual([secret])
})

test('ten thousand changes ring once, and once more after a second for those that came meanwhile', async () => {
  const { own, receiver, next } = await withWebhook({ ...quick, restMs: NEVER })
  const worn = await Promise.all(Array.from({ length: 10 }, () => addDevice(server)))
  for (const device of worn) await devices(server).connect(parent, child.real_user_id, device)
  const uploads = worn.map(({ unique_id }) =>
    upload(
      server,
      Array.from({ length: 1000 }, (_, n) =>
        devlogItem(unique_id, '2026-03-01T21:00:00', { log_file_id: n }),
      ),
    ),
  )
  expect(tally(await Promise.all(uploads))).toEqual({ 200: 10 })
  // The second after the bell of the grant is not over.
  const { items } = await follow(server, own, next, 1000)
  expect(items).toHaveLength(10_000)
  await until(async () => (await rows())[0]?.due_at)
  expect(await rows()).toHaveLength(1)
  expect(receiver.bells()).toHaveLength(0)
  await pass()
  await until(() => receiver.bells().length > 0)
  await until(async () => (await rows())[0]?.due_at === null)
  for (let n = 0; n < 10; n += 1) await store(10)
  await until(async () => (await rows())[0]?.due_at)
  expect(receiver.bells()).toHaveLength(1)
  await pass()
  await until(() => receiver.bells().length === 2)
  const [, second] = receiver.bells()
  expect((await follow(server, own, second?.body.data.cursor)).items).toHaveLength(100)
})

test('what happens while a receiver is being told rings again', async () => {
  const { own, receiver } = await withWebhook()
  let finish: (() => void) | undefined
  receiver.response = (response) => {
    receiver.response = undefined
    finish = () => void response.writeHead(204).end()
  }
  await store()
  const respond = await until(() => finish)
  await store(5)
  await until(async () => (await rows())[0]?.next_xact_id)
  respond()
  await until(() => receiver.bells().length === 2)
  const [first, second] = receiver.bells()
  expect(second?.id).not.toBe(first?.id)
  expect((await follow(server, own, second?.body.data.cursor)).items).toHaveLength(5)
})

test('a receiver that was away has missed nothing when it is back', async () => {
  const { own, receiver, worker, next } = await withWebhook({ ...quick, retryMs: NEVER })
  receiver.response = (response) => void response.destroy()
  await store(3)
  await until(() => receiver.bells().length === 1)
  await store(4)
  await until(async () => (await rows())[0]?.next_xact_id)
  // The worker goes too, and another one takes over.
  await worker.stop()
  workers.length = 0
  receiver.response = undefined
  startWorker()
  await pass()
  await until(() => receiver.bells().length === 2)
  const [lost, found] = receiver.bells()
  expect(found?.id).toBe(lost?.id)
  const { items } = await follow(server, own, found?.body.data.cursor)
  expect(items).toHaveLength(7)
  expect((await follow(server, own, next)).items).toEqual(items)
  await until(async () => (await rows())[0]?.due_at === null)
  expect(receiver.bells()).toHaveLength(2)
})

test.each<[string, (response: ServerResponse) => void]>([
  ['answers 500', (response) => void response.writeHead(500).end()],
  ['redirects', (response) => void response.writeHead(307, { location: '/elsewhere' }).end()],
  ['breaks the connection', (response) => void response.destroy()],
])(
  'a receiver that %s until the end is disabled, its people are told, and it can be enabled',
  async (_what, answer) => {
    const { own, receiver, webhook } = await withWebhook()
    receiver.response = answer
    await store(2)
    await until(async () => (await webhooks(server, own).list()).body[0].state === 'disabled')
    expect(new Set(receiver.bells().map(({ id }) => id)).size).toBe(1)
    expect(receiver.received.map(({ path }) => path)).toEqual(Array.from({ length: 4 }, () => '/'))
    const mail = (await server.outbox()).findLast(({ to }) => to === 'study@example.org')
    expect(mail).toMatchObject({ channel: 'email', text: expect.stringContaining(receiver.url) })
    await store(3)
    await until(
      async () =>
        (await server.database.pool.query('SELECT FROM feed WHERE notified_xact_id > $1::xid8', ['3']))
          .rowCount,
    )
    expect(await rows()).toMatchObject([{ due_at: null }])
    expect(receiver.bells()).toHaveLength(4)

    receiver.response = undefined
    expect((await webhooks(server, own).enable(webhook.webhook_id)).status).toBe(200)
    await until(() => receiver.bells().length === 5)
    expect((await follow(server, own, receiver.bells()[4]?.body.data.cursor)).items).toHaveLength(5)
  },
)

test('the owner of a webhook sees why it fails, and since when, until it works again', async () => {
  const { own, receiver } = await withWebhook({ ...quick, retryMs: NEVER })
  const [webhook] = (await webhooks(server, own).list()).body
  expect(webhook).toEqual({ ...webhook, ...healthy, last_delivered_at: expect.any(String) })
  const seen = () =>
    until(async () => (await webhooks(server, own).list()).body.find((each: any) => each.last_fault))
  receiver.response = (response) => void response.writeHead(500).end()
  await store()
  const failing = await seen()
  const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/)
  expect(failing).toEqual({ ...webhook, last_fault: 'status 500', failing_since: time, next_try_at: time })
  receiver.response = (response) => void response.destroy()
  await pass()
  const later = await until(async () => {
    const [each] = (await webhooks(server, own).list()).body
    return each.last_fault === 'no connection' && each
  })
  expect(later.failing_since).toBe(failing.failing_since)
  receiver.response = undefined
  await pass()
  await until(async () => (await webhooks(server, own).list()).body[0].failing_since === null)
  const [again] = (await webhooks(server, own).list()).body
  expect(again).toEqual({ ...webhook, last_delivered_at: time })
  expect(again.last_delivered_at > webhook.last_delivered_at).toBe(true)
})

test('a receiver that is gone for good is disabled at once', async () => {
  const { own, receiver } = await withWebhook()
  receiver.response = (response) => void response.writeHead(410).end()
  await store()
  const disabled = await until(async () => {
    const [webhook] = (await webhooks(server, own).list()).body
    return webhook.state === 'disabled' && webhook
  })
  expect(disabled).toMatchObject({ last_fault: 'status 410', next_try_at: null })
  expect(receiver.bells()).toHaveLength(1)
  expect(receiver.bells()[0]?.headers['user-agent']).toBe('Companion-Webhooks/1')
  const mail = (await server.outbox()).findLast(({ to }) => to === 'study@example.org')
  expect(mail?.text).toContain('has answered 410 (Gone)')
})

test('a receiver that hangs holds one connection, no thread and no other webhook up', async () => {
  const open = new Set<Socket>()
  let most = 0
  let connections = 0
  const hanging = createServer(() => {})
  hanging.on('connection', (socket) => {
    open.add(socket)
    connections += 1
    most = Math.max(most, open.size)
    socket.on('close', () => open.delete(socket))
  })
  await new Promise<void>((resolve) => hanging.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    hanging.closeAllConnections()
    hanging.close()
  })
  const { port } = hanging.address() as AddressInfo
  // The limits of all tries are over when the test says so.
  const limits: AbortController[] = []
  const timeout = vi.spyOn(AbortSignal, 'timeout').mockImplementation(() => {
    const limit = new AbortController()
    limits.push(limit)
    return limit.signal
  })
  onTestFinished(() => timeout.mockRestore())
  const { own, receiver, webhook } = await withWebhook({ ...quick, tryMs: NEVER })
  await server.database.pool.query(
    `INSERT INTO webhook (client_id, url, salt) SELECT client_id, $1, salt FROM webhook`,
    [`http://127.0.0.1:${port}/`],
  )
  const { pool } = server.database
  for (let n = 1; n <= 10; n += 1) {
    await store()
    await until(() => receiver.bells().length >= n)
    await until(async () => (await rows()).find(({ id }) => id === webhook.webhook_id)?.due_at === null)
  }
  expect(pool.waitingCount).toBe(0)
  for (let attempt = 1; attempt <= quick.mostAttempts; attempt += 1) {
    await until(() => connections === attempt)
    for (const limit of limits.splice(0)) limit.abort(new DOMException('Time is up', 'TimeoutError'))
  }
  await until(async () => (await webhooks(server, own).list()).body[1].state === 'disabled')
  expect((await webhooks(server, own).list()).body[1].last_fault).toBe('no answer in 5 s')
  expect(most).toBe(1)
  await until(() => open.size === 0)
  expect(await rows()).toHaveLength(2)
})

test('in production nothing is sent to an address inside, even if the webhook is there already', async () => {
  const { receiver, worker } = await withWebhook()
  await worker.stop()
  workers.length = 0
  startWorker(quick, true)
  await store()
  await until(async () => (await rows())[0]?.disabled_at)
  expect(receiver.received).toEqual([])
})

test('changes that the service may not see do not ring, nor any for a blocked service or account', async () => {
  const { service, receiver, webhook } = await withWebhook()
  const other = await signUp(server)
  const otherChild = await addChild(server, other.token)
  const witness = await serviceFor(server, other, [otherChild.real_user_id], 'usage:read notes:read')
  const heard = await startReceiver()
  const { body } = await webhooks(server, witness.own).create(heard.url)
  // What the witness has heard, the webhook has been asked about.
  const witnessed = async () => {
    const before = heard.bells().length
    nights += 1
    await upload(server, [devlogItem(otherChild.unique_id, '2026-03-01T21:00:00', { log_file_id: nights })])
    await until(() => heard.bells().length > before)
    await until(async () => (await rows()).find(({ id }) => id === body.webhook_id)?.due_at === null)
  }
  const json = { real_user_id: child.real_user_id, created_at: '2026-03-01', memo: 'Slept' }
  await server.post('/api/v1/beta/event', { token: parent.token, json })
  await witnessed()
  expect(receiver.bells()).toEqual([])

  const { pool } = server.database
  await pool.query('UPDATE root_user SET blocked_at = now() WHERE id = $1', [parent.id])
  await store()
  await witnessed()
  expect(receiver.bells()).toEqual([])
  await pool.query('UPDATE root_user SET blocked_at = NULL WHERE id = $1', [parent.id])

  await pool.query('UPDATE client SET blocked_at = now() WHERE client_id = $1', [service.client_id])
  await store()
  await makeDue(webhook.webhook_id)
  await witnessed()
  expect(receiver.bells()).toEqual([])
  await pool.query('UPDATE client SET blocked_at = NULL WHERE client_id = $1', [service.client_id])
  await until(() => receiver.bells().length === 1)
})

test('the end of a grant by its date rings and is told', async () => {
  const { own, receiver, next } = await withWebhook()
  await server.database.pool.query(`UPDATE access_grant SET expires_at = now() WHERE root_user_id = $1`, [
    parent.id,
  ])
  await until(() => receiver.bells().length === 1)
  expect((await follow(server, own, next)).items).toMatchObject([
    { kind: 'grant.ended', real_user_id: child.real_user_id },
  ])
})
