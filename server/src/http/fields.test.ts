import * as fc from 'fast-check'
import { afterEach, describe, expect, test, vi } from 'vitest'
import type { ZodType } from 'zod'
import {
  birthdateField,
  calendarDateField,
  countryCodeField,
  booleanField,
  idField,
  integerField,
  lineField,
  nameField,
  multilineField,
  textField,
  uniqueIdField,
} from './fields.ts'

const accepts = (type: ZodType, value: unknown) => type.safeParse(value).success

/** The processor time of this thread that `work` needs, in microseconds: the least of several attempts. */
function cost(work: () => void): number {
  const attempts = Array.from({ length: 5 }, () => {
    const before = process.threadCpuUsage()
    work()
    const { user, system } = process.threadCpuUsage(before)
    return user + system
  })
  return Math.min(...attempts)
}

describe('flag', () => {
  test('is true, false, 1 or 0, and nothing else', () => {
    expect([true, 1, false, 0].map((value) => booleanField.parse(value))).toEqual([true, true, false, false])
    const other = fc
      .anything()
      .filter((value) => ![true, false, 1, 0].includes(value as number) && !Object.is(value, -0))
    fc.assert(
      fc.property(other, (value) => {
        expect(accepts(booleanField, value)).toBe(false)
      }),
    )
  })
})

describe('id and integer', () => {
  test('hold 32 bits', () => {
    for (const any of [idField, integerField()]) {
      expect([-(2 ** 31), 0, 1, 2 ** 31 - 1].every((value) => accepts(any, value))).toBe(true)
      expect([-(2 ** 31) - 1, 2 ** 31, 1.5, Number.NaN].some((value) => accepts(any, value))).toBe(false)
    }
    expect(accepts(integerField(0, 5), 6)).toBe(false)
  })

  test('are never made of something else', () => {
    const other = fc.anything().filter((value) => typeof value !== 'number')
    fc.assert(
      fc.property(other, (value) => {
        expect(accepts(idField, value) || accepts(integerField(), value)).toBe(false)
      }),
    )
  })
})

describe('text', () => {
  const points = fc
    .string({ unit: 'binary' })
    .filter((value) => !/[\0\p{NChar}]/u.test(value) && value.isWellFormed())

  test('is kept as it is, and measured in code points', () => {
    const type = textField({ least: 2, most: 5 })
    fc.assert(
      fc.property(points, (value) => {
        const count = Array.from(value).length
        expect(type.safeParse(value).data).toBe(count >= 2 && count <= 5 ? value : undefined)
      }),
    )
    expect(accepts(type, '🔑🔑🔑🔑🔑')).toBe(true)
    expect(accepts(type, '🔑')).toBe(false)
  })

  test('holds no NUL and no half of a pair', () => {
    const broken = fc.constantFrom(
      '\0',
      '\uFFFE',
      '\uFDD0',
      '\u{1FFFF}',
      '\uD800',
      '\uDBFF',
      '\uDC00',
      '\uDFFF',
    )
    fc.assert(
      fc.property(points, points, broken, (before, after, issue) => {
        // Two adjacent surrogate halves can form a valid character.
        const value = `${before} ${issue} ${after}`
        expect(accepts(textField({ most: 1000 }), value)).toBe(false)
      }),
    )
  })

  test('that is far too long is judged without counting its characters', () => {
    const endless = '🔑'.repeat(2_000_000)
    const judging = cost(() => expect(accepts(nameField, endless)).toBe(false))
    expect(judging).toBeLessThan(cost(() => Array.from(endless)) / 4)
  })

  test('is never made of something else', () => {
    const other = fc.anything().filter((value) => typeof value !== 'string')
    fc.assert(
      fc.property(other, (value) => {
        expect(accepts(textField(), value)).toBe(false)
      }),
    )
  })
})

describe('texts that people write', () => {
  const controls = [...Array(32).keys(), ...Array.from({ length: 33 }, (_, n) => 0x7f + n)]
  const directions = [0x202a, 0x202b, 0x202c, 0x202d, 0x202e, 0x2066, 0x2067, 0x2068, 0x2069]
  const around = (point: number) => `Mina${String.fromCodePoint(point)}!`

  test('holds neither control characters nor a turn of direction, a note but line feed, carriage return and tab', () => {
    for (const point of [...controls, ...directions]) {
      expect([point, accepts(lineField(), around(point))]).toEqual([point, false])
      expect([point, accepts(multilineField(), around(point))]).toEqual([point, [9, 10, 13].includes(point)])
    }
  })

  test('may hold what scripts need: joiners, marks of direction, line separators, spaces of any width', () => {
    for (const point of [0x20, 0xa0, 0xad, 0x200c, 0x200d, 0x200e, 0x200f, 0x2028, 0x3000, 0xfe0f]) {
      expect([accepts(lineField(), around(point)), accepts(multilineField(), around(point))]).toEqual([
        true,
        true,
      ])
    }
    expect(accepts(nameField, 'محمد ‏ الأحمد')).toBe(true)
  })

  test('a password may hold anything', () => {
    for (const point of [1, 0x1b, 0x202e]) expect(accepts(textField(), around(point))).toBe(true)
  })
})

describe('birthdate', () => {
  afterEach(() => {
    vi.useRealTimers()
  })

  test('is a day from 1900 to the day it is somewhere on Earth', () => {
    vi.useFakeTimers({ toFake: ['Date'], now: new Date('2026-02-28T11:00:00Z') })
    const fine = ['19000101', '20240229', '20260228', '20260301']
    expect(fine.filter((value) => !accepts(birthdateField, value))).toEqual([])
    const wrong = [
      '18991231',
      '20260302',
      '20230229',
      '2024229',
      '2024-02-29',
      '20241301',
      '20240100',
      '',
      '２０２４０１０１',
    ]
    expect(wrong.filter((value) => accepts(birthdateField, value))).toEqual([])
  })
})

test.each([
  [countryCodeField, ['KR', 'US'], ['kr', 'KOR', 'K', '', 'K1', 'KR\n']],
  [
    calendarDateField,
    ['2026-03-01', '2024-02-29', '0001-01-01', '9999-12-31'],
    ['2026-02-29', '0000-01-01', '2026-3-1', '2026-03-01T00:00', '', '2026-03-01\n'],
  ],
  [
    uniqueIdField,
    ['7b1f0c52-3a8e-4d1b-9c60-2f5e8a4d9b13', '00000000-0000-0000-0000-000000000000'],
    [
      '7b1f0c523a8e4d1b9c602f5e8a4d9b13',
      '{7b1f0c52-3a8e-4d1b-9c60-2f5e8a4d9b13}',
      '7b1f0c52-3a8e-4d1b-9c60-2f5e8a4d9b1g',
      '',
    ],
  ],
])('%# accepts and refuses', (type, fine, wrong) => {
  expect(fine.filter((value) => !accepts(type, value))).toEqual([])
  expect(wrong.filter((value) => accepts(type, value))).toEqual([])
})

test('a unique id is compared as PostgreSQL prints it', () => {
  expect(uniqueIdField.parse('7B1F0C52-3A8E-4D1B-9C60-2F5E8A4D9B13')).toBe(
    '7b1f0c52-3a8e-4d1b-9c60-2f5e8a4d9b13',
  )
})
