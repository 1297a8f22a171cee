import { expect, test } from 'vitest'
import { addressHasher } from './hashed-address.ts'

test('hashes of the addresses that come are remembered, 10,000 at most', () => {
  let hashed = 0
  const keys = { hash: () => Buffer.from([(hashed += 1)]) }
  const hash = addressHasher()
  const come = (address: string) => hash({ keys, request: { address } })
  for (let round = 0; round < 2; round += 1) for (let n = 0; n < 10_000; n += 1) come(`2001:db8::${n}`)
  expect(hashed).toBe(10_000)
  come('192.0.2.1')
  come('2001:db8::1')
  expect(hashed).toBe(10_002)
})
