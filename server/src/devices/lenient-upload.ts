import { createHash } from 'node:crypto'
import { z } from 'zod'
import type { Database } from '../database/database.ts'
import type { CallerRequest } from '../http/request.ts'
import { devlog, MOST_ITEMS } from './devlog.ts'

/** An item that could not be stored, and why. */
export interface Rejection {
  index: number
  detail: string
  item: unknown
}

/** An upload sorted into what can be read and what cannot. `positions[k]` is where `items[k]` stood in the upload. */
export interface SortedUpload {
  items: unknown[]
  positions: number[]
  rejections: Rejection[]
}

/** Whether the request asks to go on without its bad items: `Prefer: handling=lenient` (RFC 7240, 4.4). */
export const prefersLenient = ({ headers }: CallerRequest) =>
  /(^|,)\s*handling\s*=\s*"?lenient"?\s*(;|,|$)/i.test(String(headers['prefer'] ?? ''))

const upload = z.object({ items: z.array(z.unknown()).max(MOST_ITEMS) })

/** Sorts the items of a lenient upload; undefined when the upload as a whole is not valid, which is not forgiven. */
export function sortUpload(rawInput: unknown): SortedUpload | undefined {
  const raw = upload.safeParse(rawInput)
  if (!raw.success) return undefined
  const sorted: SortedUpload = { items: [], positions: [], rejections: [] }
  for (const [index, item] of raw.data.items.entries()) {
    const [issue] = devlog.safeParse(item).error?.issues ?? []
    if (issue)
      sorted.rejections.push({ index, detail: `${issue.path.join('.') || 'item'}: ${issue.message}`, item })
    else {
      sorted.items.push(item)
      sorted.positions.push(index)
    }
  }
  return sorted
}

/** Keeps rejected items for the operator; the same item again, as a retrying device sends it, is kept once. */
export async function keepRejections(
  database: Database,
  rejections: readonly Rejection[],
  address: string,
): Promise<void> {
  const rows = rejections
    .map(({ detail, item }) => {
      const content = asText(item)
      const hash = createHash('sha256').update(content).digest()
      return { content, content_hash: hash, reason: detail, address }
    })
    // In one order, so that two uploads never wait for each other in a circle.
    .toSorted((one, other) => one.content_hash.compare(other.content_hash))
  await database.sql
    .insertInto('rejected_devlog')
    .values(rows)
    .onConflict((conflict) => conflict.column('content_hash').doNothing())
    .execute()
}

function asText(item: unknown): string {
  try {
    return JSON.stringify(item)
  } catch (error) {
    // JSON may nest deeper than the stack goes.
    if (error instanceof RangeError) return '"nested too deeply to be kept"'
    throw error
  }
}
