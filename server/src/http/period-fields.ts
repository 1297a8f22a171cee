import { z } from 'zod'

/** The query fields of operations that answer a calendar period; `calendarPeriod` validates their values. */
export const calendarPeriodFields = {
  select_mode: z.int().default(0).meta({ description: '0: week, 1: month, 2: quarter, 3: year' }),
  year: z.int().default(0).meta({ description: '1 to 9999; 0: the current year' }),
  select_data: z.int().default(0).meta({
    description:
      'Number of the week (to 54), month (to 12) or quarter (to 4); 0: the current one; no use with a year',
  }),
}
