import { expect, test } from 'vitest'
import { addressOfText } from './consent-text'

test('a text has an address for its kind, version and language', () => {
  const text = { kind: 'health-data', version: '2026-11' } as const
  expect(addressOfText('https://clinic.example/texts', text, 'ko')).toBe(
    'https://clinic.example/texts/health-data/2026-11/ko',
  )
})

test('a slash behind the base, or a version with signs of an address, leads nowhere else', () => {
  const text = { kind: 'terms', version: '../2?x=1#3' } as const
  expect(addressOfText('https://clinic.example/', text, 'en')).toBe(
    'https://clinic.example/terms/..%2F2%3Fx%3D1%233/en',
  )
})
