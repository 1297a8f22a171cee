import { expect, test } from 'vitest'
import { addChild, signUp } from '../../support/family.ts'
import { startReceiver, verified } from '../../support/outside/receiver.ts'
import { useServer } from '../../support/server.ts'
import { failedFor, serviceFor, webhooks } from '../../support/webhooks.ts'

const server = useServer()

test('a ping asks the receiver to verify itself, says what is wrong with it, and changes nothing', async () => {
  const parent = await signUp(server)
  const { real_user_id } = await addChild(server, parent.token)
  const one = webhooks(server, (await serviceFor(server, parent, [real_user_id])).own)
  const other = webhooks(server, (await serviceFor(server, parent, [real_user_id])).own)
  const receiver = await startReceiver()
  const { secret, ...created } = (await one.create(receiver.url)).body
  receiver.received.length = 0
  expect(await one.ping(created.webhook_id)).toMatchObject({
    status: 200,
    body: { statusCode: 200, message: 'The receiver has verified itself' },
  })
  const [request] = receiver.received
  if (!request) throw new Error('Nothing was received')
  expect(request.headers['user-agent']).toBe('Companion-Webhooks/1')
  expect(verified(secret, request)).toMatchObject({ type: 'webhook.verify' })
  receiver.verify = (response) => void response.writeHead(403).end()
  expect(failedFor(await one.ping(created.webhook_id))).toBe('status 403')
  expect((await one.list()).body).toEqual([created])
  expect(await other.ping(created.webhook_id)).toMatchObject({
    status: 404,
    body: { detail: 'Webhook not found' },
  })
})
