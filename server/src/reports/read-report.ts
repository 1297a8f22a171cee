import { z } from 'zod'
import { calendarDate, id } from '../http/fields.ts'
import { file } from '../http/file-answer.ts'
import { countDays } from '../time/report-period.ts'
import { answerReport, language, reportEndpoint } from './report-endpoint.ts'

const MOST_DAYS = 366

export const readReport = reportEndpoint({
  path: '/api/v1/beta/pdf/report',
  summary: "A child's report of any period, as PDF",
  description: `Usage, intensity, movement, sleep environment, adherence, notes, surveys and all nights from \`start_date\` to
\`end_date\`, both included and at most ${MOST_DAYS} days, with the sleep environment of one base station of the account.`,
})
  .input(
    z
      .object({
        real_user_id: id,
        basestation_id: id,
        start_date: calendarDate,
        end_date: calendarDate.meta({ description: 'The last day' }),
        language,
      })
      .refine(({ start_date, end_date }) => start_date <= end_date, {
        path: ['end_date'],
        error: 'must not lie before start_date',
      })
      .refine(({ start_date: first, end_date: last }) => countDays({ first, last }) <= MOST_DAYS, {
        path: ['end_date'],
        error: `must lie less than ${MOST_DAYS} days after start_date`,
      }),
  )
  .output(file)
  .query(({ ctx, input: { real_user_id, basestation_id, start_date, end_date, language } }) =>
    answerReport(ctx, {
      rootUserId: ctx.caller.rootUserId,
      real_user_id,
      basestation_id,
      period: { first: start_date, last: end_date },
      timeZone: ctx.timeZone,
      language,
    }),
  )
