import { z } from 'zod'
import { calendarDateField, idField } from '../http/fields.ts'
import { fileResponseSchema } from '../http/file-response.ts'
import { InvalidInput } from '../http/validation-issues.ts'
import { countDays } from '../time/report-period.ts'
import { reportResponse, languageSchema, mayReadNotes, reportEndpoint } from './report-endpoint.ts'

const MOST_DAYS = 366

export const pdf = reportEndpoint({
  path: '/api/v1/beta/pdf/report',
  summary: "A child's report of any period, as PDF",
  description: `The report shows usage, intensity, movement, sleep environment, adherence, notes, surveys and all nights from \`start_date\`
to \`end_date\`, both included and at most ${MOST_DAYS} days.`,
})
  .input(
    z.object({
      real_user_id: idField,
      basestation_id: idField.meta({ description: 'The base station whose readings the report shows' }),
      start_date: calendarDateField.meta({ description: 'The first day' }),
      end_date: calendarDateField.meta({ description: 'The last day' }),
      language: languageSchema,
    }),
  )
  .output(fileResponseSchema)
  .query(async ({ ctx, input: { real_user_id, basestation_id, start_date, end_date, language } }) => {
    const period = { first: start_date, last: end_date }
    if (end_date < start_date) throw new InvalidInput(['end_date'], 'must not lie before start_date')
    if (countDays(period) > MOST_DAYS) {
      throw new InvalidInput(['end_date'], `must lie less than ${MOST_DAYS} days after start_date`)
    }
    return reportResponse(ctx, {
      rootUserId: ctx.caller.rootUserId,
      mayAccess: ctx.mayAccess,
      withNotes: mayReadNotes(ctx.caller),
      real_user_id,
      basestation_id,
      period,
      timeZone: ctx.timeZone,
      language,
    })
  })
