import { beforeEach, expect, test } from 'vitest'
import { errorsByState, stateErrors } from '../../support/account-states.ts'
import { signUp } from '../../support/family.ts'
import type { Account } from '../../support/family.ts'
import { useServer } from '../../support/server.ts'

const PATH = '/api/v1/beta/user/consent'

const server = useServer()
let parent: Account
beforeEach(async () => {
  parent = await signUp(server)
})

const list = (token = parent.token) => server.get(PATH, { token })

test('the ledger has the consents of sign-up, of the settings and of the texts, the newest first', async () => {
  const { token } = parent
  await server.patch('/api/v1/beta/user/policy', { token, json: { is_marketing_agree: true } })
  await server.post(PATH, { token, json: { kind: 'guardian', version: '1', given: true } })
  const { status, body } = await list()
  expect(status).toBe(200)
  expect(body.slice(0, 2)).toMatchObject([
    { kind: 'guardian', version: '1', given: true, source: 'app' },
    { kind: 'marketing', version: null, given: true, source: 'settings' },
  ])
  expect(body.slice(2).map(({ source }: { source: string }) => source)).toEqual(['sign-up', 'sign-up'])
  for (const { recorded_at } of body) expect(new Date(recorded_at).toISOString()).toBe(recorded_at)
})

test('the 1,000 newest entries of the own account are listed', async () => {
  const other = await signUp(server)
  for (const { id } of [parent, other]) {
    await server.database.pool.query(
      `INSERT INTO consent (root_user_id, kind, version, new_value, source, recorded_at)
       SELECT $1, 'terms', n, true, 'app', now() FROM generate_series(1, 1001) n`,
      [id],
    )
  }
  const { body } = await list()
  expect(body).toHaveLength(1000)
  expect(body[0].version).toBe('1001')
  expect(body.at(-1).version).toBe('2')
})

test('tokens and accounts are judged', async () => {
  expect(await errorsByState(server, parent, (token) => list(token))).toEqual(stateErrors)
})
