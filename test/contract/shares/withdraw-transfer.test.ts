import { beforeEach, expect, test } from 'vitest'
import { addChild, signUp } from '../../support/family.ts'
import type { Account } from '../../support/family.ts'
import { addMember, shares } from '../../support/shares.ts'
import { actionsOf } from '../../support/security-record.ts'
import { useServer } from '../../support/server.ts'

const server = useServer()
const { list, end, offerTransfer, acceptTransfer, withdrawTransfer } = shares(server)

let owner: Account
let guardian: Account & { share_id: number }
let real_user_id: number
beforeEach(async () => {
  owner = await signUp(server)
  ;({ real_user_id } = await addChild(server, owner.token))
  guardian = await addMember(server, owner, { real_user_id, role: 'guardian' })
  await offerTransfer(owner, { real_user_id, share_id: guardian.share_id })
})

const notFound = { status: 404, body: { detail: 'Transfer not found' } }

test('the owner withdraws it, and the guardian declines it', async () => {
  expect(await withdrawTransfer(owner, real_user_id)).toMatchObject({
    status: 200,
    body: { statusCode: 200, message: 'Transfer withdrawn' },
  })
  expect((await list(owner, real_user_id)).body.transfer).toBeUndefined()
  expect(await acceptTransfer(guardian, real_user_id)).toMatchObject(notFound)
  expect(await withdrawTransfer(owner, real_user_id)).toMatchObject(notFound)
  await offerTransfer(owner, { real_user_id, share_id: guardian.share_id })
  expect((await withdrawTransfer(guardian, real_user_id)).status).toBe(200)
  expect(await actionsOf(server, guardian.id)).toContain('transfer_withdraw')
})

test('nobody else does, and none that has ended is withdrawn', async () => {
  const viewer = await addMember(server, owner, { real_user_id, role: 'viewer' })
  const other = await addMember(server, owner, { real_user_id, role: 'guardian' })
  for (const stranger of [viewer, other, await signUp(server)])
    expect(await withdrawTransfer(stranger, real_user_id)).toMatchObject(notFound)
  expect(await withdrawTransfer(owner, 2 ** 31 - 1)).toMatchObject(notFound)
  await end(guardian, guardian.share_id)
  expect(await withdrawTransfer(owner, real_user_id)).toMatchObject(notFound)
  expect(await withdrawTransfer(guardian, real_user_id)).toMatchObject(notFound)
})
