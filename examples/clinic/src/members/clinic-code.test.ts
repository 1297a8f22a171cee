import { expect, test } from 'vitest'
import { normalizeClinicCode } from './clinic-code'

test.each([
  '7K3M-Q9RT-2WXD',
  '7k3mq9rt2wxd',
  ' 7K3M Q9RT 2WXD\n',
  '7K3M–Q9RT–2WXD',
  '7K3M\u2010Q9RT\u2011\u00A02WXD',
])('%j is a code', (text) => {
  expect(normalizeClinicCode(text)).toBe('7K3M-Q9RT-2WXD')
})

test.each(['', '7K3M-Q9RT-2WX', '7K3M-Q9RT-2WXDD', '7K3M-Q9RT-2WX0', '7K3M-Q9RT-2WXU'])(
  '%j is none',
  (text) => {
    expect(normalizeClinicCode(text)).toBeUndefined()
  },
)
