import { expect, test } from 'vitest'
import { reportName } from './report-name'

const period = { start_date: '2026-02-15', end_date: '2026-03-14' }

test.each([
  ['Hana', 'Hana_2026-02-15_2026-03-14.pdf'],
  ['김하나'.normalize('NFD'), '김하나_2026-02-15_2026-03-14.pdf'],
  ["Anne-Sofie O'Neill", 'Anne-Sofie-O-Neill_2026-02-15_2026-03-14.pdf'],
  ['../../etc/%2e#?', 'etc-2e_2026-02-15_2026-03-14.pdf'],
  ['🙂', '2026-02-15_2026-03-14.pdf'],
  ['하'.repeat(200), `${'하'.repeat(40)}_2026-02-15_2026-03-14.pdf`],
])('%s: %s', (child, name) => {
  expect(reportName(child, period)).toBe(name)
})
