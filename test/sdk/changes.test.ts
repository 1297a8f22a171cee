import { createCompanion } from '@companion/sdk'
import { expect, test } from 'vitest'
import { settled } from '../support/changes.ts'
import { addChild, PASSWORD, signUp } from '../support/family.ts'
import { useServer } from '../support/server.ts'
import { addMember } from '../support/shares.ts'

const server = useServer()

test('changes of a shared child come from a cursor on, each once and in order', async () => {
  const account = await signUp(server)
  const { real_user_id } = await addChild(server, account.token)
  await addMember(server, account, { real_user_id, role: 'guardian' })
  const companion = createCompanion({ baseUrl: server.url })
  await companion.auth.signIn({ username: account.email, password: PASSWORD })
  await settled(server)
  const { next: start } = await companion.changes.list({ after: 'latest' })
  const days = ['2026-03-01', '2026-03-02', '2026-03-03']
  for (const created_at of days)
    await companion.calendar.saveEvent({ real_user_id, created_at, memo: 'Slept' })
  await settled(server)

  const first = await companion.changes.list({ after: start, limit: 2 })
  const rest = await companion.changes.list({ after: first.next, limit: 2 })
  expect([first.has_more, rest.has_more]).toEqual([true, false])
  expect([...first.items, ...rest.items].map(({ kind, date }) => [kind, date])).toEqual(
    days.map((date) => ['note.saved', date]),
  )
})
