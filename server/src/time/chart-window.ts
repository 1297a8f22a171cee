import { addDays } from './wall-clock.ts'

/** A range of days from `first` to `last`, both included, as `yyyy-mm-dd`. */
export interface DateRange {
  first: string
  last: string
}

/** Returns a chart's window: the 7 days (mode 0) or 30 days (mode 1) up to `last`. Contract, "Analysis and history". */
export const chartWindow = (mode: 0 | 1, last: string): DateRange => ({
  first: addDays(last, mode === 0 ? -6 : -29),
  last,
})
