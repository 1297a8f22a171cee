import { expect, test } from 'vitest'
import { announceSessionEnd, sessionEnd } from './session-end'

test('what belongs to a session goes with it, and what belongs to the next one stays', () => {
  const before = sessionEnd()
  announceSessionEnd()
  expect(before.aborted).toBe(true)
  expect(sessionEnd().aborted).toBe(false)
})
