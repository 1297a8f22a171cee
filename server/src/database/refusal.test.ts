import { expect, test } from 'vitest'
import { isOutOfReach, isRefusedByDatabase } from './refusal.ts'

const failure = (code: string) => Object.assign(new Error('failed'), { code })

test.each(['23505', '23514', '23001', '22003', 'P0001'])('%s is a refusal', (code) => {
  expect(isRefusedByDatabase(failure(code))).toBe(true)
  expect(isOutOfReach(failure(code))).toBe(false)
})

test.each(['EPIPE', 'ECONNRESET', '08006', '57P01', '53300', '25006'])(
  '%s is a database out of reach',
  (code) => {
    expect(isRefusedByDatabase(failure(code))).toBe(false)
    expect(isOutOfReach(failure(code))).toBe(true)
  },
)

test.each(['40P01', '40001', '42501', '42P01', '42883', '55P03', '57014', '54000', 'XX000'])(
  '%s is a fault of the service',
  (code) => {
    expect(isRefusedByDatabase(failure(code))).toBe(false)
    expect(isOutOfReach(failure(code))).toBe(false)
  },
)
