import { findGrant } from '@companion/server/grants/grant.ts'
import { expect, test } from 'vitest'
import { addChild, signUp } from '../../support/family.ts'
import { granted } from '../../support/oauth.ts'
import { useServer } from '../../support/server.ts'

const server = useServer()

test('a parent sees which service may see what of whom, since when, until when, and when it last has', async () => {
  const parent = await signUp(server)
  const { real_user_id } = await addChild(server, parent.token)
  await addChild(server, parent.token)
  const list = async (token = parent.token) => (await server.get('/api/v1/beta/grant', { token })).body
  expect(await list()).toEqual([])
  const request = { scope: 'child:read usage:read', children: [real_user_id], period: 'month' }
  const { token, service } = await granted(server, parent, request)
  const [grant, ...others] = await list()
  expect(others).toEqual([])
  expect(grant).toEqual({
    grant_id: expect.any(Number),
    client: {
      client_id: service.client_id,
      name: 'Sleep study',
      publisher: 'University Hospital',
      url: 'https://study.example.org',
    },
    scopes: ['child:read', 'usage:read'],
    real_user_ids: [real_user_id],
    granted_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
    expires_at: expect.any(String),
    last_used_at: null,
  })
  expect(Date.parse(grant.expires_at) - Date.parse(grant.granted_at)).toBeCloseTo(30 * 86_400_000, -4)
  await server.get('/api/v1/beta/user/real-user', { token })
  expect((await list())[0].last_used_at).toEqual(expect.any(String))
  const newer = await granted(server, parent, { ...request, period: 'always' })
  expect(await list()).toMatchObject([
    { client: { client_id: newer.service.client_id }, expires_at: null },
    { client: { client_id: service.client_id } },
  ])
  expect(await list((await signUp(server)).token)).toEqual([])

  await server.database.pool.query('UPDATE access_grant SET expires_at = now() WHERE id = $1', [
    grant.grant_id,
  ])
  expect(await list()).toMatchObject([{ client: { client_id: newer.service.client_id } }])
})

test('what a service had of a grant that has expired, or of a blocked account, gets it nothing new', async () => {
  const parent = await signUp(server)
  const { real_user_id } = await addChild(server, parent.token)
  await granted(server, parent, { scope: 'child:read', children: [real_user_id], period: 'month' })
  const { rows } = await server.database.pool.query(
    'SELECT g.id, c.client_id FROM access_grant g JOIN client c ON c.id = g.client_id WHERE root_user_id = $1',
    [parent.id],
  )
  const [{ id: grantId, client_id: clientId }] = rows
  const found = async () => [
    (await findGrant(server.database, { grantId }))?.id,
    (await findGrant(server.database, { rootUserId: parent.id, clientId }))?.id,
  ]
  expect(await found()).toEqual([grantId, grantId])
  const block = ['blocked_at = now()', 'blocked_at = NULL'] as const
  for (const [table, which, [change, back]] of [
    ['root_user', `id = ${parent.id}`, block],
    ['client', `client_id = '${clientId}'`, block],
    // Whole milliseconds are compared, to which PostgreSQL rounds upwards too.
    ['access_grant', `id = ${grantId}`, [`expires_at = now() - interval '1 ms'`, 'expires_at = NULL']],
  ] as const) {
    await server.database.pool.query(`UPDATE ${table} SET ${change} WHERE ${which}`)
    expect(await found()).toEqual([undefined, undefined])
    await server.database.pool.query(`UPDATE ${table} SET ${back} WHERE ${which}`)
    expect(await found()).toEqual([grantId, grantId])
  }
})
