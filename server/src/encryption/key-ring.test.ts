import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createKeyRing, keyIdOf, UnreadableValue } from './key-ring.ts'

const SECRET = 'a secret that only this test knows, 32 bytes or more'
const keyNamed = (id: string) => ({ id, key: randomBytes(32) })
const [first, second] = [keyNamed('2026-11'), keyNamed('2027-02')]
const ring = createKeyRing([first], SECRET)

/** Any text that PostgreSQL can hold. */
const text = fc.string({ unit: 'binary' })

test('any text comes back, and nothing of it can be read in what is stored', () => {
  fc.assert(
    fc.property(text, (value) => {
      const stored = ring.encrypt('event.memo', value)
      expect(ring.decrypt('event.memo', stored)).toBe(value)
      expect(ring.decrypt('event.memo', stored)).toBe(value)
      const parts = value === '' ? [''] : ['\u00022026-11', expect.stringMatching(/^[\w-]{38,}$/)]
      expect(stored.split(':')).toEqual(parts)
      if (value.length > 3) expect(stored).not.toContain(value)
    }),
  )
})

test('the same text is another value each time', () => {
  const stored = Array.from({ length: 1000 }, () => ring.encrypt('event.memo', 'Slept well'))
  expect(new Set(stored).size).toBe(1000)
})

test('a value does not open in another column, with another key of the same name, or changed at any place', () => {
  const stored = ring.encrypt('root_user.first_name', 'Jiyoung')
  // What was opened before is found without being decrypted.
  expect(ring.decrypt('root_user.first_name', stored)).toBe('Jiyoung')
  expect(() => ring.decrypt('root_user.last_name', stored)).toThrow(UnreadableValue)
  const other = createKeyRing([keyNamed(first.id)], SECRET)
  expect(() => other.decrypt('root_user.first_name', stored)).toThrow('cannot be decrypted with "2026-11"')
  const bytes = Buffer.from(stored.slice(stored.indexOf(':') + 1), 'base64url')
  for (let place = 0; place < bytes.length; place += 1) {
    const changed = Buffer.from(bytes)
    changed.writeUInt8(bytes.readUInt8(place) ^ 1, place)
    expect(() =>
      ring.decrypt('root_user.first_name', `\u00022026-11:${changed.toString('base64url')}`),
    ).toThrow(UnreadableValue)
  }
  expect(() => ring.decrypt('root_user.first_name', stored.slice(0, 20))).toThrow(UnreadableValue)
  expect(() => ring.decrypt('root_user.first_name', '\u00022026-11:')).toThrow(UnreadableValue)
})

test('of many thousand values each opens, also again', () => {
  const stored = Array.from({ length: 9000 }, (_, n) => ring.encrypt('device.device_alias', `Device ${n}`))
  for (const times of [1, 2])
    for (const [n, value] of stored.entries())
      expect([times, ring.decrypt('device.device_alias', value)]).toEqual([times, `Device ${n}`])
})

test('the first key encrypts, and every key decrypts', () => {
  const old = ring.encrypt('event.memo', 'Slept well')
  const rotating = createKeyRing([second, first], SECRET)
  expect(rotating.decrypt('event.memo', old)).toBe('Slept well')
  const fresh = rotating.encrypt('event.memo', 'Slept well')
  expect(keyIdOf(fresh)).toBe('2027-02')
  expect(() => ring.decrypt('event.memo', fresh)).toThrow('encrypted with "2027-02", which DATA_KEYS lacks')
})

test('text that was stored before it was encrypted is read as it is', () => {
  fc.assert(
    fc.property(text, (value) => {
      fc.pre(!value.startsWith('\u0002'))
      expect(keyIdOf(value)).toBeUndefined()
      expect(ring.decrypt('event.memo', value)).toBe(value)
    }),
  )
})

test('an e-mail address is looked up in any case, a phone number as it is, and each only with the secret', () => {
  expect(ring.index('email', 'Parent@Example.com')).toEqual(ring.index('email', 'parent@example.COM'))
  expect(ring.index('email', '+821012345678')).not.toEqual(ring.index('phone', '+821012345678'))
  expect(ring.index('phone', null)).toBeNull()
  const other = createKeyRing([first], `another ${SECRET}`)
  expect(other.index('phone', '+821012345678')).not.toEqual(ring.index('phone', '+821012345678'))
})
