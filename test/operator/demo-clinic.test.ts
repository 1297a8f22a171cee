import { demoBanner } from '@companion/server/demo/banner.ts'
import { demoInvitation, makeDemoClinic } from '@companion/server/demo/clinic.ts'
import { makeDemoFamily } from '@companion/server/demo/family.ts'
import { expect, onTestFinished, test } from 'vitest'
import { acceptInvitation, authenticatorOf } from '../support/clinicians.ts'
import { CLINIC } from '../support/clinics.ts'
import { startServer } from '../support/server.ts'

const tokenOf = (link: string | undefined) => new URL(link ?? '').searchParams.get('token') ?? ''

test('the demo has a clinic with 40 children of all flags, which a visitor enters by the link of the banner', async () => {
  const server = await startServer()
  onTestFinished(() => server.stop())
  await makeDemoFamily(server.database)
  await Promise.all([makeDemoClinic(server.database), makeDemoClinic(server.database)])
  const first = tokenOf(await demoInvitation(server.database, server.url))
  const link = await demoInvitation(server.database, server.url)
  expect(link).toMatch(/^http:\/\/localhost:\d+\/clinic\/invitation\?token=/)

  const authenticator = authenticatorOf(server)
  const { body } = await acceptInvitation(server, tokenOf(link), authenticator, 'Visitor')
  const token: string = body.access_token
  const clinics = (await server.get(`${CLINIC}/membership`, { token })).body
  expect(clinics).toEqual([{ clinic_id: expect.any(Number), name: 'Seoul Sleep Clinic', role: 'admin' }])
  const list = (await server.get(`${CLINIC}/${clinics[0].clinic_id}/child`, { token })).body
  expect(list.total).toBe(40)
  expect(Object.entries(list.flags).filter(([, count]) => count === 0)).toEqual([])
  expect(list.items.some(({ flags }: { flags: string[] }) => flags.length === 0)).toBe(true)

  // Another start has replaced the first link, and there is none once somebody works there.
  const invitation = { token: first }
  expect((await server.post('/api/v1/alpha/auth/clinician/invitation', { json: invitation })).status).toBe(
    400,
  )
  expect(await demoInvitation(server.database, server.url)).toBeUndefined()
})

test('the banner leads to the application where there is one', async () => {
  const server = await startServer()
  onTestFinished(() => server.stop())
  await makeDemoFamily(server.database)
  await makeDemoClinic(server.database)
  const served = await demoBanner(server.database, server.url, true)
  expect(served).toMatch(
    /clinicians' app +http:\/\/localhost:\d+\/clinic\n +begin there by +http\S+\?token=\S+\n/,
  )
  expect(await demoBanner(server.database, server.url, false)).not.toContain('clinic')
})

test('a database without the demo family gets no clinic', async () => {
  const server = await startServer()
  onTestFinished(() => server.stop())
  await makeDemoClinic(server.database)
  expect((await server.database.pool.query('SELECT FROM clinic')).rowCount).toBe(0)
  expect(await demoInvitation(server.database, server.url)).toBeUndefined()
})
