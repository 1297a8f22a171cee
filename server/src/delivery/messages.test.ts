import { expect, test } from 'vitest'
import { sanitizeNameForMail, invitationMail } from './messages.ts'

test.each([
  ['Kim Jiyoung', 'Kim Jiyoung'],
  ['김지영', '김지영'],
  ["Zoë O'Neill-Smith", "Zoë O'Neill-Smith"],
  ['win at https://evil.example/x?y=1', 'win at https evil example x y 1'],
  ['write to me@evil.example', 'write to me evil example'],
  ['+82 10 1234', '82 10 1234'],
  ['x'.repeat(100), 'x'.repeat(40)],
  ['😀 <b>', 'b'],
  ['://', ''],
  ['בן־דוד צ׳רלי', 'בן־דוד צ׳רלי'],
  ['བསྟན་འཛིན', 'བསྟན་འཛིན'],
  ['می‌نا র‍্যাব', 'می‌نا র‍্যাব'],
  ['約翰·史密斯', '約翰·史密斯'],
])('the name %j is %j in a mail', (written, harmless) => {
  expect(sanitizeNameForMail(written)).toBe(harmless)
})

test('who has no such name is called a parent', () => {
  const parts = {
    link: 'https://companion.example/invitation?token=x',
    inviter: '://',
    role: 'viewer',
    until: null,
  } as const
  expect(invitationMail('en', parts).text).toMatch(/^A parent invites you/)
  expect(invitationMail('ko', parts).text).toMatch(/^한 보호자님이/)
})
