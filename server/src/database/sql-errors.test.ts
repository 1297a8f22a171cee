import { expect, test } from 'vitest'
import { isNodeUnreachable, isDatabaseUnavailable, isValueRejectedByDatabase } from './sql-errors.ts'

const failure = (code: string) => Object.assign(new Error('failed'), { code })

test.each(['23505', '23514', '23001', '22003', 'P0001'])('%s is an error', (code) => {
  expect(isValueRejectedByDatabase(failure(code))).toBe(true)
  expect(isDatabaseUnavailable(failure(code))).toBe(false)
})

test.each(['EPIPE', 'ECONNRESET', '08006', '57P01', '53300', '25006'])(
  '%s is a database out of reach',
  (code) => {
    expect(isValueRejectedByDatabase(failure(code))).toBe(false)
    expect(isDatabaseUnavailable(failure(code))).toBe(true)
  },
)

test.each(['40P01', '40001', '42501', '42P01', '42883', '55P03', '57014', '54000', 'XX000'])(
  '%s is a failure of the service',
  (code) => {
    expect(isValueRejectedByDatabase(failure(code))).toBe(false)
    expect(isDatabaseUnavailable(failure(code))).toBe(false)
  },
)

const OF_NODE = { where: 'while executing command on db1.example:5432' }
const said = (code: string, message: string, more: object = {}) =>
  Object.assign(new Error(message), { code, severity: 'ERROR', ...more })

// As Citus says it.
test.each([
  said(
    '08006',
    'connection to the remote node postgres@db1.example:5432 failed with the following error: Connection refused',
  ),
  said('57P01', 'terminating connection due to administrator command', OF_NODE),
  said('XX000', 'server closed the connection unexpectedly', OF_NODE),
  said('XX000', 'failure on connection marked as essential: db1.example:5432'),
  said('25006', 'cannot execute INSERT in a read-only transaction', OF_NODE),
])('$code $message is of another node', (error) => {
  expect(isNodeUnreachable(error)).toBe(true)
  expect(isValueRejectedByDatabase(error)).toBe(false)
})

test.each([
  Object.assign(new Error('Connection terminated'), { code: '08006' }),
  said('57P01', 'terminating connection due to administrator command', { severity: 'FATAL' }),
  said('25006', 'cannot execute INSERT in a read-only transaction'),
  said('23505', 'duplicate key value violates unique constraint "treatment_record_102008"', OF_NODE),
  said('XX000', 'cache lookup failed for type 1', OF_NODE),
  undefined,
])('%s is of no other node', (error) => expect(isNodeUnreachable(error)).toBe(false))
