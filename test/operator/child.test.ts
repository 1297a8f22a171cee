import { beforeEach, expect, test } from 'vitest'
import { addClinician } from '../support/clinicians.ts'
import { newClinic } from '../support/clinics.ts'
import { devices } from '../support/devices.ts'
import { addChild, devlogItem, signUp, upload } from '../support/family.ts'
import type { Account } from '../support/family.ts'
import { companion as run } from '../support/command.ts'
import { recorded } from '../support/security-record.ts'
import { useServer } from '../support/server.ts'

const server = useServer()
const { list } = devices(server)

let parent: Account
let child: Awaited<ReturnType<typeof addChild>>
beforeEach(async () => {
  parent = await signUp(server)
  child = await addChild(server, parent.token)
})

const transfer = (email: string, ...options: string[]) =>
  run(server, 'child', 'transfer', String(child.real_user_id), email, '--json', ...options)
const read = (account: Account) =>
  server.get(`/api/v1/beta/user/real-user/${child.real_user_id}`, { token: account.token })

test('transfer: the child goes with its history and device, and both accounts have it on record', async () => {
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
  expect(await list(parent)).toEqual([])
  expect(await read(other)).toMatchObject({ status: 200, body: { root_user_id: other.id } })
  expect(await list(other)).toHaveLength(1)
  const chart = await server.get('/api/v1/beta/chart/recent', {
    token: other.token,
    query: { real_user_id: child.real_user_id, current_date: '2026-03-01' },
  })
  expect(chart.body.treatment_time_data).toEqual([{ treatment_date: '2026-03-01', treatment_time: 720 }])
  const reason = `child ${child.real_user_id} from account ${parent.id} to ${other.id}, by an operator`
  expect(await recorded(server, 'child_transfer')).toEqual([
    { root_user_id: other.id, reason },
    { root_user_id: parent.id, reason },
  ])
})

test('transfer: what cannot be is refused, and changes nothing', async () => {
  const gone = await signUp(server)
  await server.delete('/api/v1/beta/user/root-user', { token: gone.token })
  expect(await transfer('nobody@example.com')).toMatchObject({
    code: 1,
    said: expect.stringContaining('no account'),
  })
  expect((await transfer(gone.email)).code).toBe(1)
  expect((await transfer(parent.email)).said).toContain('already')
  const { id } = await addClinician(server, (await newClinic(server)).clinic_id)
  expect((await transfer(String(id))).said).toContain('clinician')
  expect((await run(server, 'child', 'transfer', '999999', parent.email)).said).toContain('no child')
  expect((await run(server, 'child', 'transfer', '1.5', parent.email)).code).toBe(1)
  expect((await read(parent)).status).toBe(200)
})
