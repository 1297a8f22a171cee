import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createFileOutbox } from '@companion/server/delivery/outbox.ts'
import { startSendingAlerts } from '@companion/server/delivery/send-alerts.ts'
import { createLogger } from '@companion/server/telemetry/log.ts'
import { addChild, devlogItem, signUp, upload } from '../support/family.ts'
import type { Account } from '../support/family.ts'
import { connectBasestation, reading, uploadReadings } from '../support/basestations.ts'
import { addMember, share, shares } from '../support/shares.ts'
import { useServer } from '../support/server.ts'
import { until } from '../support/until.ts'

/* Alerts about a shared child go to its owner and its guardians, each by their own switches and once. */

const server = useServer({ ENVIRONMENT_BOUNDS: '{"temperature":[18,24]}' })
const { end } = shares(server)

let owner: Account
let child: Awaited<ReturnType<typeof addChild>>
beforeEach(async () => {
  owner = await reachable(await signUp(server))
  child = await addChild(server, owner.token)
})
afterEach(() => void vi.useRealTimers())

const pushTokenOf = ({ id }: Account) => `fcm:phone-of-${id}-0123456789`

async function reachable<Person extends Account>(person: Person, json: object = {}): Promise<Person> {
  const { token } = person
  const policy = { is_push_agree: true, push_token: pushTokenOf(person) }
  await server.patch('/api/v1/beta/user/policy', { token, json: policy })
  const switches = {
    is_device_muted: false,
    is_device_alim_talk_enabled: false,
    is_basestation_alert_enabled: true,
  }
  await server.patch('/api/v1/beta/user/notification', { token, json: { ...switches, ...json } })
  return person
}

const member = async (role: 'guardian' | 'viewer', json: object = {}, fields: object = {}) =>
  reachable(await addMember(server, owner, { real_user_id: child.real_user_id, role, ...fields }), json)

const issue = (date = '2026-03-01T21:30:00', more: object = {}) =>
  upload(server, [devlogItem(child.unique_id, date, { finish_flag: '4', ...more })])

/** Sends what is due; resolves to the push tokens and phones that were told of this child or a base station. */
async function told(): Promise<string[]> {
  const outbox = createFileOutbox(server.config.outboxFile)
  const worker = startSendingAlerts(
    {
      database: server.database,
      senders: {
        push: outbox.alertsBy('push'),
        alim_talk: outbox.alertsBy('alim_talk'),
        mail: outbox.alertsBy('mail'),
      },
      log: createLogger('silent'),
      timeZone: server.config.timeZone,
    },
    { pollMs: 10, tryMs: 5000, retryMs: 20, mostAttempts: 1 },
  )
  await until(async () => {
    const { rowCount } = await server.database.pool.query('SELECT FROM alert WHERE due_at IS NOT NULL')
    return rowCount === 0
  })
  await worker.stop()
  return (await server.outbox())
    .filter(({ channel }) => channel === 'push' || channel === 'alim_talk')
    .map(({ to }) => to ?? '')
}

const countOf = (all: string[], person: Account) => all.filter((to) => to === pushTokenOf(person)).length

test.each([
  ['complete', false],
  ['temporary and then complete', true],
])(
  'a contact loss of a %s record reaches owner and guardians once, and no viewer',
  async (_, isTemporary) => {
    const guardians = [await member('guardian'), await member('guardian')]
    const others = [
      await member('viewer'),
      await member('guardian', { is_device_muted: true }),
      await reachable(await signUp(server)),
    ]
    const former = await member('guardian')
    await end(owner, former.share_id)
    if (isTemporary)
      await upload(server, [
        devlogItem(child.unique_id, '2026-03-01T21:30:00', { is_temp: true, finish_flag: '1' }),
      ])
    expect((await issue()).status).toBe(200)
    // Sent again, as devices do, and in another record of the same use.
    await issue()
    await issue(undefined, { log_file_id: 2 })
    const all = await told()
    for (const person of [owner, ...guardians]) expect(countOf(all, person)).toBe(1)
    for (const person of [...others, former]) expect(countOf(all, person)).toBe(0)
  },
)

test('a guardian whose messaging app is on is told there, also when the owner is muted', async () => {
  await reachable(owner, { is_device_muted: true })
  const guardian = await member('guardian', { is_device_alim_talk_enabled: true })
  await issue()
  const all = await told()
  expect(countOf(all, owner)).toBe(0)
  expect(countOf(all, guardian)).toBe(1)
  expect(all.filter((to) => to === guardian.phone)).toHaveLength(1)
})

test('whose membership has ended before an alert is sent is not told', async () => {
  const today = new Date().toISOString().slice(0, 10)
  const [ended, past] = [await member('guardian'), await member('guardian', {}, { until: today })]
  await issue()
  await end(owner, ended.share_id)
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 2 * 86_400_000 })
  const all = await told()
  expect([countOf(all, owner), countOf(all, ended), countOf(all, past)]).toEqual([1, 0, 0])
})

test('a room out of bounds reaches owner and guardians once, however many children they share', async () => {
  const guardian = await member('guardian')
  const sibling = await addChild(server, owner.token)
  await share(server, owner, guardian, { real_user_id: sibling.real_user_id, role: 'guardian' })
  const others = [await member('viewer'), await member('guardian', { is_basestation_alert_enabled: false })]
  const station = await connectBasestation(server, owner.token)
  const hot = (time: string) =>
    uploadReadings(server, [reading(station.unique_id, `2026-03-01T${time}`, { temperature: 31 })])
  expect((await hot('22:00:00')).status).toBe(200)
  await hot('23:00:00')
  const all = await told()
  for (const person of [owner, guardian]) expect(countOf(all, person)).toBe(1)
  for (const person of others) expect(countOf(all, person)).toBe(0)
})
