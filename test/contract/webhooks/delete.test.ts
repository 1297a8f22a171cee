import { expect, test } from 'vitest'
import { addChild, signUp } from '../../support/family.ts'
import { startReceiver } from '../../support/outside/receiver.ts'
import { useServer } from '../../support/server.ts'
import { serviceFor, webhooks } from '../../support/webhooks.ts'

const server = useServer()
const notFound = { status: 404, body: { detail: 'Webhook not found' } }

test('a deleted webhook is gone, and nobody deletes that of another service', async () => {
  const parent = await signUp(server)
  const { real_user_id } = await addChild(server, parent.token)
  const one = webhooks(server, (await serviceFor(server, parent, [real_user_id])).own)
  const other = webhooks(server, (await serviceFor(server, parent, [real_user_id])).own)
  const { webhook_id } = (await one.create((await startReceiver()).url)).body
  expect(await other.delete(webhook_id)).toMatchObject(notFound)
  expect(await one.delete(webhook_id)).toMatchObject({
    status: 200,
    body: { statusCode: 200, message: 'Webhook deleted' },
  })
  expect(await one.delete(webhook_id)).toMatchObject(notFound)
  expect((await one.list()).body).toEqual([])
})
