import { expect, test } from 'vitest'
import { addChild, signUp } from '../../support/family.ts'
import { startReceiver } from '../../support/outside/receiver.ts'
import { useServer } from '../../support/server.ts'
import { healthy, serviceFor, webhooks } from '../../support/webhooks.ts'

const server = useServer()

test('a service sees its own webhooks alone, without their secrets', async () => {
  const parent = await signUp(server)
  const { real_user_id } = await addChild(server, parent.token)
  const [one, other] = [
    await serviceFor(server, parent, [real_user_id]),
    await serviceFor(server, parent, [real_user_id]),
  ]
  const { url } = await startReceiver()
  const { secret: _first, ...first } = (await webhooks(server, one.own).create(`${url}/1`)).body
  const { secret: _second, ...second } = (await webhooks(server, one.own).create(`${url}/2`)).body
  expect(await webhooks(server, one.own).list()).toMatchObject({ status: 200, body: [first, second] })
  expect(Object.keys(first).toSorted()).toEqual(
    ['created_at', 'state', 'url', 'webhook_id', ...Object.keys(healthy)].toSorted(),
  )
  expect((await webhooks(server, other.own).list()).body).toEqual([])
})
