import { expect, test } from 'vitest'
import { invitationOf, readInvitation } from './invitation-code'

const code = 'q3_Zt-8vX1mPkR7cUe2yWb5nLs9aGd4hJf6oTi0xVzE'

test('a code may be pasted alone or within its link', () => {
  for (const text of [
    code,
    ` ${code}\n`,
    `companion://invitation?token=${code}`,
    `https://example.com/invitation?lang=ko&token=${code}#how`,
  ])
    expect(readInvitation(text)).toBe(code)
})

test('anything else is no code', () => {
  for (const text of ['', 'hello', 'two words of some length', 'https://example.com/invitation?token='])
    expect(readInvitation(text)).toBeUndefined()
})

test('only the link of an invitation opens one', () => {
  expect(invitationOf(`companion://invitation?token=${code}`)).toBe(code)
  expect(invitationOf(`http://127.0.0.1:3000/invitation?token=${code}`)).toBe(code)
  for (const link of [
    `companion://device?token=${code}`,
    `https://example.com/?token=${code}`,
    'companion://',
  ])
    expect(invitationOf(link)).toBeUndefined()
})
