import fc from 'fast-check'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { integerField } from '../http/fields.ts'
import { intensityRecordSchema } from './devlog.ts'

const itemByItem = z
  .array(z.object({ intensity: integerField(0, 32_767) }))
  .max(240, { error: 'must have at most 240 items' })

const item = fc.oneof(
  { weight: 20, arbitrary: fc.record({ intensity: fc.integer({ min: 0, max: 32_767 }) }) },
  fc.record({ intensity: fc.oneof(fc.integer(), fc.double(), fc.string(), fc.constant(null)) }),
  fc.jsonValue(),
)
const record = fc.oneof(
  fc.array(item, { maxLength: 8 }),
  fc.array(fc.constant({ intensity: 1 }), { minLength: 238, maxLength: 243 }),
  fc.jsonValue(),
)

/** The issues of the list, and those of its first invalid item. */
function complaints(schema: z.ZodType, value: unknown): string[] | undefined {
  const issues = schema.safeParse(value).error?.issues
  const first = issues?.find(({ path }) => path.length > 0)?.path[0]
  return issues
    ?.filter(({ path }) => path.length === 0 || path[0] === first)
    .map(({ code, path, message }) => `${path.join('.')} ${code} ${message}`)
    .toSorted()
}

test('a record that is looked through in one go is judged as item by item, up to the first bad one', () => {
  fc.assert(
    fc.property(record, (value) => {
      expect(complaints(intensityRecordSchema, value)).toEqual(complaints(itemByItem, value))
      expect(intensityRecordSchema.safeParse(value).error?.issues.length ?? 0).toBeLessThanOrEqual(2)
    }),
    { numRuns: 1000 },
  )
})
