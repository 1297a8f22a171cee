import { z } from 'zod'
import { integerField, localDateTimeField, uniqueIdField } from '../http/fields.ts'

export const EARLIEST_RECORD_DATE = '2015-01-01'
const CLOCK_TOLERANCE_MS = 48 * 3_600_000
/** A day of values, one every 6 minutes. */
const MOST_INTENSITIES = 240
export const MAX_DEVLOGS_PER_UPLOAD = 1000

/** The last time that a device may send, to the microsecond, so that it compares as text with any fraction it sends. */
export function latestAcceptedTime(): string {
  const now = Date.now()
  if (now !== latest.now) {
    latest = { now, moment: new Date(now + CLOCK_TOLERANCE_MS).toISOString().replace('Z', '999') }
  }
  return latest.moment
}
// The items of one upload are judged within the same millisecond, or nearly.
let latest = { now: 0, moment: '' }

const isPossible = (moment: string) => moment >= EARLIEST_RECORD_DATE && moment <= latestAcceptedTime()

/** When a device says that something happened, by its own clock. An issue of `type: "clock"` says that the clock is wrong. */
export const deviceTime = localDateTimeField.refine(isPossible, {
  error: `must lie between ${EARLIEST_RECORD_DATE} and 48 hours from now`,
  params: { type: 'clock' },
})

const LARGEST_INTENSITY = 32_767
const intensity = z.object({ intensity: integerField(0, LARGEST_INTENSITY) })

const isIntensity = (item: unknown) =>
  typeof item === 'object' &&
  item !== null &&
  'intensity' in item &&
  typeof item.intensity === 'number' &&
  Number.isInteger(item.intensity) &&
  item.intensity >= 0 &&
  item.intensity <= LARGEST_INTENSITY

const described = {
  type: 'object' as const,
  properties: {
    intensity: { type: 'integer' as const, minimum: 0, maximum: LARGEST_INTENSITY, examples: [0] },
  },
  required: ['intensity'],
}

/**
 * Looked through in one go: an upload holds up to 240,000 of these, and for zod to copy them one by one held up everybody
 * else for 50 ms and more. zod says what is wrong with the first bad one; to say it of each took 1 GB.
 */
export const intensityRecordSchema = z
  .array(z.custom<z.infer<typeof intensity>>().meta({ override: described }))
  .max(MOST_INTENSITIES, { error: `must have at most ${MOST_INTENSITIES} items` })
  .check((payload) => {
    const position = payload.value.findIndex((item) => !isIntensity(item))
    if (position === -1) return
    const first: z.core.ParsePayload = { value: payload.value[position], issues: [] }
    // oxlint-disable-next-line no-underscore-dangle -- zod names it so for those who build on it
    void intensity._zod.run(first, { async: false })
    payload.issues.push(...z.core.util.prefixIssues(position, first.issues))
  })

/** One usage log, as a device sends it. */
export const devlogSchema = z.object({
  unique_id: uniqueIdField,
  detail_data: z.object({
    treatment_date: deviceTime,
    finish_flag: z
      .union([z.enum(['1', '2', '3', '4', '5', '6']), z.literal([1, 2, 3, 4, 5, 6])], {
        error: 'must be "1" to "6"',
      })
      .transform(Number)
      .meta({
        description:
          '1: completed, 2: power button, 3: ended by the app, 4: electrodes lost contact, 5: put on the charger, 6: factory test',
      }),
    last_intensity: integerField(0, LARGEST_INTENSITY).meta({ description: 'The last intensity used' }),
    treatment_time: integerField(0, 86_400).meta({ description: 'Seconds' }),
    movement: integerField(0).default(0).meta({ description: 'How much the child moved' }),
  }),
  intensity_record: intensityRecordSchema.meta({ description: 'One value every 6 minutes' }),
  log_file_id: integerField(0).meta({
    description: 'Tells one log from another, together with device and `treatment_date`',
  }),
  is_temp: z
    .union([z.boolean(), z.literal([0, 1]).transform(Boolean)], { error: 'must be true, false, 1 or 0' })
    .default(false)
    .meta({
      description: 'The treatment still runs as this is sent; its complete log will replace this one',
    }),
})

export type Devlog = z.infer<typeof devlogSchema>
