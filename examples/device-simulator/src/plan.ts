import { resetClock } from './clock-reset.ts'
import { isDevlogItem } from './item.ts'
import type { DevlogItem } from './item.ts'
import type { Misbehaviour } from './misbehaviour.ts'
import { createRandom, shuffled } from './random.ts'
import type { Random } from './random.ts'
import { toTemporaryRecord } from './temporary-record.ts'

/** The uuid of a device that nobody has registered. */
const STRANGER = '5742a9e2-0000-4000-8000-000000000000'

/** One planned upload. */
interface PlannedUpload {
  /** The items in the order they are sent, as positions in {@link UploadPlan.records}. */
  positions: number[]
  /** Share of the body after which the first try breaks off; null when it does not. */
  cutAt: number | null
  /** Whether the device hangs up once before the response. */
  isLost: boolean
  /** Share of the body that is sent once as if it were the whole; null when none is. */
  tornAt: number | null
  /** Whether the upload is sent once more after it was acknowledged. */
  repeated: boolean
}

/** All decisions of a run, made before the first byte is sent. */
export interface UploadPlan {
  /** The items as the device recorded them, each once, followed by those that misbehaviour added. */
  records: unknown[]
  uploads: PlannedUpload[]
}

/** Input of {@link planUploads}: `batch` is the number of items per upload. */
export interface PlanUploadsOptions {
  items: readonly unknown[]
  misbehaviour: Misbehaviour
  seed: number
  batch: number
}

/** Decides by the seed which items go into which upload, in which order, and which issues happen. */
export function planUploads({ items, misbehaviour, seed, batch }: PlanUploadsOptions): UploadPlan {
  if (!Number.isSafeInteger(batch) || batch < 1)
    throw new RangeError(`The number of items per upload must be an integer from 1, not ${batch}`)
  const rates = {
    retries: validRate(misbehaviour.retries),
    duplicates: validRate(misbehaviour.duplicates),
    cut: validRate(misbehaviour.cut),
    lost: validRate(misbehaviour.lost),
    torn: validRate(misbehaviour.torn),
    temporary: validRate(misbehaviour.temporary),
    strangers: validRate(misbehaviour.strangers),
    clock1970: validRate(misbehaviour.clock1970),
  }
  const records = resetClock(items, rates.clock1970, createRandom(seed, 'clock'))

  let order = records.map((_, position) => position)
  /** Inserts the result of `make` before a share of the items. */
  const add = (share: number, random: Random, make: (item: DevlogItem) => DevlogItem) => {
    order = order.flatMap((position) => {
      const item = records[position]
      if (!random.chance(share) || !isDevlogItem(item)) return [position]
      return [records.push(make(item)) - 1, position]
    })
  }
  add(rates.temporary, createRandom(seed, 'temporary'), toTemporaryRecord)
  add(rates.strangers, createRandom(seed, 'strangers'), (item) => ({ ...item, unique_id: STRANGER }))
  if (misbehaviour.shuffle === true) order = shuffled(order, createRandom(seed, 'shuffle'))
  order = withDuplicates(order, rates.duplicates, createRandom(seed, 'duplicates'))

  const cuts = createRandom(seed, 'cut')
  const losses = createRandom(seed, 'lost')
  const tears = createRandom(seed, 'torn')
  const repeats = createRandom(seed, 'retries')
  const uploads: PlannedUpload[] = []
  for (let start = 0; start < order.length; start += batch) {
    const place = cuts.next()
    const tear = tears.next()
    uploads.push({
      positions: order.slice(start, start + batch),
      cutAt: cuts.chance(rates.cut) ? place : null,
      isLost: losses.chance(rates.lost),
      tornAt: tears.chance(rates.torn) ? tear : null,
      repeated: repeats.chance(rates.retries),
    })
  }
  return { records, uploads }
}

/** Half of the copies follow their original at once. The others appear anywhere later. */
function withDuplicates(order: readonly number[], share: number, random: Random): number[] {
  const result: number[] = []
  const later: { position: number; after: number }[] = []
  for (const position of order) {
    result.push(position)
    if (!random.chance(share)) continue
    if (random.chance(0.5)) result.push(position)
    else later.push({ position, after: result.length })
  }
  // Insert from the last place to the first, so that no insertion moves a place that is still needed.
  for (const { position, after } of later.toReversed()) {
    result.splice(random.integer(after, result.length), 0, position)
  }
  return result
}

/** Returns a rate of misbehaviour as a number. Throws a RangeError if it is none. */
export function validRate(value: boolean | number | undefined): number {
  const share = Number(value ?? 0)
  if (!(share >= 0 && share <= 1)) throw new RangeError(`A rate must be from 0 to 1, not ${value}`)
  return share
}
