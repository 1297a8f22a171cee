import { expect, test } from 'vitest'
import { formatPhone, likelyCountry, offeredCountries, OTHER, toE164, usualCountries } from './phone'

const britain = { country: 'GB', calling_code: '+44', names: { en: 'United Kingdom', ko: '영국' } }
const ivoryCoast = {
  country: 'CI',
  calling_code: '+225',
  names: { en: 'Côte d’Ivoire', ko: '코트디부아르' },
}
const japan = { country: 'JP', calling_code: '+81', names: { en: 'Japan', ko: '일본' } }
const many = [britain, ivoryCoast, japan, ...usualCountries]
const e164 = (country: string, typed: string) => toE164(many, { country, typed })

test('national numbers get their calling code', () => {
  expect(e164('KR', '010-1234-5678')).toBe('+821012345678')
  expect(e164('KR', '10 1234 5678')).toBe('+821012345678')
  expect(e164('US', '(212) 555-0123')).toBe('+12125550123')
  expect(e164('US', '1 212 555 0123')).toBe('+12125550123')
  expect(e164('GB', '07911 123456')).toBe('+447911123456')
  expect(e164('CI', '01 23 45 67 89')).toBe('+2250123456789')
})

test('a typed calling code is kept', () => {
  expect(e164('US', '+82 10 1234 5678')).toBe('+821012345678')
  expect(e164(OTHER, '+44 7911 123456')).toBe('+447911123456')
})

test('a zero or calling code too many is left out: the service takes one spelling of a number', () => {
  for (const typed of ['+82 (0)10-1234-5678', '+82 010 1234 5678', '82 10 1234 5678'])
    expect(e164('KR', typed)).toBe('+821012345678')
  expect(e164('US', '+1 1 212 555 0123')).toBe('+12125550123')
  expect(e164('GB', '+44 (0)7911 123456')).toBe('+447911123456')
})

test('however a number is typed, what is sent is its one spelling, or nothing', () => {
  const prefixes = [
    '',
    '0',
    '00',
    '1 ',
    '1 1 ',
    '82 ',
    '0082 ',
    '+82 ',
    '+82 0',
    '+82 (0)',
    '+82 00',
    '+8282',
    '+1 ',
    '+1 0',
  ]
  const typed = ['10-1234-5678', '10 2770 9683', '2 700 1234', '(212) 555-0123', '7911 123456'].flatMap(
    (rest) => prefixes.map((prefix) => prefix + rest),
  )
  for (const country of ['KR', 'US', 'GB', OTHER])
    for (const sent of typed.flatMap((each) => e164(country, each) ?? []))
      expect(e164(OTHER, sent)).toBe(sent)
  // One zero too many is no slip that can be mended: Korea has numbers that begin so.
  for (const odd of ['0010-1234-5678', '+82 0010-1234-5678']) expect(e164('KR', odd)).toBeUndefined()
})

test('text that is not a phone number, or one that no country assigns, gives undefined', () => {
  for (const typed of ['', '12', 'abc', '010-12345678x', '+0123456789', '+1 107 777 0001'])
    expect(e164('KR', typed)).toBeUndefined()
})

test('a number without its calling code, or of a country that is not served, gives undefined', () => {
  expect(e164(OTHER, '07911 123456')).toBeUndefined()
  expect(e164(OTHER, '+49 151 23456789')).toBeUndefined()
  expect(toE164([britain], { country: 'KR', typed: '010-1234-5678' })).toBeUndefined()
})

test('a parent is first asked for a number of where the phone is, and elsewhere by its language', () => {
  expect(likelyCountry('ko', 'America/New_York')).toBe('US')
  expect(likelyCountry('ko', 'Europe/Berlin')).toBe('KR')
  expect(likelyCountry('ko', null)).toBe('KR')
  expect(likelyCountry('en', 'Asia/Seoul')).toBe('KR')
  expect(likelyCountry('en', 'America/New_York')).toBe('US')
  expect(likelyCountry('en', null)).toBe('US')
})

test('a few served countries are offered by name; of many, the usual ones, with a way for the others', () => {
  expect(offeredCountries([britain])).toEqual({ named: [britain], hasOthers: false })
  expect(offeredCountries(many)).toEqual({ named: usualCountries, hasOthers: true })
})

test('a number is shown as its owner writes it', () => {
  expect(
    ['+821012345678', '+82111234567', '+12125550123', '+8227001234', '+447700900123'].map(formatPhone),
  ).toEqual(['010-1234-5678', '011-123-4567', '(212) 555-0123', '+8227001234', '+447700900123'])
})
