import { expect, test } from 'vitest'
import { isOutOfReach, isRefusedByDatabase } from './refusal.ts'

const failure = (code: string) => Object.assign(new Error('failed'), { code })

test.each(['23505', '23514', '22003', '40P01', 'P0001'])('%s is a refusal', (code) => {
  expect(isRefusedByDatabase(failure(code))).toBe(true)
  expect(isOutOfReach(failure(code))).toBe(false)
})

test.each(['EPIPE', 'ECONNRESET', '08006', '57P01', '53300'])('%s is a database out of reach', (code) => {
  expect(isRefusedByDatabase(failure(code))).toBe(false)
  expect(isOutOfReach(failure(code))).toBe(true)
})
