import { isOptional, acceptsNull } from '@companion/server/http/body/absent-fields.ts'
import { operations } from '@companion/server/http/operations.ts'
import { appRouter } from '@companion/server/router.ts'
import { beforeAll, describe, expect, test } from 'vitest'
import { anyInput, call } from '../support/any-input.ts'
import { addChild, devlogItem, signUp, upload } from '../support/family.ts'
import type { Account } from '../support/family.ts'
import { useServer } from '../support/server.ts'

/* Null for an optional field that is no boolean means that the field is absent, in every operation. */

const server = useServer()
let parent: Account
let child: Awaited<ReturnType<typeof addChild>>
beforeAll(async () => {
  parent = await signUp(server)
  child = await addChild(server, parent.token)
})

const optional = operations(appRouter).flatMap((served) =>
  Object.entries<unknown>(served.input.shape)
    .filter(([, field]) => isOptional(field))
    .map(([name, field]) => ({ served, name, isTaken: acceptsNull(field), isIn: `${served.path} ${name}` })),
)
const inBody = optional.filter(({ served: { operation } }) => operation.method !== 'GET')

test('there are such fields', () => {
  expect(inBody.map(({ isIn }) => isIn)).toEqual(
    expect.arrayContaining([
      'calendar.saveEvent event_id',
      'calendar.saveEvent memo',
      'children.update last_name',
    ]),
  )
})

describe('null in an optional field of a body', () => {
  test.each(inBody.map((each) => [each.isIn, each] as const))(
    '%s',
    async (_name, { served, name, isTaken }) => {
      const { [name]: _left, ...without } = anyInput(served)
      const response = await call(server, served, { ...without, [name]: null }, parent.token)
      const issues =
        response.status === 422
          ? response.body.detail.filter(
              // What some accounts need is missing then, as if it had been left out.
              ({ loc, msg }: { loc: string[]; msg: string }) => loc.includes(name) && msg !== 'is required',
            )
          : []
      expect(issues).toEqual(isTaken ? [] : [expect.objectContaining({ loc: ['body', name] })])
    },
  )
})

describe('null in an optional field of a query over tRPC', () => {
  const queries = optional.filter(({ served }) => served.type === 'query' && !served.operation.file)
  test.each(queries.map((each) => [each.isIn, each] as const))(
    '%s',
    async (_name, { served, name, isTaken }) => {
      expect(isTaken).toBe(true)
      const { [name]: _left, ...without } = anyInput(served)
      const input = JSON.stringify({ ...without, [name]: null })
      const { body } = await server.get(`/trpc/${served.path}`, { token: parent.token, query: { input } })
      expect(JSON.stringify(body.error?.data.detail ?? '')).not.toContain(`"${name}"`)
    },
  )
})

test('what a day without a note answered may be sent back, with null all through', async () => {
  const { real_user_id } = child
  const response = await server.post('/api/v1/beta/event', {
    token: parent.token,
    json: { real_user_id, created_at: '2026-03-01', event_id: null, memo: null, event_data: null },
  })
  expect(response).toMatchObject({ status: 200, body: { memo: '' } })
  const lists = { event_data: { medication: null, hospital: null } }
  const emptied = await server.post('/api/v1/beta/event', {
    token: parent.token,
    json: { real_user_id, created_at: '2026-03-01', ...lists },
  })
  expect(emptied).toMatchObject({ status: 200, body: { event_data: { medication: [], hospital: [] } } })
})

test('in the items of an upload too, but never for a boolean', async () => {
  const { detail_data, ...item } = devlogItem(child.unique_id, '2026-03-01T21:30:00')
  const still = { ...item, detail_data: { ...detail_data, movement: null } }
  expect((await upload(server, [still])).status).toBe(200)
  expect(await upload(server, [{ ...still, is_temp: null }])).toMatchObject({
    status: 422,
    body: { detail: [{ loc: ['body', '0', 'is_temp'] }] },
  })
})
