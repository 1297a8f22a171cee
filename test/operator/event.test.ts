import { expect, test } from 'vitest'
import { companion } from '../support/command.ts'
import { addChild, signUp } from '../support/family.ts'
import { useServer } from '../support/server.ts'

const server = useServer()

test('a note that was overwritten can be read and brought back by the operator', async () => {
  const { token } = await signUp(server)
  const { real_user_id } = await addChild(server, token)
  const save = (memo: string) =>
    server.post('/api/v1/beta/event', { token, json: { real_user_id, created_at: '2026-03-01', memo } })
  await save('slept well, 37.9 °C')
  await save('overwritten')
  const day = ['--real-user-id', String(real_user_id), '--date', '2026-03-01']

  const { out } = await companion(server, 'event', 'versions', ...day, '--json')
  expect(JSON.parse(out)).toMatchObject([
    { version: 2, memo: 'overwritten' },
    { version: 1, memo: 'slept well, 37.9 °C' },
  ])
  expect(await companion(server, 'event', 'restore', ...day, '--to-version', '1')).toMatchObject({ code: 0 })
  const { body } = await server.get('/api/v1/beta/event', {
    token,
    query: { real_user_id, event_date: '2026-03-01' },
  })
  expect(body.memo).toBe('slept well, 37.9 °C')

  const unknown = await companion(server, 'event', 'restore', ...day, '--to-version', '9')
  expect(unknown).toMatchObject({ code: 1, said: 'There is no such earlier version; nothing was changed\n' })
})
