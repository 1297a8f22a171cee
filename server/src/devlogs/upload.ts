import { z } from 'zod'
import { requireActiveCaller } from '../auth/account-endpoint.ts'
import { countUnknownDevices, refuseUnknownDevices } from '../devices/unknown-devices.ts'
import { accountErrors, tokenErrors } from '../errors/generic.ts'
import type { Context } from '../http/context.ts'
import { endpoint } from '../http/endpoint.ts'
import { LARGEST_ID, listField, messageResponseSchema } from '../http/fields.ts'
import { devlogSchema, MAX_DEVLOGS_PER_UPLOAD } from './devlog.ts'
import type { Devlog } from './devlog.ts'
import {
  sortUploadResults,
  falseIfOverLimit,
  storeRejectedItems,
  prefersLenient,
  partitionUpload,
  uploadResultsSchema,
} from './lenient-upload.ts'
import type { UploadResult } from './lenient-upload.ts'
import { reportedFirmware, setFirmware } from './reported-firmware.ts'
import { storeDevlogs } from './store-devlogs.ts'
import { storeWithWaitingUploads } from './store-together.ts'
import type { StoredUpload } from './store-together.ts'
import type { DevlogOutcome } from './store-devlogs.ts'
import { countRecords, countWrongClocks } from './upload-metrics.ts'

const errors = {
  unknown: [404, 'Not Found Device', 'a device is unknown'],
  unconnected: [409, 'Not Connected Device', 'nobody wears a device'],
  foreign: [
    401,
    'Not authorized user',
    'the upload carries an access token, and no child of that account wears a device',
  ],
} as const

type Refused = keyof typeof errors
const worstFirst: readonly Refused[] = ['unknown', 'unconnected', 'foreign']
const isRefused = (verdict: DevlogOutcome): verdict is Refused => verdict in errors

/** Status and text of a verdict that refuses; undefined when the item is stored. */
export const verdictError = (verdict: DevlogOutcome) => (isRefused(verdict) ? errors[verdict] : undefined)

export const upload = endpoint(
  {
    method: 'POST',
    path: '/api/v1/gamma/device/devlog',
    summary: "Upload a night's usage logs",
    description: `All or nothing, and durable once answered. The same \`unique_id\`, \`log_file_id\` and \`treatment_date\` again is the same
log, so an upload may be repeated as often as needed.`,
    body: { array: 'items' },
    bodyLimit: 5_000_000,
    recorded: true,
    token: 'optional access',
    headers: {
      Prefer: {
        description:
          '`handling=lenient` (RFC 7240): the service stores the good items, sets the bad ones aside for the operator, and answers a result for each.',
      },
      'X-Firmware': {
        description: `An integer from 0 to ${LARGEST_ID}: the firmware that the devices of this upload run. It is kept when the
upload is stored.`,
        pattern: String.raw`^\d{1,10}$`,
      },
    },
  },
  [
    ...Object.values(errors),
    [413, 'Request body is too large', 'more than 5 MB'],
    [
      429,
      'Too many requests',
      '20 unknown devices from one IP address within 10 minutes, or 120 uploads of one device within a minute',
    ],
    ...tokenErrors,
    ...accountErrors,
  ],
)
  .use(async ({ next }) => {
    const result = await next()
    if (!result.ok) countWrongClocks(result.error.cause)
    return result
  })
  .use(async ({ ctx, next }) => {
    // A caller that shows credentials wants them checked, garbled ones too, and before the body is read.
    const isNamed = ctx.request.headers.authorization !== undefined
    return next({ ctx: { owner: isNamed ? (await requireActiveCaller(ctx)).rootUserId : undefined } })
  })
  .use(async ({ ctx, next, getRawInput }) =>
    next({
      ctx: {
        sorted: prefersLenient(ctx.request) ? partitionUpload(devlogSchema, await getRawInput()) : undefined,
      },
    }),
  )
  .use(({ ctx: { sorted }, next, getRawInput }) =>
    next({ getRawInput: sorted ? async () => ({ items: sorted.items }) : getRawInput }),
  )
  .input(
    z.object({
      items: listField(devlogSchema, MAX_DEVLOGS_PER_UPLOAD),
    }),
  )
  .output(
    messageResponseSchema
      .extend({
        results: uploadResultsSchema,
      })
      .meta({ id: 'UploadedDevlogs', description: 'What became of an upload' }),
  )
  .mutation(async ({ ctx, input: { items } }) => {
    const { database, request, limits, owner, sorted } = ctx
    const firmware = reportedFirmware(request)
    const devices = new Set(items.map(({ unique_id }) => unique_id))
    limits.countUploads(devices)
    await refuseUnknownDevices(ctx, [...devices])
    const isPlain = !sorted && items.length > 0 && !items.some((item) => item.is_temp)
    const { verdicts, wearings }: StoredUpload = isPlain
      ? await storeWithWaitingUploads(database, items, owner)
      : { verdicts: await storeDevlogs(database, items, { owner, lenient: sorted !== undefined }) }
    const refused = verdicts.filter(isRefused)
    noteUpload(ctx, { items, verdicts, wearings, isLenient: sorted !== undefined, accountId: owner })
    countRecords({
      items,
      verdicts: sorted || refused.length === 0 ? verdicts : refused,
      invalid: sorted?.rejections.length ?? 0,
      timeZone: ctx.timeZone,
    })
    const unknown = new Set(items.flatMap((item, n) => (verdicts[n] === 'unknown' ? [item.unique_id] : [])))
    if (unknown.size > 0) {
      const counted = countUnknownDevices(ctx, unknown.size)
      // A lenient upload is told what was stored of it.
      await (sorted && refused.length < items.length ? counted.catch(falseIfOverLimit) : counted)
    }
    if (!sorted) {
      const first = worstFirst.find((error) => refused.includes(error))
      if (first) throw ctx.failure(...errors[first])
    }
    if (firmware !== undefined) {
      const stored = verdicts.flatMap((verdict, n) => (isRefused(verdict) ? [] : [items[n]?.unique_id]))
      await database.query(setFirmware, [[...new Set(stored)], firmware])
    }
    if (!sorted) return saved
    const results: UploadResult[] = sorted.rejections.map(({ index, detail }) => ({
      index,
      status: 'rejected',
      detail,
    }))
    for (const [n, verdict] of verdicts.entries()) {
      const index = sorted.positions[n] ?? n
      if (!isRefused(verdict)) results.push({ index, status: verdict })
      else {
        const [, detail] = errors[verdict]
        // Of an unknown device nothing is kept: anybody can make one up.
        if (verdict !== 'unknown') sorted.rejections.push({ index, detail, item: sorted.items[n] })
        results.push({ index, status: 'rejected', detail })
      }
    }
    if (sorted.rejections.length > 0) {
      // Beyond its bytes they are only answered: one bad record must not block a device, nor many of them the disk.
      const isKept = await storeRejectedItems(ctx, sorted)
      if (!isKept)
        ctx.log.warn({ request_id: request.id }, 'rejected records not kept: too many from one address')
    }
    return { ...saved, results: sortUploadResults(results) }
  })

interface Judged extends StoredUpload {
  items: readonly Devlog[]
  isLenient: boolean
  accountId: number | undefined
}

/**
 * Puts an upload on the trail, once for each of its devices. Records are only ever added, and are there to be seen, so
 * that the trail counts uploads like reads.
 */
function noteUpload(ctx: Context, { items, verdicts, wearings, isLenient, accountId }: Judged): void {
  const error = isLenient ? undefined : worstFirst.find((each) => verdicts.includes(each))
  const seen = new Set<string>()
  for (const [n, { unique_id, log_file_id, detail_data }] of items.entries()) {
    const verdict = error ?? verdicts[n]
    if (verdict === undefined || verdict === 'unknown' || seen.has(unique_id)) continue
    seen.add(unique_id)
    const outcome = verdictError(verdict)?.slice(0, 2).join(' ') ?? 'ok'
    // One that was there before may be of an earlier wearer.
    const wearing = verdict === 'stored' ? wearings?.get(unique_id) : undefined
    const access = { uniqueId: unique_id, operation: 'devlogs.upload', outcome, accountId, wearing }
    ctx.trail.noteUpload(ctx, { ...access, date: detail_data.treatment_date, logFileId: log_file_id })
  }
}

const saved = { statusCode: 200 as const, message: 'Devlog saved successfully' }
