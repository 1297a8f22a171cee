import { addDays } from './wall-clock.ts'

/** First and last day, both included, as `yyyy-mm-dd`. */
export interface Days {
  first: string
  last: string
}

/** The window of a chart: 7 days (mode 0) or 30 days (mode 1) that end with `last`. Contract, "Analysis and history". */
export const chartWindow = (mode: 0 | 1, last: string): Days => ({
  first: addDays(last, mode === 0 ? -6 : -29),
  last,
})
