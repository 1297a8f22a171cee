import { expect, test } from 'vitest'
import { clinicCodeFromLink, readClinicCode } from './clinic-code'

test('a code may be typed as it comes to hand, or scanned', () => {
  for (const text of [
    '7K3M-Q9RT-2WXD',
    ' 7k3mq9rt2wxd\n',
    '7k3m q9rt 2wxd',
    '7K3M–Q9RT–2WXD',
    '7K3M\u2010Q9RT\u2011\u00A02WXD',
    'companion://clinic?code=7K3M-Q9RT-2WXD',
    'COMPANION://CLINIC?CODE=7K3MQ9RT2WXD',
  ])
    expect(readClinicCode(text)).toBe('7K3M-Q9RT-2WXD')
})

test('anything else is no code', () => {
  for (const text of [
    '',
    '7K3M-Q9RT',
    '7K3M-Q9RT-2WX0',
    'OOOO-OOOO-OOOO',
    'companion://device?code=7K3MQ9RT2WXD',
  ])
    expect(readClinicCode(text)).toBeUndefined()
})

test('only the link of a clinic opens one', () => {
  expect(clinicCodeFromLink('companion://clinic?code=7K3M-Q9RT-2WXD')).toBe('7K3M-Q9RT-2WXD')
  for (const link of ['7K3M-Q9RT-2WXD', 'companion://', 'https://example.com/clinic?code=7K3M-Q9RT-2WXD'])
    expect(clinicCodeFromLink(link)).toBeUndefined()
})
