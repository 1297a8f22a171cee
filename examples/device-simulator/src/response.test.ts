import { expect, test } from 'vitest'

import { formatErrorDetail, readResponse } from './response.ts'

const now = new Date('2026-03-05T12:00:00Z')
const read = (
  status: number,
  body: unknown,
  retryAfter: string | null = null,
): ReturnType<typeof readResponse> =>
  readResponse(
    { status, retryAfter, error: null, body: typeof body === 'string' ? body : JSON.stringify(body) },
    now,
  )

test('the contract answer acknowledges', () => {
  expect(read(200, { statusCode: 200, message: 'saved' })).toEqual({ kind: 'acknowledged', results: [] })
})

test('a lenient answer tells of every item', () => {
  const results = [
    { index: 0, status: 'stored' },
    { index: 1, status: 'rejected', detail: 'treatment_date is too early' },
  ]
  expect(read(200, { statusCode: 200, message: 'saved', results })).toEqual({ kind: 'acknowledged', results })
})

test.each([200, 201, 204])('a %d that is not the contract answer acknowledges nothing', (status) => {
  expect(read(status, '<html>Welcome to the hotel</html>').kind).toBe('failed')
})

test.each([301, 400, 401, 404, 408, 409, 413, 415, 422])('%d is final', (status) => {
  expect(read(status, { detail: 'Not Found Device' })).toEqual({
    kind: 'refused',
    status,
    detail: 'Not Found Device',
    error: null,
  })
})

test.each([429, 500, 502, 503])('%d is worth another try', (status) => {
  const response = read(status, { detail: 'Too many requests' }, '3')
  expect(response).toEqual({ kind: 'failed', status, detail: 'Too many requests', retryAfter: 3000 })
})

test('an error page of a proxy is quoted', () => {
  expect(read(413, '<h1>Too large</h1>')).toEqual({
    kind: 'refused',
    status: 413,
    detail: '<h1>Too large</h1>',
    error: null,
  })
})

test('a detail becomes one line', () => {
  expect(formatErrorDetail('Not Connected Device')).toBe('Not Connected Device')
  expect(
    formatErrorDetail([{ loc: ['body', '0', 'log_file_id'], msg: 'missing' }, { msg: 'too long' }]),
  ).toBe('body.0.log_file_id: missing; too long')
  expect(formatErrorDetail(undefined)).toBe('no detail')
})
