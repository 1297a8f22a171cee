import { argon2Sync } from 'node:crypto'
import { setImmediate as turn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { Failure } from '../../errors/failure.ts'
import { hashPassword, verifyPassword } from './passwords.ts'

test('a password is kept as argon2id with 19 MiB, 2 passes and a salt of its own', async () => {
  const [one, two] = [await hashPassword('correct horse'), await hashPassword('correct horse')]
  expect(one).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$[\w+/]{22}\$[\w+/]{43}$/)
  expect(one).not.toBe(two)
  const [, , , , salt = '', tag = ''] = one.split('$')
  const expected = argon2Sync('argon2id', {
    message: 'correct horse',
    nonce: Buffer.from(salt, 'base64'),
    parallelism: 1,
    tagLength: 32,
    memory: 19_456,
    passes: 2,
  })
  expect(Buffer.from(tag, 'base64')).toEqual(expected)
})

test('the same password is recognised, and no other', async () => {
  const kept = await hashPassword('Müllerstraße 안녕 🔑')
  expect(await verifyPassword('Müllerstraße 안녕 🔑', kept)).toBe(true)
  expect(await verifyPassword('Müllerstraße 안녕 🔑'.normalize('NFD'), kept)).toBe(true)
  for (const other of ['Müllerstraße 안녕 🔑 ', 'müllerstraße 안녕 🔑', 'Mullerstraße 안녕 🔑', '']) {
    expect(await verifyPassword(other, kept)).toBe(false)
  }
})

test('a password is verified with the cost that it was kept with', async () => {
  const kept = await hashPassword('correct horse', 'fast')
  expect(kept).toMatch(/^\$argon2id\$v=19\$m=8,t=1,p=1\$/)
  expect(await verifyPassword('correct horse', kept)).toBe(true)
  expect(await verifyPassword('correct hors', kept)).toBe(false)
})

test('hashing leaves the event loop free', async () => {
  let isDone = false
  const hashing = hashPassword('correct horse').then(() => (isDone = true))
  for (let n = 0; n < 20; n++) await turn()
  expect(isDone).toBe(false)
  await hashing
})

test('a queue that is too long refuses with 429 instead of keeping everyone waiting', async () => {
  const errors: unknown[] = []
  const all = Array.from({ length: 250 }, () =>
    hashPassword('x').catch((error: unknown) => errors.push(error)),
  )
  // The first is done long before the last; the rest need not be waited for.
  await Promise.race(all.slice(0, 1))
  expect(errors.length).toBeGreaterThan(40)
  expect(errors.every((error) => error instanceof Failure && error.status === 429)).toBe(true)
  expect(errors[0]).toMatchObject({ detail: 'Too many requests', headers: { 'retry-after': '5' } })
})
