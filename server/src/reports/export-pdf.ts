import { z } from 'zod'
import { calendarDateField, idField } from '../http/fields.ts'
import { fileResponseSchema } from '../http/file-response.ts'
import { periodOfMonths } from '../time/report-period.ts'
import { reportResponse, languageSchema, mayReadNotes, reportEndpoint } from './report-endpoint.ts'

export const exportPdf = reportEndpoint({
  path: '/api/v1/beta/pdf/export',
  summary: "A child's report of one, two or three months, as PDF",
  description: `The period ends on the day before the same day of a later month; in a month without that day, its last day counts. The
base station is the one that, of those connected to the account now, was connected first.`,
})
  .input(
    z.object({
      real_user_id: idField,
      current_date: calendarDateField.meta({ description: 'The first day' }),
      select_mode: z
        .int()
        .min(0)
        .max(2)
        .meta({ description: '0: one month, 1: two months, 2: three months' }),
      language: languageSchema,
    }),
  )
  .output(fileResponseSchema)
  .query(({ ctx, input: { real_user_id, current_date, select_mode, language } }) =>
    reportResponse(ctx, {
      rootUserId: ctx.caller.rootUserId,
      mayAccess: ctx.mayAccess,
      withNotes: mayReadNotes(ctx.caller),
      real_user_id,
      period: periodOfMonths(current_date, select_mode + 1),
      timeZone: ctx.timeZone,
      language,
    }),
  )
