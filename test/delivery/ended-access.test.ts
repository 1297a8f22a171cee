import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createAlertSenders } from '@companion/server/delivery/configured.ts'
import { startSendingAlerts } from '@companion/server/delivery/send-alerts.ts'
import { pastMembershipsToEnd } from '@companion/server/shares/past-memberships.ts'
import { createLogger } from '@companion/server/telemetry/log.ts'
import { companion } from '../support/command.ts'
import { addChild, signUp } from '../support/family.ts'
import type { Account } from '../support/family.ts'
import { addMember, shares } from '../support/shares.ts'
import { startServer, useServer } from '../support/server.ts'
import { temporaryFile } from '../support/temporary-file.ts'
import { until } from '../support/until.ts'

/* A member who loses access to a child is told by mail, and so is the holder of a deleted account. */

const server = useServer()
const { accept, end, invite, list } = shares(server)
afterEach(() => void vi.useRealTimers())

let owner: Account
let child: Awaited<ReturnType<typeof addChild>>
beforeEach(async () => {
  owner = await signUp(server)
  child = await addChild(server, owner.token)
})

const member = (fields: { until?: string } = {}) =>
  addMember(server, owner, { real_user_id: child.real_user_id, role: 'guardian', ...fields })

/** The mails to an account that tell of an end, once all that are due are sent. */
async function told({ email }: Account): Promise<string[]> {
  const worker = startSendingAlerts(
    {
      database: server.database,
      senders: createAlertSenders(server.config),
      log: createLogger('silent'),
      timeZone: server.config.timeZone,
    },
    { pollMs: 10, tryMs: 5000, retryMs: 20, mostAttempts: 1 },
  )
  const due = 'SELECT FROM alert WHERE due_at IS NOT NULL'
  await until(async () => (await server.database.pool.query(due)).rowCount === 0)
  await worker.stop()
  return (await server.outbox()).flatMap(({ to, subject = '' }) =>
    to === email && /종료|삭제|can no longer/.test(subject) ? [subject] : [],
  )
}

const ENDED = 'Companion에서 자녀 기록에 대한 접근 권한이 종료되었습니다'
const DELETED = 'Companion 계정이 삭제되었습니다'

test('a member whose sharing the owner ends is told, in the language that they have chosen', async () => {
  const guardian = await member()
  const language = 'EN'
  await server.database.sql.updateTable('root_user').set({ language }).where('id', '=', guardian.id).execute()
  await end(owner, guardian.share_id)
  expect(await told(guardian)).toEqual(['You can no longer see the records of a child in Companion'])
  expect(await told(owner)).toEqual([])
})

test('who has ended it is not told, nor is who was never let in', async () => {
  const [guardian, invited] = [await member(), await signUp(server)]
  await invite(owner, { real_user_id: child.real_user_id, email: invited.email })
  await end(guardian, guardian.share_id)
  const { real_user_id, unique_id } = child
  const json = { real_user_id, unique_id }
  await server.delete('/api/v1/beta/user/delete-real-user', { token: owner.token, json })
  for (const each of [guardian, invited, owner]) expect(await told(each)).toEqual([])
})

test('the members of a deleted child are told', async () => {
  const [guardian, other] = [await member(), await member()]
  const { real_user_id, unique_id } = child
  const json = { real_user_id, unique_id }
  const gone = await server.delete('/api/v1/beta/user/delete-real-user', { token: owner.token, json })
  expect(gone.status).toBe(200)
  for (const each of [guardian, other]) expect(await told(each)).toEqual([ENDED])
})

test('of a deleted account the holder is told at the old address, and the members of its children', async () => {
  const guardian = await member()
  const own = await addChild(server, guardian.token)
  const viewer = await addMember(server, guardian, { real_user_id: own.real_user_id, role: 'viewer' })
  expect((await server.delete('/api/v1/beta/user/root-user', { token: owner.token })).status).toBe(200)
  expect(await told(owner)).toEqual([DELETED])
  expect(await told(guardian)).toEqual([ENDED])
  // A member who goes is told of the account alone.
  expect((await server.delete('/api/v1/beta/user/root-user', { token: guardian.token })).status).toBe(200)
  expect(await told(guardian)).toEqual([ENDED, DELETED])
  expect(await told(viewer)).toEqual([ENDED])
})

test('a deletion succeeds where its mail cannot be sent', async () => {
  const file = await temporaryFile('file', '')
  const broken = await startServer({ OUTBOX_FILE: `${file}/outbox.jsonl` }, server.databaseUrl)
  const deleted = await broken.delete('/api/v1/beta/user/root-user', { token: owner.token })
  await broken.stop()
  expect(deleted.status).toBe(200)
  expect(broken.log()).toContain('notice not sent')
  expect(broken.log()).not.toContain(owner.email)
})

test('members whom an operator takes the child from are told', async () => {
  const [guardian, receiver] = [await member(), await member()]
  const moved = await companion(server, 'child', 'transfer', String(child.real_user_id), receiver.email)
  expect(moved.code).toBe(0)
  expect(await told(guardian)).toEqual([ENDED])
  expect(await told(receiver)).toEqual([])
})

test('a last day that is over is told once, however many processes look', async () => {
  const date = new Date().toISOString().slice(0, 10)
  const [guardian, another] = [await member({ until: date }), await member()]
  const look = () =>
    Promise.all(
      Array.from({ length: 5 }, () =>
        server.database.transaction(async (sql) =>
          pastMembershipsToEnd(server.config)['past_memberships']?.take(sql),
        ),
      ),
    )
  expect(await look()).toEqual([0, 0, 0, 0, 0])
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 2 * 86_400_000 })
  expect((await look()).toSorted((one, other) => Number(one) - Number(other))).toEqual([0, 0, 0, 0, 1])
  expect(await look()).toEqual([0, 0, 0, 0, 0])
  vi.useRealTimers()
  expect(await told(guardian)).toEqual([ENDED])
  expect(await told(another)).toEqual([])
  expect((await list(owner, child.real_user_id)).body.members).toMatchObject([{ email: another.email }])
})

test('who is invited again after the last day, before anybody has looked, has lost nothing', async () => {
  const date = new Date().toISOString().slice(0, 10)
  const guardian = await member({ until: date })
  await server.database.sql
    .updateTable('membership')
    .set({ until: '2026-01-01' })
    .where('id', '=', guardian.share_id)
    .execute()
  await invite(owner, { real_user_id: child.real_user_id, email: guardian.email })
  const mail = (await server.outbox()).findLast(({ to }) => to === guardian.email)
  const token = new URL(mail?.['link'] ?? '').searchParams.get('token')
  expect((await accept(guardian, token)).status).toBe(200)
  await server.database.transaction(
    (sql) => pastMembershipsToEnd(server.config)['past_memberships']?.take(sql) ?? Promise.resolve(0),
  )
  expect(await told(guardian)).toEqual([])
})

test('`companion purge` ends what is over', async () => {
  const guardian = await member()
  await server.database.sql
    .updateTable('membership')
    .set({ until: new Date(Date.now() - 3 * 86_400_000).toISOString().slice(0, 10) })
    .where('id', '=', guardian.share_id)
    .execute()
  const done = await companion(server, 'purge', '--json')
  expect(done.result).toMatchObject({ past_memberships: 1 })
  expect(await told(guardian)).toEqual([ENDED])
})
