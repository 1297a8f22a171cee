import { expect, test } from 'vitest'
import { addChild, signUp } from '../../support/family.ts'
import { granted } from '../../support/oauth.ts'
import { useServer } from '../../support/server.ts'

const server = useServer()

test('a service is disconnected by the parent alone, and once', async () => {
  const parent = await signUp(server)
  const { real_user_id } = await addChild(server, parent.token)
  const { token } = await granted(server, parent, { children: [real_user_id] })
  const [{ grant_id }] = (await server.get('/api/v1/beta/grant', { token: parent.token })).body
  const end = (by: string, id: number | string = grant_id) =>
    server.delete(`/api/v1/beta/grant/${id}`, { token: by })
  const notFound = { status: 404, body: { detail: 'Grant not found' } }
  expect(await end((await signUp(server)).token)).toMatchObject(notFound)
  expect(await end(parent.token, grant_id + 1)).toMatchObject(notFound)
  expect(await end(parent.token, 'none')).toMatchObject({ status: 422 })
  expect(await end(token)).toMatchObject({ status: 403, body: { detail: 'Insufficient scope' } })
  const ended = { status: 200, body: { statusCode: 200, message: 'Grant ended' } }
  expect(await end(parent.token)).toMatchObject(ended)
  expect(await end(parent.token)).toMatchObject(notFound)
  const { body } = await server.get(`/api/v1/beta/user/real-user/${real_user_id}`, { token })
  expect(body).toEqual({ detail: 'Could not validate credentials' })
  const { rows } = await server.database.pool.query(
    `SELECT action FROM security_record WHERE root_user_id = $1 AND action LIKE 'grant%' ORDER BY id`,
    [parent.id],
  )
  expect(rows.map(({ action }) => action)).toEqual(['grant_start', 'grant_end'])
})
