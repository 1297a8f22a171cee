import { expect, test } from 'vitest'
import { fileName } from './file-name'

const period = { start_date: '2026-02-15', end_date: '2026-03-14' }

test.each([
  ['Hana', 'Hana 2026-02-15–03-14.pdf'],
  ['김하나'.normalize('NFD'), '김하나 2026-02-15–03-14.pdf'],
  ["Anne-Sofie O'Neill", 'Anne-Sofie-O-Neill 2026-02-15–03-14.pdf'],
  ['../../etc/%2e#?', 'etc-2e 2026-02-15–03-14.pdf'],
  ['🙂', '2026-02-15–03-14.pdf'],
  ['하'.repeat(200), `${'하'.repeat(40)} 2026-02-15–03-14.pdf`],
])('%s: %s', (child, name) => {
  expect(fileName(child, period, 'pdf')).toBe(name)
})

test('a period across the new year names both years', () => {
  const across = { start_date: '2025-12-15', end_date: '2026-01-14' }
  expect(fileName('Hana DEMO-003', across, 'xlsx')).toBe('Hana-DEMO-003 2025-12-15–2026-01-14.xlsx')
})
