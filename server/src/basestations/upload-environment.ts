import { z } from 'zod'
import { statement } from '../database/statement.ts'
import { countUnknownDevices, refuseUnknownDevices } from '../devices/unknown-devices.ts'
import { endpoint } from '../http/endpoint.ts'
import { integer, message, uniqueId } from '../http/fields.ts'
import { deviceTime, MOST_ITEMS } from '../devlogs/devlog.ts'
import { boundsParameter } from './environment-alert.ts'

/** The measurements of a base station at one moment. */
const reading = z.object({
  unique_id: uniqueId,
  measured_at: deviceTime,
  temperature: z.number().min(-100).max(100).meta({ description: '°C' }),
  humidity: z.number().min(0).max(100).meta({ description: 'Per cent' }),
  brightness: integer(0).meta({ description: "In the base station's own unit" }),
  noise: integer(0).meta({ description: "In the base station's own unit" }),
})

const storeReadings = statement<{ unknown: number; has_unconnected: boolean }>(
  'store-readings',
  `SELECT unknown, has_unconnected FROM store_readings($1::uuid[], $2::timestamp[], $3::float8[], $4::float8[], $5::int[],
     $6::int[], $7::float8[])`,
)

export const uploadEnvironment = endpoint(
  {
    method: 'POST',
    path: '/api/v1/gamma/basestation/environment',
    summary: 'Upload what base stations measured',
    description: `All or nothing. The same base station and \`measured_at\` again is the same reading, so an upload may be repeated as often
as needed. A reading belongs to the account to which the base station is connected when the reading arrives.`,
    body: { array: 'items' },
    bodyLimit: 1_000_000,
  },
  [
    [404, 'Not Found Device', 'a base station is unknown'],
    [409, 'Not Connected Device', 'a base station is connected to no account'],
    [
      429,
      'Too many requests',
      '20 unknown base stations from one IP address within 10 minutes, or 120 uploads of one base station within a minute',
    ],
  ],
)
  .input(
    z.object({
      items: z.array(reading).max(MOST_ITEMS, { error: `must have at most ${MOST_ITEMS} items` }),
    }),
  )
  .output(message)
  .mutation(async ({ ctx, input: { items } }) => {
    const { database, environmentBounds, failure, limits } = ctx
    limits.countUploads(new Set(items.map((item) => item.unique_id)))
    await refuseUnknownDevices(
      ctx,
      items.map((item) => item.unique_id),
      'basestation',
    )
    const [verdict] = await database.query(storeReadings, [
      items.map((item) => item.unique_id),
      items.map((item) => item.measured_at),
      items.map((item) => item.temperature),
      items.map((item) => item.humidity),
      items.map((item) => item.brightness),
      items.map((item) => item.noise),
      boundsParameter(environmentBounds),
    ])
    if (verdict?.unknown) {
      await countUnknownDevices(ctx, verdict.unknown)
      throw failure(404, 'Not Found Device')
    }
    if (verdict?.has_unconnected) throw failure(409, 'Not Connected Device')
    return { statusCode: 200 as const, message: 'Sleep environment saved successfully' }
  })
