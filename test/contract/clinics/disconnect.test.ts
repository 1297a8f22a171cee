import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { clinics, connectClinic, newClinic } from '../../support/clinics.ts'
import { addClinician, clinicOf } from '../../support/clinicians.ts'
import { addChild, signIn, signUp } from '../../support/family.ts'
import type { Account } from '../../support/family.ts'
import { inBetween } from '../../support/lock-waits.ts'
import { tally } from '../../support/response-tally.ts'
import { useServer } from '../../support/server.ts'
import { addMember } from '../../support/shares.ts'

const server = useServer()
const { listConnections, disconnect } = clinics(server)
afterEach(() => void vi.useRealTimers())

const missing = { status: 404, body: { detail: 'Connection not found' } }

let owner: Account
let real_user_id: number
let clinic_id: number
let code: string
beforeEach(async () => {
  owner = await signUp(server)
  ;({ real_user_id } = await addChild(server, owner.token))
  ;({ clinic_id, code } = await newClinic(server))
})

test('the owner ends it, once', async () => {
  const { connection_id } = await connectClinic(server, owner, { code, real_user_id })
  const calls = Array.from({ length: 10 }, () => disconnect(owner, connection_id))
  expect(tally(await Promise.all(calls))).toEqual({ 200: 1, '404 Connection not found': 9 })
  expect((await listConnections(owner, real_user_id)).body).toEqual([])
  expect(await disconnect(owner, connection_id)).toMatchObject(missing)
  await connectClinic(server, owner, { code, real_user_id })
})

test('an admin of the clinic ends it by the id in the list', async () => {
  await connectClinic(server, owner, { code, real_user_id })
  const { children } = clinicOf(server, clinic_id)
  const admin = await addClinician(server, clinic_id, { role: 'admin' })
  const colleague = await addClinician(server, clinic_id)
  const read = () => server.get(`/api/v1/beta/user/real-user/${real_user_id}`, { token: colleague.token })
  expect((await read()).status).toBe(200)
  const [{ connection_id }] = (await children(admin)).body.items
  expect(await disconnect(colleague, connection_id)).toMatchObject(missing)
  expect((await disconnect(admin, connection_id)).status).toBe(200)
  expect(await read()).toMatchObject({ status: 401, body: { detail: 'Not authorized user' } })
  expect((await children(admin)).body.items).toEqual([])
  expect((await listConnections(owner, real_user_id)).body).toEqual([])
  expect(await disconnect(admin, connection_id)).toMatchObject(missing)
})

test('an admin whose work ends at the same moment does not end it', async () => {
  const { connection_id } = await connectClinic(server, owner, { code, real_user_id })
  const admin = await addClinician(server, clinic_id, { role: 'admin' })
  const response = await inBetween(server, {
    lock: `UPDATE clinic_member SET ended_at = now() WHERE clinic_id = ${clinic_id}`,
    change: 'SELECT',
    call: () => disconnect(admin, connection_id),
  })
  expect(response).toMatchObject(missing)
  expect((await listConnections(owner, real_user_id)).body).toHaveLength(1)
})

test('nobody else ends it', async () => {
  const { connection_id } = await connectClinic(server, owner, { code, real_user_id })
  const guardian = await addMember(server, owner, { real_user_id, role: 'guardian' })
  for (const other of [guardian, await signUp(server)])
    expect(await disconnect(other, connection_id)).toMatchObject(missing)
  expect((await listConnections(owner, real_user_id)).body).toHaveLength(1)
})

test('one whose last day is over has ended by itself', async () => {
  const date = new Date().toISOString().slice(0, 10)
  const { connection_id } = await connectClinic(server, owner, { code, real_user_id, until: date })
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 2 * 86_400_000 })
  const token: string = (await signIn(server, owner.email)).body.access_token
  expect(await disconnect({ token }, connection_id)).toMatchObject(missing)
})
