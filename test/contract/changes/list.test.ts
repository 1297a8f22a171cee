import { expect, test } from 'vitest'
import { addChild, devlogItem, signUp, upload } from '../../support/family.ts'
import { useServer } from '../../support/server.ts'
import { addMember } from '../../support/shares.ts'
const server = useServer()
test('x', async () => {
  const parent = await signUp(server)
  const child = await addChild(server, parent.token)
  await upload(server, [devlogItem(child.unique_id, '2026-03-01T21:30:00')])
  const member = await addMember(server, parent, { real_user_id: child.real_user_id, role: 'guardian' })
  await upload(server, [devlogItem(child.unique_id, '2026-03-02T21:30:00', { is_temp: true })])
  await upload(server, [devlogItem(child.unique_id, '2026-03-02T21:30:00')])
  await new Promise((r) => setTimeout(r, 500))
  console.log(JSON.stringify(await server.get('/api/v1/beta/changes', { token: member.token })))
  console.log(JSON.stringify(await server.get('/api/v1/beta/changes', { token: parent.token, query: { limit: 1 } })))
  console.log(JSON.stringify(await server.get('/api/v1/beta/changes', { token: parent.token, query: { after: 'latest' } })))
  expect(1).toBe(1)
})
