import { expect, test } from 'vitest'
import { addChild, signUp } from '../../support/family.ts'
import { startReceiver } from '../../support/outside/receiver.ts'
import { useServer } from '../../support/server.ts'
import { failedFor, serviceFor, webhooks } from '../../support/webhooks.ts'

const server = useServer()

test('a disabled webhook is active again once its receiver has verified itself', async () => {
  const parent = await signUp(server)
  const { real_user_id } = await addChild(server, parent.token)
  const one = webhooks(server, (await serviceFor(server, parent, [real_user_id])).own)
  const other = webhooks(server, (await serviceFor(server, parent, [real_user_id])).own)
  const receiver = await startReceiver()
  const { secret: _secret, ...created } = (await one.create(receiver.url)).body
  await server.database.pool.query(
    `UPDATE webhook SET disabled_at = now(), failing_since = '2026-03-01T00:00:00Z', last_fault = 'status 500' WHERE id = $1`,
    [created.webhook_id],
  )
  const disabled = {
    ...created,
    state: 'disabled',
    failing_since: '2026-03-01T00:00:00.000Z',
    last_fault: 'status 500',
  }
  expect((await one.list()).body).toEqual([disabled])
  receiver.verify = (response) => void response.writeHead(503).end()
  expect(failedFor(await one.enable(created.webhook_id))).toBe('status 503')
  expect((await one.list()).body).toEqual([disabled])
  receiver.verify = undefined
  expect(await one.enable(created.webhook_id)).toMatchObject({ status: 200, body: created })
  expect((await one.list()).body).toEqual([created])
  expect(await other.enable(created.webhook_id)).toMatchObject({
    status: 404,
    body: { detail: 'Webhook not found' },
  })
})
