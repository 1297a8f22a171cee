import { z } from 'zod'
import { endpoint } from '../http/endpoint.ts'
import { noFieldsSchema } from '../http/fields.ts'
import { utcOffset } from '../time/wall-clock.ts'

export const time = endpoint(
  {
    method: 'GET',
    path: '/api/v1/gamma/device/time',
    summary: 'The present time, for a device whose clock has stopped',
    description:
      'A record whose `treatment_date` is out of range is refused with an issue of `type: "clock"`. The device then sets its clock by this call, corrects the dates of its records, and sends them again.',
  },
  [],
)
  .input(noFieldsSchema)
  .output(
    z
      .object({
        utc: z.iso
          .datetime({ precision: 3 })
          .meta({ description: 'The present time', examples: ['2026-11-22T03:04:05.678Z'] }),
        utc_offset_minutes: z
          .int()
          .min(-1439)
          .max(1439)
          .meta({
            description: 'How far the local time of the service is ahead of UTC now',
            examples: [540],
          }),
      })
      .meta({ id: 'Time', description: 'The present time, in UTC and locally' }),
  )
  .query(({ ctx }) => {
    const now = new Date()
    return { utc: now.toISOString(), utc_offset_minutes: utcOffset(ctx.timeZone, now) }
  })
