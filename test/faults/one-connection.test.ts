import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import {
  addChild,
  anyPhone,
  devlogItem,
  PASSWORD,
  signIn,
  signUp,
  smsCode,
  upload,
} from '../support/family.ts'
import { connectBasestation } from '../support/basestations.ts'
import { useServer } from '../support/server.ts'
import { startServiceProcess } from '../support/service-process.ts'

const server = useServer({ DATABASE_POOL: '1', RATE_LIMITS: 'on' })

test('nothing waits for a second connection while it holds the only one', async () => {
  const { token, email, refreshToken } = await signUp(server)
  const { real_user_id, unique_id } = await addChild(server, token)
  const { basestation_id } = await connectBasestation(server, token)
  const period = { start_date: '2026-03-01', end_date: '2026-03-02' }
  const ids = { real_user_id: String(real_user_id), basestation_id: String(basestation_id) }
  const night = devlogItem(unique_id, '2026-03-01T21:30:00')
  const event = { real_user_id, created_at: '2026-03-01', memo: 'x' }
  const statuses = [
    await upload(server, [night]),
    await upload(server, [night, null], { prefer: 'handling=lenient' }),
    await server.post('/api/v1/beta/event', { token, json: event }),
    await server.get('/api/v1/beta/pdf/report', { token, query: { ...ids, ...period } }),
    await server.get('/api/v1/gamma/device/export', { query: { unique_id, ...period } }),
    await server.delete('/api/v1/gamma/device/devlog', { query: { unique_id } }),
    await server.post('/api/v1/alpha/auth/email/password-reset', { json: { email } }),
    await server.post('/api/v1/alpha/auth/refresh-token', { json: { refresh_token: refreshToken } }),
    await signIn(server, email),
  ].map(({ status }) => status)
  expect(statuses).toEqual(statuses.map(() => 200))
  expect((await signIn(server, email, 'wrong password')).status).toBe(400)
  const phone = anyPhone()
  const json = { phone, validnum: await smsCode(server, phone) }
  expect((await server.post('/api/v1/beta/user/change-phone', { token, json })).status).toBe(200)
  expect((await server.delete('/api/v1/beta/user/root-user', { token })).status).toBe(200)
})

test('a change with an Idempotency-Key counts what it limits', async () => {
  const { token } = await signUp(server)
  const { real_user_id } = await addChild(server, token)
  const keyed = (path: string, json: object) =>
    server.post(path, { token, json, headers: { 'idempotency-key': randomUUID() } })
  const phone = anyPhone()
  const responses = await Promise.all([
    keyed('/api/v1/beta/share/invitation', { real_user_id, role: 'viewer', email: 'guest@example.com' }),
    keyed('/api/v1/beta/user/change-email', { email: 'new@example.com', password: PASSWORD }),
    keyed('/api/v1/beta/user/change-email', { email: 'new@example.com', password: 'wrong' }),
    keyed('/api/v1/beta/user/change-phone', { phone, validnum: await smsCode(server, phone) }),
    keyed('/api/v1/beta/user/email/confirmation', {}),
  ])
  expect(responses.map(({ status }) => status)).toEqual([200, 200, 400, 200, 200])
})

test('a new database is migrated with it', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'companion-one-connection-'))
  const service = await startServiceProcess(directory, { DATABASE_POOL: '1' })
  onTestFinished(async () => {
    service.terminate()
    await service.exited
    await rm(directory, { recursive: true, force: true })
  })
  await service.readiness(200)
  service.terminate()
  expect(await service.exited).toBe(0)
  expect(service.log()).toContain('schema brought up to date')
})
