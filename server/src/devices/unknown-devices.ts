import { batchedRead } from '../database/batched-read.ts'
import { Failure } from '../errors/failure.ts'
import { generic } from '../errors/generic.ts'
import type { Context } from '../http/context.ts'

const BUDGET = 'unknownDevicesPerAddress'

const selectKnown = {
  device: batchedRead<{ unique_id: string }>(
    'known-device',
    ['uuid'],
    'SELECT unique_id FROM device WHERE unique_id = $1',
  ),
  basestation: batchedRead<{ unique_id: string }>(
    'known-basestation',
    ['uuid'],
    'SELECT unique_id FROM basestation WHERE unique_id = $1',
  ),
}

type Caller = Pick<Context, 'database' | 'limits' | 'request'>

/**
 * Refuses with 429 a caller whose address has used up its unknown ids and who names only unknown ones again, before the
 * operation's own statement runs. Registered devices behind the same address go on; nobody else pays for the look.
 */
export async function refuseUnknownDevices(
  { database, limits, request }: Caller,
  uniqueIds: readonly string[],
  kind: keyof typeof selectKnown = 'device',
): Promise<void> {
  const seconds = limits.usedUpFor(BUDGET, request.address)
  if (seconds === 0) return
  const known = await Promise.all(
    [...new Set(uniqueIds)].map((uniqueId) => database.query(selectKnown[kind], [uniqueId])),
  )
  if (known.some((rows) => rows.length > 0)) return
  throw new Failure(...generic.tooMany, { headers: { 'retry-after': String(seconds) } })
}

/** Counts unknown ids that a device call has named. Throws 429 when the caller's address has used them up. */
export const countUnknownDevices = ({ limits, request }: Caller, count: number): Promise<void> =>
  limits.consume(BUDGET, request.address, count)
