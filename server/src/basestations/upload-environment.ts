import { z } from 'zod'
import { statement } from '../database/statement.ts'
import { countUnknownDevices, refuseUnknownDevices } from '../devices/unknown-devices.ts'
import { endpoint } from '../http/endpoint.ts'
import { integerField, listField, messageResponseSchema, uniqueIdField } from '../http/fields.ts'
import { isPartitionConstraintViolation } from '../database/sql-errors.ts'
import { deviceTime, MAX_DEVLOGS_PER_UPLOAD } from '../devlogs/devlog.ts'
import {
  sortUploadResults,
  falseIfOverLimit,
  prefersLenient,
  partitionUpload,
  uploadResultsSchema,
} from '../devlogs/lenient-upload.ts'
import type { UploadResult } from '../devlogs/lenient-upload.ts'
import { encodeBoundsParameter } from './environment-alert.ts'

/** The measurements of a base station at one moment. */
const reading = z.object({
  unique_id: uniqueIdField,
  measured_at: deviceTime,
  temperature: z.number().min(-40).max(60).meta({ description: '°C' }),
  humidity: z.number().min(0).max(100).meta({ description: 'Per cent' }),
  brightness: integerField(0).meta({ description: "In the base station's own unit" }),
  noise: integerField(0).meta({ description: "In the base station's own unit" }),
})

type Verdict = 'stored' | 'duplicate' | 'unknown' | 'unconnected'

const errors = {
  unknown: [404, 'Not Found Device', 'a base station is unknown'],
  unconnected: [409, 'Not Connected Device', 'a base station is connected to no account'],
} as const

const keepReadings = statement<{ verdicts: Verdict[] }>(
  'store-readings',
  `SELECT store_readings($1::uuid[], $2::timestamp[], $3::float8[], $4::float8[], $5::int[], $6::int[], $7::float8[], $8) AS verdicts`,
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
    headers: {
      Prefer: {
        description:
          '`handling=lenient` (RFC 7240): the service stores the good readings, and answers a result for each.',
      },
    },
  },
  [
    ...Object.values(errors),
    [
      429,
      'Too many requests',
      '20 unknown base stations from one IP address within 10 minutes, or 120 uploads of one base station within a minute',
    ],
  ],
)
  .use(async ({ ctx, next, getRawInput }) =>
    next({
      ctx: {
        sorted: prefersLenient(ctx.request) ? partitionUpload(reading, await getRawInput()) : undefined,
      },
    }),
  )
  .use(({ ctx: { sorted }, next, getRawInput }) =>
    next({ getRawInput: sorted ? async () => ({ items: sorted.items }) : getRawInput }),
  )
  .input(
    z.object({
      items: listField(reading, MAX_DEVLOGS_PER_UPLOAD),
    }),
  )
  .output(
    messageResponseSchema
      .extend({ results: uploadResultsSchema })
      .meta({ id: 'UploadedReadings', description: 'What became of an upload' }),
  )
  .mutation(async ({ ctx, input: { items } }) => {
    const { database, environmentBounds, failure, limits, sorted } = ctx
    const stations = items.map((item) => item.unique_id)
    limits.countUploads(new Set(stations))
    await refuseUnknownDevices(ctx, stations, 'basestation')
    const parameters = [
      stations,
      items.map((item) => item.measured_at),
      items.map((item) => item.temperature),
      items.map((item) => item.humidity),
      items.map((item) => item.brightness),
      items.map((item) => item.noise),
      encodeBoundsParameter(environmentBounds),
      sorted !== undefined,
    ]
    const store = (weeks: number): Promise<{ verdicts: Verdict[] }[]> =>
      database.query(keepReadings, parameters).catch((error: unknown) => {
        // A week was made while they came, and each reading may be of another week.
        if (isPartitionConstraintViolation(error) && weeks > 0) return store(weeks - 1)
        throw error
      })
    const [{ verdicts } = { verdicts: [] }] = await store(items.length)
    const unknown = new Set(stations.filter((_, n) => verdicts[n] === 'unknown'))
    const refused = verdicts.filter(isRefused)
    if (unknown.size > 0) {
      const counted = countUnknownDevices(ctx, unknown.size)
      // A lenient upload is told what was stored of it.
      await (sorted && refused.length < items.length ? counted.catch(falseIfOverLimit) : counted)
    }
    if (!sorted) {
      if (refused.includes('unknown')) throw failure(...errors.unknown)
      if (refused.length > 0) throw failure(...errors.unconnected)
      return saved
    }
    const results: UploadResult[] = sorted.rejections.map(({ index, detail }) => ({
      index,
      status: 'rejected',
      detail,
    }))
    for (const [n, verdict] of verdicts.entries()) {
      const index = sorted.positions[n] ?? n
      if (isRefused(verdict)) results.push({ index, status: 'rejected', detail: errors[verdict][1] })
      else results.push({ index, status: verdict })
    }
    return { ...saved, results: sortUploadResults(results) }
  })

const isRefused = (verdict: Verdict): verdict is keyof typeof errors => verdict in errors

const saved = { statusCode: 200 as const, message: 'Sleep environment saved successfully' }
