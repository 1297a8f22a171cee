import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { feedbackFields, reportOf } from './ddi-feedback.ts'
import { outcomeFields } from './outcome.ts'

const report = z.object(outcomeFields)

test('each feedback of a client is a report as devices make it', () => {
  const { execution, result } = feedbackFields.shape.status.shape
  fc.assert(
    fc.property(
      fc.constantFrom(...execution.options),
      fc.constantFrom(...result.shape.finished.options),
      fc.option(fc.array(fc.string({ unit: 'binary', maxLength: 200 }), { maxLength: 3 })),
      (said, finished, details) => {
        const feedback = feedbackFields.parse({ status: { execution: said, result: { finished }, details } })
        expect(report.safeParse({ firmware_id: 1, ...reportOf(feedback) }).error).toBeUndefined()
      },
    ),
  )
})

test.each([
  [['first', 'last'], 'last'],
  [['ERROR : two\nlines\t'], 'ERROR : two lines'],
  [['\uD800'], '\uFFFD'],
  [['\u200B'], undefined],
  [[''], undefined],
  [[], undefined],
  [null, undefined],
])('of the details %j it keeps %j', (details, kept) => {
  const status = { execution: 'closed', result: { finished: 'failure' }, details }
  expect(reportOf(feedbackFields.parse({ status }))).toEqual({ outcome: 'failed', detail: kept })
})
