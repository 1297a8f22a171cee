import { expect, test } from 'vitest'
import { addChild, signUp } from '../../support/family.ts'
import { startReceiver } from '../../support/outside/receiver.ts'
import { useServer } from '../../support/server.ts'
import { serviceFor, webhooks } from '../../support/webhooks.ts'

const server = useServer()

// What receivers get is in test/delivery/webhooks.test.ts.
test('another secret of the same webhook, and none of another service’s', async () => {
  const parent = await signUp(server)
  const { real_user_id } = await addChild(server, parent.token)
  const one = webhooks(server, (await serviceFor(server, parent, [real_user_id])).own)
  const other = webhooks(server, (await serviceFor(server, parent, [real_user_id])).own)
  const { secret, ...created } = (await one.create((await startReceiver()).url)).body
  const { status, body } = await one.rotate(created.webhook_id)
  expect(status).toBe(200)
  expect(body).toEqual({ ...created, secret: expect.stringMatching(/^whsec_/) })
  expect(body.secret).not.toBe(secret)
  expect(await other.rotate(created.webhook_id)).toMatchObject({
    status: 404,
    body: { detail: 'Webhook not found' },
  })
})
