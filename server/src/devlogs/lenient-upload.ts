import { createHash } from 'node:crypto'
import { z } from 'zod'
import type { Database } from '../database/database.ts'
import { statement } from '../database/statement.ts'
import { uniqueId } from '../http/fields.ts'
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
  arrivedAt: Date
}

/** Whether the request asks to go on without its bad items: `Prefer: handling=lenient` (RFC 7240, 4.4). */
export const prefersLenient = ({ headers }: CallerRequest) =>
  /(^|,)\s*handling\s*=\s*"?lenient"?\s*(;|,|$)/i.test(String(headers['prefer'] ?? ''))

const upload = z.object({ items: z.array(z.unknown()).max(MOST_ITEMS) })

/** Sorts the items of a lenient upload; undefined when the upload as a whole is not valid, which is not forgiven. */
export function sortUpload(rawInput: unknown): SortedUpload | undefined {
  const raw = upload.safeParse(rawInput)
  if (!raw.success) return undefined
  const sorted: SortedUpload = { items: [], positions: [], rejections: [], arrivedAt: new Date() }
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

// The child is held, so that its deletion finds what is kept here. In one order, so that two uploads never wait for each
// other in a circle.
const keep = statement(
  'keep-rejections',
  `WITH wearer AS MATERIALIZED (
     SELECT r.id, d.unique_id FROM device d JOIN real_user r ON r.id = d.real_user_id
     WHERE d.unique_id = ANY ($4::uuid[]) AND d.connected_at <= $6 AND r.deleted_at IS NULL
     ORDER BY r.id FOR SHARE OF r
   )
   INSERT INTO rejected_devlog (content_hash, content, reason, address, real_user_id)
   SELECT i.content_hash, i.content, i.reason, $5, w.id
   FROM unnest($1::bytea[], $2::text[], $3::text[], $4::uuid[]) AS i (content_hash, content, reason, unique_id)
   LEFT JOIN wearer w USING (unique_id)
   ORDER BY i.content_hash
   ON CONFLICT (content_hash) DO NOTHING`,
)

const named = z.object({ unique_id: uniqueId })

/** Keeps rejected items for the operator; the same item again, as a retrying device sends it, is kept once. */
export async function keepRejections(
  { query }: Database,
  { rejections, arrivedAt }: SortedUpload,
  address: string,
): Promise<void> {
  const contents = rejections.map(({ item }) => asText(item))
  await query(keep, [
    contents.map((content) => createHash('sha256').update(content).digest()),
    contents,
    rejections.map(({ detail }) => detail),
    rejections.map(({ item }) => named.safeParse(item).data?.unique_id),
    address,
    arrivedAt,
  ])
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
