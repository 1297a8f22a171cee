import { beforeEach, expect, test } from 'vitest'
import { errorsByState, stateErrors } from '../../support/account-states.ts'
import { addChild, signUp } from '../../support/family.ts'
import type { Account } from '../../support/family.ts'
import { plans } from '../../support/plans.ts'
import { useServer } from '../../support/server.ts'
import { addMember } from '../../support/shares.ts'

const server = useServer()
const calls = plans(server)
const notFound = { status: 404, body: { detail: 'Plan not found' } }

let parent: Account
let child: number
let plan: number
beforeEach(async () => {
  parent = await signUp(server)
  child = (await addChild(server, parent.token)).real_user_id
  plan = (await calls.set(parent, { real_user_id: child, nights_per_week: 5, minutes: 420 })).body.plan_id
})

test('of two calls at once, one removes the plan, and those who follow the child are told of every change', async () => {
  const guardian = await addMember(server, parent, { real_user_id: child, role: 'guardian' })
  await calls.set(guardian, { real_user_id: child, nights_per_week: 4, minutes: 420 })
  const responses = await Promise.all([calls.remove(parent, plan), calls.remove(guardian, plan)])
  expect(responses.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([200, 404])
  expect((await calls.list(parent, { real_user_id: child })).body.plans).toEqual([])
  const { body } = await server.get('/api/v1/beta/changes', { token: guardian.token })
  const changes = body.items.filter(({ kind }: { kind: string }) => kind === 'plan.changed')
  expect(changes).toMatchObject([
    { real_user_id: child, id: plan, date: expect.any(String) },
    { real_user_id: child, id: plan },
  ])
})

test("one that is not there, another family's, and that of a child that the caller may only see", async () => {
  const stranger = await signUp(server)
  const viewer = await addMember(server, parent, { real_user_id: child, role: 'viewer' })
  expect(await calls.remove(parent, 2 ** 31 - 1)).toMatchObject(notFound)
  expect(await calls.remove(stranger, plan)).toMatchObject(notFound)
  expect(await calls.remove(viewer, plan)).toMatchObject({
    status: 401,
    body: { detail: 'Not authorized user' },
  })
})

test('tokens and accounts', async () => {
  expect(
    await errorsByState(server, parent, (token = parent.token) => calls.remove({ token }, plan)),
  ).toEqual(stateErrors)
})
