import { expect, test } from 'vitest'
import { periodOfMonths } from '../../../../server/src/time/report-period'
import { addDays } from '../time/dates'
import { firstDayOfReport } from './report-period'

const MONTHS = 3

/** No report of three months ends the day before, so that it ends later. */
const tooLate = ['05-29', '05-30', '05-31', '07-31', '12-31']

test.each([2026, 2028])('a report made on any day of %i holds the night before', (year) => {
  for (let today = `${year}-01-01`; today.startsWith(String(year)); today = addDays(today, 1)) {
    const { first, last } = periodOfMonths(firstDayOfReport(today, MONTHS), MONTHS)
    const yesterday = addDays(today, -1)
    expect(last >= yesterday, `${today}: ${first} to ${last}`).toBe(true)
    if (last > yesterday) expect(tooLate, `${today}: ${first} to ${last}`).toContain(today.slice(5))
    // The day before, it would have ended too early.
    expect(periodOfMonths(addDays(first, -1), MONTHS).last < yesterday, `${today}: ${first}`).toBe(true)
  }
})
