import { expect, test } from 'vitest'
import { formatCount, fieldLines, table } from './table.ts'

test('columns are aligned: text to the left, numbers to the right, wide characters counted as two', () => {
  const rows = [
    [7, '민아', new Date('2026-03-01T20:15:30.123Z'), null],
    [1234, 'Joon', undefined, ''],
  ]
  expect(table(['id', 'name', 'when', 'note'], rows, 'none')).toBe(
    [
      '  ID  NAME  WHEN                  NOTE',
      '   7  민아  2026-03-01T20:15:30Z  -',
      '1234  Joon  -                     -',
    ].join('\n'),
  )
  expect(table(['id'], [], 'none')).toBe('none')
})

test('fields have a line each', () => {
  expect(fieldLines({ id: 7, serial_code: null })).toBe('id           7\nserial_code  -')
})

test('one child is not 1 children', () => {
  expect([
    formatCount(1, 'child', 'children'),
    formatCount(2, 'child', 'children'),
    formatCount(0, 'line'),
  ]).toEqual(['1 child', '2 children', '0 lines'])
})
